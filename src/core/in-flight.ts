/**
 * The in-flight limit of a destination under one credential: how many attempts all workers together may have under way
 * there. It adapts: up by one for each limit's worth of answers while it is what holds attempts back, down by a tenth for
 * each failure that speaks of the destination. Its floor of one is the probe: nothing ever opens for everyone at once.
 *
 * What all workers know is one stored value. A worker takes its share of the limit from it and asks nobody before a
 * send; only while the limit is lower than the number of workers does each send ask for a permit first.
 */

import type { Failure, FailureCause } from "./failure.ts";
import { namedWaitMs } from "./failure.ts";
import type { InFlightPolicy } from "./outline.ts";

/** What is left of the limit after a failure. */
const DECREASE = 0.9;
/** Failures in a row from which on a destination may be taken for down. */
const DOWN_FAILURES_MIN = 5;
/** The wait between two probes of one that is down: this share of the time it has been down, within bounds, in ms. */
const PROBE_SHARE = 0.25;
const PROBE_EVERY_MS_MIN = 1_000;
const PROBE_EVERY_MS_MAX = 60_000;
/** From this limit on nobody asks for permits: with more workers than that, each may have one attempt under way. */
const UNASKED_LIMIT_MIN = 10;
/** How long a permit counts beyond its attempt's deadline if nobody gives it back, in ms. */
const PERMIT_GRACE_MS = 10_000;
/** How long until a permit is asked for again where all are taken, in ms. */
const PERMIT_AGAIN_MS = 500;
/** Permits at the same time. */
const PERMITS_MAX = 64;

/** The right to have one attempt under way, while each needs one. */
interface Permit {
  /** Random. */
  readonly permitId: string;
  readonly holderId: string;
  /** When it ends if nobody gives it back. */
  readonly untilAt: number;
}

/** Access that was refused, or used up: others of the credential do not send before it is restored. */
export interface Denial {
  readonly cause: "denied" | "quota";
  readonly sinceAt: number;
  /** When it was last refused. */
  readonly lastAt: number;
  /** The case that was refused first. */
  readonly caseId: string;
  readonly sentence: string;
}

/** What all workers know of a destination under one credential. Times by the database's clock. */
export interface DestinationState {
  /** At least 1; a part of it counts only once it is whole. */
  readonly limit: number;
  /** Failures that speak of the destination, since its last answer. */
  readonly failures: number;
  /** When the first of them came; null = there is none. */
  readonly failingSinceAt: number | null;
  /** Since when nothing but probes is sent; null = it is not down. */
  readonly downSinceAt: number | null;
  /** Nothing is sent before; null = at once. */
  readonly notBeforeAt: number | null;
  /** Why: the next probe of one that is down, or what the destination asked for. */
  readonly notBeforeBy: "probe" | "throttled" | "quota" | null;
  readonly lastFailure: {
    readonly cause: FailureCause;
    readonly at: number;
    readonly sentence: string;
  } | null;
  readonly denial: Denial | null;
  /** At most 64. */
  readonly permits: readonly Permit[];
}

/** What is known of a destination that nobody has said anything about. */
export function freshDestination({ start }: InFlightPolicy): DestinationState {
  return {
    limit: start,
    failures: 0,
    failingSinceAt: null,
    downSinceAt: null,
    notBeforeAt: null,
    notBeforeBy: null,
    lastFailure: null,
    denial: null,
    permits: [],
  };
}

/** What is stored of a destination, within what its definition allows now; as at the start where nothing is. */
export function withinPolicy(stored: DestinationState | null, policy: InFlightPolicy): DestinationState {
  if (stored === null) return freshDestination(policy);
  return stored.limit <= policy.max ? stored : { ...stored, limit: policy.max };
}

/** How a destination and a credential are named together. Names of destinations have no spaces. */
export function destinationKey(destination: string, credentialId: string): string {
  return `${destination} ${credentialId}`;
}

