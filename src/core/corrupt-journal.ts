/** What is thrown about a journal that no engine of ours can have written. */

import { FootholdError } from "./errors.ts";

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
