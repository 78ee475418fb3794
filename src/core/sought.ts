/** What a list asks for of search attributes and tags: read from a text, and judged. */

import { TAG, type AttributeType } from "./search-outline.ts";
import type { SearchValue } from "./search-values.ts";
import { parseTime } from "./utc-time.ts";

const MS_PER_DAY = 86_400_000;

/** A value that a list asks for. */
export interface SoughtValue {
  readonly name: string;
  /** The value as a text; null = a number, or a time, from one end to the other, which both count. */
  readonly value: string | null;
  /** Null = without end. */
  readonly from: number | null;
  readonly to: number | null;
}

/** True if one of the values is what is sought. */
export function meetsSought(values: readonly SearchValue[], sought: SoughtValue): boolean {
  const { name, value, from, to } = sought;
  return values.some((one) => {
    if (one.name !== name) return false;
    if (value !== null) return one.value === value;
    const { number } = one;
    return number !== undefined && (from === null || number >= from) && (to === null || number <= to);
  });
}

/** What came of reading what is asked for. */
type SoughtReading =
  | { readonly kind: "sought"; readonly sought: SoughtValue }
  | { readonly kind: "unreadable"; readonly why: string };

/**
 * Reads `orderNo:A-7`, `amount:100..`, `placedAt:2027-01-01..2027-02-01` or `tag:vip`; `types` are those that the attributes of
 * this name have.
 */
export function readSought(text: string, typesOf: (name: string) => readonly AttributeType[]): SoughtReading {
  const [, name = "", wanted = ""] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  if (name === "" || wanted === "") return unreadable(text, "give NAME:VALUE or NAME:FROM..TO");
  if (name === TAG) return textSought(name, wanted);
  const types = [...new Set(typesOf(name))];
  const [type] = types;
  if (type === undefined) return unreadable(text, `there is no attribute ${JSON.stringify(name)}`);
  if (types.length > 1) {
    return unreadable(
      text,
      `${name} is ${types.join(" in one case type and ")} in another: name the type too`,
    );
  }
  switch (type) {
    case "text":
      return textSought(name, wanted);
    case "boolean":
      return wanted === "true" || wanted === "false"
        ? textSought(name, wanted)
        : unreadable(text, `${name} is true or false`);
    case "number":
      return readRange({ text, name, wanted, example: "100 or 100..250", read: readNumber });
    case "time":
      return readRange({
        text,
        name,
        wanted,
        example: "2027-01-31, 2027-01-31T09:05:00Z or 2027-01-01..",
        read: readTimeEnd,
      });
  }
}

function textSought(name: string, value: string): SoughtReading {
  return { kind: "sought", sought: { name, value, from: null, to: null } };
}

function readNumber(text: string): number | null {
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text)) ? Number(text) : null;
}

interface Range {
  readonly text: string;
  readonly name: string;
  readonly wanted: string;
  readonly example: string;
  readonly read: (text: string, end: "from" | "to") => number | null;
}

/** A value alone is a range of one. */
function readRange({ text, name, wanted, example, read }: Range): SoughtReading {
  const [low = "", high = low, ...more] = wanted.split("..");
  const from = low === "" ? null : read(low, "from");
  const to = high === "" ? null : read(high, "to");
  const isFaulty = (low !== "" && from === null) || (high !== "" && to === null);
  if (isFaulty || (from === null && to === null) || more.length > 0)
    return unreadable(text, `give ${name} as ${example}`);
  return { kind: "sought", sought: { name, value: null, from, to } };
}

/** A day alone is all of it. */
function readTimeEnd(text: string, end: "from" | "to"): number | null {
  const at = parseTime(text);
  return at !== null && end === "to" && !text.includes("T") ? at + MS_PER_DAY - 1 : at;
}

function unreadable(text: string, why: string): SoughtReading {
  return { kind: "unreadable", why: `${JSON.stringify(text.slice(0, 100))} cannot be looked for: ${why}` };
}