/** What the end of an attempt says about its destination. */
export type DestinationSign =
  /** It answered, whatever it said to this one request. */
  | { readonly kind: "answered" }
  /** It failed, or was not reached, or gave no answer in time. */
  | { readonly kind: "failed" }
  /** `untilAt`: when it wants to be asked again; null = it did not say. */
  | { readonly kind: "throttled"; readonly untilAt: number | null }
  | { readonly kind: "denied"; readonly cause: Denial["cause"]; readonly untilAt: number | null }
  | { readonly kind: "nothing" };

/** Reads the sign in a failure that became known at `now`. */
export function signOf(failure: Failure, now: number): DestinationSign {
  const { cause, executed, scope, instruction } = failure;
  const waitMs = namedWaitMs(instruction);
  const untilAt = waitMs === null ? null : now + waitMs;
  switch (cause) {
    case "transient":
      // What is about this case alone, a deadlock say, was told by the destination itself.
      return scope === "case" && executed === "no" ? { kind: "answered" } : { kind: "failed" };
    case "throttled":
      return scope === "case" ? { kind: "answered" } : { kind: "throttled", untilAt };
    case "quota":
    case "denied":
      return scope === "case" ? { kind: "answered" } : { kind: "denied", cause, untilAt };
    case "rejected":
    case "conflict":
    case "precondition":
    case "gone":
      return { kind: "answered" };
    case "stopped":
      // What we stopped before it could happen says nothing; what got no answer in its time does.
      return executed === "no" ? { kind: "nothing" } : { kind: "failed" };
    case "bug":
      return { kind: "nothing" };
  }
}

/** What one worker has seen since it last told. */
export interface DestinationReport {
  /** Answers to attempts that were begun when the worker's share was full: they raise the limit. */
  readonly pressedAnswers: number;
  /** When the attempt was begun that was answered last; null = none was answered. */
  readonly answeredFrom: number | null;
  /** When that answer came. */
  readonly answeredAt: number | null;
  readonly failures: number;
  /** Failures after the last answer; the same as `failures` where there was none. */
  readonly failuresInRow: number;
  /** When the first of those came; null = there is none. */
  readonly failingSinceAt: number | null;
  readonly lastFailure: DestinationState["lastFailure"];
  /** Until when the destination asked us to wait; null = it did not. */
  readonly throttledUntilAt: number | null;
  /** Refused access, with when it is said to be restored. */
  readonly denial: (Denial & { readonly untilAt: number | null }) | null;
  /** Permits that are not needed any more. */
  readonly permitIds: readonly string[];
}

/** A report of nothing. */
export const NOTHING_SEEN: DestinationReport = {
  pressedAnswers: 0,
  answeredFrom: null,
  answeredAt: null,
  failures: 0,
  failuresInRow: 0,
  failingSinceAt: null,
  lastFailure: null,
  throttledUntilAt: null,
  denial: null,
  permitIds: [],
};

/** The end of an attempt. */
export interface AttemptSeen {
  readonly caseId: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** True when the worker's share was full as it began. */
  readonly isPressed: boolean;
  readonly permitId: string | null;
  /** Null = it succeeded, or nothing of it is known. */
  readonly failure: Failure | null;
  readonly sign: DestinationSign;
}

/** A report with one attempt more. */
export function withAttempt(report: DestinationReport, seen: AttemptSeen): DestinationReport {
  const { sign, endedAt, startedAt, permitId } = seen;
  const permitIds = permitId === null ? report.permitIds : [...report.permitIds, permitId];
  const before = { ...report, permitIds, lastFailure: lastFailureAfter(report, seen) };
  switch (sign.kind) {
    case "answered":
      return {
        ...before,
        pressedAnswers: before.pressedAnswers + (seen.isPressed ? 1 : 0),
        answeredFrom: Math.max(before.answeredFrom ?? startedAt, startedAt),
        answeredAt: endedAt,
        failuresInRow: 0,
        failingSinceAt: null,
      };
    case "failed":
      return {
        ...before,
        failures: before.failures + 1,
        failuresInRow: before.failuresInRow + 1,
        failingSinceAt: before.failingSinceAt ?? endedAt,
      };
    case "throttled":
      return {
        ...before,
        failures: before.failures + 1,
        throttledUntilAt: latest(before.throttledUntilAt, sign.untilAt),
      };
    case "denied":
      return { ...before, denial: denialAfter(report.denial, seen, sign) };
    case "nothing":
      return before;
  }
}

