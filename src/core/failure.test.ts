import { describe, expect, it } from "vitest";
import { failureOf, isSlowDown, namedWaitMs } from "./failure.ts";

const known = { rule: "test", sentence: "it failed." } as const;

describe("a failure", () => {
  it("that surely did not happen is of its own kind, any other is unknown and keeps its cause", () => {
    expect(failureOf({ ...known, cause: "rejected", executed: "no" }).kind).toBe("rejected");
    for (const executed of ["maybe", "yes", "partial"] as const) {
      expect(failureOf({ ...known, cause: "rejected", executed })).toMatchObject({
        kind: "unknown",
        cause: "rejected",
        executed,
      });
    }
  });

  it("names who can act and who else is hit, as its cause has it or as it is told", () => {
    expect(failureOf({ ...known, cause: "denied", executed: "no" })).toMatchObject({
      owner: "access",
      scope: "credential",
    });
    const told = failureOf({ ...known, cause: "denied", executed: "no", owner: "operator", scope: "case" });
    expect(told).toMatchObject({ owner: "operator", scope: "case" });
  });

  it("is a slow-down only where it surely did not happen", () => {
    expect(isSlowDown(failureOf({ ...known, cause: "throttled", executed: "no" }))).toBe(true);
    expect(isSlowDown(failureOf({ ...known, cause: "throttled", executed: "maybe" }))).toBe(false);
    expect(isSlowDown(failureOf({ ...known, cause: "transient", executed: "no" }))).toBe(false);
  });
});

describe("an instruction", () => {
  it("names a wait, the first of a pace, or none", () => {
    expect(namedWaitMs({ kind: "retryAfter", delayMs: 5, source: "s" })).toBe(5);
    expect(namedWaitMs({ kind: "pace", firstMs: 7, maxMs: 9, source: "s" })).toBe(7);
    expect(namedWaitMs({ kind: "doNotRetry", source: "s" })).toBeNull();
    expect(namedWaitMs(null)).toBeNull();
  });
});
