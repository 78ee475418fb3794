/** The plan as people read it: what a pick-up would do now, from recorded answers with their age. */

import { unreachable } from "../core/errors.ts";
import { stepOf } from "../core/case-state.ts";
import type { ConditionAnswer } from "../core/journal.ts";
import { ownersAsked, type ApprovalWait, type Wait } from "../core/waits.ts";
import { awaitedTypes, type ConditionOutline, type StepOutline } from "../core/outline.ts";
import { expandOutline } from "../core/each.ts";
import { laterKeys } from "../core/in-order.ts";
import { isAfter } from "../core/part-name.ts";
import { outsideEffects } from "../core/outside.ts";
import { planCase, type Plan } from "../core/plan.ts";
import {
  answerKey,
  type FreshAnswer,
  type PlanInput,
  type PlannedStep,
  type Standing,
} from "../core/planning.ts";
import { isSettled } from "../core/settled.ts";
import { previewWith } from "../core/moves.ts";
import { nextProbeAt, pickUpAt, type Attention } from "../core/next-check.ts";
import { sayConfirmedBy, sayLapse, type FormatTime } from "./entry-words.ts";
import type { PlanInputs } from "./plan-input.ts";
import { planVersion } from "./plan-version.ts";
import { previewSend, type MakesRequest, type SendPreview } from "./send-preview.ts";

/** A condition of a step and what is known of it. */
export interface ConditionView {
  readonly name: string;
  /** Asked anew at each pick-up from the journal, or asked of an outside system. */
  readonly kind: ConditionOutline["kind"];
  /** Makes the step needed, must hold for its confirmation to stand, or is asked once before a send. */
  readonly role: "when" | "requires" | "before";
  readonly answer: ConditionAnswer["kind"] | null;
  readonly why: string | null;
  readonly askedAt: number | null;
  readonly ageMs: number | null;
  /** Earliest time at which the engine asks again by itself; null = not by itself, or it is no question to the outside. */
  readonly nextCheckAllowedAt: number | null;
}

/** What a pick-up would do about one step. */
export interface PlannedStepView {
  readonly step: string;
  readonly kind: StepOutline["kind"];
  readonly standing: Standing["kind"];
  readonly act: PlannedStep["act"]["kind"];
  /** Such as "kept: confirmed by the answer to attempt 1". */
  readonly sentence: string;
  readonly destination: string | null;
  /** The key of the present intent; null before the first send. */
  readonly idempotencyKey: string | null;
  /** Who acts next and when, where the step waits. */
  readonly actsNext: string | null;
  readonly byAt: number | null;
  readonly conditions: readonly ConditionView[];
  /** What would be sent now, or once what is asked first turns out to hold; null where nothing would. */
  readonly send: SendPreview | null;
  /** Why its confirmation no longer stands; null where it does, or there is none. */
  readonly lapsedBecause: string | null;
  /** Plan version of this step and all that follow it (R5). */
  readonly version: string;
}

/** What a pick-up would do now. */
export interface PlanView {
  /** Of the whole case (R5); handed to an act, it is refused once the plan has changed. */
  readonly version: string;
  readonly madeAt: number;
  readonly isComplete: boolean;
  readonly halt: Plan["halt"];
  /** The standing steps with no standing successor. */
  readonly foothold: readonly string[];
  readonly steps: readonly PlannedStepView[];
  /** Steps that stand and are left as they are. */
  readonly kept: readonly string[];
  /** Steps of which something is asked outside before anything is sent. */
  readonly askedAgain: readonly string[];
  /** Steps whose confirmation no longer stands. */
  readonly lapsed: readonly string[];
  /** What would be sent, in this order or side by side. */
  readonly willSend: readonly SendPreview[];
  /** Steps that wait for people, with who that is. */
  readonly needs: readonly { readonly step: string; readonly who: string; readonly sentence: string }[];
}

/** What a preview is made with. */
export interface PlanViewing {
  readonly formatTime: FormatTime;
  readonly makeRequest: MakesRequest;
  readonly attention: Attention;
}

