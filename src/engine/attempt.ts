/**
 * One send: from a committed attempt to its outcome. Reads top to bottom: may it still be sent, call the author's
 * `run` under a deadline, read what it gave, sort what it threw. It writes nothing; the pick-up commits the outcome.
 */

import { stepOf, type Attempt, type CaseState } from "../core/case-state.ts";
import type { SendOutcome } from "../core/decide.ts";
import { FootholdError, invariant } from "../core/errors.ts";
import type { Failure } from "../core/failure.ts";
import type { AttemptRef, StepResult } from "../core/journal.ts";
import { readJson, type Json } from "../core/json.ts";
import { maskedPlaces, maskTexts, textsOf, type MaskedPath } from "../core/masked-values.ts";
import type { Clock, Transaction } from "../core/ports.ts";
import { storableText, thrownText } from "../core/storable-text.ts";
import type { RunContext, RuntimeSendStep, UndoneEffect, Validate } from "../define/case-type.ts";
import type { ChildCalls, WithChildCalls } from "../define/child-calls.ts";
import { decodeRequest } from "../define/decode-request.ts";
import { factsOf } from "../define/facts.ts";
import { maskFailure } from "../define/masking.ts";
import { VALUE_CHARS_MAX } from "../define/schema.ts";
import { sortFailure, unsentFailure, type StopCause } from "../triage/sort.ts";
import type { LateRequest, Refusal } from "../wire/attempt-record.ts";
import type { BoundTransport } from "../wire/bound-transport.ts";
import type { MeteredEvidence } from "../wire/evidence.ts";
import type { AttemptMeter } from "../wire/meter.ts";
import { seeUnawaited } from "../wire/system.ts";
import type { DatabaseClock } from "./database-clock.ts";
import type { FailpointPlace, OnFailpoint } from "./failpoints.ts";
import type { Lease } from "./lease.ts";
import { provedBy, watchedAttempt, wireSummaryOf, withRefusal, type MeteredSend } from "./metering.ts";
import { StopSignal } from "./stop-signal.ts";

/** Characters of a reason that are kept. */
const WHY_CHARS_MAX = 1_000;
/** How long `run` may go on after its signal aborted before its outcome is taken as unknown, in ms. */
const SETTLE_MS_MAX = 1_000;

/** What a send needs from its worker. */
export interface AttemptContext {
  readonly clock: Clock;
  readonly databaseClock: DatabaseClock;
  readonly lease: Lease;
  /** Aborts when the process must stop at once. */
  readonly kill: AbortSignal;
  readonly onFailpoint: OnFailpoint;
  /** Sees what the send really sends. */
  readonly meter: AttemptMeter;
}

/** What the words of an outcome must not repeat. */
export interface OutcomeMasking {
  readonly texts: readonly string[];
  /** Of what `run` gives. */
  readonly result: readonly MaskedPath[];
}

/** A send to make. */
export interface AttemptInput {
  readonly step: RuntimeSendStep;
  /** What an undo takes back; left out for any other step. */
  readonly undone?: UndoneEffect | undefined;
  /** The state right after the attempt was committed. */
  readonly state: CaseState;
  readonly ref: AttemptRef;
  readonly place: FailpointPlace;
  /** Aborts when the claim is lost. */
  readonly lost: AbortSignal;
  /** How the step starts and cancels other cases; left out where it does not. */
  readonly childCalls?: ChildCalls | undefined;
  /** What the step writes in; left out where nothing confirms in a transaction of its own. */
  readonly transaction?: Transaction | undefined;
  /** What the outcome must not repeat; left out where nothing is masked. */
  readonly masking?: OutcomeMasking | undefined;
  /** Told when `run` ends well after its outcome was already taken as unknown. */
  readonly onLateSuccess: (outcome: SendOutcome) => void;
  /** Told of a request that was begun after the attempt had ended or was stopped. */
  readonly onLateRequest: (late: LateRequest) => void;
}

/** How a send ended, as far as is known. */
export interface AttemptEnd {
  readonly outcome: SendOutcome;
  /** False when `run` did not heed its signal and goes on: what it may still tell must not be taken for told. */
  readonly isOver: boolean;
}

