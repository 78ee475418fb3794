import { describe, expect, it } from "vitest";
import {
  cannotTell,
  destination,
  failure,
  fact,
  holds,
  HOUR,
  ledger,
  lostAnswer,
  MINUTE,
  outlineOf,
  person,
  probe,
  rejection,
  SECOND,
  START,
  Story,
} from "./case.fixture.ts";
import { nextChecks, nextProbeAt, pickUpAt, type Attention } from "./next-check.ts";
import type { Act } from "./planning.ts";

const pay = { kind: "step", name: "pay" } as const;
const asked = { ...pay, destination: ledger, hasCheck: true } as const;
const stock = probe("stock");
const throttle = failure({
  cause: "throttled",
  instruction: { kind: "retryAfter", delayMs: 7 * MINUTE, source: "retry-after" },
});

function next(one: Story, step = "pay", attention: Attention = "nobody"): number | null {
  const pickUp = pickUpAt(one.state, attention, one.now);
  return nextChecks(one.planInput(), one.plan(), pickUp).get(step) ?? null;
}

/** When the condition of `pay` is asked next. */
function nextOf(one: Story, name: "stock" | "approved"): number | null {
  const planned = one.plan().steps.find(({ step }) => step.name === "pay");
  const condition = planned?.step.requires.find((found) => found.name === name);
  if (planned === undefined || condition === undefined) throw new Error(name);
  return nextProbeAt(one.planInput(), planned, condition, pickUpAt(one.state, "nobody", one.now));
}

const isOutside = ({ kind }: Act): boolean => kind === "send" || kind === "check" || kind === "ask";

/** Stories that stand, each with when the engine itself may next do something about `pay`. */
const stories: readonly (readonly [string, Story, number | null])[] = [
  ["a failed send", new Story(outlineOf(pay)).open("pay").fail("pay").settle(), 2.5 * SECOND],
  ["a throttled send", new Story(outlineOf(pay)).open("pay").fail("pay", throttle).settle(), 7 * MINUTE],
  [
    "a look-up that found nothing",
    new Story(outlineOf(asked))
      .open("pay")
      .fail("pay", lostAnswer)
      .check("pay", { kind: "didNotHappen" })
      .settle(),
    30 * SECOND + 10 * SECOND + MINUTE,
  ],
  [
    "a probe that could not tell",
    new Story(outlineOf({ ...pay, requires: [stock] }))
      .probe("pay", stock, cannotTell("it is down"))
      .settle(),
    2.5 * SECOND,
  ],
  ["an unknown outcome", new Story(outlineOf(asked)).open("pay").fail("pay", lostAnswer), 0],
  ["a probe that was never asked", new Story(outlineOf({ ...pay, requires: [stock] })), 0],
  ["a send that is due", new Story(outlineOf(pay)), 0],
  [
    "a quota with a reset",
    new Story(outlineOf(pay))
      .open("pay")
      .fail(
        "pay",
        failure({
          cause: "quota",
          instruction: { kind: "retryAfter", delayMs: HOUR, source: "retry-after" },
        }),
      )
      .settle(),
    HOUR,
  ],
  ["a rejected request", new Story(outlineOf(pay)).open("pay").fail("pay", rejection).settle(), null],
  [
    "a step that is confirmed",
    new Story(outlineOf(pay, { kind: "approval", name: "approve" })).confirm("pay").settle(),
    null,
  ],
  [
    "a pause",
    new Story(outlineOf(pay))
      .open("pay")
      .fail("pay")
      .append({ kind: "paused", by: person, reason: null, untilAt: START + HOUR }),
    HOUR,
  ],
  [
    "a pause without an end",
    new Story(outlineOf(pay)).append({ kind: "paused", by: person, reason: null, untilAt: null }),
    null,
  ],
  ["an ended case", new Story(outlineOf(pay)).append({ kind: "canceled", by: person, reason: null }), null],
  [
    "a step that follows another",
    new Story(outlineOf({ kind: "approval", name: "approve" }, pay)).settle(),
    null,
  ],
];

