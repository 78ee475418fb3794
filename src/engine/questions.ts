/** Questions to the outside that change nothing there: "did it happen?" and "does it hold?". Never attempts. */

import { stepOf, type CaseState } from "../core/case-state.ts";
import { decideAfterCheck, decideAfterProbe } from "../core/decide.ts";
import { invariant } from "../core/errors.ts";
import type { CheckAnswer, ConditionAnswer, Entry } from "../core/journal.ts";
import { readJson } from "../core/json.ts";
import type { ConditionOutline, SendStepOutline, StepOutline } from "../core/outline.ts";
import type { CaseType, RuntimeSendStep } from "../define/case-type.ts";
import { conditionsOf, factsOf, readReply } from "../define/facts.ts";
import { decodeRequest, readResult, RESULT_CHARS_MAX, type AttemptContext } from "./attempt.ts";

/** How long a check may take, in ms. */
const CHECK_MS_MAX = 30_000;

/** Asks whether a step's unsettled intent took effect, and decides what to write. A check that throws cannot tell. */
export async function askCheck(
  context: AttemptContext,
  caseType: CaseType,
  state: CaseState,
  step: SendStepOutline,
  random: number,
): Promise<Entry> {
  const runtime = caseType.steps[step.name];
  const { intent } = stepOf(state, step.name);
  invariant(
    runtime?.kind === "step" && runtime.check !== null && intent !== null,
    `${step.name} of case ${state.caseId} was to be checked, but has no check or no intent`,
  );
  const { check } = runtime;
  const answer = await withDeadline(context, CHECK_MS_MAX, async (signal): Promise<CheckAnswer> => {
    const { idempotencyKey } = intent;
    return check({ ...factsOf(state), request: decodeRequest(intent), idempotencyKey, signal });
  });
  const readable = answer.kind === "threw" ? cannotTell(answer.why) : await storable(runtime, answer.value);
  return decideAfterCheck(step, state, intent, readable, context.databaseClock.now(), random);
}

function cannotTell(why: string): { readonly kind: "cannotTell"; readonly why: string } {
  return { kind: "cannotTell", why };
}

/** What a check found is stored as a result is: an unreadable one confirms all the same (R11). */
async function storable(step: RuntimeSendStep, answer: CheckAnswer): Promise<CheckAnswer> {
  if (answer.kind !== "happened") return answer;
  const result = answer.result.kind === "value" ? await readResult(step, answer.result.value) : answer.result;
  const evidence = readJson(answer.evidence, RESULT_CHARS_MAX);
  return { kind: "happened", result, evidence: evidence.kind === "json" ? evidence.value : evidence.why };
}

/** Asks probes of one step, at the same time, and decides what to write. A probe that throws cannot tell. */
export function askProbes(
  context: AttemptContext,
  caseType: CaseType,
  state: CaseState,
  question: { readonly step: string; readonly conditions: readonly string[] },
  random: number,
): Promise<readonly Entry[]> {
  const outline = caseType.outline.steps.find(({ name }) => name === question.step);
  const asked =
    outline === undefined ? [] : probesOf(outline).filter(({ name }) => question.conditions.includes(name));
  return Promise.all(
    asked.map(async (probe) => {
      const answer = await askProbe(context, caseType, state, question.step, probe);
      return decideAfterProbe(question.step, probe, state, answer, context.databaseClock.now(), random);
    }),
  );
}

type Probe = Extract<ConditionOutline, { kind: "probe" }>;

function probesOf(step: StepOutline): readonly Probe[] {
  const all = step.kind === "step" ? [...step.requires, ...step.before] : step.requires;
  return all.filter((one): one is Probe => one.kind === "probe");
}

async function askProbe(
  context: AttemptContext,
  caseType: CaseType,
  state: CaseState,
  step: string,
  probe: Probe,
): Promise<ConditionAnswer> {
  const runtime = caseType.steps[step];
  const condition =
    runtime === undefined ? undefined : conditionsOf(runtime).find(({ name }) => name === probe.name);
  if (condition?.kind !== "probe") return cannotTell("the definition has no such probe");
  const reply = await withDeadline(context, probe.deadlineMs, async (signal) =>
    readReply(await condition.ask({ ...factsOf(state), signal })),
  );
  return reply.kind === "threw" ? cannotTell(reply.why) : reply.value;
}

type Reply<Value> =
  { readonly kind: "answered"; readonly value: Value } | { readonly kind: "threw"; readonly why: string };

/** Calls `ask` with a signal and waits no longer than the deadline, even if `ask` ignores its signal. */
async function withDeadline<Value>(
  { clock, kill }: AttemptContext,
  deadlineMs: number,
  ask: (signal: AbortSignal) => Promise<Value>,
): Promise<Reply<Value>> {
  const deadline = new AbortController();
  const answered = new AbortController();
  const signal = AbortSignal.any([deadline.signal, kill]);
  const limit = clock.sleep(deadlineMs, AbortSignal.any([answered.signal, kill])).then((): Reply<Value> => {
    deadline.abort(new Error(`no answer within ${deadlineMs} ms`));
    return { kind: "threw", why: `there was no answer within ${deadlineMs} ms` };
  });
  const reply = await Promise.race([attemptTo(ask, signal), limit]);
  answered.abort();
  return reply;
}

async function attemptTo<Value>(
  ask: (signal: AbortSignal) => Promise<Value>,
  signal: AbortSignal,
): Promise<Reply<Value>> {
  try {
    return { kind: "answered", value: await ask(signal) };
  } catch (error) {
    return { kind: "threw", why: `it threw ${String(error)}` };
  }
}
