import { describe, expect, test } from "vitest";
import { failureOf } from "../core/failure.ts";
import type { RepeatSafety } from "../core/outline.ts";
import type { WireSummary } from "../core/wire-evidence.ts";
import { defineCase } from "../define/builder.ts";
import { defineDestination } from "../define/destination.ts";
import type { MeteredEvidence } from "../wire/evidence.ts";
import { anything, startedState, withAttempt } from "./case-types.fixture.ts";
import { watchedAttempt, wireSummaryOf, withRefusal, type MeteredSend } from "./metering.ts";

const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });
const order = defineCase("order", { version: 1, owner: "ops", input: anything }).step("send", {
  to: erp,
  run: () => Promise.resolve(1),
});
const nothing: MeteredEvidence = {
  requests: [],
  sentCount: 0,
  unsentCount: 0,
  repeatCount: 0,
  lateCount: 0,
  unseenClient: null,
  blindSpots: ["no request was seen"],
};
const failure = failureOf({ cause: "transient", executed: "maybe", rule: "unclear", sentence: "It failed." });
const newKey = { why: "newKey", method: "POST", path: "/v1/charges", client: "Stripe" } as const;

/** The second attempt of a send whose first one was seen so. */
function second(wire: WireSummary, by: RepeatSafety["by"] = "key"): MeteredSend {
  const { ref, state } = withAttempt(order, startedState(order));
  const step = order.outline.steps[0];
  const intent = state.steps["send"]?.intent;
  if (step?.kind !== "step" || intent === undefined || intent === null) throw new Error("nothing is sent");
  const repeatSafety = by === "key" ? ({ by, windowMs: 1_000 } as const) : { by };
  const [first] = intent.attempts;
  if (first === undefined) throw new Error("no attempt");
  return {
    step: { ...step, destination: { ...step.destination, repeatSafety } },
    state,
    ref: { ...ref, attempt: 2 },
    intent: {
      ...intent,
      attempts: [
        { ...first, wire },
        { ...first, number: 2 },
      ],
    },
  };
}

const quiet: WireSummary = { requests: 1, repeats: 0, isAtLeast: false, findings: [] };
const watch = (send: MeteredSend) =>
  watchedAttempt(
    send,
    new AbortController().signal,
    () => 0,
    () => undefined,
  );

describe("what the meter is told of an attempt", () => {
  test("is the key, and how often its request may still be sent in the round", () => {
    expect(watch(second(quiet))).toMatchObject({ idempotencyKey: "00case.send.1", requestsMax: 8 });
  });

  test("is the key of its own under which a client may have sent it before", () => {
    const foreignKey = { group: "g", keyHash: "k" };
    expect(watch(second({ ...quiet, foreignKey })).earlierKeys).toEqual([foreignKey]);
    expect(watch(second(quiet)).earlierKeys).toEqual([]);
  });

  test.each<[RepeatSafety["by"], boolean]>([
    ["key", true],
    ["unique", true],
    ["if-match", true],
    ["fence", true],
    ["transaction", true],
    ["lookup", false],
    ["none", false],
  ])("is whether a destination repeated by %s stops a second effect itself", (by, mayRepeat) => {
    expect(watch(second(quiet, by))).toMatchObject({ mayRepeat });
  });
});

describe("what is kept of what was seen", () => {
  test("is nothing where nothing is metered, or nothing went over HTTP", () => {
    expect(wireSummaryOf(null, second(quiet))).toBeUndefined();
    expect(wireSummaryOf(nothing, second(quiet))).toBeUndefined();
  });

  test("is a late request even then", () => {
    expect(wireSummaryOf({ ...nothing, lateCount: 1 }, second(quiet))).toMatchObject({
      findings: [{ code: "LATE_REQUEST" }],
    });
  });
});

describe("a failure after a request was refused", () => {
  test("says what was refused, and stays what it was", () => {
    const limit = { ...newKey, why: "limit" } as const;
    expect(withRefusal(failure, limit, nothing)).toMatchObject({
      kind: "unknown",
      cause: "transient",
      sentence: expect.stringMatching(
        /^It failed\. POST \/v1\/charges was not sent: .*maxNetworkRetries/,
      ) as unknown,
    });
    expect(withRefusal(failure, null, nothing)).toBe(failure);
  });

  test("is a fault of the code, and surely nothing happened, when nothing else left", () => {
    expect(withRefusal(failure, newKey, nothing)).toMatchObject({
      kind: "bug",
      executed: "no",
      rule: "wire.newKey",
      sentence: expect.stringContaining("give it the step's idempotencyKey") as unknown,
    });
  });

  test("proves nothing when something else may have left", () => {
    const blind = { ...nothing, blindSpots: ["child process"] };
    expect(withRefusal(failure, newKey, blind)).toMatchObject({ kind: "unknown", executed: "maybe" });
    expect(withRefusal(failure, newKey, null)).toMatchObject({ executed: "maybe" });
  });
});
