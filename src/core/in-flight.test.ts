import { describe, expect, it } from "vitest";
import { failure, MINUTE, SECOND, START } from "./case.fixture.ts";
import type { Failure, FailureCause } from "./failure.ts";
import {
  afterReport,
  afterRestored,
  beforeTrial,
  destinationKey,
  freshDestination,
  givePermit,
  holdOf,
  isUrgent,
  joinReports,
  NOTHING_SEEN,
  probeEveryMs,
  saysNothing,
  shareOf,
  signOf,
  withAttempt,
  withinPolicy,
  withoutRises,
  type AttemptSeen,
  type DestinationReport,
  type DestinationState,
  type HoldInput,
} from "./in-flight.ts";

const policy = { start: 10, max: 64 };
const fresh = freshDestination(policy);

const seen = (over: Partial<AttemptSeen> = {}): AttemptSeen => ({
  caseId: "00-a",
  startedAt: START,
  endedAt: START + 10,
  isPressed: true,
  permitId: null,
  failure: null,
  sign: { kind: "answered" },
  ...over,
});
const outage = failure({ cause: "transient", scope: "destination", sentence: "erp is away." });
const failed: AttemptSeen = seen({ failure: outage, sign: { kind: "failed" } });
const refused = seen({
  failure: failure({ cause: "denied", scope: "credential", sentence: "erp answered 401." }),
  sign: { kind: "denied", cause: "denied", untilAt: null },
});
const reportOf = (...attempts: readonly AttemptSeen[]): DestinationReport =>
  attempts.reduce(withAttempt, NOTHING_SEEN);
const times = (count: number, one: AttemptSeen): readonly AttemptSeen[] =>
  Array.from({ length: count }, () => one);
const after = (
  state: DestinationState,
  attempts: readonly AttemptSeen[],
  now: number = START + SECOND,
): DestinationState => afterReport(state, reportOf(...attempts), policy, now);
const down = after(fresh, times(10, failed));

/** The limit after 20,000 answers of which one in so many is a failure. */
const settledAt = (failsOneIn: number, toldAtOnce: number): number => {
  const ends = Array.from({ length: 20_000 }, (_, nth) => ((nth + 1) % failsOneIn === 0 ? failed : seen()));
  let state = fresh;
  for (let from = 0; from < ends.length; from += toldAtOnce) {
    state = after(state, ends.slice(from, from + toldAtOnce));
  }
  return state.limit;
};

const sign = (over: Partial<Failure> & { readonly cause: FailureCause }): string =>
  signOf(failure(over), START).kind;
const throttled = (untilAt: number | null): AttemptSeen =>
  seen({
    failure: failure({ cause: "throttled", scope: "credential" }),
    sign: { kind: "throttled", untilAt },
  });
const input = (over: Partial<HoldInput> = {}): HoldInput => ({
  state: fresh,
  share: { kind: "free", count: 2 },
  inFlight: 0,
  hasPermit: false,
  permitAt: null,
  now: START,
  dueFrom: (base) => base + 7,
  accessDueAt: START + MINUTE,
  ...over,
});

describe("the sign of a failure", () => {
  it("speaks of the destination where it failed, was not reached, or gave no answer in time", () => {
    expect(sign({ cause: "transient", scope: "destination" })).toBe("failed");
    expect(sign({ cause: "transient", scope: "case", executed: "maybe" })).toBe("failed");
    expect(sign({ cause: "stopped", executed: "maybe" })).toBe("failed");
  });

  it("is an answer where it is about this one request", () => {
    const all = [
      "rejected",
      "conflict",
      "precondition",
      "gone",
      "transient",
      "throttled",
      "quota",
      "denied",
    ] as const;
    expect(all.map((cause) => sign({ cause, scope: "case" }))).toEqual(all.map(() => "answered"));
  });

  it("is none where we stopped it before it was sent, or made a mistake", () => {
    expect([sign({ cause: "stopped" }), sign({ cause: "bug" })]).toEqual(["nothing", "nothing"]);
  });

  it("carries the time that the destination named", () => {
    const instruction = { kind: "retryAfter", delayMs: MINUTE, source: "retry-after" } as const;
    const of = (cause: FailureCause): unknown =>
      signOf(failure({ cause, scope: "credential", instruction }), START);
    expect(of("throttled")).toEqual({ kind: "throttled", untilAt: START + MINUTE });
    expect(of("quota")).toEqual({ kind: "denied", cause: "quota", untilAt: START + MINUTE });
    const silent = signOf(failure({ cause: "throttled", scope: "credential" }), START);
    expect(silent).toEqual({ kind: "throttled", untilAt: null });
  });
});

