import { describe, expect, test } from "vitest";
import { failureOf } from "./failure.ts";
import { foldJournal } from "./fold.ts";
import type { Actor, Entry, JournalEntry } from "./journal.ts";
import { rowOf, type CaseSummary } from "./row.ts";

const HOSTILE = "it broke\0 at \uD83C, half a pair";
const CLEAN = "it broke\uFFFD at \uFFFD, half a pair";
const person: Actor = { kind: "person", name: HOSTILE };

function summaryAfter(...entries: readonly Entry[]): CaseSummary {
  const all: readonly Entry[] = [
    {
      kind: "caseStarted",
      caseType: "purchase",
      definitionVersion: 1,
      tenant: "",
      businessKey: null,
      input: {},
      by: person,
    },
    ...entries,
  ];
  const journal = all.map((entry, index): JournalEntry => ({
    revision: index + 1,
    at: 1,
    commitId: "c",
    entry,
  }));
  return rowOf(foldJournal("00a", journal)).summary;
}

/** PostgreSQL's jsonb refuses these two; `JSON.stringify` writes them as escapes. */
function isStorable(summary: CaseSummary): boolean {
  return !/\\u(0000|d[89a-f])/i.test(JSON.stringify(summary));
}

describe("the summary of a row can be stored, whoever wrote its texts", () => {
  test("the sentence and the owner of a review", () => {
    const review = {
      step: "notify",
      reason: "precondition",
      sentence: HOSTILE,
      owner: HOSTILE,
      nextCheckAllowedAt: null,
    } as const;
    const summary = summaryAfter({ kind: "reviewOpened", review });
    expect(summary.reviews).toEqual([{ ...review, sentence: CLEAN, owner: CLEAN }]);
    expect(isStorable(summary)).toBe(true);
  });

  test("what each kind of wait says", () => {
    const summary = summaryAfter({
      kind: "parked",
      dueAt: 5,
      waits: [
        { kind: "probe", step: "a", dueAt: 5, condition: HOSTILE, why: HOSTILE },
        { kind: "approval", step: "b", dueAt: null, by: HOSTILE },
        { kind: "approval", step: "c", dueAt: null, by: "ops", escalation: { to: HOSTILE, at: 9 } },
        { kind: "event", step: "c", dueAt: 5, eventType: HOSTILE, orTypes: [HOSTILE] },
        { kind: "timer", step: "d", dueAt: 5 },
        { kind: "poll", step: "e", dueAt: 5, untilAt: 9, destination: "erp", why: HOSTILE },
      ],
    });
    expect(summary.waits).toEqual([
      { kind: "probe", step: "a", dueAt: 5, condition: CLEAN, why: CLEAN },
      { kind: "approval", step: "b", dueAt: null, by: CLEAN },
      { kind: "approval", step: "c", dueAt: null, by: "ops", escalation: { to: CLEAN, at: 9 } },
      { kind: "event", step: "c", dueAt: 5, eventType: CLEAN, orTypes: [CLEAN] },
      { kind: "timer", step: "d", dueAt: 5 },
      { kind: "poll", step: "e", dueAt: 5, untilAt: 9, destination: "erp", why: CLEAN },
    ]);
    expect(isStorable(summary)).toBe(true);
  });

  test("who paused or canceled it, and why", () => {
    const paused = summaryAfter({ kind: "paused", by: person, reason: HOSTILE, untilAt: 9 });
    expect(paused.stoppedBy).toEqual({ name: CLEAN, reason: CLEAN, untilAt: 9 });
    const canceled = summaryAfter({ kind: "canceled", by: person, reason: null });
    expect(canceled.stoppedBy).toEqual({ name: CLEAN, reason: null, untilAt: null });
  });

  test("the last failure, cut to what a list can show", () => {
    const ref = { step: "notify", intentVersion: 1 } as const;
    const summary = summaryAfter(
      {
        kind: "intentOpened",
        ...ref,
        idempotencyKey: "k",
        destination: "mail",
        credentialId: "m",
        basis: "b",
        fingerprint: "f",
        request: null,
      },
      {
        kind: "attemptOpened",
        ...ref,
        attempt: 1,
        fencingToken: 1,
        sendDeadlineAt: 2,
        claimId: "c",
        holder: person,
      },
      {
        kind: "attemptFailed",
        ...ref,
        attempt: 1,
        retryAt: null,
        failure: failureOf({
          cause: "bug",
          executed: "maybe",
          rule: "unclear",
          sentence: HOSTILE.padEnd(5_000, "."),
        }),
      },
    );
    expect(summary.lastFailure?.sentence).toBe(`${CLEAN.padEnd(1_000, ".")}…`);
    expect(isStorable(summary)).toBe(true);
  });
});