/** Makes the preview. */
export function viewPlan(inputs: PlanInputs, viewing: PlanViewing): PlanView {
  const { now: input } = inputs;
  const plan = planCase(input);
  const steps = plan.steps.map((planned) => viewStep(inputs, planned, viewing));
  const named = (fits: (one: PlannedStepView) => boolean): readonly string[] =>
    steps.filter(fits).map(({ step }) => step);
  return {
    version: planVersion(inputs, null),
    madeAt: input.now,
    isComplete: plan.isComplete,
    halt: plan.halt,
    foothold: plan.foothold,
    steps,
    kept: named(({ act, standing }) => act === "nothing" && standing === "stands"),
    askedAgain: named(({ act }) => act === "ask" || act === "check"),
    lapsed: named(({ standing }) => standing === "lapsed"),
    willSend: steps.flatMap(({ send }) => (send === null ? [] : [send])),
    needs: needsOf(plan, input.now),
  };
}

function needsOf({ steps, strays }: Plan, now: number): PlanView["needs"] {
  const acts = [...steps.map(({ target, act }) => ({ step: target.name, act })), ...strays.map(strayOf)];
  return acts.flatMap(({ step, act }): PlanView["needs"] => {
    if (act.kind === "review") return [{ step, who: act.review.owner, sentence: act.review.sentence }];
    if (act.kind !== "wait" || act.wait.kind !== "approval") return [];
    const who = ownersAsked(act.wait, now).join(" or ");
    return [{ step, who, sentence: `${step} waits for the approval of ${who}.` }];
  });
}

function strayOf(act: Plan["strays"][number]): { readonly step: string; readonly act: typeof act } {
  return { step: act.review.step, act };
}

function viewStep(inputs: PlanInputs, planned: PlannedStep, viewing: PlanViewing): PlannedStepView {
  const { now: input } = inputs;
  const { step, standing, act } = planned;
  return {
    step: step.name,
    kind: step.kind,
    standing: standing.kind,
    act: act.kind,
    sentence: sayPlanned(input, planned, viewing.formatTime),
    destination: step.kind === "step" ? step.destination.name : null,
    idempotencyKey: stepOf(input.state, step.name).intent?.idempotencyKey ?? null,
    ...nextActor(planned, input.now),
    conditions: conditionsOf(input, planned, pickUpAt(input.state, viewing.attention, input.now)),
    send: sendOf(input, planned, viewing.makeRequest),
    lapsedBecause: standing.kind === "lapsed" ? sayLapse(standing.because) : null,
    version: planVersion(inputs, step.name),
  };
}

/** What would be sent: at once, or once what is asked before turns out to hold. */
function sendOf(input: PlanInput, planned: PlannedStep, makeRequest: MakesRequest): SendPreview | null {
  const { step, target, act } = planned;
  if (act.kind === "send" && target.kind === "step")
    return previewSend(input, { step: target, repeats: act.repeats, onlyIf: [] }, makeRequest);
  if (act.kind !== "ask") return null;
  const assumed = act.conditions.reduce(
    (one, condition) => ({
      ...one,
      state: previewWith(one, {
        kind: "conditionAnswered",
        step: target.name,
        condition,
        answer: { kind: "holds" },
        askedAt: one.now,
        nextProbeAt: null,
      }),
    }),
    input,
  );
  const then = planCase(assumed).steps.find((one) => one.step.name === step.name);
  if (then?.act.kind !== "send" || then.target.kind !== "step") return null;
  const { repeats } = then.act;
  return previewSend(assumed, { step: then.target, repeats, onlyIf: act.conditions }, makeRequest);
}

