/** What the plan does about open steps that send nothing: approval, event and sleep. */

import { basisOf } from "./basis.ts";
import { stepOf, type ApprovalAnswer, type CaseState } from "./case-state.ts";
import type { ConfirmedBy } from "./journal.ts";
import type { Json } from "./json.ts";
import {
  awaitedTypes,
  type ApprovalStepOutline,
  type SleepStepOutline,
  type StepOutline,
  type WaitForEventStepOutline,
} from "./outline.ts";
import { actForConditions } from "./conditions.ts";
import type { Act, PlanInput } from "./planning.ts";
import { reviewFor } from "./review.ts";
import { REMINDERS_MAX, type ApprovalWait } from "./waits.ts";

/** Plans an approval: asked until a person answers; a "no" or no answer in time goes to review. */
export function planApproval(input: PlanInput, step: ApprovalStepOutline): Act {
  const { review, answer, renewedAt } = stepOf(input.state, step.name);
  if (review !== null) return { kind: "review", review, isOpen: true };
  if (answer !== null) return answer.approved ? approve(input, step, answer) : refused(input, step, answer);
  const blocked = actForConditions(input, step, step.requires);
  if (blocked !== null) return blocked;
  const askedAt = Math.max(reachedAt(input, step), renewedAt ?? 0);
  const dueAt = step.expiresMs === null ? null : askedAt + step.expiresMs;
  if (dueAt !== null && input.now >= dueAt) {
    return late(
      input,
      step,
      `Nobody answered ${step.name} in time; ${step.by} may still answer after a resume.`,
    );
  }
  const wait = { kind: "approval", step: step.name, dueAt, by: step.by } as const;
  return { kind: "wait", wait: { ...wait, ...remindersOf(step, askedAt), ...escalationOf(step, askedAt) } };
}

function remindersOf(
  { remindMs: everyMs, expiresMs }: ApprovalStepOutline,
  askedAt: number,
): Pick<ApprovalWait, "remind"> {
  if (everyMs === undefined) return {};
  // Once it has expired nobody is asked any more.
  const untilEnd = expiresMs === null ? REMINDERS_MAX : Math.ceil(expiresMs / everyMs) - 1;
  return { remind: { askedAt, everyMs, times: Math.min(untilEnd, REMINDERS_MAX) } };
}

function escalationOf({ escalate }: ApprovalStepOutline, askedAt: number): Pick<ApprovalWait, "escalation"> {
  return escalate === undefined ? {} : { escalation: { to: escalate.to, at: askedAt + escalate.afterMs } };
}

function approve(
  input: PlanInput,
  step: ApprovalStepOutline,
  { form, note, sourceId, by }: ApprovalAnswer,
): Act {
  const result: Json = { by: by.name, form };
  return confirm(input, step, result, { note }, { how: "approval", sourceId, by: by.name });
}

function refused(input: PlanInput, step: ApprovalStepOutline, { by, note }: ApprovalAnswer): Act {
  const said = note === null ? "" : `: "${note}"`;
  const sentence = `${by.name} refused ${step.name}${said}. Cancel the case, or resume it to ask again.`;
  return { kind: "review", review: reviewFor(input.outline, step, "refused", sentence), isOpen: false };
}

/**
 * Plans a wait for an event: the first one of its types that no other step has taken, also if it came before the wait.
 * Which of several came first is as the journal has them. `taken` has the step that took an event, by the event's source id.
 */
export function planWaitForEvent(
  input: PlanInput,
  step: WaitForEventStepOutline,
  taken: ReadonlyMap<string, string>,
): Act {
  const known = stepOf(input.state, step.name);
  const { review, renewedAt } = known;
  if (review !== null) return { kind: "review", review, isOpen: true };
  const blocked = actForConditions(input, step, step.requires);
  if (blocked !== null) return blocked;
  // Ordered to wait again, it waits for another one.
  const before = known.lapse?.kind === "ordered" ? known.confirmation : null;
  const after = before?.revision ?? 0;
  const types = awaitedTypes(step);
  const event = input.state.events.find(
    ({ eventType, sourceId, revision }) =>
      types.includes(eventType) && revision > after && (taken.get(sourceId) ?? step.name) === step.name,
  );
  if (event !== undefined) {
    const { eventType, sourceId, at, payload } = event;
    const result: Json = step.orTypes === undefined ? payload : { event: eventType, payload };
    return confirm(input, step, result, { receivedAt: at }, { how: "event", sourceId, eventType });
  }
  const dueAt = Math.max(reachedAt(input, step), renewedAt ?? 0) + step.timeoutMs;
  if (input.now >= dueAt)
    return late(input, step, `The event ${types.join(" or ")} did not come in time for ${step.name}.`);
  const { eventType, orTypes } = step;
  const others = orTypes === undefined ? {} : { orTypes };
  return { kind: "wait", wait: { kind: "event", step: step.name, dueAt, eventType, ...others } };
}

/** The steps that took an event, by the event's source id. An event stays taken by a confirmation that lapsed. */
export function takenEvents({ steps }: CaseState): Map<string, string> {
  return new Map(
    Object.entries(steps).flatMap(([name, { confirmation }]): readonly [string, string][] =>
      confirmation?.by.how === "event" ? [[confirmation.by.sourceId, name]] : [],
    ),
  );
}

/** Plans a sleep: confirmed by the clock once its time has passed since the step was reached. */
export function planSleep(input: PlanInput, step: SleepStepOutline): Act {
  const { review, lapse, renewedAt } = stepOf(input.state, step.name);
  if (review !== null) return { kind: "review", review, isOpen: true };
  const blocked = actForConditions(input, step, step.requires);
  if (blocked !== null) return blocked;
  const begunAt = lapse?.kind === "ordered" ? renewedAt : null;
  const dueAt = Math.max(begunAt ?? 0, reachedAt(input, step)) + step.forMs;
  if (input.now >= dueAt) return confirm(input, step, null, null, { how: "timer", dueAt });
  return { kind: "wait", wait: { kind: "timer", step: step.name, dueAt } };
}

/** When the last step that this one follows was confirmed; the begin of the case where it follows none. */
export function reachedAt({ state }: Pick<PlanInput, "state">, step: StepOutline): number {
  const confirmations = step.after.map((name) => stepOf(state, name).confirmation);
  return Math.max(state.beginsAt, ...confirmations.filter((one) => one !== null).map(({ at }) => at));
}

function late(input: PlanInput, step: StepOutline, sentence: string): Act {
  return { kind: "review", review: reviewFor(input.outline, step, "expired", sentence), isOpen: false };
}

function confirm(input: PlanInput, step: StepOutline, value: Json, evidence: Json, by: ConfirmedBy): Act {
  const basis = basisOf(step, input.state, input.digest);
  return {
    kind: "confirm",
    entry: {
      kind: "stepConfirmed",
      step: step.name,
      intentVersion: 0,
      basis,
      result: { kind: "value", value },
      evidence,
      by,
    },
  };
}
