/**
 * One send: from a committed attempt to its outcome. Reads top to bottom: may it still be sent, call the author's
 * `run` under a deadline, read what it gave, sort what it threw. It writes nothing; the pick-up commits the outcome.
 */
import { stepOf } from "../core/case-state.js";
import { invariant } from "../core/errors.js";
import { readJson } from "../core/json.js";
import { storableText, thrownText } from "../core/storable-text.js";
import { factsOf } from "../define/facts.js";
import { sortFailure, unsentFailure } from "../triage/sort.js";
import { StopSignal } from "./stop-signal.js";
/** Characters of canonical JSON that a result may have. */
export const RESULT_CHARS_MAX = 256 * 1024;
/** Characters of a reason that are kept. */
const WHY_CHARS_MAX = 1_000;
/** How long `run` may go on after its signal aborted before its outcome is taken as unknown, in ms. */
const SETTLE_MS_MAX = 1_000;
/** Makes the send and tells how it ended. Never throws for anything that the author's code or the destination does. */
export async function makeAttempt(context, input) {
    const sending = committed(input);
    await context.onFailpoint("afterIntent", input.place);
    const leftMs = sending.attempt.sendDeadlineAt - context.databaseClock.now();
    const refusal = whyNotSent(context, input, leftMs);
    if (refusal !== null)
        return { kind: "failed", failure: refusal };
    const startedAt = context.databaseClock.now();
    const stop = stopSignal(context, input);
    const endDeadline = stopAtDeadline(context, stop, leftMs);
    const running = callRun(input, sending, stop.signal);
    await context.onFailpoint("duringSend", input.place);
    const ended = await Promise.race([running, settleTime(context, stop.signal)]);
    endDeadline();
    const stopped = stop.release();
    await context.onFailpoint("afterSend", input.place);
    if (ended.kind === "unsettled")
        reportWhenItEnds(running, context, input, startedAt);
    return outcomeOf(ended, { context, input, startedAt, stopped });
}
function committed({ state, ref }) {
    const { intent } = stepOf(state, ref.step);
    const attempt = intent?.attempts.find(({ number }) => number === ref.attempt);
    invariant(intent !== null && attempt !== undefined, `attempt ${ref.attempt} of ${ref.step} in case ${state.caseId} was not committed before its send`);
    return { intent, attempt };
}
/** Asked by the clocks, not by a timer: a process that was stopped for a while learns it here (R7). */
function whyNotSent({ lease, kill }, { step, lost }, leftMs) {
    const { name } = step.outline;
    if (kill.aborted)
        return unsentFailure("stopped", "unsent.shutdown", `The worker stopped before ${name} was sent.`);
    if (lost.aborted || !lease.isTrusted()) {
        return unsentFailure("stopped", "unsent.lease", `The worker could no longer trust its lease before ${name} was sent.`);
    }
    if (leftMs > 0)
        return null;
    return unsentFailure("stopped", "unsent.deadline", `The time to send ${name} had passed before it was sent.`);
}
function stopSignal({ lease, kill }, { lost }) {
    return new StopSignal([
        { signal: kill, cause: "shutdown" },
        { signal: lost, cause: "lease" },
        { signal: lease.signal, cause: "lease" },
    ]);
}
/** Stops the send when its time is over. Returns the function that takes that back. */
function stopAtDeadline({ clock }, stop, leftMs) {
    const ended = new AbortController();
    void clock.sleep(leftMs, ended.signal).then(() => {
        if (ended.signal.aborted)
            return;
        stop.stop("deadline", new Error(`the deadline of the send passed after ${leftMs} ms`));
    });
    return () => ended.abort();
}
async function callRun({ step, state, ref }, { intent, attempt }, signal) {
    const context = {
        ...factsOf(state),
        request: decodeRequest(intent),
        idempotencyKey: intent.idempotencyKey,
        fencingToken: attempt.fencingToken,
        attempt: ref.attempt,
        signal,
    };
    try {
        return { kind: "returned", value: await step.run(context) };
    }
    catch (error) {
        return { kind: "threw", error };
    }
}
/** Every attempt, the first too, gets the value decoded from the journaled text (R17). */
export function decodeRequest({ request }) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the journal holds canonical JSON that core wrote
    return request === null ? undefined : JSON.parse(request);
}
/** Resolves some time after the signal aborted: code that ignores its signal must not hold a case for ever. */
async function settleTime({ clock }, signal) {
    await new Promise((resolve) => {
        if (signal.aborted)
            resolve();
        else
            signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await clock.sleep(SETTLE_MS_MAX);
    return { kind: "unsettled" };
}
async function outcomeOf(ended, reading) {
    const { context, input, stopped } = reading;
    const sorting = { destination: input.step.outline.destination.name, stopped, now: context.clock.now() };
    switch (ended.kind) {
        case "returned":
            return succeeded(ended.value, reading);
        case "threw":
            return { kind: "failed", failure: sortFailure(ended.error, sorting) };
        case "unsettled":
            return {
                kind: "failed",
                failure: sortFailure(new Error("run did not end after its signal aborted"), sorting),
            };
    }
}
async function succeeded(value, { context, input, startedAt }) {
    const result = await readResult(input.step, value);
    return {
        kind: "succeeded",
        result,
        evidence: { sentAt: startedAt, answeredAt: context.databaseClock.now() },
    };
}
/** The effect happened: a result that cannot be stored, or is not what was declared, is no reason to send again (R11). */
export async function readResult(step, value) {
    const read = readJson(value, RESULT_CHARS_MAX);
    if (read.kind === "unreadable")
        return { kind: "unreadable", why: read.why };
    if (step.result === null)
        return { kind: "value", value: read.value };
    try {
        const checked = await step.result(read.value);
        if (checked.kind === "valid")
            return { kind: "value", value: checked.value };
        const faults = checked.faults.map(({ path, message }) => `${path === "" ? "the value" : path}: ${message}`);
        const why = storableText(`it does not fit its schema (${faults.join("; ")})`, WHY_CHARS_MAX);
        return { kind: "unreadable", why };
    }
    catch (error) {
        return { kind: "unreadable", why: `its schema threw ${thrownText(error, WHY_CHARS_MAX)}` };
    }
}
function reportWhenItEnds(running, context, input, startedAt) {
    void running.then(async (ended) => {
        if (ended.kind !== "returned")
            return;
        input.onLateSuccess(await succeeded(ended.value, { context, input, startedAt, stopped: null }));
    });
}
//# sourceMappingURL=attempt.js.map