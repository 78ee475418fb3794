/** Approvals that another person has to give than whoever shaped what is approved. */

import { FootholdError } from "../core/errors.ts";
import type { CaseState } from "../core/case-state.ts";
import type { Actor, JournalEntry } from "../core/journal.ts";
import type { MoveVerdict } from "../core/moves.ts";
import { decideApprover, needsSecond } from "../core/second-person.ts";
import type { StoredRow } from "../store/port.ts";
import type { DeskParts } from "./desk-parts.ts";
import { isSameInput } from "./kept-values.ts";
import { caseNotFound } from "./requests.ts";

/** Why somebody may not say yes at a step; null = they may, as far as this goes. */
export type RefuseApprover = (state: CaseState, step: string) => Refused | null;

type Refused = Extract<MoveVerdict, { readonly kind: "refused" }>;

const anybodyMay: RefuseApprover = () => null;

/** Whoever started a case or corrected its input: what is approved is their doing. */
function shapedBy(journal: readonly JournalEntry[]): readonly Actor[] {
  return journal.flatMap(({ entry }) =>
    entry.kind === "caseStarted" || entry.kind === "inputCorrected" ? [entry.by] : [],
  );
}

/** Judges somebody by the journal of a case, where the configuration wants another person. */
export function approverJudge(
  { secondRules }: Pick<DeskParts, "secondRules">,
  { caseId, caseType }: Pick<StoredRow, "caseId" | "caseType">,
  journal: readonly JournalEntry[],
  by: Actor,
): RefuseApprover {
  if (!needsSecond(secondRules, "approve", caseType)) return anybodyMay;
  const shapers = shapedBy(journal);
  return (_, step) => {
    const verdict = decideApprover(shapers, { by, caseId, step });
    return verdict.kind === "refused" ? verdict : null;
  };
}

/**
 * The same for an answer that is being given: it is judged under the case's lock, where the journal is not read, so an input that
 * was corrected since throws `PLAN_CHANGED`.
 */
export async function approverOf(parts: DeskParts, row: StoredRow, by: Actor): Promise<RefuseApprover> {
  if (!needsSecond(parts.secondRules, "approve", row.caseType)) return anybodyMay;
  const stored = await parts.store.loadCase(row.caseId);
  if (stored === null) throw caseNotFound(row.caseId);
  const judge = approverJudge(parts, row, stored.journal, by);
  return (state, step) => {
    if (isSameInput(stored.state, state)) return judge(state, step);
    throw new FootholdError(
      "PLAN_CHANGED",
      `The input of case ${row.caseId} was corrected just now. Look at it again.`,
      { details: { caseId: row.caseId } },
    );
  };
}
