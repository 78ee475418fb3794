import { describe, expect, test } from "vitest";
import { afterFailedDelivery, isWornOut, type DeliveryRound } from "./delivery.ts";
import { failureOf, type Failure, type FailureCause } from "./failure.ts";
import type { RetryPolicy } from "./outline.ts";

const NOW = 1_000_000;
const policy: RetryPolicy = {
  maxAttempts: 3,
  maxRequests: 8,
  maxThrottles: 2,
  giveUpAfterMs: 60_000,
  firstDelayMs: 1_000,
  maxDelayMs: 10_000,
};
const first: DeliveryRound = { attempts: 1, throttles: 0, failingSinceAt: null };

function failure(cause: FailureCause, over: Partial<Failure> = {}): Failure {
  return failureOf({ cause, executed: "no", rule: "r", sentence: "s", ...over });
}

describe("a message that could not be sent", () => {
  test.each<[FailureCause, "retry" | "undeliverable"]>([
    ["transient", "retry"],
    ["throttled", "retry"],
    ["stopped", "retry"],
    ["quota", "retry"],
    ["rejected", "undeliverable"],
    ["denied", "undeliverable"],
    ["conflict", "undeliverable"],
    ["precondition", "undeliverable"],
    ["gone", "undeliverable"],
    ["bug", "undeliverable"],
  ])("for %s: %s", (cause, kind) => {
    expect(afterFailedDelivery(failure(cause), first, policy, NOW, 0).kind).toBe(kind);
  });

  test("is tried again also where it may have arrived: it keeps its id", () => {
    const lost = failure("transient", { executed: "maybe" });
    expect(afterFailedDelivery({ ...lost, kind: "unknown" }, first, policy, NOW, 0)).toEqual({
      kind: "retry",
      dueAt: NOW + 500,
      round: { attempts: 1, throttles: 0, failingSinceAt: NOW },
    });
  });

  test("waits as long as it is told, and a request to slow down spends no attempt", () => {
    const instruction = { kind: "retryAfter", delayMs: 7_000, source: "Retry-After" } as const;
    expect(afterFailedDelivery(failure("throttled", { instruction }), first, policy, NOW, 0)).toEqual({
      kind: "retry",
      dueAt: NOW + 7_000,
      round: { attempts: 0, throttles: 1, failingSinceAt: NOW },
    });
  });

  test.each<[string, Partial<DeliveryRound>, FailureCause]>([
    ["attempts", { attempts: 3 }, "transient"],
    ["requests to slow down", { throttles: 1 }, "throttled"],
    ["time", { failingSinceAt: NOW - 60_000 }, "transient"],
  ])("is undeliverable once its %s are used up", (_, over, cause) => {
    expect(afterFailedDelivery(failure(cause), { ...first, ...over }, policy, NOW, 0.9).kind).toBe(
      "undeliverable",
    );
  });

  test("is undeliverable where it is told not to come again", () => {
    const told = failure("transient", { instruction: { kind: "doNotRetry", source: "x" } });
    expect(afterFailedDelivery(told, first, policy, NOW, 0).kind).toBe("undeliverable");
  });

  test("is worn out when whoever began it was lost more often than it may be begun", () => {
    expect(isWornOut({ ...first, attempts: 3 }, policy)).toBe(false);
    expect(isWornOut({ ...first, attempts: 4 }, policy)).toBe(true);
  });
});
