/** Questions to the outside that change nothing there: "did it happen?" and "does it hold?". Never attempts. */

import { stepOf, type CaseState } from "../core/case-state.ts";
import { decideAfterCheck, decideAfterProbe } from "../core/decide.ts";
import { invariant } from "../core/errors.ts";
import type { CheckAnswer, ConditionAnswer, Entry } from "../core/journal.ts";
import { readJson } from "../core/json.ts";
import type { ConditionOutline, SendStepOutline, StepOutline } from "../core/outline.ts";
import { thrownText } from "../core/storable-text.ts";
import type { CaseType, RuntimeSendStep } from "../define/case-type.ts";
import { conditionsOf, factsOf, readReply } from "../define/facts.ts";
import { VALUE_CHARS_MAX } from "../define/schema.ts";
import { decodeRequest, readResult, type AttemptContext } from "./attempt.ts";
import { StopSignal } from "./stop-signal.ts";

/** How long a check may take, in ms. */
export const CHECK_MS_MAX = 30_000;
/** Probes of one step that are asked at the same time; the others are asked next. */
const PROBES_AT_ONCE_MAX = 16;
/** Characters of a reason that are kept. */
const WHY_CHARS_MAX = 500;

/** A question about a case as it stands. */
export interface Asking {
  readonly caseType: CaseType;
  readonly state: CaseState;
  /** Aborts when the claim is lost. */
  readonly lost: AbortSignal;
  /** In [0, 1): sets the time of the next question, once. */
  readonly random: number;
}

/**
 * Asks whether a step's unsettled intent took effect, and decides what to write. A check that throws cannot tell; one
 * that we stopped ourselves was not asked, and nothing is written about it.
 */
export async function askCheck(
  context: AttemptContext,
  { caseType, state, lost, random }: Asking,
  step: SendStepOutline,
): Promise<readonly Entry[]> {
  const runtime = caseType.steps[step.name];
  const { intent } = stepOf(state, step.name);
  invariant(
    runtime?.kind === "step" && runtime.check !== null && intent !== null,
    `${step.name} of case ${state.caseId} was to be checked, but has no check or no intent`,
  );
  const { check } = runtime;
  const askedAt = context.databaseClock.now();
  const reply = await withDeadline(context, lost, CHECK_MS_MAX, async (signal): Promise<CheckAnswer> => {
    const { idempotencyKey } = intent;
    return storable(
      runtime,
      await check({ ...factsOf(state), request: decodeRequest(intent), idempotencyKey, signal }),
    );
  });
  if (reply.kind === "stopped") return [];
  const answer = reply.kind === "failed" ? cannotTell(reply.why) : reply.value;
  const asked = { askedAt, answeredAt: context.databaseClock.now() };
  return [decideAfterCheck(step, state, intent, answer, asked, random)];
}

function cannotTell(why: string): { readonly kind: "cannotTell"; readonly why: string } {
  return { kind: "cannotTell", why };
}

/** What a check found is stored as a result is: an unreadable one confirms all the same (R11). */
async function storable(step: RuntimeSendStep, answer: CheckAnswer): Promise<CheckAnswer> {
  if (answer.kind !== "happened") return answer;
  const result = answer.result.kind === "value" ? await readResult(step, answer.result.value) : answer.result;
  const evidence = readJson(answer.evidence, VALUE_CHARS_MAX);
  return { kind: "happened", result, evidence: evidence.kind === "json" ? evidence.value : evidence.why };
}

/** Probes of one step to ask. */
export interface ProbeQuestion {
  readonly step: string;
  readonly conditions: readonly string[];
}

/**
 * Asks probes of one step, at the same time, and decides what to write. A probe that throws cannot tell; nothing is
 * written about those that we stopped ourselves.
 */
