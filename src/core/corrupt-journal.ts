/** What is thrown about a journal that no engine of ours can have written, or that cannot be opened here. */

import { FootholdError, isFootholdError } from "./errors.ts";

/** The error for a journal that cannot be read at `revision`. */
export function corruptJournal(
  { caseId, revision }: { readonly caseId: string; readonly revision: number },
  what: string,
): FootholdError {
  return new FootholdError(
    "CORRUPT_JOURNAL",
    `The journal of case ${caseId} cannot be read at revision ${revision}: ${what}. ` +
      `The case stays untouched; restore its journal rows from a backup, or cancel it by hand.`,
    { details: { caseId, revision } },
  );
}

/** Whether an error says that one case cannot be read, which must keep nobody from the others. */
export function isUnreadable(error: unknown): error is FootholdError {
  return isFootholdError(error) && (error.code === "CORRUPT_JOURNAL" || error.code === "PAYLOAD_KEY_MISSING");
}