function lastFailureAfter(
  { lastFailure }: DestinationReport,
  { failure, sign, endedAt }: AttemptSeen,
): DestinationReport["lastFailure"] {
  if (failure === null || sign.kind === "answered" || sign.kind === "nothing") return lastFailure;
  return { cause: failure.cause, at: endedAt, sentence: failure.sentence };
}

function denialAfter(
  known: DestinationReport["denial"],
  { caseId, endedAt, failure }: AttemptSeen,
  { cause, untilAt }: Extract<DestinationSign, { kind: "denied" }>,
): DestinationReport["denial"] {
  const first = known ?? { sinceAt: endedAt, caseId, sentence: failure?.sentence ?? "" };
  return { ...first, cause, lastAt: endedAt, untilAt };
}

function latest(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}

/** Without what raises the limit: a report of which nobody knows whether it is stored must not raise it twice. */
export function withoutRises(report: DestinationReport): DestinationReport {
  return report.pressedAnswers === 0 ? report : { ...report, pressedAnswers: 0 };
}

/** What two reports of one worker say together, `later` after `report`: one that could not be told goes with the next. */
export function joinReports(report: DestinationReport, later: DestinationReport): DestinationReport {
  const isAnswered = later.answeredFrom !== null;
  const { denial } = later;
  return {
    pressedAnswers: report.pressedAnswers + later.pressedAnswers,
    answeredFrom: latest(report.answeredFrom, later.answeredFrom),
    answeredAt: later.answeredAt ?? report.answeredAt,
    failures: report.failures + later.failures,
    failuresInRow: later.failuresInRow + (isAnswered ? 0 : report.failuresInRow),
    failingSinceAt: isAnswered ? later.failingSinceAt : (report.failingSinceAt ?? later.failingSinceAt),
    lastFailure: later.lastFailure ?? report.lastFailure,
    throttledUntilAt: latest(report.throttledUntilAt, later.throttledUntilAt),
    denial: denial === null ? report.denial : { ...denial, ...firstOf(report.denial ?? denial) },
    permitIds: [...report.permitIds, ...later.permitIds],
  };
}

function firstOf({ sinceAt, caseId, sentence }: Denial): Pick<Denial, "sinceAt" | "caseId" | "sentence"> {
  return { sinceAt, caseId, sentence };
}

/** True where everybody should know of a report at once; else it can wait for the next heartbeat. */
export function isUrgent(report: DestinationReport): boolean {
  return report.failures > 0 || report.denial !== null || report.permitIds.length > 0;
}

/** True where a report would change nothing. */
export function saysNothing(
  report: DestinationReport,
  state: DestinationState,
  policy: InFlightPolicy,
): boolean {
  const isAllWell = state.failures === 0 && state.downSinceAt === null && state.denial === null;
  const cannotRise = report.pressedAnswers === 0 || state.limit >= policy.max;
  return !isUrgent(report) && cannotRise && (report.answeredFrom === null || isAllWell);
}

/** What is known after a worker's report. */
export function afterReport(
  state: DestinationState,
  report: DestinationReport,
  policy: InFlightPolicy,
  now: number,
): DestinationState {
  const answered = afterAnswers(state, report);
  const adapted = { ...answered, limit: limitAfter(answered.limit, report, policy) };
  const judged = judgeDown(adapted, report, now);
  return afterDenial(afterThrottle(judged, report, now), report);
}

function afterAnswers(state: DestinationState, report: DestinationReport): DestinationState {
  const { answeredFrom, answeredAt, permitIds } = report;
  const { denial, failingSinceAt } = state;
  const left = {
    ...state,
    permits: state.permits.filter(({ permitId }) => !permitIds.includes(permitId)),
    lastFailure: report.lastFailure ?? state.lastFailure,
    // What was let in after the last refusal proves that the access is there again.
    denial: denial !== null && answeredFrom !== null && answeredFrom > denial.lastAt ? null : denial,
  };
  // An answer that came before others saw it fail says nothing about now.
  if (answeredAt === null || answeredAt < (failingSinceAt ?? 0)) return left;
  const isProbed = state.notBeforeBy === "probe";
  return {
    ...left,
    failures: 0,
    failingSinceAt: null,
    downSinceAt: null,
    notBeforeAt: isProbed ? null : state.notBeforeAt,
    notBeforeBy: isProbed ? null : state.notBeforeBy,
  };
}

