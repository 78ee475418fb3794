/**
 * What people and the outside may do to a case: facts, which need no claim, and moves, which act on a case that nobody
 * holds (R4). That a fact is stored once per source id is the store's part: it knows them all. Every refusal carries a
 * code and says what is missing.
 */

import type { Claim } from "./claim.ts";
import type { ErrorCode } from "./errors.ts";
import { isCheckOrdered, stepOf, type CaseState, type OpenRepair } from "./case-state.ts";
import { foldEntries } from "./fold.ts";
import type { Actor, Assignee, Entry } from "./journal.ts";
import type { Json } from "./json.ts";
import type { SendStepOutline } from "./outline.ts";
import { isUntouched } from "./outside.ts";
import { planCase } from "./plan.ts";
import type { Act, PlanInput, PlannedStep } from "./planning.ts";
import { repairUnder } from "./repair.ts";
import { findStep } from "./undo.ts";
import { formatUtc } from "./utc-time.ts";
import type { Holder } from "./state.ts";
import { ownersAsked, type ApprovalWait } from "./waits.ts";

/** What is to be done about a request. */
export type MoveVerdict =
  | { readonly kind: "write"; readonly entries: readonly Entry[] }
  /** Known already: nothing is written, and the caller is told so. */
  | { readonly kind: "repeated" }
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly sentence: string };

/** A claim as a move meets it. */
export interface HeldBy {
  readonly claim: Claim;
  readonly holder: Holder | null;
}

/**
 * An event that arrived for a case. Stored on any case; on an ended one it is kept as ignored, and during a repair it is
 * attached (R22).
 */
export function decideEvent(
  state: CaseState,
  held: HeldBy | null,
  event: {
    readonly eventType: string;
    readonly sourceId: string;
    readonly payload: Json;
    readonly by: Actor;
  },
): MoveVerdict {
  const isAttached = inRepair(state, held) !== null;
  if (isAttached) return { kind: "write", entries: [{ kind: "eventAttached", ...event }] };
  const ignored = isEnded(state) ? `the case is ${state.rest.kind}` : null;
  return { kind: "write", entries: [{ kind: "eventReceived", ...event, ignored }] };
}

/** A person's answer to an approval that is being asked for. During somebody's repair what it is about may change. */
export function decideApproval(
  input: PlanInput,
  held: HeldBy | null,
  answer: {
    readonly step: string;
    readonly approved: boolean;
    readonly form: Json;
    readonly note: string | null;
    readonly sourceId: string;
    readonly by: Actor;
    /** The owner for whom they stand in; left out = they answer for themselves. */
    readonly inPlaceOf?: string;
  },
): MoveVerdict {
  const { state } = input;
  if (isEnded(state)) return caseEnded(state);
  if (held !== null && inRepair(state, held) !== null) return caseClaimed(state, held);
  const planned = planCase(input).steps.find(({ step }) => step.name === answer.step);
  if (planned?.step.kind !== "approval") {
    const names = input.outline.steps.filter(({ kind }) => kind === "approval").map(({ name }) => name);
    const known = names.length === 0 ? "It has no approval." : `Its approvals: ${names.join(", ")}.`;
    return refuse(
      "NOT_WAITING_FOR_APPROVAL",
      `${answer.step} is not an approval of ${state.caseType}. ${known}`,
    );
  }
  const given = stepOf(state, answer.step).answer;
  if (given !== null || planned.standing.kind === "stands") {
    const again = given?.approved === false ? " Resume it first, so that it is asked again." : "";
    return refuse("ALREADY_ANSWERED", `${answer.step} of case ${state.caseId} is answered already.${again}`);
  }
  if (planned.act.kind === "wait" && planned.act.wait.kind === "approval") {
    return { kind: "write", entries: [{ kind: "approvalAnswered", ...answer }] };
  }
  return refuse(
    "NOT_WAITING_FOR_APPROVAL",
    `${answer.step} of case ${state.caseId} is not asked for: ${whyNot(planned)}.`,
  );
}

