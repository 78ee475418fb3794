/** Pages of lists: how much the API gives at once, and how the next page is asked for. A test holds the bounds to its own. */

import { readWhole, textsGiven, type Call, type OptionSpec } from "./command.ts";

/** Rows of one page at most. */
export const PAGE_MAX = 500;
/** Rows of one page where nothing else is asked for. */
export const PAGE_DEFAULT = 50;

/** How many. */
export function limitOption(rows: string): OptionSpec {
  const help = `${rows.toLowerCase()} on one page, at most ${PAGE_MAX}; ${PAGE_DEFAULT} when left out`;
  return { name: "limit", value: rows, help };
}

/** From where on. */
export const CURSOR_OPTION: OptionSpec = {
  name: "cursor",
  value: "CURSOR",
  help: "the next page, as the page before names it",
};

/** The page that is asked for. Throws `USAGE`. */
export function readPage(call: Call): { readonly limit: number; readonly cursor?: string } {
  const limit = readWhole(call, "limit", { min: 1, max: PAGE_MAX }) ?? PAGE_DEFAULT;
  return { limit, ...textsGiven(call, { cursor: "cursor" }) };
}
