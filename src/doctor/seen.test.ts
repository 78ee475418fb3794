import { expect, test } from "vitest";
import type { CaseState } from "../core/case-state.ts";
import { outlineOf, Story } from "../core/case.fixture.ts";
import type { WireFinding } from "../core/wire-evidence.ts";
import { examineSeen } from "./seen.ts";

/** A case whose attempts were seen to repeat requests. */
function caseWith(...findings: readonly WireFinding[]): CaseState {
  const story = new Story(outlineOf({ kind: "step", name: "create" })).open("create");
  const wire = { requests: 3, repeats: 2, isAtLeast: false, findings };
  return story.end("create", {
    kind: "succeeded",
    result: { kind: "value", value: 1 },
    evidence: null,
    wire,
  }).state;
}

const hidden: WireFinding = { code: "HIDDEN_RETRY", client: "OpenAI" };

test("what attempts of stored cases sent is told once per step and client, with how often", () => {
  const found = examineSeen([
    caseWith(hidden),
    caseWith(hidden, { code: "AUTO_KEY_PER_CALL", client: "Stripe" }),
  ]);
  expect(found).toEqual([
    {
      code: "HIDDEN_RETRY",
      severity: "warning",
      caseType: "purchase",
      step: "create",
      destination: "erp",
      sentence: "OpenAI sends the same request again by itself. Seen in 2 attempts of the newest cases.",
      remedy: "maxRetries: 0",
    },
    expect.objectContaining({
      code: "AUTO_KEY_PER_CALL",
      severity: "error",
      remedy: "the step's idempotencyKey with each call",
      sentence: expect.stringMatching(
        /^Stripe makes a new idempotency key .* Seen in 1 attempt of/,
      ) as unknown,
    }),
  ]);
});

test("other findings come with what mends them too", () => {
  const codes = ["UNSAFE_HIDDEN_RETRY", "MULTIPLIED", "LATE_REQUEST", "BLIND"] as const;
  const found = examineSeen([
    caseWith(...codes.map((code) => ({ code, client: code === "BLIND" ? null : "got" }))),
  ]);
  expect(found.map(({ code, remedy }) => [code, remedy])).toEqual([
    ["UNSAFE_HIDDEN_RETRY", "retry: { limit: 0 }"],
    ["MULTIPLIED", "retry: { limit: 0 }"],
    ["LATE_REQUEST", "await every request inside run, and give it the signal"],
    ["BLIND", "nothing, or the step's own fetch where the client takes one"],
  ]);
  const [unseen] = examineSeen([caseWith({ code: "BLIND", client: "ioredis" })]);
  expect(unseen?.remedy).toContain("autoResendUnfulfilledCommands: false");
});

test("cases that were not metered tell nothing", () => {
  expect(
    examineSeen([new Story(outlineOf({ kind: "step", name: "create" })).confirm("create").state]),
  ).toEqual([]);
});