/** What an approval waits with; null = nobody is asked for it. */
export function askedApproval(input: PlanInput, step: string): ApprovalWait | null {
  const act = planCase(input).steps.find((one) => one.step.name === step)?.act;
  return act?.kind === "wait" && act.wait.kind === "approval" ? act.wait : null;
}

function whyNot({ act, step }: PlannedStep): string {
  if (act.kind === "review") return act.review.sentence.replace(/\.$/, "");
  if (act.kind === "nothing" && act.why === "follows") return `it follows ${step.after.join(", ")}`;
  if (act.kind === "nothing" && act.why === "canceling") return "the case is being canceled";
  return "its prerequisites are not answered yet";
}

/** A note for the history. Allowed on any case. */
export function decideNote(text: string, by: Actor): MoveVerdict {
  return { kind: "write", entries: [{ kind: "noteAdded", text, by }] };
}

/**
 * Cancels a case of which nothing is outside. Else it is asked for: what may have happened is settled, what was done is
 * undone, and the case is canceled after that. Against a worker's claim it is asked for too, and the holder learns it with
 * its next commit.
 */
export function decideCancel(
  state: CaseState,
  held: HeldBy | null,
  request: { readonly by: Actor; readonly reason: string | null },
): MoveVerdict {
  if (state.rest.kind === "canceled") return { kind: "repeated" };
  if (isEnded(state)) return caseEnded(state);
  if (held !== null && inRepair(state, held) !== null) return caseClaimed(state, held);
  if (held === null && isUntouched(state))
    return { kind: "write", entries: [{ kind: "canceled", ...request }] };
  if (state.cancelRequest !== null) return { kind: "repeated" };
  return { kind: "write", entries: [{ kind: "cancelRequested", ...request }] };
}

/**
 * Pauses a case until a time or until somebody resumes it; a paused one gets the new time and reason. Against a
 * worker's claim it becomes a request.
 */
export function decidePause(
  state: CaseState,
  held: HeldBy | null,
  request: { readonly by: Actor; readonly reason: string | null; readonly untilAt: number | null },
): MoveVerdict {
  if (isEnded(state)) return caseEnded(state);
  if (held !== null && inRepair(state, held) !== null) return caseClaimed(state, held);
  const before = held === null ? pauseOf(state) : state.pauseRequest;
  if (before !== null && before.untilAt === request.untilAt) return { kind: "repeated" };
  return { kind: "write", entries: [{ kind: held === null ? "paused" : "pauseRequested", ...request }] };
}

function pauseOf({ rest }: CaseState): { readonly untilAt: number | null } | null {
  return rest.kind === "paused" ? rest : null;
}

/** A person's order to go on. */
export interface ResumeOrder {
  /** Null = every step. */
  readonly step: string | null;
  readonly by: Actor;
  readonly reason: string | null;
  readonly forced?: true;
}

/**
 * Lets a case go on: closes its reviews, opens a fresh round, cancels a pending automatic try, ends a pause. On an ended
 * case it closes the reviews that are still open. Refused with what is still missing where the case would only stop
 * again. `fingerprintNow` tells what a step would send now (decide.ts); where it cannot (null), the request is taken to
 * be unchanged. A request that was rejected is sent again unchanged only where the person forces it, for one step and with
 * a reason.
 */
export function decideResume(
  input: PlanInput,
  held: HeldBy | null,
  request: ResumeOrder,
  fingerprintNow: (step: SendStepOutline) => string | null = () => null,
): MoveVerdict {
  const { state } = input;
  const resumed: MoveVerdict = { kind: "write", entries: [{ kind: "resumed", ...request }] };
  if (isEnded(state)) return hasReview(state, request.step) ? resumed : caseEnded(state);
  if (held !== null) return caseClaimed(state, held);
  if (state.rest.kind === "paused" || state.pauseRequest !== null) return resumed;
  if (request.step === null && state.beginsAt > input.now) return resumed;
  const stuck = actsOf(input, request.step).filter(({ act }) => isStuck(act));
  if (stuck.length === 0) {
    // What a review was opened for may be gone already; then only the person is waited for. And what waits for access
    // would be sent, if it were there: a person who says so has it tried.
    const isWaiting = hasReview(state, request.step) || waitsForAccess(state, request.step);
    return isWaiting ? resumed : nothingToResume(input, request.step);
  }
  const again = actsOf({ ...input, state: previewWith(input, { kind: "resumed", ...request }) }, null);
  const blockers = stuck.flatMap(({ name, act }) => {
    const why = whyStuckAgain(input, { name, act, again, isForced: request.forced === true }, fingerprintNow);
    return why === null ? [] : [why];
  });
  const [first] = blockers;
  // Where one of them can go on, the others only show again what they wait for.
  if (first === undefined || blockers.length < stuck.length) return resumed;
  return refuse("RESUME_BLOCKED", `Case ${state.caseId} would ${first}`);
}

