/** Questions to the outside that change nothing there: "did it happen?" and "does it hold?". Never attempts. */

import { basisOf, type Digest } from "../core/basis.ts";
import { stepOf, type CaseState, type Intent } from "../core/case-state.ts";
import {
  decideAfterCheck,
  decideAfterProbe,
  fingerprintOf,
  nextFencingToken,
  unknownEffect,
  type CheckedEffect,
} from "../core/decide.ts";
import { invariant } from "../core/errors.ts";
import type { CheckAnswer, ConditionAnswer, Entry, LookAnswer } from "../core/journal.ts";
import { readJson, type Json } from "../core/json.ts";
import { maskedPlaces, maskTexts, textsOf, type MaskedPath } from "../core/masked-values.ts";
import type { ConditionOutline, PollStepOutline, SendStepOutline, StepOutline } from "../core/outline.ts";
import { decideAfterLook } from "../core/plan-poll.ts";
import { thrownText } from "../core/storable-text.ts";
import type { WireSummary } from "../core/wire-evidence.ts";
import { findStep } from "../core/undo.ts";
import type { CaseType, RuntimePollStep, RuntimeSendStep } from "../define/case-type.ts";
import { decodeRequest } from "../define/decode-request.ts";
import { conditionsOf, factsOf, readReply, sendStepNamed, undoneBy } from "../define/facts.ts";
import { maskAnswer, maskedTexts, resultPaths } from "../define/masking.ts";
import { VALUE_CHARS_MAX } from "../define/schema.ts";
import { readAs, readResult, type AttemptContext } from "./attempt.ts";
import { questionSummary, watchedQuestion } from "./metering.ts";
import { makeRequest } from "../define/make-request.ts";
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
  readonly digest: Digest;
}

/** What to ask a destination about a step. */
export interface CheckQuestion {
  readonly step: SendStepOutline;
  /** Whether the last attempt happened, or whether what was done before is what is wanted now. */
  readonly about: "outcome" | "present";
}

/**
 * Asks a destination about a step's effect, and decides what to write. A check that throws cannot tell; one
 * that we stopped ourselves was not asked, and nothing is written about it.
 */
export async function askCheck(
  context: AttemptContext,
  asking: Asking,
  { step, about }: CheckQuestion,
): Promise<readonly Entry[]> {
  const { caseType, state, lost, random } = asking;
  const runtime = sendStepNamed(caseType, step.name);
  const { intent } = stepOf(state, step.name);
  invariant(
    runtime !== null && runtime.check !== null && intent !== null,
    `${step.name} of case ${state.caseId} was to be checked, but has no check or no intent`,
  );
  const { check } = runtime;
  const askedAt = context.databaseClock.now();
  const { request, effect } = wantedOf(asking, { step, about }, intent);
  const fencingToken = nextFencingToken(state, askedAt);
  const name = `check ${intent.idempotencyKey}`;
  const watched = { name, lost, deadlineMs: CHECK_MS_MAX };
  const { reply, wire } = await askWatched(context, watched, async (signal): Promise<CheckAnswer> => {
    if (request.kind === "failed") return cannotTell(`what is wanted now could not be made: ${request.why}`);
    const { idempotencyKey } = intent;
    const { fingerprint } = effect;
    const facts = { ...factsOf(state), request: request.value, idempotencyKey };
    const checking = { ...facts, fingerprint, fencingToken, signal };
    return storable(runtime, await check(checking, undoneBy(caseType, state, step.name)));
  });
  if (reply.kind === "stopped") return [];
  const told = reply.kind === "failed" ? cannotTell(reply.why) : reply.value;
  const answer = maskAnswer(told, maskedTexts(caseType, state));
  const seen = wire === undefined ? {} : { wire };
  const asked = {
    askedAt,
    answeredAt: context.databaseClock.now(),
    ...raisedBy(step, fencingToken),
    ...seen,
  };
  return [decideAfterCheck(step, state, effect, answer, asked, random)];
}

function raisedBy({ destination }: SendStepOutline, fencingToken: number): { readonly raisedTo?: number } {
  return destination.repeatSafety.by === "fence" ? { raisedTo: fencingToken } : {};
}

