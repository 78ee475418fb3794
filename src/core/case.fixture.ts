/** Small case types and the telling of a case, for tests. */

import { basisOf } from "./basis.ts";
import type { CaseState, StepState } from "./case-state.ts";
import { stepOf } from "./case-state.ts";
import {
  decideAfterAttempt,
  decideAfterCheck,
  decideAfterProbe,
  decideOpenAttempt,
  fingerprintOf,
  nextFencingToken,
  unknownEffect,
  type CheckedEffect,
  type SendOutcome,
} from "./decide.ts";
import { failureOf, type Failure, type KnownFailure } from "./failure.ts";
import { foldEntries, foldJournal } from "./fold.ts";
import type { Actor, CheckAnswer, ConditionAnswer, Entry, JournalEntry, RefreshAnswer } from "./journal.ts";
import type { Wait } from "./waits.ts";
import type { Json } from "./json.ts";
import type {
  ApprovalStepOutline,
  CaseOutline,
  ConditionOutline,
  FactOutline,
  DestinationOutline,
  EachStepOutline,
  RetryPolicy,
  SendStepOutline,
  PollStepOutline,
  SleepStepOutline,
  StepOutline,
  WaitForEventStepOutline,
} from "./outline.ts";
import { expandOutline } from "./each.ts";
import { planCase, type Plan } from "./plan.ts";
import { decideAfterRefresh } from "./refresh.ts";
import { answerKey, type Act, type FreshAnswer, type PlanInput } from "./planning.ts";
import { findStep, undoneStep, undoRequest } from "./undo.ts";
import type { WireSummary } from "./wire-evidence.ts";

/** When every case of these tests starts. */
export const START = 1_700_000_000_000;
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const worker: Actor = { kind: "worker", name: "w-1", holderId: "holder-1" };
export const person: Actor = { kind: "person", name: "ada" };

/** Free of collisions and readable in a failing test. */
export const digest = (text: string): string => `#${text}`;

export const retry: RetryPolicy = {
  maxAttempts: 5,
  maxRequests: 8,
  maxThrottles: 20,
  giveUpAfterMs: 4 * HOUR,
  firstDelayMs: 5 * SECOND,
  maxDelayMs: 15 * MINUTE,
};

/** A destination that deduplicates, unless told otherwise. */
export function destination(over: Partial<DestinationOutline> = {}): DestinationOutline {
  return {
    name: "erp",
    repeatSafety: { by: "key", windowMs: DAY },
    credentialId: "erp-account",
    canRefresh: false,
    owners: { access: "erp-admins", input: "purchasing", outage: "platform" },
    retry,
    inFlight: { start: 10, max: 64 },
    readLagMs: 0,
    requestAgeMs: 0,
    ...over,
  };
}

/** Can be asked, and neither deduplicates nor compares. */
export const ledger: DestinationOutline = destination({
  name: "ledger",
  repeatSafety: { by: "lookup" },
  readLagMs: 10 * SECOND,
  requestAgeMs: MINUTE,
});

/** What a meter saw of an attempt with so many requests, all of them tries of one. */
export function seen(requests: number): WireSummary {
  return { requests, repeats: requests - 1, isAtLeast: false, findings: [] };
}

/** A step before its place among the others is known. `after` left out = the step before. */
type Draft<Step extends StepOutline> = Partial<Step> & Pick<Step, "kind" | "name">;
type AnyDraft =
  | Draft<SendStepOutline>
  | Draft<EachStepOutline>
  | Draft<ApprovalStepOutline>
  | Draft<WaitForEventStepOutline>
  | Draft<PollStepOutline>
  | Draft<SleepStepOutline>;

const common = { formerly: [], after: [], closure: [], when: [], requires: [], uses: null } as const;

