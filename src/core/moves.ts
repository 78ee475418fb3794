/**
 * What people and the outside may do to a case: facts, which need no claim and are stored once per source id, and
 * moves, which act on a case that nobody holds (R4). Every refusal carries a code and says what is missing.
 */

import type { Claim } from "./claim.ts";
import type { ErrorCode } from "./errors.ts";
import { stepOf, type CaseState } from "./case-state.ts";
import { foldEntries } from "./fold.ts";
import type { Actor, Entry, Review } from "./journal.ts";
import type { Json } from "./json.ts";
import { isUntouched, planCase } from "./plan.ts";
import type { PlanInput, PlannedStep } from "./planning.ts";
import type { Holder } from "./state.ts";

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

/** An event that arrived for a case. Stored on any case; on an ended one it is kept as ignored. */
export function decideEvent(
  state: CaseState,
  event: {
    readonly eventType: string;
    readonly sourceId: string;
    readonly payload: Json;
    readonly by: Actor;
  },
): MoveVerdict {
  if (state.sourceIds.includes(event.sourceId)) return { kind: "repeated" };
  const ignored = isEnded(state) ? `the case is ${state.rest.kind}` : null;
  return { kind: "write", entries: [{ kind: "eventReceived", ...event, ignored }] };
}

/** A person's answer to an approval that is being asked for. */
export function decideApproval(
  input: PlanInput,
  answer: {
    readonly step: string;
    readonly approved: boolean;
    readonly form: Json;
    readonly note: string | null;
    readonly sourceId: string;
    readonly by: Actor;
  },
): MoveVerdict {
  const { state } = input;
  if (state.sourceIds.includes(answer.sourceId)) return { kind: "repeated" };
  if (isEnded(state)) return caseEnded(state);
  const planned = planCase(input).steps.find(({ step }) => step.name === answer.step);
  if (planned?.step.kind !== "approval") {
    const names = input.outline.steps.filter(({ kind }) => kind === "approval").map(({ name }) => name);
    const known = names.length === 0 ? "It has no approval." : `Its approvals: ${names.join(", ")}.`;
    return refuse(
      "NOT_WAITING_FOR_APPROVAL",
      `${answer.step} is not an approval of ${state.caseType}. ${known}`,
    );
  }
  if (stepOf(state, answer.step).answer !== null || planned.standing.kind === "stands") {
    return refuse("ALREADY_ANSWERED", `${answer.step} of case ${state.caseId} is answered already.`);
  }
  if (planned.act.kind === "wait" && planned.act.wait.kind === "approval") {
    return { kind: "write", entries: [{ kind: "approvalAnswered", ...answer }] };
  }
  return refuse(
    "NOT_WAITING_FOR_APPROVAL",
    `${answer.step} of case ${state.caseId} is not asked for now: ${whyNot(planned)}.`,
  );
}

function whyNot({ act, step }: PlannedStep): string {
  switch (act.kind) {
    case "review":
      return act.review.sentence;
    case "nothing":
      return `it follows ${step.after.join(", ")}`;
    case "ask":
    case "wait":
      return "its prerequisites are not answered yet";
    case "send":
    case "check":
    case "confirm":
      return "the engine is about to go on with it";
  }
}

/** A note for the history. Allowed on any case. */
export function decideNote(text: string, by: Actor): MoveVerdict {
  return { kind: "write", entries: [{ kind: "noteAdded", text, by }] };
}

/**
 * Cancels a case of which nothing is confirmed and nothing may have been executed. Against a live claim it becomes a
 * request that the holder gets back with its next commit.
 */
export function decideCancel(
  state: CaseState,
  held: HeldBy | null,
  request: { readonly by: Actor; readonly reason: string | null },
): MoveVerdict {
  if (state.rest.kind === "canceled" || state.cancelRequest !== null) return { kind: "repeated" };
  if (isEnded(state)) return caseEnded(state);
  if (!isUntouched(state)) {
    const touched = Object.entries(state.steps)
      .filter(([, step]) => step.confirmation !== null || step.intent !== null)
      .map(([name, step]) => `${name} (${step.confirmation === null ? "may have happened" : "confirmed"})`);
    return refuse(
      "CANCEL_NEEDS_UNDO",
      `Case ${state.caseId} has effects outside: ${touched.join(", ")}. It cannot be canceled before they are undone.`,
    );
  }
  return { kind: "write", entries: [{ kind: held === null ? "canceled" : "cancelRequested", ...request }] };
}

