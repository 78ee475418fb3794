/** What the routes of saved views take and tell. */

import { z } from "zod";
import type { SavedView } from "../view-types.ts";
import { line } from "./request-schemas.ts";
import { list, named, typed } from "./schema.ts";

/** Longest name of a view, and longest query, in UTF-16 units. */
const NAME_CHARS_MAX = 80;
const QUERY_CHARS_MAX = 2_000;

/** A list that a person keeps. */
export const savedView: z.ZodType<SavedView> = named<SavedView>("SavedView")(
  z.strictObject({ name: line(NAME_CHARS_MAX), query: line(QUERY_CHARS_MAX) }),
);

/** All of theirs. */
export const savedViews: z.ZodType<{ readonly views: readonly SavedView[] }> = z.strictObject({
  views: list(savedView),
});

/** Names a view. */
export const viewParams: z.ZodType<{ readonly view: string }> = typed<{ readonly view: string }>()(
  z.strictObject({ view: line(NAME_CHARS_MAX) }),
);