/** What is known of a case while a worker elsewhere checks. */
export type CheckElsewhere = Pick<Asking, "caseType" | "state" | "digest">;

/** What a check that is asked elsewhere looks for; null where there is no intent to ask about. `askedAt` in epoch ms. */
export function checkWanted(
  asking: CheckElsewhere,
  question: CheckQuestion,
  askedAt: number,
): { readonly intent: Intent; readonly wanted: Wanted; readonly fencingToken: number } | null {
  const { intent } = stepOf(asking.state, question.step.name);
  if (intent === null) return null;
  const fencingToken = nextFencingToken(asking.state, askedAt);
  return { intent, wanted: wantedOf(asking, question, intent), fencingToken };
}

/** What to write of the answer to a check that was asked elsewhere. Times in epoch ms. */
export async function checkedElsewhere(
  asking: CheckElsewhere & Pick<Asking, "random">,
  question: CheckQuestion,
  told: CheckAnswer,
  { askedAt, answeredAt }: { readonly askedAt: number; readonly answeredAt: number },
): Promise<readonly Entry[]> {
  const { caseType, state, random } = asking;
  const { step } = question;
  const runtime = sendStepNamed(caseType, step.name);
  const known = checkWanted(asking, question, askedAt);
  if (runtime === null || known === null) return [];
  const answer = maskAnswer(await storable(runtime, told), maskedTexts(caseType, state));
  const asked = { askedAt, answeredAt, ...raisedBy(step, known.fencingToken) };
  return [decideAfterCheck(step, state, known.wanted.effect, answer, asked, random)];
}

function wantedOf(asking: CheckElsewhere, { step, about }: CheckQuestion, intent: Intent): Wanted {
  return about === "outcome" ? sentBy(asking, step, intent) : wantedNow(asking, step, intent);
}

/** What a check looks for. */
interface Wanted {
  readonly request:
    | { readonly kind: "made"; readonly value: Json | undefined }
    | { readonly kind: "failed"; readonly why: string };
  readonly effect: CheckedEffect;
}

function sentBy({ state, digest }: CheckElsewhere, step: SendStepOutline, intent: Intent): Wanted {
  const effect = unknownEffect(step, state, intent, digest);
  return { request: { kind: "made", value: decodeRequest(intent) }, effect };
}

/** For the present input: what was done before may fit it as it is. */
function wantedNow(
  { caseType, state, digest }: CheckElsewhere,
  step: SendStepOutline,
  intent: Intent,
): Wanted {
  const made = makeRequest(caseType, state, step);
  if (made.kind === "failed") return { request: made, effect: unknownEffect(step, state, intent, digest) };
  const request = made.value;
  const fingerprint = fingerprintOf({ outline: caseType.outline, step, state, request, digest });
  const effect = { intent, basis: basisOf(step, state, digest), fingerprint, isAskedAsSent: true };
  return { request: { kind: "made", value: request ?? undefined }, effect };
}

function cannotTell(why: string): { readonly kind: "cannotTell"; readonly why: string } {
  return { kind: "cannotTell", why };
}

/** What a check found is stored as a result is: an unreadable one confirms all the same (R11). */
async function storable(step: RuntimeSendStep, answer: CheckAnswer): Promise<CheckAnswer> {
  if (answer.kind === "didNotHappen" || answer.kind === "cannotTell") return answer;
  const evidence = storableEvidence(answer.evidence);
  if (answer.kind === "differs") return { ...answer, evidence };
  const result = answer.result.kind === "value" ? await readResult(step, answer.result.value) : answer.result;
  return { ...answer, result, evidence };
}

function storableEvidence(evidence: Json): Json {
  const read = readJson(evidence, VALUE_CHARS_MAX);
  return read.kind === "json" ? read.value : read.why;
}