function completed(draft: AnyDraft): StepOutline {
  switch (draft.kind) {
    case "step":
      return {
        ...common,
        destination: destination(),
        before: [],
        hasRequest: true,
        hasCheck: false,
        deadlineMs: 30 * SECOND,
        versionCondition: null,
        onLapse: "review",
        undo: null,
        ...draft,
      };
    case "each": {
      const item = completed({ kind: "step", name: draft.name });
      if (item.kind !== "step") throw new Error("what is done for every key is a send");
      return { ...common, item, atOnce: 10, keys: null, ...draft };
    }
    case "approval":
      return { ...common, by: "finance", expiresMs: 3 * DAY, ...draft };
    case "waitForEvent":
      return { ...common, eventType: "paid", timeoutMs: DAY, ...draft };
    case "poll":
      return {
        ...common,
        destination: destination(),
        everyMs: MINUTE,
        deadlineMs: 30 * SECOND,
        timeoutMs: DAY,
        ...draft,
      };
    case "sleep":
      return { ...common, forMs: HOUR, ...draft };
  }
}

/** A case type of these steps, in a line unless `after` says otherwise. */
export function outlineOf(...drafts: readonly AnyDraft[]): CaseOutline {
  const steps: StepOutline[] = [];
  for (const draft of drafts) {
    const before = steps.at(-1);
    const after = draft.after ?? (before === undefined ? [] : [before.name]);
    const reached = new Set(
      after.flatMap((name) => [...(steps.find((one) => one.name === name)?.closure ?? []), name]),
    );
    const closure = steps.map(({ name }) => name).filter((name) => reached.has(name));
    steps.push({ ...completed(draft), after, closure });
  }
  return {
    name: "purchase",
    version: 1,
    owner: "purchasing-lead",
    steps,
    removed: [],
    events: ["paid", "revoked"],
  };
}

export const fact = (name: string): FactOutline => ({ kind: "fact", name });

export const probe = (
  name: string,
  over: Partial<Extract<ConditionOutline, { kind: "probe" }>> = {},
): Extract<ConditionOutline, { kind: "probe" }> => ({
  kind: "probe",
  name,
  destination: destination({ name: "crm", owners: { access: null, input: null, outage: "crm-team" } }),
  deadlineMs: SECOND,
  freshForMs: MINUTE,
  ...over,
});

export const holds: ConditionAnswer = { kind: "holds" };
export const broken = (why: string): ConditionAnswer => ({ kind: "broken", why });
export const cannotTell = (why: string): Extract<ConditionAnswer, { kind: "cannotTell" }> => ({
  kind: "cannotTell",
  why,
});

/** Refused before it was sent, unless told otherwise. */
export function failure(over: Partial<KnownFailure> = {}): Failure {
  return failureOf({
    cause: "transient",
    executed: "no",
    rule: "test",
    sentence: "erp refused the connection.",
    ...over,
  });
}

export const lostAnswer: Failure = failure({ executed: "maybe", sentence: "erp did not answer." });
export const rejection: Failure = failure({
  cause: "rejected",
  sentence: "erp rejected the request.",
  fields: [{ path: "vendor", message: "is unknown" }],
});

export const started = (input: Json = { vendor: "acme" }): Entry => ({
  kind: "caseStarted",
  caseType: "purchase",
  definitionVersion: 1,
  tenant: "",
  businessKey: null,
  input,
  by: person,
});

/** Entries with revisions from `from`, all at one time. */
export function numbered(
  entries: readonly Entry[],
  { from, at }: { readonly from: number; readonly at: number },
): readonly JournalEntry[] {
  return entries.map((entry, index) => ({ revision: from + index, at, commitId: `commit-${from}`, entry }));
}

/** Confirmations in one settling: more means that the plan never comes to rest. */
const TURNS_MAX = 100;

/** One case while it is told: each method appends what an engine would, at `now`. */
export class Story {
  readonly journal: JournalEntry[] = [];
  outline: CaseOutline;
  now: number = START;
  /** Answers to facts, by `step.condition`; what is not named holds. */
  readonly facts: Map<string, ConditionAnswer> = new Map();
  /** What the authors' `request` functions give. */
  request: (step: string, state: CaseState) => Json = (step, { input }) => ({ step, input });
  claimId = "claim-1";

  constructor(outline: CaseOutline, input?: Json) {
    this.outline = outline;
    this.append(started(input));
  }

