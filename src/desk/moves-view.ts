/** Which moves a case allows now, and for whom, each with the reason where not. Judged as the move itself would be. */

import { stepOf, type CaseState } from "../core/case-state.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { Actor } from "../core/journal.ts";
import { MOVES, type MoveName, type MoveRule } from "../core/move-names.ts";
import type { Verb } from "../core/rights.ts";
import {
  askedApproval,
  decideApproval,
  decideCancel,
  decideCheck,
  decideCorrection,
  decidePause,
  decideResume,
  refuse,
  type HeldBy,
  type MoveVerdict,
} from "../core/moves.ts";
import { decideOpenRepair, decideTakeOver } from "../core/repair-moves.ts";
import {
  decideConfirmation,
  decideLeavingOutside,
  decideRedo,
  decideRulingOut,
  decideSkip,
  decideUndo,
} from "../core/vouching.ts";
import type { SendStepOutline } from "../core/outline.ts";
import { outsideEffects } from "../core/outside.ts";
import { planCase } from "../core/plan.ts";
import type { PlanInput } from "../core/planning.ts";
import { findStep } from "../core/undo.ts";
import type { StoredHolder, StoredRow } from "../store/port.ts";
import type { Answering, JudgeApprover } from "./approvers.ts";
import { heldBy } from "./change.ts";
import type { DefinitionStanding } from "./definition.ts";

/** One move and whether it is allowed now. */
export interface MoveView extends MoveRule {
  readonly move: MoveName;
  /** The step that it would act on; null for moves on the whole case, and where no step allows it. */
  readonly step: string | null;
  /** The access that it would restore; null for every other move. */
  readonly credential: { readonly destination: string; readonly credentialId: string } | null;
  readonly isAllowed: boolean;
  /** True where the person lacks the right, whatever the case allows. */
  readonly isForbidden: boolean;
  /** Why it is not allowed; null where it is, and where only the right is missing. */
  readonly code: ErrorCode | null;
  readonly why: string | null;
}

/** Tells whether the person who looks has a right. */
export type HasRight = (right: Verb) => boolean;

/** What the moves are judged on. */
export interface MovesInput {
  readonly row: StoredRow;
  readonly state: CaseState;
  readonly holders: readonly StoredHolder[];
  readonly planInput: PlanInput | null;
  /** True for the holder of the open repair: the claim is theirs. */
  readonly isOwnRepair: boolean;
  readonly fingerprintNow: (step: SendStepOutline) => string | null;
  readonly definition: DefinitionStanding;
  readonly hasRight: HasRight;
  /** Judges whether whoever looks may answer an approval, whatever the case allows. */
  readonly judgeApprover: JudgeApprover;
}

const anybody: Actor = { kind: "person", name: "anybody" };
const reason = "a reason";

/** A move judged on the case, before the person's rights. */
interface Judged {
  readonly move: MoveName;
  readonly step?: string;
  readonly credential?: NonNullable<MoveView["credential"]>;
  readonly verdict: MoveVerdict;
}

/** Judges every move. One on steps is named once for each step that allows it, or once with the reason why none does. */
export function viewMoves(input: MovesInput): readonly MoveView[] {
  const claimedBy = heldBy(input.row, input.holders);
  const held = input.isOwnRepair ? null : claimedBy;
  const judged = [
    ...(input.planInput === null ? noPlan(input) : movesOnPlan(input, input.planInput, held)),
    ...plainMoves(input, held),
  ];
  return judged.map((one) => viewMove(one, input.hasRight));
}

/** Moves that need the definition. */
const PLANNED = [
  "approve",
  "resume",
  "force",
  "correct",
  "check",
  "confirm",
  "ruleOut",
  "skip",
  "redo",
  "undo",
] as const;

function noPlan({ definition }: MovesInput): readonly Judged[] {
  return PLANNED.map((move) => ({ move, verdict: refuse("UNKNOWN_CASE_TYPE", definition.sentence) }));
}

function movesOnPlan(input: MovesInput, plan: PlanInput, held: HeldBy | null): readonly Judged[] {
  const { state, fingerprintNow } = input;
  const by = anybody;
  const said = { evidence: null, by, reason } as const;
  const steps = stepsInPlay(plan);
  const on = (move: MoveName, judge: (step: string) => MoveVerdict, names = steps): readonly Judged[] =>
    judgeSteps(move, names, judge);
  const resume = { step: null, by, reason: null };
  return [
    ...approvalMoves(input, plan, held),
    { move: "resume", verdict: decideResume(plan, held, resume, fingerprintNow) },
    ...on("force", (step) => judgeForce(plan, held, step, fingerprintNow)),
    { move: "correct", verdict: decideCorrection(state, held, { by, input: state.input, reason }) },
    ...on("check", (step) => decideCheck(plan, held, { step, by, reason })),
    ...on("confirm", (step) => decideConfirmation(plan, held, { ...said, step, result: null })),
    ...on("ruleOut", (step) => decideRulingOut(plan, held, { ...said, step })),
    ...on("skip", (step) => decideSkip(plan, held, { ...said, step, result: null })),
    ...on("redo", (step) => decideRedo(plan, held, { ...said, step })),
    ...on("undo", (step) => decideUndo(plan, held, { ...said, step })),
    ...leavingMoves(state, held),
    ...accessMoves(plan),
  ];
}