export async function askProbes(
  context: AttemptContext,
  asking: Asking,
  question: ProbeQuestion,
): Promise<readonly Entry[]> {
  const asked = await Promise.all(
    probesToAsk(asking.caseType, question).map(async (probe): Promise<readonly Entry[]> => {
      const answer = await askProbe(context, asking, question.step, probe);
      const { state, random } = asking;
      const now = context.databaseClock.now();
      return answer === null ? [] : [decideAfterProbe(question.step, probe, state, answer, now, random)];
    }),
  );
  return asked.flat();
}

/** The longest that asking `question` may take, in ms. */
export function probesMsMax(caseType: CaseType, question: ProbeQuestion): number {
  return Math.max(0, ...probesToAsk(caseType, question).map(({ deadlineMs }) => deadlineMs));
}

type Probe = Extract<ConditionOutline, { kind: "probe" }>;

function probesToAsk({ outline }: CaseType, question: ProbeQuestion): readonly Probe[] {
  const step = outline.steps.find(({ name }) => name === question.step);
  const all = step === undefined ? [] : probesOf(step);
  return all.filter(({ name }) => question.conditions.includes(name)).slice(0, PROBES_AT_ONCE_MAX);
}

function probesOf(step: StepOutline): readonly Probe[] {
  const all = step.kind === "step" ? [...step.requires, ...step.before] : step.requires;
  return all.filter((one): one is Probe => one.kind === "probe");
}

async function askProbe(
  context: AttemptContext,
  { caseType, state, lost }: Asking,
  step: string,
  probe: Probe,
): Promise<ConditionAnswer | null> {
  const runtime = caseType.steps[step];
  const condition =
    runtime === undefined ? undefined : conditionsOf(runtime).find(({ name }) => name === probe.name);
  if (condition?.kind !== "probe") return cannotTell("the definition has no such probe");
  const reply = await withDeadline(context, lost, probe.deadlineMs, async (signal) =>
    readReply(await condition.ask({ ...factsOf(state), signal })),
  );
  switch (reply.kind) {
    case "answered":
      return reply.value;
    case "failed":
      return cannotTell(reply.why);
    case "stopped":
      return null;
  }
}

type Reply<Value> =
  | { readonly kind: "answered"; readonly value: Value }
  | { readonly kind: "failed"; readonly why: string }
  /** We stopped it: the claim is lost or can no longer be trusted, or the process stops. */
  | { readonly kind: "stopped" };

/** Calls `ask` with a signal and waits no longer than the deadline, even if `ask` ignores its signal. */
async function withDeadline<Value>(
  { clock, lease, kill }: AttemptContext,
  lost: AbortSignal,
  deadlineMs: number,
  ask: (signal: AbortSignal) => Promise<Value>,
): Promise<Reply<Value>> {
  const stop = new StopSignal<"deadline" | "us">([
    { signal: kill, cause: "us" },
    { signal: lost, cause: "us" },
    { signal: lease.signal, cause: "us" },
  ]);
  const answered = new AbortController();
  const watch = async (): Promise<void> => {
    await clock.sleep(deadlineMs, answered.signal);
    if (!answered.signal.aborted) stop.stop("deadline", new Error(`no answer within ${deadlineMs} ms`));
  };
  void watch();
  const reply = await Promise.race([attemptTo(ask, stop.signal), untilStopped<Value>(stop.signal)]);
  answered.abort("answered");
  const cause = stop.release();
  if (reply.kind === "answered" || cause === null) return reply;
  if (cause === "us") return { kind: "stopped" };
  return { kind: "failed", why: `there was no answer within ${deadlineMs} ms` };
}

function untilStopped<Value>(signal: AbortSignal): Promise<Reply<Value>> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve({ kind: "stopped" });
    else signal.addEventListener("abort", () => resolve({ kind: "stopped" }), { once: true });
  });
}

async function attemptTo<Value>(
  ask: (signal: AbortSignal) => Promise<Value>,
  signal: AbortSignal,
): Promise<Reply<Value>> {
  try {
    return { kind: "answered", value: await ask(signal) };
  } catch (error) {
    return { kind: "failed", why: `it threw ${thrownText(error, WHY_CHARS_MAX)}` };
  }
}