/** Makes the send and tells how it ended. Never throws for anything that the author's code or the destination does. */
export async function makeAttempt(context: AttemptContext, input: AttemptInput): Promise<AttemptEnd> {
  const sending = committed(input);
  await context.onFailpoint("afterIntent", input.place);
  const leftMs = sending.attempt.sendDeadlineAt - context.databaseClock.now();
  const refusal = whyNotSent(context, input, leftMs);
  if (refusal !== null) return { outcome: { kind: "failed", failure: refusal }, isOver: true };
  const startedAt = context.databaseClock.now();
  const stop = stopSignal(context, input);
  const endDeadline = stopAtDeadline(context, stop, leftMs);
  const now = (): number => context.clock.now();
  const watch = context.meter.open(watchedAttempt(sending, stop.signal, now, input.onLateRequest));
  const running = watch.run(() => callRun(input, sending, stop.signal, watch.transport));
  await context.onFailpoint("duringSend", input.place);
  const ended = await Promise.race([running, settleTime(context, stop.signal)]);
  endDeadline();
  // Before nothing is taken for a proof.
  if (ended.kind === "threw" && input.step.isHttpAlone) await seeUnawaited();
  const stopped = stop.release();
  const seen: Seen = { evidence: watch.end(), refusal: watch.refusal };
  await context.onFailpoint("afterSend", input.place);
  const isOver = ended.kind !== "unsettled";
  if (!isOver) void reportWhenItEnds(running, context, input, startedAt);
  const wire = wireSummaryOf(seen.evidence, sending);
  const outcome = await outcomeOf(ended, { context, input, startedAt, stopped, seen });
  return { outcome: wire === undefined ? outcome : { ...outcome, wire }, isOver };
}

interface Sending extends MeteredSend {
  readonly attempt: Attempt;
}

function committed({ step, state, ref }: AttemptInput): Sending {
  const { intent } = stepOf(state, ref.step);
  const attempt = intent?.attempts.find(({ number }) => number === ref.attempt);
  invariant(
    intent !== null && attempt !== undefined,
    `attempt ${ref.attempt} of ${ref.step} in case ${state.caseId} was not committed before its send`,
  );
  return { step: step.outline, state, ref, intent, attempt };
}

/** Asked by the clocks, not by a timer: a process that was stopped for a while learns it here (R7). */
function whyNotSent(
  { lease, kill }: AttemptContext,
  { step, lost }: AttemptInput,
  leftMs: number,
): Failure | null {
  const { name } = step.outline;
  if (kill.aborted)
    return unsentFailure("stopped", "unsent.shutdown", `The worker stopped before ${name} was sent.`);
  if (lost.aborted || !lease.isTrusted()) {
    return unsentFailure(
      "stopped",
      "unsent.lease",
      `The worker could no longer trust its lease before ${name} was sent.`,
    );
  }
  if (leftMs > 0) return null;
  return unsentFailure(
    "stopped",
    "unsent.deadline",
    `The time to send ${name} had passed before it was sent.`,
  );
}

function stopSignal({ lease, kill }: AttemptContext, { lost }: AttemptInput): StopSignal<StopCause> {
  return new StopSignal<StopCause>([
    { signal: kill, cause: "shutdown" },
    { signal: lost, cause: "lease" },
    { signal: lease.signal, cause: "lease" },
  ]);
}

/** Stops the send when its time is over. Returns the function that takes that back. */
function stopAtDeadline({ clock }: AttemptContext, stop: StopSignal<StopCause>, leftMs: number): () => void {
  const ended = new AbortController();
  const watch = async (): Promise<void> => {
    await clock.sleep(leftMs, ended.signal);
    if (ended.signal.aborted) return;
    stop.stop("deadline", new Error(`the deadline of the send passed after ${leftMs} ms`));
  };
  void watch();
  return () => ended.abort("ended");
}

type Ended =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "unsettled" };

async function callRun(
  { step, undone, state, ref, transaction, childCalls }: AttemptInput,
  { intent, attempt }: Sending,
  signal: AbortSignal,
  { fetch, dispatcher }: BoundTransport,
): Promise<Ended> {
  const context: RunContext & Partial<WithChildCalls> = {
    ...(childCalls === undefined ? {} : { childCalls }),
    ...factsOf(state),
    request: decodeRequest(intent),
    idempotencyKey: intent.idempotencyKey,
    fencingToken: attempt.fencingToken,
    fingerprint: intent.fingerprint,
    version: attempt.version ?? "",
    transaction: transaction ?? noTransaction(step),
    attempt: ref.attempt,
    signal,
    fetch,
    dispatcher,
  };
  try {
    return { kind: "returned", value: await step.run(context, undone) };
  } catch (error) {
    return { kind: "threw", error };
  }
}

/** Where nothing confirms in a transaction of its own, there is none to write in. */
function noTransaction({ outline: { name, destination } }: RuntimeSendStep): Transaction {
  const refuse = async (): Promise<never> => {
    throw new FootholdError(
      "INVALID_DEFINITION",
      `${name} writes in a transaction, but its destination ${destination.name} is repeated by ` +
        `${destination.repeatSafety.by}. Say idempotency: { by: "transaction" } for the engine's own database.`,
      { details: { step: name } },
    );
  };
  return { query: refuse };
}

