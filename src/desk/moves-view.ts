/** Which acts a case allows now, each with the reason where it does not. Judged as the act itself would be. */

import type { CaseState } from "../core/case-state.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { Actor } from "../core/journal.ts";
import {
  decideApproval,
  decideCancel,
  decideCorrection,
  decidePause,
  decideResume,
  type HeldBy,
  type MoveVerdict,
} from "../core/moves.ts";
import { decideOpenRepair, decideTakeOver } from "../core/repair-moves.ts";
import { decideConfirmation, decideRedo, decideRulingOut } from "../core/vouching.ts";
import type { SendStepOutline } from "../core/outline.ts";
import type { PlanInput } from "../core/planning.ts";
import type { StoredHolder, StoredRow } from "../store/port.ts";
import { heldBy } from "./change.ts";
import type { DefinitionStanding } from "./definition.ts";

/** One act and whether it is allowed now. */
export interface MoveView {
  readonly move:
    | "open"
    | "takeOver"
    | "close"
    | "approve"
    | "confirm"
    | "ruleOut"
    | "redo"
    | "resume"
    | "cancel"
    | "pause"
    | "correct"
    | "note";
  /** The approval that can be answered, the step that can be confirmed, ruled out or done again; null for acts on the whole case. */
  readonly step: string | null;
  readonly isAllowed: boolean;
  /** Why it is not; null where it is. */
  readonly code: ErrorCode | null;
  readonly why: string | null;
}

/** What the acts are judged on. */
export interface MovesInput {
  readonly row: StoredRow;
  readonly state: CaseState;
  readonly holders: readonly StoredHolder[];
  readonly planInput: PlanInput | null;
  /** True for the holder of the open repair: the claim is theirs. */
  readonly isOwnRepair: boolean;
  readonly fingerprintNow: (step: SendStepOutline) => string | null;
  readonly definition: DefinitionStanding;
}

const anybody: Actor = { kind: "person", name: "anybody" };

/** Judges every act. Approvals are listed where the case waits for them. */
export function viewMoves(input: MovesInput): readonly MoveView[] {
  const { state, planInput } = input;
  const claimedBy = heldBy(input.row, input.holders);
  const held = input.isOwnRepair ? null : claimedBy;
  const request = { by: anybody, reason: null };
  const withPlan = (judge: (plan: PlanInput) => MoveVerdict): MoveVerdict =>
    planInput === null
      ? { kind: "refused", code: "UNKNOWN_CASE_TYPE", sentence: input.definition.sentence }
      : judge(planInput);
  return [
    ...(planInput === null ? [] : approvalsAskedFor(planInput, held)),
    ...(planInput === null ? [] : stepsToVouchFor(planInput, held)),
    viewMove(
      "resume",
      withPlan((plan) => decideResume(plan, held, { ...request, step: null }, input.fingerprintNow)),
    ),
    viewMove("cancel", decideCancel(state, held, request)),
    viewMove("pause", decidePause(state, held, { ...request, untilAt: null })),
    viewMove(
      "correct",
      withPlan(() => decideCorrection(state, held, { by: anybody, input: state.input, reason: "" })),
    ),
    ...viewRepairMoves(input, held),
    { move: "note", step: null, isAllowed: true, code: null, why: null },
  ];
}

/** Opening is offered where nobody holds the case, taking over where another person does. */
function viewRepairMoves({ state, isOwnRepair }: MovesInput, held: HeldBy | null): readonly MoveView[] {
  if (isOwnRepair) return [{ move: "close", step: null, isAllowed: true, code: null, why: null }];
  const opening = { claimId: "", holderId: "", by: anybody };
  const takeOver = decideTakeOver(state, held, { ...opening, reason: "", from: null });
  if (takeOver.kind === "write") return [viewMove("takeOver", takeOver)];
  return [viewMove("open", decideOpenRepair(state, held, opening))];
}

function approvalsAskedFor(plan: PlanInput, held: HeldBy | null): readonly MoveView[] {
  const answer = { approved: true, form: null, note: null, sourceId: "", by: anybody };
  return plan.outline.steps
    .filter(
      ({ kind, name }) =>
        kind === "approval" && decideApproval(plan, held, { ...answer, step: name }).kind === "write",
    )
    .map(({ name }) => ({ move: "approve", step: name, isAllowed: true, code: null, why: null }));
}

/** What can be said or ordered about single steps, their undo included. */
function stepsToVouchFor(plan: PlanInput, held: HeldBy | null): readonly MoveView[] {
  const said = { evidence: null, by: anybody, reason: "" };
  const names = Object.keys(plan.state.steps);
  const about = (move: MoveView["move"], judge: (step: string) => MoveVerdict): readonly MoveView[] =>
    names
      .filter((name) => judge(name).kind === "write")
      .map((name) => ({ move, step: name, isAllowed: true, code: null, why: null }));
  return [
    ...about("confirm", (step) => decideConfirmation(plan, held, { ...said, step, result: null })),
    ...about("ruleOut", (step) => decideRulingOut(plan, held, { ...said, step })),
    ...about("redo", (step) => decideRedo(plan, held, { ...said, step })),
  ];
}

function viewMove(move: MoveView["move"], verdict: MoveVerdict): MoveView {
  switch (verdict.kind) {
    case "write":
      return { move, step: null, isAllowed: true, code: null, why: null };
    case "repeated":
      return { move, step: null, isAllowed: false, code: null, why: "It is asked for already, or done." };
    case "refused":
      return { move, step: null, isAllowed: false, code: verdict.code, why: verdict.sentence };
  }
}