/** Answering an approval, and answering it in place of others where it is asked of others than whoever looks. */
function approvalMoves(
  { state, judgeApprover }: MovesInput,
  plan: PlanInput,
  held: HeldBy | null,
): readonly Judged[] {
  const answer = { approved: true, form: null, note: null, sourceId: "", by: anybody };
  const { now } = plan;
  const judge = (step: string, answering: Answering): MoveVerdict => {
    const verdict = decideApproval(plan, held, { ...answer, step });
    const wait = verdict.kind === "write" ? askedApproval(plan, step) : null;
    const who = wait === null ? null : judgeApprover({ state, wait, now }, answering);
    return who?.kind === "refused" ? who : verdict;
  };
  const names = plan.outline.steps.filter(({ kind }) => kind === "approval").map(({ name }) => name);
  const asked = names.map((step) => ({ step, verdict: judge(step, { approved: false, standsIn: false }) }));
  const others = asked.filter(
    ({ verdict }) => verdict.kind === "refused" && verdict.code === "APPROVER_REFUSED",
  );
  return [
    ...judgeSteps("approve", names, (step) => judge(step, { approved: true, standsIn: false })),
    ...others.map(({ step }): Judged => ({
      move: "standIn",
      step,
      verdict: judge(step, { approved: true, standsIn: true }),
    })),
  ];
}

/** Every step by name, those that wait for people first, with undo steps that were begun. */
function stepsInPlay(plan: PlanInput): readonly string[] {
  const { steps } = planCase(plan);
  const names = steps.map(({ step }) => step.name);
  const known = Object.keys(plan.state.steps).filter((name) => findStep(plan.outline, name) !== null);
  const waiting = steps.filter(({ act }) => act.kind === "review").map(({ target }) => target.name);
  return [...new Set([...waiting, ...names, ...known])];
}

function judgeSteps(
  move: MoveName,
  names: readonly string[],
  judge: (step: string) => MoveVerdict,
): readonly Judged[] {
  const judged = names.map((step): Judged => ({ move, step, verdict: judge(step) }));
  const allowed = judged.filter(({ verdict }) => verdict.kind === "write");
  if (allowed.length > 0) return allowed;
  const [first] = judged;
  // The reason of the step that is looked at first says most.
  return first === undefined ? [] : [{ move, verdict: first.verdict }];
}

/** Only in a case that is being canceled is there anything to be left. */
function leavingMoves(state: CaseState, held: HeldBy | null): readonly Judged[] {
  if (state.cancelRequest === null) return [];
  const names = outsideEffects(state).map(({ step }) => step);
  return judgeSteps("leaveOutside", names, (step) =>
    decideLeavingOutside(state, held, { step, by: anybody, reason }),
  );
}

function judgeForce(
  plan: PlanInput,
  held: HeldBy | null,
  step: string,
  fingerprintNow: MovesInput["fingerprintNow"],
): MoveVerdict {
  const { review } = stepOf(plan.state, step);
  if (review?.reason !== "rejected") {
    return refuse("NOTHING_TO_RESUME", `Nothing that ${step} sent was rejected; resume the case instead.`);
  }
  return decideResume(plan, held, { step, by: anybody, reason, forced: true }, fingerprintNow);
}

/** Offered for each credential that the case waits on; whether it works again is found out by trying one case. */
function accessMoves({ state, outline }: PlanInput): readonly Judged[] {
  const credentials = new Map<string, NonNullable<MoveView["credential"]>>();
  for (const [name, { review }] of Object.entries(state.steps)) {
    const step = review?.reason === "denied" ? findStep(outline, name) : null;
    if (step?.kind !== "step") continue;
    const { name: destination, credentialId } = step.destination;
    credentials.set(`${destination} ${credentialId}`, { destination, credentialId });
  }
  const verdict: MoveVerdict = { kind: "write", entries: [] };
  return [...credentials.values()].map((credential) => ({ move: "restoreAccess", credential, verdict }));
}

/** Moves that need no definition. */
function plainMoves({ state, isOwnRepair }: MovesInput, held: HeldBy | null): readonly Judged[] {
  const request = { by: anybody, reason: null };
  const yes: MoveVerdict = { kind: "write", entries: [] };
  return [
    { move: "cancel", verdict: decideCancel(state, held, request) },
    { move: "pause", verdict: decidePause(state, held, { ...request, untilAt: null }) },
    { move: "assign", verdict: yes },
    ...repairMoves(state, isOwnRepair, held),
    { move: "note", verdict: yes },
  ];
}

/** Opening is offered where nobody holds the case, taking over where another person does. */
function repairMoves(state: CaseState, isOwnRepair: boolean, held: HeldBy | null): readonly Judged[] {
  const yes: MoveVerdict = { kind: "write", entries: [] };
  if (isOwnRepair) {
    return [
      { move: "close", verdict: yes },
      { move: "handOver", verdict: yes },
    ];
  }
  const opening = { claimId: "", holderId: "", by: anybody };
  const takeOver = decideTakeOver(state, held, { ...opening, reason, from: null });
  if (takeOver.kind === "write") return [{ move: "takeOver", verdict: takeOver }];
  return [{ move: "open", verdict: decideOpenRepair(state, held, opening) }];
}

function viewMove({ move, step, credential, verdict }: Judged, hasRight: HasRight): MoveView {
  const rule: MoveRule = MOVES[move];
  const about = { move, step: step ?? null, credential: credential ?? null, ...rule };
  if (!hasRight(rule.right)) {
    const why = `You have not the right to ${rule.right} here.`;
    return { ...about, isAllowed: false, isForbidden: true, code: null, why };
  }
  const open = { ...about, isForbidden: false };
  switch (verdict.kind) {
    case "write":
      return { ...open, isAllowed: true, code: null, why: null };
    case "repeated":
      return { ...open, isAllowed: false, code: null, why: "It is asked for already, or done." };
    case "refused":
      return { ...open, isAllowed: false, code: verdict.code, why: verdict.sentence };
  }
}
