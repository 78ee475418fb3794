/**
 * Who may answer an approval: the people of its owner, and for a yes, where the configuration wants it, another person than
 * whoever shaped what is approved.
 */

import {
  decideApproverOf,
  sayWhoAnswers,
  type ApprovalOwner,
  type ApproverVerdict,
} from "../core/approver.ts";
import type { CaseState } from "../core/case-state.ts";
import { FootholdError } from "../core/errors.ts";
import type { Actor, JournalEntry } from "../core/journal.ts";
import { decideApprover, needsSecond } from "../core/second-person.ts";
import { ownersAsked, type ApprovalWait } from "../core/waits.ts";
import type { CaseType } from "../define/case-type.ts";
import { accountNamesOf, ownersOfApproval } from "../define/owner-names.ts";
import type { StoredRow } from "../store/port.ts";
import type { DeskParts } from "./desk-parts.ts";
import { isSameInput } from "./kept-values.ts";
import { caseNotFound } from "./requests.ts";

/** An answer, as far as it decides who may give it. */
export interface Answering {
  readonly approved: boolean;
  /** True = in place of the owner, where they are none of its people. */
  readonly standsIn: boolean;
}

/** Judges whether whoever acts may answer what a case asks for. */
export type JudgeApprover = (
  asked: { readonly state: CaseState; readonly wait: ApprovalWait; readonly now: number },
  answering: Answering,
) => ApproverVerdict;

/** Gives the owners with whom their names stand for; null = whoever has the right may answer. */
export type OwnersNamed = ((names: readonly string[]) => readonly ApprovalOwner[]) | null;

const TAKEN: ApproverVerdict = { kind: "taken", inPlaceOf: null };

/** Takes every answer. */
export const anybodyMay: JudgeApprover = () => TAKEN;

/** Reads whose accounts stand behind the owners of the approvals that a case may ask for. */
export async function ownersOf(
  { owners, store }: Pick<DeskParts, "owners" | "store">,
  caseType: CaseType | null,
  row: Pick<StoredRow, "summary">,
): Promise<OwnersNamed> {
  if (owners === null) return null;
  const asked = row.summary.waits.flatMap((wait) =>
    wait.kind === "approval" ? ownersAsked(wait, Number.MAX_VALUE) : [],
  );
  const defined = (caseType?.outline.steps ?? []).flatMap((step) =>
    step.kind === "approval" ? ownersOfApproval(step) : [],
  );
  const known = new Map<string, ApprovalOwner>();
  for (const owner of new Set([...asked, ...defined])) {
    const found = await Promise.all(
      accountNamesOf(owners, owner).map((name) => store.people.findPerson(name)),
    );
    const accounts = found.flatMap((one) =>
      one === null ? [] : [{ personId: one.personId, name: one.name, maySignIn: one.disabledAt === null }],
    );
    known.set(owner, { owner, accounts });
  }
  return (names) => names.map((owner) => known.get(owner) ?? { owner, accounts: [] });
}

/** Who may answer what a case waits for, in one sentence; null where nobody but the right decides. */
export function sayMayAnswer(named: OwnersNamed, wait: ApprovalWait, now: number): string | null {
  return named === null ? null : sayWhoAnswers(named(ownersAsked(wait, now)));
}

/** Whoever started a case or corrected its input: what is approved is their doing. */
function shapedBy(journal: readonly JournalEntry[]): readonly Actor[] {
  return journal.flatMap(({ entry }) =>
    entry.kind === "caseStarted" || entry.kind === "inputCorrected" ? [entry.by] : [],
  );
}

/** Judges somebody by the people of the owners, and by the journal of a case where another person is wanted. */
export function approverJudge(
  { secondRules }: Pick<DeskParts, "secondRules">,
  { caseId, caseType }: Pick<StoredRow, "caseId" | "caseType">,
  {
    named,
    journal,
    by,
  }: {
    readonly named: OwnersNamed;
    readonly journal: readonly JournalEntry[];
    readonly by: Actor;
  },
): JudgeApprover {
  const shapers = needsSecond(secondRules, "approve", caseType) ? shapedBy(journal) : [];
  return ({ wait, now }, { approved, standsIn }) => {
    const { step } = wait;
    const verdict =
      named === null
        ? TAKEN
        : decideApproverOf(named(ownersAsked(wait, now)), { by, standsIn, caseId, step });
    if (verdict.kind === "refused" || !approved) return verdict;
    const other = decideApprover(shapers, { by, caseId, step });
    return other.kind === "refused" ? other : verdict;
  };
}

/**
 * The same for an answer that is being given: it is judged under the case's lock, where the journal is not read, so an input that
 * was corrected since throws `PLAN_CHANGED`.
 */
export async function approverOf(
  parts: DeskParts,
  row: StoredRow,
  { caseType, by }: { readonly caseType: CaseType; readonly by: Actor },
): Promise<JudgeApprover> {
  const named = await ownersOf(parts, caseType, row);
  if (!needsSecond(parts.secondRules, "approve", row.caseType)) {
    return approverJudge(parts, row, { named, journal: [], by });
  }
  const stored = await parts.store.loadCase(row.caseId);
  if (stored === null) throw caseNotFound(row.caseId);
  const judge = approverJudge(parts, row, { named, journal: stored.journal, by });
  return (asked, answering) => {
    if (!answering.approved || isSameInput(stored.state, asked.state)) return judge(asked, answering);
    throw new FootholdError(
      "PLAN_CHANGED",
      `The input of case ${row.caseId} was corrected just now. Look at it again.`,
      { details: { caseId: row.caseId } },
    );
  };
}
