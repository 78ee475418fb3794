import type { Entry } from "foothold";
import { expect, test } from "vitest";
import { storyLine, tellEntry } from "./story.ts";

const at = Date.parse("2026-11-29T10:00:00Z");
const kim = { kind: "person", name: "kim" } as const;

function tell(entry: Entry): string | null {
  return tellEntry({ revision: 7, at, commitId: "c", entry });
}

test("a line has the time, the name of the case and what happened, each in its column", () => {
  expect(storyLine(at, "PR-1", "done")).toMatch(/^\d\d:\d\d:\d\d  PR-1     done$/);
});

test("a failure says why in short, and when it is tried again", () => {
  const failure = {
    kind: "unknown",
    cause: "transient",
    executed: "maybe",
    owner: "system",
    scope: "destination",
    access: null,
    confidence: "inferred",
    rule: "http.503",
    sentence: "mail answered 503: down for a moment.",
    instruction: null,
    fields: [],
    raw: null,
  } as const;
  const failed = { kind: "attemptFailed", step: "notify", intentVersion: 1, attempt: 1, failure } as const;
  expect(tell({ ...failed, retryAt: at + 1_549 })).toBe(
    "notification failed: mail answered 503, tried again in 1.5 s",
  );
  expect(tell({ ...failed, retryAt: null, failure: { ...failure, rule: "unclear" } })).toBe(
    "notification failed: mail answered 503: down for a moment",
  );
});

test("a record that a question found is not told as a new one", () => {
  const confirmed = {
    kind: "stepConfirmed",
    step: "createRecord",
    intentVersion: 1,
    basis: "b",
    result: { kind: "value", value: { recordId: "R-17" } },
    evidence: null,
  } as const;
  expect(tell({ ...confirmed, by: { how: "response", attempt: 1 } })).toBe("record R-17 created");
  expect(tell({ ...confirmed, by: { how: "check", askedAt: at } })).toBe(
    "record R-17 found at the ERP: its answer had got lost",
  );
});

test("a lost worker, a person's no and a review are told", () => {
  const lost = { kind: "claimLost", claimId: "k", holderId: "h", holderName: "w-3", why: "silent" } as const;
  expect(tell({ ...lost, openAttempts: [] })).toBe("lost its worker (w-3); another one goes on");
  const answer = {
    step: "approve",
    approved: false,
    form: null,
    note: null,
    sourceId: "s",
    by: kim,
  } as const;
  expect(tell({ kind: "approvalAnswered", ...answer })).toBe("refused by kim");
  const review = { step: "approve", owner: "purchasing", nextCheckAllowedAt: null } as const;
  const refused = { ...review, reason: "refused", sentence: "kim said no." } as const;
  expect(tell({ kind: "reviewOpened", review: refused })).toBe("stops for purchasing: kim said no.");
});

test("what the engine notes on its way is not told", () => {
  expect(tell({ kind: "parked", waits: [], dueAt: null })).toBeNull();
});