function sayPlanned(input: PlanInput, planned: PlannedStep, formatTime: FormatTime): string {
  const { step, standing, target, act } = planned;
  const { confirmation, replaced } = stepOf(input.state, step.name);
  const lapsed = standing.kind === "lapsed" ? `no longer stands: ${sayLapse(standing.because)}; ` : "";
  switch (act.kind) {
    case "nothing":
      if (act.why === "busy") return "under way now";
      if (act.why === "vanished")
        return "not begun: a step that took effect has vanished from the definition";
      if (act.why === "atOnce") return "waits for its turn: as many items are under way as may be at once";
      if (act.why === "inOrder") return `${lapsed}waits for its turn: ${act.comesFirst} comes first`;
      if (act.why === "canceling") return "nothing more is done: the case is being canceled";
      if (act.why === "undoLater") return `is undone once ${sayBeforeUndo(input, step)}`;
      if (act.why === "halting") return "not begun: the case stops once what is under way has ended";
      if (act.why === "stands" && confirmation !== null) {
        const { by } = confirmation;
        if (by.how === "notNeeded") return `not needed: ${by.why}`;
        const earlier = replaced === null ? "" : ". What it did before is still there";
        return `kept: confirmed ${sayConfirmedBy(by, formatTime)}${earlier}`;
      }
      return `${lapsed}comes after ${step.after.join(", ")}`;
    case "fanOut":
      return "fixes its items, and begins each of them";
    case "ask":
      return `${lapsed}first asks ${act.conditions.map((name) => `"${name}"`).join(", ")}`;
    case "send":
      if (act.isDoubtful === true)
        return `${lapsed}may have been sent before the database was restored: that is found out first`;
      return `${lapsed}${target === step ? "" : sayUndo(input)}${saySend(input, target, act.repeats.length)}`;
    case "check":
      return act.about === "outcome"
        ? `${lapsed}asks the destination whether it happened, and sends nothing before`
        : `${lapsed}asks the destination whether what is there is what is wanted now`;
    case "refresh":
      return `${lapsed}has the access of its destination refreshed, then goes on`;
    case "confirm":
      return act.entry.by.how === "notNeeded"
        ? `is passed over: ${act.entry.by.why}`
        : `is confirmed ${sayConfirmedBy(act.entry.by, formatTime)}, without sending anything`;
    case "look":
      return `${lapsed}looks whether it is there`;
    case "record":
      return act.entry.kind === "stepUndone"
        ? "what it did is undone"
        : "did not happen: it was rolled back with the transaction that would have confirmed it";
    case "wait":
      return `${lapsed}${sayWait(act.wait, formatTime)}`;
    case "review":
      return `waits for ${act.review.owner}: ${act.review.sentence}`;
    default:
      return unreachable(act, "act");
  }
}

function sayUndo({ state }: PlanInput): string {
  return state.cancelRequest === null ? "is undone first: " : "is undone: ";
}

/** What goes before the undo of a step in a case that is being canceled. */
function sayBeforeUndo({ outline, state }: PlanInput, step: StepOutline): string {
  const outside = new Set(outsideEffects(state).map((one) => one.step));
  const { steps } = expandOutline(outline, state);
  const later = [...steps.filter((one) => isAfter(one, step.name)), ...laterKeys(steps, step)].filter((one) =>
    outside.has(one.name),
  );
  if (later.length === 0) return "it is known what else happened";
  return `${later.map((one) => one.name).join(", ")} ${later.length === 1 ? "is" : "are"}`;
}

function saySend(input: PlanInput, step: StepOutline, repeats: number): string {
  if (step.kind !== "step") return "is sent";
  const { intent, confirmation } = stepOf(input.state, step.name);
  const to = `sends to ${step.destination.name}`;
  if (intent === null) return `${to} for the first time`;
  const attempt = `as attempt ${intent.attempts.length + 1}`;
  if (repeats > 0)
    return `${to} again ${attempt}, the same request with the same key, so that it counts once there`;
  if (isSettled(intent, confirmation)) return `${to} again; nothing was executed there before`;
  return `${to} ${attempt}`;
}

/** What a step waits for, in words. */
export function sayWait(wait: Wait, formatTime: FormatTime): string {
  switch (wait.kind) {
    case "retry":
      return `is tried again at ${formatTime(wait.dueAt)} (attempt ${wait.attempt} of ${wait.attemptsMax})`;
    case "check":
      return `asks the destination again at ${formatTime(wait.dueAt)} whether it happened`;
    case "probe":
      return `asks "${wait.condition}" again at ${formatTime(wait.dueAt)} (${wait.why})`;
    case "approval":
      return `waits for the approval of ${wait.by}${sayEscalation(wait, formatTime)}${latest(wait.dueAt, formatTime)}`;
    case "event":
      return `waits for the event ${awaitedTypes(wait).join(" or ")}${latest(wait.dueAt, formatTime)}`;
    case "poll": {
      const [next, last] = [formatTime(wait.dueAt), formatTime(wait.untilAt)];
      return `looks at ${wait.destination} again at ${next}, at ${last} for the last time (${wait.why})`;
    }
    case "timer":
      return `waits until ${formatTime(wait.dueAt)}`;
    case "child": {
      const people = wait.needsPeople ? ", which waits for people" : "";
      return `waits for ${wait.caseType} case ${wait.caseId}${people}`;
    }
    case "held":
      return `waits until ${wait.destination} may be sent more`;
    case "access":
      return `waits for access to ${wait.destination} (${wait.credentialId})`;
    default:
      return unreachable(wait, "wait");
  }
}