describe("the limit", () => {
  it("rises by about one for each limit's worth of answers that it held back, and never above its maximum", () => {
    expect(after(fresh, times(10, seen())).limit).toBeCloseTo(11, 0);
    expect(after({ ...fresh, limit: 1 }, [seen()]).limit).toBeCloseTo(1.7, 1);
    expect(after({ ...fresh, limit: 64 }, times(1_000, seen())).limit).toBe(64);
  });

  it("stays where nobody needs more", () => {
    expect(after(fresh, times(1_000, seen({ isPressed: false }))).limit).toBe(10);
  });

  it("falls by a tenth for each failure, never below one", () => {
    expect(after(fresh, [failed]).limit).toBeCloseTo(9);
    expect(after(fresh, [seen(), failed, seen()]).limit).toBeCloseTo(9.18);
    expect(after({ ...fresh, limit: 64 }, [...times(50, seen()), failed]).limit).toBeCloseTo(57.6);
    expect(after({ ...fresh, limit: 1 }, [failed, failed]).limit).toBe(1);
    expect(after({ ...fresh, limit: 90 }, [failed]).limit).toBeCloseTo(57.6);
  });

  describe("settles by the share of what fails, however its workers tell of it", () => {
    it.each([
      [1_000, 64],
      [100, 31],
      [20, 14],
      [10, 9],
      [5, 6],
    ])("one in %d fails: about %d", (failsOneIn, limit) => {
      // Right after a failure it is a little lower than between two of them.
      expect(settledAt(failsOneIn, 1)).toBeGreaterThan(limit * 0.8);
      expect(settledAt(failsOneIn, 1)).toBeLessThan(limit * 1.2);
      expect(settledAt(failsOneIn, 20)).toBeGreaterThan(limit * 0.6);
      expect(settledAt(failsOneIn, 20)).toBeLessThan(limit * 1.2);
    });
  });

  it("falls to one when as many failures come in a row as it allows attempts: the destination is down", () => {
    expect(after(fresh, times(4, failed)).downSinceAt).toBeNull();
    expect(down).toMatchObject({ limit: 1, downSinceAt: failed.endedAt, notBeforeBy: "probe", failures: 10 });
    expect(after({ ...fresh, limit: 2 }, times(4, failed)).downSinceAt).toBeNull();
    expect(after(after(fresh, times(4, failed)), [failed, failed]).downSinceAt).toBe(failed.endedAt);
  });

  it("does not take for down what answers in between", () => {
    expect(after(fresh, [...times(4, failed), seen(), ...times(4, failed)])).toMatchObject({
      failures: 4,
      downSinceAt: null,
    });
  });

  it("is not taken for well by an answer that came before others saw it fail", () => {
    const early = seen({ startedAt: START - MINUTE, endedAt: START - SECOND });
    expect(after(down, [early, failed])).toMatchObject({ downSinceAt: down.downSinceAt, failures: 11 });
  });

  it("stays within what the definition allows now", () => {
    expect(withinPolicy(null, policy)).toEqual(fresh);
    expect(withinPolicy({ ...down, limit: 40 }, { start: 2, max: 4 })).toEqual({ ...down, limit: 4 });
    expect(withinPolicy(down, policy)).toBe(down);
  });

  it("goes up from one again after an outage", () => {
    const back = after(down, [seen({ startedAt: START + MINUTE })], START + MINUTE);
    expect(back).toMatchObject({ failures: 0, failingSinceAt: null, downSinceAt: null, notBeforeAt: null });
    expect(back.limit).toBeLessThan(2);
    expect(back.lastFailure?.sentence).toBe("erp is away.");
  });
});