function limitAfter(
  limit: number,
  { pressedAnswers, failures }: DestinationReport,
  { max }: InFlightPolicy,
): number {
  // The sum of 1/limit for each answer. Those that were told together with a failure count as well: what fails now and
  // then, whatever it is sent, is told of with each of its failures and would never rise again.
  const risen = Math.min(max, Math.sqrt(Math.min(max, limit) ** 2 + 2 * pressedAnswers));
  return Math.max(1, risen * DECREASE ** failures);
}

/** As many failures in a row as the limit allows attempts, and not too few: nothing gets through any more. */
function judgeDown(state: DestinationState, report: DestinationReport, now: number): DestinationState {
  if (report.failuresInRow === 0) return state;
  const failures = state.failures + report.failuresInRow;
  const failingSinceAt = state.failingSinceAt ?? report.failingSinceAt ?? now;
  const failing = { ...state, failures, failingSinceAt };
  const isDown = state.downSinceAt !== null || failures >= Math.max(DOWN_FAILURES_MIN, state.limit);
  if (!isDown) return failing;
  const downSinceAt = state.downSinceAt ?? failingSinceAt;
  const nextProbeAt = now + probeEveryMs(now - downSinceAt);
  const isLater = nextProbeAt > (state.notBeforeAt ?? 0);
  return {
    ...failing,
    limit: 1,
    downSinceAt,
    notBeforeAt: isLater ? nextProbeAt : state.notBeforeAt,
    notBeforeBy: isLater ? "probe" : state.notBeforeBy,
  };
}

/** The longer it has been down, the longer until the next probe: what comes back is noticed in a share of that time. */
export function probeEveryMs(downMs: number): number {
  return Math.min(PROBE_EVERY_MS_MAX, Math.max(PROBE_EVERY_MS_MIN, Math.round(downMs * PROBE_SHARE)));
}

function afterThrottle(
  state: DestinationState,
  { throttledUntilAt }: DestinationReport,
  now: number,
): DestinationState {
  if (throttledUntilAt === null || throttledUntilAt <= Math.max(now, state.notBeforeAt ?? 0)) return state;
  return { ...state, notBeforeAt: throttledUntilAt, notBeforeBy: "throttled" };
}

/** A refusal with a time is a wait until then, and one probe; without one, only people can end it. */
function afterDenial(state: DestinationState, { denial, answeredFrom }: DestinationReport): DestinationState {
  // Others were let in after it: what was refused is not the access of all.
  if (denial === null || (answeredFrom !== null && answeredFrom > denial.lastAt)) return state;
  const { untilAt, ...refused } = denial;
  if (untilAt !== null && refused.cause === "quota") {
    return { ...state, limit: 1, notBeforeAt: untilAt, notBeforeBy: "quota" };
  }
  const { sinceAt, caseId, sentence } = state.denial ?? refused;
  const lastAt = Math.max(refused.lastAt, state.denial?.lastAt ?? 0);
  return { ...state, denial: { cause: refused.cause, sinceAt, caseId, sentence, lastAt } };
}

/** What a person says who restored the access, before it is tried: a quota is not waited for any more. */
export function beforeTrial(state: DestinationState): DestinationState {
  return state.notBeforeBy === "quota" ? { ...state, notBeforeAt: null, notBeforeBy: null } : state;
}

/** The access was tried and is there: nobody waits for it any more. */
export function afterRestored(state: DestinationState): DestinationState {
  return { ...beforeTrial(state), denial: null };
}

/** Who shares a limit. */
export interface Sharing {
  /** Workers alive that may send there, this one included; at least 1. */
  readonly senders: number;
  /** The place of this one among them, from 0. */
  readonly place: number;
}