function sayEscalation({ escalation }: ApprovalWait, formatTime: FormatTime): string {
  return escalation === undefined ? "" : `, from ${formatTime(escalation.at)} on also of ${escalation.to}`;
}

/** Who acts next on a wait. */
export function waitsFor(wait: Wait, now: number): string {
  switch (wait.kind) {
    case "approval":
      return ownersAsked(wait, now).join(" or ");
    case "event":
      return `whoever sends ${awaitedTypes(wait).join(" or ")}`;
    case "access":
      return wait.owner;
    case "child":
      return wait.needsPeople ? `whoever case ${wait.caseId} waits for` : `case ${wait.caseId}`;
    case "retry":
    case "check":
    case "probe":
    case "poll":
    case "timer":
    case "held":
      return "the engine";
    default:
      return unreachable(wait, "wait");
  }
}

function latest(dueAt: number | null, formatTime: FormatTime): string {
  return dueAt === null ? "" : `, until ${formatTime(dueAt)}`;
}

function nextActor({ act }: PlannedStep, now: number): Pick<PlannedStepView, "actsNext" | "byAt"> {
  if (act.kind === "wait") return { actsNext: waitsFor(act.wait, now), byAt: act.wait.dueAt };
  if (act.kind === "review") return { actsNext: act.review.owner, byAt: act.review.nextCheckAllowedAt };
  return { actsNext: act.kind === "nothing" ? null : "the engine", byAt: null };
}

function conditionsOf(
  input: PlanInput,
  planned: PlannedStep,
  pickUp: number | null,
): readonly ConditionView[] {
  const { step } = planned;
  const asked = step.kind === "step" ? step.before : [];
  const view = (condition: ConditionOutline, role: ConditionView["role"]): ConditionView => ({
    ...viewCondition(input, planned, condition, role),
    nextCheckAllowedAt: nextProbeAt(input, planned, condition, pickUp),
  });
  return [
    ...step.when.map((one) => view(one, "when")),
    ...step.requires.map((one) => view(one, "requires")),
    ...asked.map((one) => view(one, "before")),
  ];
}

function viewCondition(
  input: PlanInput,
  planned: PlannedStep,
  { kind, name }: ConditionOutline,
  role: ConditionView["role"],
): Omit<ConditionView, "nextCheckAllowedAt"> {
  const { conditions } = stepOf(input.state, planned.step.name);
  const recorded = Object.hasOwn(conditions, name) ? conditions[name] : undefined;
  const known = knownAnswer(input, planned, name) ?? recorded;
  const answer = known?.answer ?? null;
  return {
    name,
    kind,
    role,
    answer: answer?.kind ?? null,
    why: answer === null || answer.kind === "holds" ? null : answer.why,
    askedAt: known?.askedAt ?? null,
    ageMs: known === undefined ? null : Math.max(0, input.now - known.askedAt),
  };
}

/** What a function said over the facts of now; undefined where it cannot be meant yet. */
function knownAnswer(
  { answers }: PlanInput,
  { step, standing, act }: PlannedStep,
  name: string,
): FreshAnswer | undefined {
  const fresh = answers.get(answerKey(step.name, name));
  const isBeforeItsTurn = standing.kind === "open" && act.kind === "nothing" && act.why === "follows";
  // It may read results that are not there yet: that it cannot tell then says nothing, and would read as a fault.
  return isBeforeItsTurn && fresh?.answer.kind === "cannotTell" ? undefined : fresh;
}
