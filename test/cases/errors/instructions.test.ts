import { describe, expect, test } from "vitest";
import { FRESH_ROUND } from "../../../src/core/case-state.ts";
import { retryAt } from "../../../src/core/retry.ts";
import { defineDestination, readDestination } from "../../../src/define/destination.ts";
import { answered, NOW, sort } from "./sorting.ts";

const { retry } = readDestination(defineDestination("erp", { idempotency: { by: "none" } })).outline;

describe("provider instructions", () => {
  test("29: a wait in the wrong unit is found out by the other hint, and said", () => {
    const failure = sort(answered(429, { "retry-after": "60000", "x-ratelimit-reset": "58" }));
    expect(failure).toMatchObject({
      kind: "throttled",
      instruction: { kind: "retryAfter", delayMs: 60_000 },
      raw: { notes: ["unit_suspect"] },
    });
  });

  test.each(["soon", "Wed, 99 Foo 2026 12:00:00 GMT"])(
    "31: junk is no instruction: our own delay holds (%s)",
    (junk) => {
      const failure = sort(answered(429, { "retry-after": junk }));
      expect(failure).toMatchObject({ kind: "throttled", instruction: null });
      // Our own first delay is 5 s, half of it by chance.
      expect(retryAt(retry, failure, { ...FRESH_ROUND, throttles: 1 }, NOW, 1)).toBe(NOW + 5_000);
    },
  );

  test("33: a moment where a wait was meant is read as the wait until then", () => {
    const now = Date.parse("2023-11-14T22:13:20Z");
    expect(sort(answered(429, { "retry-after": "1700000060" }), null, now)).toMatchObject({
      instruction: { kind: "retryAfter", delayMs: 60_000 },
    });
  });

  test.each<[string, object]>([
    ["soon", { kind: "doNotRetry" }],
    ["-1", { kind: "doNotRetry" }],
    ["1500", { kind: "retryAfter", delayMs: 1_500 }],
  ])("35: a pushback of gRPC that is no wait means stop (%s)", (pushback, instruction) => {
    const metadata = { get: (name: string) => (name === "grpc-retry-pushback-ms" ? [pushback] : []) };
    const thrown = Object.assign(new Error("14 UNAVAILABLE"), { code: 14, details: "unavailable", metadata });
    expect(sort(thrown)).toMatchObject({ instruction });
  });
});
