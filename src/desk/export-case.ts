/** A case as a document that can be kept and replayed: with marks in place of what is masked, or as it is. */

import { FootholdError } from "../core/errors.ts";
import { EXPORT_FORMAT, type ExportedCase } from "../core/exported-case.ts";
import { definitionOf } from "./definition.ts";
import type { DeskParts } from "./desk-parts.ts";
import { maskJournal } from "./masked-journal.ts";
import { caseNotFound, isCaseId } from "./requests.ts";

/** Entries of the longest journal that is exported. */
const EXPORT_ENTRIES_MAX = 100_000;

/**
 * The whole journal of a case. Where its definition is not loaded nobody knows what is masked, so all of it is. Throws
 * `CASE_NOT_FOUND`, and `INVALID_REQUEST` for a journal of more than 100,000 entries.
 */
export async function exportCase(
  { store, registry }: Pick<DeskParts, "store" | "registry">,
  caseId: string,
  { isMasked }: { readonly isMasked: boolean },
): Promise<ExportedCase> {
  const stored = isCaseId(caseId) ? await store.loadCase(caseId) : null;
  if (stored === null) throw caseNotFound(caseId);
  if (stored.journal.length > EXPORT_ENTRIES_MAX) {
    throw new FootholdError(
      "INVALID_REQUEST",
      `Case ${caseId} has ${stored.journal.length} entries, more than the ${EXPORT_ENTRIES_MAX} that are exported.`,
    );
  }
  const isErased = stored.state.erased !== undefined;
  const masked =
    isMasked && !isErased ? maskJournal(definitionOf(registry, stored.row).caseType, stored.journal) : null;
  return {
    format: EXPORT_FORMAT,
    caseId,
    exportedAt: await store.now(),
    ...(masked === null ? {} : { isMasked: true }),
    entries: masked ?? stored.journal,
  };
}