describe("a destination that is down", () => {
  it("is probed at once a second at first and once a minute in the end, each time after a quarter of its time", () => {
    expect([0, 4, 20, 120, 3_600].map((downS) => probeEveryMs(downS * SECOND))).toEqual([
      SECOND,
      SECOND,
      5 * SECOND,
      30 * SECOND,
      60 * SECOND,
    ]);
  });

  it("is not probed before that, and each failed probe sets the next time", () => {
    const now = START + 40 * SECOND;
    const probed = after(down, [failed], now);
    expect(probed.downSinceAt).toBe(down.downSinceAt);
    expect((probed.notBeforeAt ?? 0) - now).toBeCloseTo(10 * SECOND, -2);
  });

  it("keeps a later time that it named itself", () => {
    const asked = { ...down, notBeforeAt: START + MINUTE, notBeforeBy: "throttled" } as const;
    expect(after(asked, [failed])).toMatchObject({ notBeforeAt: START + MINUTE, notBeforeBy: "throttled" });
    expect(after(asked, [seen()])).toMatchObject({ notBeforeAt: START + MINUTE, downSinceAt: null });
  });

  it("counts from the report where its time is not known", () => {
    const odd = { ...reportOf(...times(20, failed)), failingSinceAt: null };
    expect(afterReport(fresh, odd, policy, START + 5)).toMatchObject({ downSinceAt: START + 5 });
  });
});

describe("a destination that asks to slow down", () => {
  it("is sent nothing until the time it named, the latest of all", () => {
    const state = after(fresh, [throttled(START + MINUTE), throttled(START + 30 * SECOND), throttled(null)]);
    expect(state).toMatchObject({ notBeforeAt: START + MINUTE, notBeforeBy: "throttled", downSinceAt: null });
    expect(state.limit).toBeCloseTo(10 * 0.9 ** 3);
  });

  it("is sent less where it named none, or one that is over", () => {
    expect(after(fresh, [throttled(null)])).toMatchObject({ notBeforeAt: null });
    expect(after(fresh, [throttled(START + SECOND)])).toMatchObject({ notBeforeAt: null });
    expect(after(fresh, [throttled(null)]).limit).toBeCloseTo(9);
  });
});

describe("a credential that was refused", () => {
  const denied = after(fresh, [refused]);

  it("is known by the case that was refused first, and when it was refused last", () => {
    const later = { ...refused, caseId: "00-b", endedAt: START + MINUTE };
    const first = { cause: "denied", sinceAt: START + 10, caseId: "00-a", sentence: "erp answered 401." };
    expect(denied.denial).toEqual({ ...first, lastAt: START + 10 });
    expect(denied.limit).toBe(10);
    expect(after(fresh, [refused, later]).denial).toEqual({ ...first, lastAt: START + MINUTE });
    expect(after(denied, [later]).denial).toEqual({ ...first, lastAt: START + MINUTE });
    const unsaid = { ...refused, failure: null };
    expect(after(fresh, [unsaid]).denial?.sentence).toBe("");
  });

  it("is good again when something was let in that was begun after the refusal, and not by what was begun before", () => {
    expect(after(denied, [seen({ startedAt: START + MINUTE })]).denial).toBeNull();
    expect(after(denied, [seen()]).denial).toEqual(denied.denial);
    expect(after(fresh, [seen({ startedAt: START + MINUTE }), refused]).denial).toBeNull();
    expect(after(fresh, [seen(), refused]).denial).not.toBeNull();
  });

  it("is not tried by others once a person says that it is restored", () => {
    expect(afterRestored(denied).denial).toBeNull();
    expect(afterRestored(down)).toEqual({ ...down, denial: null });
  });

  it("waits for its quota until the time that the destination named, and then for one probe", () => {
    const quota = seen({ sign: { kind: "denied", cause: "quota", untilAt: START + MINUTE } });
    const used = after(fresh, [quota]);
    expect(used).toMatchObject({ limit: 1, notBeforeAt: START + MINUTE, notBeforeBy: "quota", denial: null });
    expect(beforeTrial(used)).toMatchObject({ notBeforeAt: null, notBeforeBy: null });
    expect(beforeTrial(down)).toBe(down);
    const silent = seen({ sign: { kind: "denied", cause: "quota", untilAt: null } });
    expect(after(fresh, [silent])).toMatchObject({ notBeforeAt: null, denial: { cause: "quota" } });
  });
});