interface NamedAct {
  readonly name: string;
  readonly act: Act;
}

function actsOf(input: PlanInput, only: string | null): readonly NamedAct[] {
  const plan = planCase(input);
  const acts = [
    // What is under way for a step may be its undo, which waits under its own name.
    ...plan.steps.map(({ target, act }) => ({ name: target.name, act })),
    ...plan.strays.map((act) => ({ name: act.review.step, act })),
  ];
  return acts.filter(({ name }) => only === null || name === only);
}

/** The state as it will be once `entry` is stored. */
export function previewWith({ state, now }: PlanInput, entry: Entry): CaseState {
  const at = Math.max(now, state.changedAt);
  return foldEntries(state, [{ revision: state.revision + 1, at, commitId: "preview", entry }]);
}

/** Why a step would stop again after the resume; `again` has the plan as it would be then. Null = it would go on. */
function whyStuckAgain(
  input: PlanInput,
  {
    name,
    act,
    again,
    isForced,
  }: NamedAct & { readonly again: readonly NamedAct[]; readonly isForced: boolean },
  fingerprintNow: (step: SendStepOutline) => string | null,
): string | null {
  const isRejected = act.kind === "review" && act.review.reason === "rejected" && !isForced;
  if (isRejected && isUnchanged(input, name, fingerprintNow)) {
    const next = "Correct the input first, or force it for this step with a reason.";
    return `send ${name} again exactly as it was rejected. ${act.review.sentence} ${next}`;
  }
  const stop = again.find((one) => one.name === name)?.act;
  return stop?.kind === "review" ? `stop again at ${name}: ${stop.review.sentence}` : null;
}

function isUnchanged(
  { outline, state }: PlanInput,
  name: string,
  fingerprintNow: (step: SendStepOutline) => string | null,
): boolean {
  const { rejected, intent } = stepOf(state, name);
  const step = findStep(outline, name);
  // A step that the definition no longer has is not sent again at all.
  if (step?.kind !== "step") return false;
  const fingerprint = fingerprintNow(step) ?? intent?.fingerprint;
  return rejected.some((one) => one === fingerprint);
}

/** True where a resume would change something: a person is waited for, or an automatic try is pending. */
function isStuck(act: Act): boolean {
  if (act.kind === "review") return true;
  if (act.kind !== "wait") return false;
  return ["retry", "check", "probe", "poll"].includes(act.wait.kind);
}

function hasReview({ steps }: CaseState, only: string | null): boolean {
  return Object.entries(steps).some(
    ([name, { review }]) => review !== null && (only === null || name === only),
  );
}

function waitsForAccess({ rest }: CaseState, only: string | null): boolean {
  const waits = rest.kind === "waiting" ? rest.waits : [];
  return waits.some(({ kind, step }) => kind === "access" && (only === null || step === only));
}

function nothingToResume(input: PlanInput, step: string | null): MoveVerdict {
  const { state } = input;
  const waits = actsOf(input, step).flatMap(({ act }) =>
    act.kind === "wait" && act.wait.kind === "approval"
      ? [`${act.wait.step} waits for the approval of ${ownersAsked(act.wait, input.now).join(" or ")}`]
      : [],
  );
  const why = waits.length > 0 ? waits.join("; ") : "no step waits for a person or for a retry";
  const named = step === null ? "" : ` at ${step}`;
  return refuse("NOTHING_TO_RESUME", `Case ${state.caseId} has nothing to resume${named}: ${why}.`);
}