/** What one worker may have under way: so many, or only what it has a permit for. */
export type Share = { readonly kind: "free"; readonly count: number } | { readonly kind: "permit" };

/** The share of one worker. All shares together are the limit, as far as the workers see the same. */
export function shareOf(limit: number, { senders, place }: Sharing): Share {
  const whole = Math.floor(limit);
  if (whole >= senders) {
    const rest = whole % senders;
    return { kind: "free", count: Math.floor(whole / senders) + (place < rest ? 1 : 0) };
  }
  return whole >= UNASKED_LIMIT_MIN ? { kind: "free", count: 1 } : { kind: "permit" };
}

/** Why an attempt may not be opened now. */
export type Hold =
  | LimitHold
  /**
   * Access was refused last at `deniedAt`; only what a person has acted on since may try, and that too no faster than
   * `limit` says.
   */
  | {
      readonly kind: "denied";
      readonly dueAt: number;
      readonly deniedAt: number;
      readonly limit: LimitHold | null;
    };

/** What the limit says. */
type LimitHold =
  /** Not before `dueAt`, or not while as many are under way. */
  | { readonly kind: "held"; readonly dueAt: number }
  /** It may be, with a permit. */
  | { readonly kind: "permit" };

/** What decides about a further attempt. */
export interface HoldInput {
  readonly state: DestinationState;
  readonly share: Share;
  /** Attempts that this worker has under way there. */
  readonly inFlight: number;
  /** True when a permit is at hand. */
  readonly hasPermit: boolean;
  /** When a permit may be asked for; null = at once. */
  readonly permitAt: number | null;
  readonly now: number;
  /** When what is given back may be due: at `base` or as much later as others are due before it. */
  readonly dueFrom: (base: number) => number;
  /** When a case is looked at again that waits for access, unless somebody says before that it is restored. */
  readonly accessDueAt: number;
}

/** Whether one more attempt may be opened; null = it may. */
export function holdOf(input: HoldInput): Hold | null {
  const limit = limitHoldOf(input);
  const { denial } = input.state;
  if (denial === null) return limit;
  return { kind: "denied", dueAt: input.accessDueAt, deniedAt: denial.lastAt, limit };
}

function limitHoldOf(input: HoldInput): LimitHold | null {
  const { state, share, inFlight, hasPermit, permitAt, now, dueFrom } = input;
  const { notBeforeAt } = state;
  // A permit was given in knowledge of all that.
  if (hasPermit) return null;
  if (notBeforeAt !== null && notBeforeAt > now) return { kind: "held", dueAt: dueFrom(notBeforeAt) };
  if (share.kind === "permit") {
    return permitAt === null ? { kind: "permit" } : { kind: "held", dueAt: dueFrom(permitAt) };
  }
  return inFlight < share.count ? null : { kind: "held", dueAt: dueFrom(now) };
}

/** Asks for a permit. */
export interface PermitRequest {
  readonly permitId: string;
  readonly holderId: string;
  /** How long the attempt may take. */
  readonly deadlineMs: number;
}

/** What became of it. */
export type PermitReply = { readonly kind: "given" } | { readonly kind: "held"; readonly untilAt: number };

/** Gives a permit while fewer are out than the limit allows. Those of holders that are no more do not count. */
export function givePermit(
  state: DestinationState,
  { permitId, holderId, deadlineMs }: PermitRequest,
  senders: readonly string[],
  now: number,
): { readonly state: DestinationState; readonly reply: PermitReply } {
  const out = state.permits.filter((one) => one.untilAt > now && senders.includes(one.holderId));
  const left = { ...state, permits: out };
  const held = (untilAt: number): ReturnType<typeof givePermit> => ({
    state: left,
    reply: { kind: "held", untilAt },
  });
  if (state.notBeforeAt !== null && state.notBeforeAt > now) return held(state.notBeforeAt);
  if (out.length >= Math.min(Math.floor(state.limit), PERMITS_MAX)) return held(now + PERMIT_AGAIN_MS);
  const permit = { permitId, holderId, untilAt: now + deadlineMs + PERMIT_GRACE_MS };
  return { state: { ...left, permits: [...out, permit] }, reply: { kind: "given" } };
}