describe("a report", () => {
  const unpressed = seen({ isPressed: false });
  const nothing = seen({ sign: { kind: "nothing" }, permitId: "p-1" });

  it("is urgent where something failed, or a permit is free again", () => {
    expect(isUrgent(reportOf(seen()))).toBe(false);
    expect([failed, refused, nothing].map((one) => isUrgent(reportOf(one)))).toEqual([true, true, true]);
  });

  it("says nothing where the limit cannot rise and nothing has to be taken back", () => {
    expect(saysNothing(NOTHING_SEEN, fresh, policy)).toBe(true);
    expect(saysNothing(reportOf(unpressed), fresh, policy)).toBe(true);
    expect(saysNothing(reportOf(seen()), fresh, policy)).toBe(false);
    expect(saysNothing(reportOf(seen()), { ...fresh, limit: 64 }, policy)).toBe(true);
    expect(saysNothing(reportOf(unpressed), { ...fresh, failures: 1 }, policy)).toBe(false);
    expect(saysNothing(reportOf(unpressed), down, policy)).toBe(false);
    expect(saysNothing(reportOf(unpressed), after(fresh, [refused]), policy)).toBe(false);
    expect(saysNothing(reportOf(failed), fresh, policy)).toBe(false);
  });

  it("keeps what failed last, but not what was an answer", () => {
    const rejected = seen({ failure: failure({ cause: "rejected" }) });
    expect(reportOf(failed, rejected).lastFailure).toMatchObject({ cause: "transient", at: failed.endedAt });
    expect(reportOf(rejected).lastFailure).toBeNull();
    expect(reportOf({ ...nothing, failure: failure({ cause: "bug" }) }).lastFailure).toBeNull();
  });
});

it("two reports say together what one of all their attempts would", () => {
  const late = { ...refused, caseId: "00-b", endedAt: START + MINUTE };
  const stories: readonly (readonly AttemptSeen[])[] = [
    [],
    [seen()],
    [failed],
    [failed, seen({ permitId: "p-1" })],
    [seen(), failed, { ...failed, permitId: "p-2" }],
    [throttled(START + MINUTE), refused],
    [late],
  ];
  for (const one of stories) {
    for (const other of stories) {
      expect(joinReports(reportOf(...one), reportOf(...other))).toEqual(reportOf(...one, ...other));
    }
  }
});

describe("a report of which nobody knows whether it was stored", () => {
  it("raises nothing a second time, and lowers as before", () => {
    const report = withoutRises(reportOf(seen(), failed, seen()));
    expect(report).toEqual({ ...reportOf(seen(), failed, seen()), pressedAnswers: 0 });
    expect(afterReport(fresh, report, policy, START).limit).toBeCloseTo(9);
    expect(withoutRises(reportOf(failed))).toEqual(reportOf(failed));
    expect(withoutRises(NOTHING_SEEN)).toBe(NOTHING_SEEN);
  });
});

describe("shares", () => {
  it("add up to the limit, whatever the number of workers", () => {
    for (const [limit, senders] of [
      [10.9, 4],
      [64, 7],
      [4, 4],
      [1, 1],
    ] as const) {
      const shares = Array.from({ length: senders }, (_, place) => shareOf(limit, { senders, place }));
      const sum = shares.reduce((all, share) => all + (share.kind === "free" ? share.count : 0), 0);
      expect([limit, senders, sum]).toEqual([limit, senders, Math.floor(limit)]);
    }
  });

  it("are permits while the limit is lower than the number of workers, and low", () => {
    expect(shareOf(3, { senders: 4, place: 0 })).toEqual({ kind: "permit" });
    expect(shareOf(12, { senders: 40, place: 39 })).toEqual({ kind: "free", count: 1 });
  });
});