/** Corrects the input: the original is kept, what rested on the changed part lapses, and the case goes on. */
export function decideCorrection(
  state: CaseState,
  held: HeldBy | null,
  correction: { readonly input: Json; readonly by: Actor; readonly reason: string },
): MoveVerdict {
  if (isEnded(state)) return caseEnded(state);
  if (held !== null) return caseClaimed(state, held);
  return { kind: "write", entries: [{ kind: "inputCorrected", ...correction }] };
}

/**
 * Orders what is known of a step to be asked anew by a worker: its probes, and whether its effect is there. Nothing is sent
 * and no review is closed by it, unless the effect turns out to be there. Refused where there is nothing to ask.
 */
export function decideCheck(
  input: PlanInput,
  held: HeldBy | null,
  order: { readonly step: string; readonly by: Actor; readonly reason: string | null },
): MoveVerdict {
  const { state } = input;
  if (isEnded(state)) return caseEnded(state);
  if (held !== null) return caseClaimed(state, held);
  const none = (why: string): MoveVerdict =>
    refuse("NOTHING_TO_CHECK", `Nothing can be asked about ${order.step} of case ${state.caseId}: ${why}.`);
  if (state.rest.kind === "paused") return none("the case is paused; resume it first");
  if (isCheckOrdered(stepOf(state, order.step))) return { kind: "repeated" };
  const entry: Entry = { kind: "checkOrdered", ...order };
  const after = planCase({ ...input, busy: new Set(), state: previewWith(input, entry) });
  const asked = after.steps.find(({ step, target }) => [step.name, target.name].includes(order.step))?.act;
  if (asked?.kind === "ask" || asked?.kind === "check") return { kind: "write", entries: [entry] };
  return none(
    "it has no probe that could be asked now, and its effect cannot be looked up or is not in doubt",
  );
}

/** Gives a case to a person or a team, or to nobody in particular. It needs no claim, and moves nothing. */
export function decideAssignment(
  state: CaseState,
  order: { readonly to: Assignee | null; readonly by: Actor; readonly reason: string | null },
): MoveVerdict {
  const { to } = order;
  const isSame = state.assignee?.id === to?.id && state.assignee?.label === to?.label;
  return isSame ? { kind: "repeated" } : { kind: "write", entries: [{ kind: "assigned", ...order }] };
}

/** The repair that a claim is for: against it everything but a note and taking over is refused (R4). */
function inRepair(state: CaseState, held: HeldBy | null): OpenRepair | null {
  return repairUnder(state, held?.claim.claimId ?? null);
}

/** True for a case that is done or canceled. */
export function isEnded({ rest }: CaseState): boolean {
  return rest.kind === "done" || rest.kind === "canceled";
}

/** Refused because the case is done or canceled. */
export function caseEnded(state: CaseState): MoveVerdict {
  return refuse(
    "CASE_ENDED",
    `Case ${state.caseId} is ${state.rest.kind}; nothing more can be done with it.`,
  );
}

/** Refused because somebody holds the case: who, until when, and what can be done. */
export function caseClaimed(state: CaseState, held: HeldBy): MoveVerdict {
  const { claim, holder } = held;
  const endsAt = holder === null ? claim.actByAt : Math.min(claim.actByAt, holder.beatAt + holder.leaseMs);
  const untilAt = formatUtc(endsAt);
  const repair = inRepair(state, held);
  if (repair !== null) {
    return refuse(
      "CASE_CLAIMED",
      `Case ${state.caseId} is being repaired by ${repair.by.name} until ${untilAt}, or longer while that page is open. ` +
        `Add a note, or take the repair over with a reason.`,
    );
  }
  const who = holder === null ? `holder ${claim.holderId}` : `${holder.name} (${holder.host})`;
  return refuse(
    "CASE_CLAIMED",
    `Case ${state.caseId} is held by ${who} until ${untilAt}, or longer while that holder is at work; ` +
      `then the sweep frees it. Try again once it is free.`,
  );
}

/** A refusal. */
export function refuse(code: ErrorCode, sentence: string): MoveVerdict {
  return { kind: "refused", code, sentence };
}