  get state(): CaseState {
    return foldJournal("case-1", this.journal);
  }

  step(name: string): StepState {
    return stepOf(this.state, name);
  }

  append(...entries: readonly Entry[]): this {
    this.journal.push(...numbered(entries, { from: this.journal.length + 1, at: this.now }));
    return this;
  }

  wait(ms: number): this {
    this.now += ms;
    return this;
  }

  planInput(over: Partial<PlanInput> = {}): PlanInput {
    return {
      outline: this.outline,
      state: this.state,
      answers: this.#answers(),
      busy: new Set(),
      now: this.now,
      digest,
      ...over,
    };
  }

  plan(over: Partial<PlanInput> = {}): Plan {
    return planCase(this.planInput(over));
  }

  act(step: string, over: Partial<PlanInput> = {}): Act {
    const planned = this.plan(over).steps.find((one) => one.step.name === step);
    if (planned === undefined) throw new Error(`no step ${step}`);
    return planned.act;
  }

  /** Opens an attempt, as the door would. Throws where it is refused. */
  open(step: string, claimId: string = this.claimId): this {
    const opened = this.decideOpen(step, claimId);
    if (opened.kind === "refused") throw new Error(opened.review.sentence);
    return this.append(...opened.entries);
  }

  decideOpen(step: string, claimId: string = this.claimId): ReturnType<typeof decideOpenAttempt> {
    const { outline, state, now } = this;
    const found = this.sendStep(step);
    const request = found.hasRequest ? this.#request(step, state) : null;
    return decideOpenAttempt({ outline, step: found, state, request, claimId, holder: worker, now, digest });
  }

  /** Ends the last attempt of a step. */
  end(step: string, outcome: SendOutcome, random = 0): this {
    const ref = this.lastAttempt(step);
    return this.append(decideAfterAttempt(this.sendStep(step), this.state, ref, outcome, this.now, random));
  }

  fail(step: string, why: Failure = failure()): this {
    return this.end(step, { kind: "failed", failure: why });
  }

  /** Ends it after so many real requests, of which all but the first were the client's own repeats. */
  failAfter(step: string, requests: number, why: Failure = failure()): this {
    return this.end(step, { kind: "failed", failure: why, wire: seen(requests) });
  }

  succeed(step: string, value: Json = { id: step }): this {
    return this.end(step, { kind: "succeeded", result: { kind: "value", value }, evidence: null });
  }

  /** Opens an attempt and ends it well. */
  confirm(step: string, value?: Json): this {
    return this.open(step).succeed(step, value);
  }

  check(step: string, answer: CheckAnswer, random = 0): this {
    const { intent } = this.step(step);
    if (intent === null) throw new Error(`${step} has no intent`);
    return this.#learn(step, unknownEffect(this.sendStep(step), this.state, intent, digest), answer, random);
  }

  /** Tells what came of refreshing the access of a step. */
  refresh(
    step: string,
    answer: RefreshAnswer = { kind: "refreshed" },
    restUntilAt: number | null = null,
    random = 0,
  ): this {
    const found = this.sendStep(step);
    return this.append(decideAfterRefresh(found, this.state, { answer, restUntilAt }, this.now, random));
  }