describe("a hold", () => {
  it("is none below the share", () => {
    expect(holdOf(input({ inFlight: 1 }))).toBeNull();
    expect(holdOf(input({ state: { ...fresh, notBeforeAt: START } }))).toBeNull();
  });

  it("is until others have ended where the share is full", () => {
    expect(holdOf(input({ inFlight: 2 }))).toEqual({ kind: "held", dueAt: START + 7 });
  });

  it("is until the next probe of one that is down, permit or not", () => {
    const held = { kind: "held", dueAt: (down.notBeforeAt ?? 0) + 7 };
    expect(holdOf(input({ state: down }))).toEqual(held);
    expect(holdOf(input({ state: down, share: { kind: "permit" } }))).toEqual(held);
    expect(holdOf(input({ state: down, hasPermit: true }))).toBeNull();
  });

  it("asks for a permit where each send needs one", () => {
    expect(holdOf(input({ share: { kind: "permit" } }))).toEqual({ kind: "permit" });
    expect(holdOf(input({ share: { kind: "permit" }, hasPermit: true }))).toBeNull();
    const later = input({ share: { kind: "permit" }, permitAt: START + SECOND });
    expect(holdOf(later)).toEqual({ kind: "held", dueAt: START + SECOND + 7 });
  });

  it("is for access before all else", () => {
    const denied = after(fresh, [refused]);
    expect(holdOf(input({ state: denied, hasPermit: true }))).toEqual({
      kind: "denied",
      dueAt: START + MINUTE,
      deniedAt: refused.endedAt,
      limit: null,
    });
    expect(holdOf(input({ state: denied, inFlight: 2 }))).toMatchObject({
      kind: "denied",
      limit: { kind: "held", dueAt: START + 7 },
    });
    expect(holdOf(input({ state: denied, share: { kind: "permit" } }))).toMatchObject({
      kind: "denied",
      limit: { kind: "permit" },
    });
  });
});

describe("permits", () => {
  const ask = { permitId: "p-1", holderId: "w-1", deadlineMs: 30 * SECOND };
  const one = { ...fresh, limit: 1.9 };
  const given = givePermit(one, ask, ["w-1", "w-2"], START);

  it("are given while fewer are out than the limit allows, beyond the deadline of their attempt", () => {
    expect(given.reply).toEqual({ kind: "given" });
    expect(given.state.permits).toEqual([{ permitId: "p-1", holderId: "w-1", untilAt: START + 40 * SECOND }]);
    const other = givePermit(
      given.state,
      { ...ask, permitId: "p-2", holderId: "w-2" },
      ["w-1", "w-2"],
      START + 1,
    );
    expect(other.reply).toEqual({ kind: "held", untilAt: START + 501 });
    expect(other.state.permits).toEqual(given.state.permits);
  });

  it("are not given before the next probe", () => {
    expect(givePermit(down, ask, ["w-1"], START).reply).toEqual({ kind: "held", untilAt: down.notBeforeAt });
    expect(givePermit(down, ask, ["w-1"], down.notBeforeAt ?? 0).reply).toEqual({ kind: "given" });
  });

  it("end with their worker, with their time, and with the report of their attempt", () => {
    const next = { ...ask, permitId: "p-2", holderId: "w-2" };
    expect(givePermit(given.state, next, ["w-2"], START + 1).state.permits).toMatchObject([
      { permitId: "p-2" },
    ]);
    const late = START + 40 * SECOND;
    expect(givePermit(given.state, next, ["w-1", "w-2"], late).state.permits).toMatchObject([
      { permitId: "p-2" },
    ]);
    expect(after(given.state, [seen({ permitId: "p-1" })]).permits).toEqual([]);
  });
});

it("a destination and a credential are named together", () => {
  expect(destinationKey("erp", "erp account")).toBe("erp erp account");
});
