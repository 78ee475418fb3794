/** Reads what a list asks for of search attributes and tags, by what the loaded case types declare. */

import { FootholdError } from "../core/errors.ts";
import type { CaseOutline } from "../core/outline.ts";
import { readSought, type SoughtValue } from "../core/sought.ts";

/** Values that one list asks for. */
export const FINDS_MAX = 10;

/**
 * Each of `orderNo:A-7`, `amount:100..`, `placedAt:2027-01-01..2027-01-31` or `tag:vip`, as the attributes of these types have
 * it; of one type alone where it is named. Throws `INVALID_REQUEST`.
 */
export function soughtValues(
  outlines: readonly CaseOutline[],
  finds: readonly string[],
  caseType: string | null,
): readonly SoughtValue[] {
  if (finds.length > FINDS_MAX)
    throw refused(`asks for ${finds.length} values, at most ${FINDS_MAX} at once`);
  const asked = outlines.filter(({ name }) => caseType === null || name === caseType);
  const declared = asked.flatMap(({ search }) => search?.attributes ?? []);
  return finds.map((text) => {
    const read = readSought(text, (name) => declared.flatMap((one) => (one.name === name ? [one.type] : [])));
    if (read.kind === "sought") return read.sought;
    const names = [...new Set(declared.map(({ name }) => name))].join(", ") || "none";
    throw refused(`${read.why}. Attributes: ${names}; and tag`);
  });
}

function refused(message: string): FootholdError {
  return new FootholdError("INVALID_REQUEST", `find: ${message}.`, {
    details: { fields: [{ path: "find", message }] },
  });
}