/** Pauses a case until a time or until somebody resumes it. Against a live claim it becomes a request. */
export function decidePause(
  state: CaseState,
  held: HeldBy | null,
  request: { readonly by: Actor; readonly reason: string | null; readonly untilAt: number | null },
): MoveVerdict {
  if (state.rest.kind === "paused" || state.pauseRequest !== null) return { kind: "repeated" };
  if (isEnded(state)) return caseEnded(state);
  return { kind: "write", entries: [{ kind: held === null ? "paused" : "pauseRequested", ...request }] };
}

/**
 * Lets a case go on: closes its reviews, opens a fresh round, cancels a pending automatic try, ends a pause. Refused
 * with what is still missing where the case would only stop again.
 */
export function decideResume(
  input: PlanInput,
  held: HeldBy | null,
  request: { readonly step: string | null; readonly by: Actor; readonly reason: string | null },
): MoveVerdict {
  const { state } = input;
  if (isEnded(state)) return caseEnded(state);
  if (held !== null) return caseClaimed(state, held);
  const entry: Entry = { kind: "resumed", ...request };
  if (state.rest.kind === "paused") return { kind: "write", entries: [entry] };
  const stuck = planCase(input)
    .steps.filter(isStuck)
    .filter((one) => request.step === null || one.step.name === request.step);
  if (stuck.length === 0) return nothingToResume(input, request.step);
  const unchanged = stuck.map(({ step }) => unchangedRejection(state, step.name)).find((one) => one !== null);
  if (unchanged !== undefined) return unchanged;
  const resumed = foldEntries(state, [
    { revision: state.revision + 1, at: input.now, commitId: "preview", entry },
  ]);
  const again = planCase({ ...input, state: resumed }).steps.find(
    ({ act, step }) => act.kind === "review" && stuck.some((one) => one.step.name === step.name),
  );
  if (again?.act.kind === "review") return stillBlocked(state, again.act.review);
  return { kind: "write", entries: [entry] };
}

/** True where a resume would change something: a person is waited for, or an automatic try is pending. */
function isStuck({ act }: PlannedStep): boolean {
  if (act.kind === "review") return true;
  if (act.kind !== "wait") return false;
  return act.wait.kind === "retry" || act.wait.kind === "check" || act.wait.kind === "probe";
}

function nothingToResume({ state, outline, ...rest }: PlanInput, step: string | null): MoveVerdict {
  const waits = planCase({ state, outline, ...rest }).steps.flatMap(({ act }) =>
    act.kind === "wait" && act.wait.kind === "approval"
      ? [`${act.wait.step} waits for the approval of ${act.wait.by}`]
      : [],
  );
  const why = waits.length > 0 ? waits.join("; ") : "no step waits for a person or for a retry";
  const named = step === null ? "" : ` at ${step}`;
  return refuse("NOTHING_TO_RESUME", `Case ${state.caseId} has nothing to resume${named}: ${why}.`);
}

function unchangedRejection(state: CaseState, step: string): MoveVerdict | null {
  const { review, intent, lastFailure } = stepOf(state, step);
  if (review?.reason !== "rejected" || intent === null) return null;
  const why = lastFailure === null ? "" : ` ${lastFailure.failure.sentence}`;
  return refuse(
    "RESUME_BLOCKED",
    `Case ${state.caseId} would send ${step} again exactly as it was rejected.${why} Correct the input first.`,
  );
}

function stillBlocked(state: CaseState, review: Review): MoveVerdict {
  return refuse(
    "RESUME_BLOCKED",
    `Case ${state.caseId} would stop again at ${review.step}: ${review.sentence}`,
  );
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

function isEnded({ rest }: CaseState): boolean {
  return rest.kind === "done" || rest.kind === "canceled";
}

function caseEnded(state: CaseState): MoveVerdict {
  return refuse(
    "CASE_ENDED",
    `Case ${state.caseId} is ${state.rest.kind}; nothing more can be done with it.`,
  );
}

function caseClaimed(state: CaseState, { claim, holder }: HeldBy): MoveVerdict {
  const who = holder === null ? `holder ${claim.holderId}` : `${holder.name} (${holder.host})`;
  return refuse(
    "CASE_CLAIMED",
    `Case ${state.caseId} is held by ${who}; it is freed when that holder commits, or by the sweep when it falls silent. Try again then.`,
  );
}

function refuse(code: ErrorCode, sentence: string): MoveVerdict {
  return { kind: "refused", code, sentence };
}