/** Resolves some time after the signal aborted: code that ignores its signal must not hold a case for ever. */
async function settleTime({ clock }: AttemptContext, signal: AbortSignal): Promise<Ended> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await clock.sleep(SETTLE_MS_MAX);
  return { kind: "unsettled" };
}

/** What the meter gave. */
interface Seen {
  /** Null = nothing is metered here. */
  readonly evidence: MeteredEvidence | null;
  readonly refusal: Refusal | null;
}

interface Reading {
  readonly context: AttemptContext;
  readonly input: AttemptInput;
  readonly startedAt: number;
  readonly stopped: StopCause | null;
  readonly seen: Seen;
}

async function outcomeOf(ended: Ended, reading: Reading): Promise<SendOutcome> {
  const { context, input, stopped, seen } = reading;
  const { outline, sorters } = input.step;
  const { name: destination } = outline.destination;
  const sorting = { destination, stopped, now: context.clock.now(), sorters };
  switch (ended.kind) {
    case "returned":
      return succeededHere(ended.value, reading);
    case "threw":
    case "unsettled": {
      const error =
        ended.kind === "threw" ? ended.error : new Error("run did not end after its signal aborted");
      // What has not ended may still send.
      const evidence = ended.kind === "threw" ? provedBy(seen.evidence, input.step) : seen.evidence;
      const failure = withRefusal(sortFailure(error, { ...sorting, evidence }), seen.refusal, seen.evidence);
      return { kind: "failed", failure: maskFailure(failure, input.masking?.texts ?? []) };
    }
  }
}

async function succeededHere(
  value: unknown,
  { context, input, startedAt }: Pick<Reading, "context" | "input" | "startedAt">,
): Promise<SendOutcome> {
  const { step, masking } = input;
  const result = await readUnmasked(value, { step, masking });
  return {
    kind: "succeeded",
    result,
    evidence: { sentAt: startedAt, answeredAt: context.databaseClock.now() },
  };
}

/** A send that gave `value`, which is read as its step's result. Times in epoch ms. */
export async function succeeded(
  value: unknown,
  {
    startedAt,
    answeredAt,
    ...reading
  }: ReadingResult & { readonly startedAt: number; readonly answeredAt: number },
): Promise<Extract<SendOutcome, { kind: "succeeded" }>> {
  const result = await readUnmasked(value, reading);
  return { kind: "succeeded", result, evidence: { sentAt: startedAt, answeredAt } };
}

interface ReadingResult {
  readonly step: RuntimeSendStep;
  readonly masking: OutcomeMasking | undefined;
}

async function readUnmasked(value: unknown, { step, masking }: ReadingResult): Promise<StepResult> {
  return withoutMasked(await readResult(step, value), value, masking);
}

/** Why a result cannot be read may repeat it. */
function withoutMasked(result: StepResult, value: unknown, masking: OutcomeMasking | undefined): StepResult {
  if (result.kind === "value" || masking === undefined) return result;
  const read = readJson(value, VALUE_CHARS_MAX);
  const own = read.kind === "json" ? textsOf(maskedPlaces(read.value, masking.result)) : [];
  return { kind: "unreadable", why: maskTexts(result.why, [...own, ...masking.texts]) };
}

/** The effect happened: a result that cannot be stored, or is not what was declared, is no reason to send again (R11). */
export async function readResult(step: RuntimeSendStep, value: unknown): Promise<StepResult> {
  const read = readJson(value, VALUE_CHARS_MAX);
  if (read.kind === "unreadable") return { kind: "unreadable", why: read.why };
  return step.result === null ? { kind: "value", value: read.value } : readAs(step.result, read.value);
}

/** A value as a schema makes it; unreadable where it does not fit. */
export async function readAs(schema: Validate, value: Json): Promise<StepResult> {
  try {
    const checked = await schema(value);
    if (checked.kind === "valid") return { kind: "value", value: checked.value };
    const faults = checked.faults.map(
      ({ path, message }) => `${path === "" ? "the value" : path}: ${message}`,
    );
    const why = storableText(`it does not fit its schema (${faults.join("; ")})`, WHY_CHARS_MAX);
    return { kind: "unreadable", why };
  } catch (error) {
    return { kind: "unreadable", why: `its schema threw ${thrownText(error, WHY_CHARS_MAX)}` };
  }
}

async function reportWhenItEnds(
  running: Promise<Ended>,
  context: AttemptContext,
  input: AttemptInput,
  startedAt: number,
): Promise<void> {
  const ended = await running;
  // A failure that comes so late proves nothing.
  if (ended.kind !== "returned") return;
  input.onLateSuccess(await succeededHere(ended.value, { context, input, startedAt }));
}
