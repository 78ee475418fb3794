/** Questions to the outside that change nothing there: "did it happen?" and "does it hold?". Never attempts. */
import { stepOf } from "../core/case-state.js";
import { decideAfterCheck, decideAfterProbe } from "../core/decide.js";
import { invariant } from "../core/errors.js";
import { readJson } from "../core/json.js";
import { thrownText } from "../core/storable-text.js";
import { conditionsOf, factsOf, readReply } from "../define/facts.js";
import { decodeRequest, readResult, RESULT_CHARS_MAX } from "./attempt.js";
import { StopSignal } from "./stop-signal.js";
/** How long a check may take, in ms. */
export const CHECK_MS_MAX = 30_000;
/** Probes of one step that are asked at the same time; the others are asked next. */
const PROBES_AT_ONCE_MAX = 16;
/** Characters of a reason that are kept. */
const WHY_CHARS_MAX = 500;
/**
 * Asks whether a step's unsettled intent took effect, and decides what to write. A check that throws cannot tell; one
 * that we stopped ourselves was not asked, and nothing is written about it.
 */
export async function askCheck(context, { caseType, state, lost, random }, step) {
    const runtime = caseType.steps[step.name];
    const { intent } = stepOf(state, step.name);
    invariant(runtime?.kind === "step" && runtime.check !== null && intent !== null, `${step.name} of case ${state.caseId} was to be checked, but has no check or no intent`);
    const { check } = runtime;
    const reply = await withDeadline(context, lost, CHECK_MS_MAX, async (signal) => {
        const { idempotencyKey } = intent;
        return storable(runtime, await check({ ...factsOf(state), request: decodeRequest(intent), idempotencyKey, signal }));
    });
    if (reply.kind === "stopped")
        return [];
    const answer = reply.kind === "failed" ? cannotTell(reply.why) : reply.value;
    return [decideAfterCheck(step, state, intent, answer, context.databaseClock.now(), random)];
}
function cannotTell(why) {
    return { kind: "cannotTell", why };
}
/** What a check found is stored as a result is: an unreadable one confirms all the same (R11). */
async function storable(step, answer) {
    if (answer.kind !== "happened")
        return answer;
    const result = answer.result.kind === "value" ? await readResult(step, answer.result.value) : answer.result;
    const evidence = readJson(answer.evidence, RESULT_CHARS_MAX);
    return { kind: "happened", result, evidence: evidence.kind === "json" ? evidence.value : evidence.why };
}
/**
 * Asks probes of one step, at the same time, and decides what to write. A probe that throws cannot tell; nothing is
 * written about those that we stopped ourselves.
 */
export async function askProbes(context, asking, question) {
    const asked = await Promise.all(probesToAsk(asking.caseType, question).map(async (probe) => {
        const answer = await askProbe(context, asking, question.step, probe);
        const { state, random } = asking;
        const now = context.databaseClock.now();
        return answer === null ? [] : [decideAfterProbe(question.step, probe, state, answer, now, random)];
    }));
    return asked.flat();
}
/** The longest that asking `question` may take, in ms. */
export function probesMsMax(caseType, question) {
    return Math.max(0, ...probesToAsk(caseType, question).map(({ deadlineMs }) => deadlineMs));
}
function probesToAsk({ outline }, question) {
    const step = outline.steps.find(({ name }) => name === question.step);
    const all = step === undefined ? [] : probesOf(step);
    return all.filter(({ name }) => question.conditions.includes(name)).slice(0, PROBES_AT_ONCE_MAX);
}
function probesOf(step) {
    const all = step.kind === "step" ? [...step.requires, ...step.before] : step.requires;
    return all.filter((one) => one.kind === "probe");
}
async function askProbe(context, { caseType, state, lost }, step, probe) {
    const runtime = caseType.steps[step];
    const condition = runtime === undefined ? undefined : conditionsOf(runtime).find(({ name }) => name === probe.name);
    if (condition?.kind !== "probe")
        return cannotTell("the definition has no such probe");
    const reply = await withDeadline(context, lost, probe.deadlineMs, async (signal) => readReply(await condition.ask({ ...factsOf(state), signal })));
    switch (reply.kind) {
        case "answered":
            return reply.value;
        case "failed":
            return cannotTell(reply.why);
        case "stopped":
            return null;
    }
}
/** Calls `ask` with a signal and waits no longer than the deadline, even if `ask` ignores its signal. */
async function withDeadline({ clock, lease, kill }, lost, deadlineMs, ask) {
    const stop = new StopSignal([
        { signal: kill, cause: "us" },
        { signal: lost, cause: "us" },
        { signal: lease.signal, cause: "us" },
    ]);
    const answered = new AbortController();
    void clock.sleep(deadlineMs, answered.signal).then(() => {
        if (!answered.signal.aborted)
            stop.stop("deadline", new Error(`no answer within ${deadlineMs} ms`));
    });
    const reply = await Promise.race([attemptTo(ask, stop.signal), untilStopped(stop.signal)]);
    answered.abort();
    const cause = stop.release();
    if (reply.kind === "answered" || cause === null)
        return reply;
    if (cause === "us")
        return { kind: "stopped" };
    return { kind: "failed", why: `there was no answer within ${deadlineMs} ms` };
}
function untilStopped(signal) {
    return new Promise((resolve) => {
        if (signal.aborted)
            resolve({ kind: "stopped" });
        else
            signal.addEventListener("abort", () => resolve({ kind: "stopped" }), { once: true });
    });
}
async function attemptTo(ask, signal) {
    try {
        return { kind: "answered", value: await ask(signal) };
    }
    catch (error) {
        return { kind: "failed", why: `it threw ${thrownText(error, WHY_CHARS_MAX)}` };
    }
}
//# sourceMappingURL=questions.js.map