/** Looks whether what a step waits for is there, and decides what to write. A look that throws could not tell. */
export async function askLook(
  context: AttemptContext,
  { caseType, state, lost, random, digest }: Asking,
  step: PollStepOutline,
): Promise<readonly Entry[]> {
  const runtime = caseType.steps[step.name];
  invariant(runtime?.kind === "poll", `${step.name} of case ${state.caseId} has no look`);
  const askedAt = context.databaseClock.now();
  const watched = { name: `look ${state.caseId}.${step.name}`, lost, deadlineMs: step.deadlineMs };
  const masked = resultPaths(caseType, step.name);
  const { reply, wire } = await askWatched(context, watched, async (signal) =>
    fitting(runtime, await runtime.look({ ...factsOf(state), signal }), masked),
  );
  if (reply.kind === "stopped") return [];
  const told = reply.kind === "failed" ? cannotTell(reply.why) : reply.value;
  const answer = maskAnswer(told, maskedTexts(caseType, state));
  const seen = wire === undefined ? {} : { wire };
  const look = { state, askedAt, answeredAt: context.databaseClock.now(), ...seen };
  return [decideAfterLook(step, answer, look, { random, digest })];
}

/** Nothing took effect by a look: what does not fit its schema was not found. */
async function fitting(
  { result }: RuntimePollStep,
  answer: LookAnswer,
  masked: readonly MaskedPath[],
): Promise<LookAnswer> {
  if (answer.kind !== "found" || result === null) return answer;
  const read = await readAs(result, answer.value);
  return read.kind === "value"
    ? { kind: "found", value: read.value }
    : cannotTell(maskTexts(read.why, textsOf(maskedPlaces(answer.value, masked))));
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
      const { answer, wire } = await askProbe(context, asking, question.step, probe);
      const { state, random } = asking;
      const answeredAt = context.databaseClock.now();
      if (answer === null) return [];
      const seen = wire === undefined ? {} : { wire };
      return [decideAfterProbe(question.step, probe, state, answer, { answeredAt, ...seen }, random)];
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
  const step = findStep(outline, question.step);
  const all = step === null ? [] : probesOf(step);
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
): Promise<ProbeReply> {
  const runtime = sendStepNamed(caseType, step) ?? caseType.steps[step];
  const condition =
    runtime === undefined ? undefined : conditionsOf(runtime).find(({ name }) => name === probe.name);
  if (condition?.kind !== "probe") return { answer: cannotTell("the definition has no such probe") };
  const name = `probe ${state.caseId}.${step}.${probe.name}`;
  const watched = { name, lost, deadlineMs: probe.deadlineMs };
  const { reply, wire } = await askWatched(context, watched, async (signal) =>
    readReply(await condition.ask({ ...factsOf(state), signal })),
  );
  const texts = maskedTexts(caseType, state);
  switch (reply.kind) {
    case "answered":
      return { answer: maskAnswer(reply.value, texts), wire };
    case "failed":
      return { answer: maskAnswer(cannotTell(reply.why), texts), wire };
    case "stopped":
      return { answer: null };
  }
}

/** Null = we stopped it ourselves. */
interface ProbeReply {
  readonly answer: ConditionAnswer | null;
  readonly wire?: WireSummary | undefined;
}

/** A question under watch. */
interface WatchedQuestion {
  readonly name: string;
  /** Aborts when the claim is lost. */
  readonly lost: AbortSignal;
  readonly deadlineMs: number;
}

/** Asks within the deadline, and tells what that really sent. It is no attempt and spends none. */
async function askWatched<Value>(
  context: AttemptContext,
  { name, lost, deadlineMs }: WatchedQuestion,
  ask: (signal: AbortSignal) => Promise<Value>,
): Promise<{ readonly reply: Reply<Value>; readonly wire: WireSummary | undefined }> {
  const { meter, clock } = context;
  const watches: ReturnType<typeof meter.open>[] = [];
  const reply = await withDeadline(context, lost, deadlineMs, async (signal) => {
    const watch = meter.open(watchedQuestion(name, signal, () => clock.now()));
    watches.push(watch);
    return watch.run(async () => ask(signal));
  });
  // One that ignores its signal goes on; what it sends from here on is late.
  const evidence = watches[0]?.end() ?? null;
  return { reply, wire: questionSummary(evidence) };
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