  /** Asks whether what was done before is what is wanted now. */
  recheck(step: string, answer: CheckAnswer, random = 0): this {
    const { outline, state } = this;
    const { intent } = this.step(step);
    if (intent === null) throw new Error(`${step} has no intent`);
    const found = this.sendStep(step);
    const request = found.hasRequest ? this.request(step, state) : null;
    const fingerprint = fingerprintOf({ outline, step: found, state, request, digest });
    return this.#learn(
      step,
      { intent, basis: basisOf(found, state, digest), fingerprint, isAskedAsSent: true },
      answer,
      random,
    );
  }

  #learn(step: string, effect: CheckedEffect, answer: CheckAnswer, random: number): this {
    const found = this.sendStep(step);
    const raised =
      found.destination.repeatSafety.by === "fence"
        ? { raisedTo: nextFencingToken(this.state, this.now) }
        : {};
    const asked = { askedAt: this.now, answeredAt: this.now, ...raised };
    return this.append(decideAfterCheck(found, this.state, effect, answer, asked, random));
  }

  probe(step: string, condition: ConditionOutline, answer: ConditionAnswer, random = 0): this {
    if (condition.kind !== "probe") throw new Error(`${condition.name} is no probe`);
    return this.append(
      decideAfterProbe(step, condition, this.state, answer, { answeredAt: this.now }, random),
    );
  }

  /** Writes down what the plan found: shifts, reviews, what confirms by itself; then parks. */
  settle(): this {
    this.append(...this.plan().shifts);
    let turns = 0;
    for (let act = this.#nextConfirm(); act !== null; act = this.#nextConfirm()) {
      turns += 1;
      if (turns > TURNS_MAX) throw new Error("the plan confirms without end");
      this.append(act);
    }
    const { steps, strays } = this.plan();
    const acts = [...steps.map(({ act }) => act), ...strays];
    for (const act of acts) {
      if (act.kind === "review" && !act.isOpen) this.append({ kind: "reviewOpened", review: act.review });
    }
    const waits = acts.flatMap((act): readonly Wait[] => (act.kind === "wait" ? [act.wait] : []));
    const times = waits.flatMap(({ dueAt }) => (dueAt === null ? [] : [dueAt]));
    return this.append({ kind: "parked", waits, dueAt: times.length === 0 ? null : Math.min(...times) });
  }

  loseClaim(step: string): this {
    const openAttempts = [this.lastAttempt(step)];
    return this.append({
      kind: "claimLost",
      claimId: this.claimId,
      holderId: "holder-1",
      holderName: "w-1",
      why: "silent",
      openAttempts,
    });
  }

  event(eventType: string, sourceId: string, payload: Json = null): this {
    return this.append({ kind: "eventReceived", eventType, sourceId, payload, by: person, ignored: null });
  }

  approve(step: string, approved = true, sourceId = `${step}-${this.journal.length}`): this {
    return this.append({
      kind: "approvalAnswered",
      step,
      approved,
      form: null,
      note: approved ? null : "too dear",
      sourceId,
      by: person,
    });
  }

  resume(step: string | null = null): this {
    return this.append({ kind: "resumed", step, by: person, reason: null });
  }

  correct(input: Json): this {
    return this.append({ kind: "inputCorrected", input, by: person, reason: "typing error" });
  }

  sendStep(name: string): SendStepOutline {
    const step = findStep(this.outline, name);
    if (step?.kind !== "step") throw new Error(`${name} sends nothing`);
    return step;
  }

  lastAttempt(step: string): { step: string; intentVersion: number; attempt: number } {
    const { intent } = this.step(step);
    if (intent === null) throw new Error(`${step} has no intent`);
    return { step, intentVersion: intent.version, attempt: intent.attempts.length };
  }

  #request(step: string, state: CaseState): Json {
    const undone = undoneStep(this.outline, step);
    const { confirmation } = stepOf(state, undone?.name ?? step);
    if (undone === null || confirmation === null) return this.request(step, state);
    return undoRequest(undone.name, confirmation);
  }

  #nextConfirm(): Entry | null {
    for (const { act } of this.plan().steps) {
      if (act.kind === "confirm" || act.kind === "record") return act.entry;
    }
    return null;
  }

  #answers(): ReadonlyMap<string, FreshAnswer> {
    const answers = new Map<string, FreshAnswer>();
    for (const step of expandOutline(this.outline, this.state).steps) {
      const before = step.kind === "step" ? step.before : [];
      for (const { kind, name } of [...step.when, ...step.requires, ...before]) {
        if (kind !== "fact") continue;
        const answer = this.facts.get(`${step.name}.${name}`) ?? holds;
        answers.set(answerKey(step.name, name), { answer, askedAt: this.now });
      }
    }
    return answers;
  }
}

/** A state with further entries, as the engine previews it. */
export function later(state: CaseState, at: number, ...entries: readonly Entry[]): CaseState {
  return foldEntries(state, numbered(entries, { from: state.revision + 1, at }));
}
