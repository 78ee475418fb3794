import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failure, HOUR, retry, SECOND, START } from "./case.fixture.ts";
import { FRESH_ROUND } from "./case-state.ts";
import { backoffMs, isUsedUp, providerDelayMs, requestsLeft, retryAt } from "./retry.ts";

const round = (over: Partial<typeof FRESH_ROUND> = {}): typeof FRESH_ROUND => ({
  ...FRESH_ROUND,
  attempts: 1,
  ...over,
});
const retryAfter = { kind: "retryAfter", delayMs: 60_000, source: "retry-after" } as const;

const total = (random: number): number =>
  [1, 2, 3, 4].reduce((sum, tries) => sum + backoffMs(retry, tries, random), 0) / 60_000;

describe("the delay", () => {
  it("starts at firstDelayMs, grows fourfold, stops at maxDelayMs, and half of it is fixed", () => {
    const least = [1, 2, 3, 4, 5, 6].map((tries) => backoffMs(retry, tries, 0) / SECOND);
    const most = [1, 2, 3, 4, 5, 6].map((tries) => Math.ceil(backoffMs(retry, tries, 0.9999) / SECOND));
    expect(least).toEqual([2.5, 10, 40, 160, 450, 450]);
    expect(most).toEqual([5, 20, 80, 320, 900, 900]);
  });

  it("of five attempts adds up to 3.5 to 7 minutes", () => {
    expect(total(0)).toBeCloseTo(3.54, 2);
    expect(total(1)).toBeCloseTo(7.08, 2);
  });

  it("is a whole number within its bounds, whatever the try and the draw", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -5, max: 5_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (tries, random) => {
          const delayMs = backoffMs(retry, tries, random);
          expect(Number.isInteger(delayMs)).toBe(true);
          expect(delayMs).toBeGreaterThanOrEqual(retry.firstDelayMs / 2);
          expect(delayMs).toBeLessThanOrEqual(retry.maxDelayMs);
        },
      ),
    );
  });

  it("that a provider asked for is never shortened, and lengthened by a tenth or 30 s at most", () => {
    expect(providerDelayMs(60_000, 0)).toBe(60_000);
    expect(providerDelayMs(60_000, 1)).toBe(66_000);
    expect(providerDelayMs(HOUR, 1)).toBe(HOUR + 30_000);
  });
});

describe("the time of the next try", () => {
  it("grows with the attempts of the round", () => {
    expect(retryAt(retry, failure(), round(), START, 0)).toBe(START + 2_500);
    expect(retryAt(retry, failure(), round({ attempts: 3 }), START, 0)).toBe(START + 40_000);
  });

  it("grows with the throttles where the destination says slow down without a time", () => {
    const slowDown = failure({ cause: "throttled" });
    expect(retryAt(retry, slowDown, round({ throttles: 2, attempts: 0 }), START, 0)).toBe(START + 10_000);
    const maybe = failure({ cause: "throttled", executed: "maybe" });
    expect(retryAt(retry, maybe, round({ throttles: 2, attempts: 1 }), START, 0)).toBe(START + 2_500);
  });

  it("is what the destination says, whatever the kind", () => {
    expect(retryAt(retry, failure({ instruction: retryAfter }), round(), START, 0)).toBe(START + 60_000);
    const never = failure({ instruction: { kind: "doNotRetry", source: "header" } });
    expect(retryAt(retry, never, round(), START, 0)).toBeNull();
  });

  it("grows from the first wait on where only the habits of the destination are known, up to their cap", () => {
    const pace = { kind: "pace", firstMs: 60_000, maxMs: 150_000, source: "github" } as const;
    const greylisted = failure({ instruction: pace });
    expect(retryAt(retry, greylisted, round(), START, 0)).toBe(START + 60_000);
    expect(retryAt(retry, greylisted, round({ attempts: 2 }), START, 0)).toBe(START + 120_000);
    expect(retryAt(retry, greylisted, round({ attempts: 3 }), START, 0)).toBe(START + 150_000);
    const throttled = failure({ cause: "throttled", instruction: pace });
    expect(retryAt(retry, throttled, round({ attempts: 1, throttles: 2 }), START, 0)).toBe(START + 120_000);
  });

  it("is now where we stopped it ourselves before it was sent", () => {
    expect(retryAt(retry, failure({ cause: "stopped" }), round(), START, 0)).toBe(START);
    const sent = failure({ cause: "stopped", executed: "maybe" });
    expect(retryAt(retry, sent, round(), START, 0)).toBe(START + 2_500);
  });
});

describe("the bounds of a round", () => {
  it("count each attempt and each repeat within one as a request", () => {
    expect(isUsedUp(retry, round({ attempts: 3, repeats: 4 }), null)).toBe(false);
    expect(isUsedUp(retry, round({ attempts: 3, repeats: 5 }), null)).toBe(true);
    expect(requestsLeft(retry, round({ attempts: 2, repeats: 1 }))).toBe(5);
  });

  it("are attempts, throttles, and how late the next try is set for", () => {
    expect(isUsedUp(retry, round(), null)).toBe(false);
    expect(isUsedUp(retry, round({ attempts: 5 }), null)).toBe(true);
    expect(isUsedUp(retry, round({ throttles: 20 }), null)).toBe(true);
    const failing = round({ failingSinceAt: START });
    expect(isUsedUp(retry, failing, START + 4 * HOUR)).toBe(false);
    expect(isUsedUp(retry, failing, START + 4 * HOUR + 1)).toBe(true);
    expect(isUsedUp(retry, round(), START + 9 * HOUR)).toBe(false);
  });
});