describe("the next check allowed", () => {
  it.each(stories)("of %s is told as it is, and nothing is sent or asked before it", (_, one, wanted) => {
    const at = next(one);
    expect(at).toBe(wanted === null ? null : START + wanted);
    const until = at ?? one.now + 400 * HOUR;
    for (let now = one.now; now < until; now += Math.max(1, Math.floor((until - one.now) / 50))) {
      // The engine plans only what it may take up.
      if ((pickUpAt(one.state, "nobody", now) ?? Infinity) > now) continue;
      const act = one.act("pay", { now });
      expect(isOutside(act) ? [now - START, act] : null).toBeNull();
    }
    expect(at === null || isOutside(one.act("pay", { now: at }))).toBe(true);
  });

  it("of a confirmed step is when its prerequisite is asked again at a pick-up", () => {
    const one = new Story(outlineOf({ ...pay, requires: [stock] }, { kind: "sleep", name: "rest" }));
    one.probe("pay", stock, holds).confirm("pay").settle();
    expect(next(one)).toBe(START + HOUR);
    expect(next(one, "rest")).toBeNull();
    const fresh = probe("stock", { freshForMs: 2 * HOUR });
    one.outline = outlineOf({ ...pay, requires: [fresh] }, { kind: "sleep", name: "rest" });
    expect(next(one)).toBe(START + 2 * HOUR + 1);
    expect(one.act("pay", { now: START + 2 * HOUR })).toEqual({ kind: "nothing", why: "stands" });
    expect(one.act("pay", { now: START + 2 * HOUR + 1 })).toEqual({ kind: "ask", conditions: ["stock"] });
  });

  it("of a step that follows is when the engine may get there by itself", () => {
    const steps = outlineOf({ kind: "approval", name: "approve" }, pay, { kind: "step", name: "notify" });
    const answered = new Story(steps).settle().approve("approve");
    expect([next(answered), next(answered, "approve"), next(answered, "notify")]).toEqual([
      START,
      null,
      START,
    ]);
    expect(answered.settle().act("pay")).toEqual({ kind: "send", repeats: [] });
    const resting = new Story(
      outlineOf({ kind: "sleep", name: "rest" }, pay, { kind: "approval", name: "approve" }),
    );
    expect([next(resting.settle()), next(resting, "approve")]).toEqual([START + HOUR, null]);
    const failed = new Story(outlineOf(pay, { kind: "step", name: "notify" }))
      .open("pay")
      .fail("pay")
      .settle();
    expect(next(failed, "notify")).toBe(START + 2.5 * SECOND);
    const stopped = new Story(outlineOf(pay, { kind: "step", name: "notify" }))
      .open("pay")
      .fail("pay", rejection);
    expect(next(stopped.settle(), "notify")).toBeNull();
    const busy = new Story(outlineOf(pay, { kind: "step", name: "notify" })).open("pay");
    const under = busy.planInput({ busy: new Set(["pay"]) });
    const plan = busy.plan({ busy: new Set(["pay"]) });
    expect([...nextChecks(under, plan, START)]).toEqual([
      ["pay", null],
      ["notify", START],
    ]);
  });

  it("of what asks nobody but people is none, unless it has prerequisites that are asked", () => {
    const asking = { kind: "approval", name: "approve" } as const;
    const plain = new Story(outlineOf(pay, { ...asking, requires: [fact("approved")] }));
    expect(next(plain, "approve")).toBeNull();
    const probing = new Story(outlineOf(pay, { ...asking, requires: [stock] }));
    expect(next(probing, "approve")).toBe(START);
    const waiting = new Story(outlineOf({ ...asking, requires: [fact("approved")] }, pay));
    expect(next(waiting.settle())).toBeNull();
    const standing = new Story(
      outlineOf({ ...pay, requires: [fact("approved")] }, { kind: "sleep", name: "rest" }),
    );
    expect(next(standing.confirm("pay").settle())).toBeNull();
  });

  it("of a condition that could not be told, and of which no time is known, is the next pick-up", () => {
    const one = new Story(outlineOf({ ...pay, requires: [stock] }));
    const answer = cannotTell("it is down");
    one.append({
      kind: "conditionAnswered",
      step: "pay",
      condition: "stock",
      answer,
      askedAt: START,
      nextProbeAt: null,
    });
    expect(nextOf(one, "stock")).toBe(START);
  });

  it("of a step that cannot be reached without a person is none", () => {
    const held = outlineOf(
      pay,
      { kind: "approval", name: "approve", after: [] },
      { kind: "step", name: "both", after: ["pay", "approve"] },
    );
    const one = new Story(held).open("pay").fail("pay").settle();
    expect(next(one, "both")).toBeNull();
    expect(next(one, "both", "page")).toBeNull();
  });

  it("of a step whose transaction was rolled back is the next pick-up", () => {
    const bank = destination({ repeatSafety: { by: "transaction" } });
    const one = new Story(outlineOf({ ...pay, destination: bank })).open("pay").loseClaim("pay");
    expect(one.act("pay")).toMatchObject({ kind: "record" });
    expect(next(one)).toBe(START);
  });

  it("is now while a worker has the case, and none while a person has it open", () => {
    const one = new Story(outlineOf(pay));
    expect(next(one, "pay", "worker")).toBe(one.now);
    expect(next(one, "pay", "page")).toBeNull();
    const waiting = new Story(outlineOf({ kind: "approval", name: "approve", expiresMs: null })).settle();
    expect(pickUpAt(waiting.state, "nobody", START)).toBeNull();
  });

  it("of a condition is when it is asked again, and none for a fact, in a review, or before its turn", () => {
    const step = { ...pay, requires: [stock, fact("approved")] };
    const one = new Story(outlineOf(step));
    expect([nextOf(one, "stock"), nextOf(one, "approved")]).toEqual([START, null]);
    one.probe("pay", stock, holds).open("pay").fail("pay", throttle).settle();
    expect(nextOf(one, "stock")).toBe(START + 7 * MINUTE);
    const unsure = new Story(outlineOf(step)).probe("pay", stock, cannotTell("it is down")).settle();
    expect(nextOf(unsure, "stock")).toBe(START + 2.5 * SECOND);
    const review = new Story(outlineOf(step)).open("pay").fail("pay", rejection).settle();
    expect(nextOf(review, "stock")).toBeNull();
    const early = new Story(outlineOf({ kind: "approval", name: "approve" }, step)).settle();
    expect(nextOf(early, "stock")).toBeNull();
  });
});
