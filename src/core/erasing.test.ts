import { describe, expect, test } from "vitest";
import { decideErasure, type ErasableCase } from "./erasable.ts";
import { ERASED } from "./erasure.ts";
import { erasedStepName, eraseJournal } from "./erasing.ts";
import { failureOf } from "./failure.ts";
import { foldJournal } from "./fold.ts";
import type { Actor, Entry, EntryKind, JournalEntry } from "./journal.ts";
import { rowOf } from "./row.ts";

/** Stands wherever something may tell of a person. */
const MARK = "ada.lovelace";
const reason = MARK;
const ben: Actor = { kind: "person", name: "ben" };
const holder: Actor = { kind: "worker", name: "w", holderId: "h" };
const part = `pay[${MARK}]`;
const ref = { step: part, intentVersion: 1 };
const attempt = { ...ref, attempt: 1 };
const wire = {
  requests: 2,
  repeats: 0,
  isAtLeast: false,
  findings: [],
  foreignKey: { group: MARK, keyHash: MARK },
};
const failure = {
  ...failureOf({ cause: "rejected", executed: "no", rule: "http 422", sentence: MARK }),
  fields: [{ path: MARK, message: MARK }],
  raw: { body: MARK },
  instruction: { kind: "doNotRetry", source: MARK } as const,
};
const plainFailure = failureOf({ cause: "transient", executed: "no", rule: "r", sentence: MARK });
const value = { kind: "value", value: { name: MARK } } as const;
const confirmed = { kind: "stepConfirmed", ...ref, basis: MARK, result: value, evidence: MARK } as const;

/** Of every kind at least one entry, with {@link MARK} in all that comes from outside or was typed. */
const EXAMPLES: { readonly [Kind in EntryKind]: readonly Extract<Entry, { kind: Kind }>[] } = {
  caseStarted: [
    {
      kind: "caseStarted",
      caseType: "order",
      definitionVersion: 1,
      tenant: "acme",
      businessKey: MARK,
      input: { name: MARK },
      by: ben,
      parent: { caseId: "07-parent", step: part, intentVersion: 1, depth: 1 },
      search: {
        attributes: [],
        tags: [],
        masked: { input: [], results: {} },
      },
      concurrencyKey: MARK,
    },
    {
      kind: "caseStarted",
      caseType: "order",
      definitionVersion: 1,
      tenant: "acme",
      businessKey: null,
      input: MARK,
      by: { kind: "engine", name: `${part} of case 07-parent` },
    },
  ],
  definitionChanged: [{ kind: "definitionChanged", version: 2, renamed: [], by: ben }],
  restored: [{ kind: "restored", backupAt: 1, by: ben }],
  eachStarted: [{ kind: "eachStarted", step: "pay", keys: [MARK, "second"] }],
  intentOpened: [
    {
      kind: "intentOpened",
      ...ref,
      idempotencyKey: `07-a.${part}.1`,
      destination: "bank",
      credentialId: "c",
      basis: MARK,
      fingerprint: MARK,
      request: JSON.stringify({ name: MARK }),
    },
    {
      kind: "intentOpened",
      step: "mail",
      intentVersion: 1,
      idempotencyKey: "07-a.mail.1",
      destination: "mail",
      credentialId: "c",
      basis: MARK,
      fingerprint: MARK,
      request: null,
    },
  ],
  attemptOpened: [
    {
      kind: "attemptOpened",
      ...attempt,
      fencingToken: 1,
      sendDeadlineAt: 9,
      claimId: "c",
      holder,
      version: MARK,
    },
    {
      kind: "attemptOpened",
      ...attempt,
      step: "mail",
      fencingToken: 2,
      sendDeadlineAt: 9,
      claimId: "c",
      holder,
    },
  ],
  childStarted: [{ kind: "childStarted", ...attempt, caseId: "07-child", caseType: "parcel" }],
  childTold: [
    {
      kind: "childTold",
      step: part,
      caseId: "c",
      childRevision: 1,
      standing: { kind: "done", result: MARK },
    },
    {
      kind: "childTold",
      step: part,
      caseId: "c",
      childRevision: 1,
      standing: { kind: "canceled", by: "ben", reason },
    },
    {
      kind: "childTold",
      step: part,
      caseId: "c",
      childRevision: 1,
      standing: { kind: "canceled", by: "ben", reason: null },
    },
    { kind: "childTold", step: part, caseId: "c", childRevision: 1, standing: { kind: "running" } },
    { kind: "childTold", step: part, caseId: "c", childRevision: 1, standing: { kind: "inReview" } },
  ],
  attemptFailed: [
    { kind: "attemptFailed", ...attempt, failure, retryAt: null, wire },
    { kind: "attemptFailed", ...attempt, failure: plainFailure, retryAt: 5 },
  ],
  checkAnswered: (["differs", "cannotTell", "didNotHappen"] as const).map((kind) => ({
    kind: "checkAnswered",
    ...ref,
    answer: kind === "didNotHappen" ? { kind } : { kind, why: MARK, evidence: MARK },
    askedAt: 1,
    proves: false,
    nextCheckAt: 2,
  })),
  accessRefreshed: [
    {
      kind: "accessRefreshed",
      ...attempt,
      credentialId: "c",
      answer: { kind: "failed", failure },
      retryAt: 1,
    },
    { kind: "accessRefreshed", ...attempt, credentialId: "c", answer: { kind: "refreshed" }, retryAt: 1 },
  ],
  stepConfirmed: [
    { ...confirmed, by: { how: "response", attempt: 1 }, wire },
    { ...confirmed, by: { how: "check", askedAt: 1 }, result: { kind: "unreadable", why: MARK } },
    { ...confirmed, by: { how: "lateReport", attempt: 1 } },
    { ...confirmed, by: { how: "approval", sourceId: `api:${MARK}`, by: "ben" } },
    { ...confirmed, by: { how: "event", sourceId: `never told ${MARK}`, eventType: "paid" } },
    { ...confirmed, by: { how: "timer", dueAt: 1 } },
    { ...confirmed, by: { how: "poll", askedAt: 1 } },
    { ...confirmed, by: { how: "each", keys: 2 } },
    { ...confirmed, by: { how: "child", caseId: "c", ended: "done" } },
    { ...confirmed, by: { how: "notNeeded", why: MARK } },
    { ...confirmed, by: { how: "person", by: "ben", reason } },
    { ...confirmed, by: { how: "skip", by: "ben", reason } },
  ],
  stepLapsed: (
    [
      { kind: "prerequisite", name: "paid", why: MARK },
      { kind: "basis" },
      { kind: "follows", step: part },
      { kind: "ordered", by: "ben", reason },
      { kind: "undo", by: "ben", reason },
    ] as const
  ).map((because) => ({ kind: "stepLapsed", step: part, because, confirmedAtRevision: 1 })),
  stepRestored: [{ kind: "stepRestored", step: part }],
  stepUndone: [{ kind: "stepUndone", ...ref }],
  leftOutside: [{ kind: "leftOutside", step: part, by: ben, reason }],
  outcomeRuledOut: [{ kind: "outcomeRuledOut", ...ref, evidence: MARK, by: ben, reason }],
  redoOrdered: [{ kind: "redoOrdered", step: `${part}.undo`, by: ben, reason }],
  undoOrdered: [{ kind: "undoOrdered", step: part, by: ben, reason }],
  checkOrdered: [{ kind: "checkOrdered", step: part, by: ben, reason: null }],
  assigned: [{ kind: "assigned", to: { id: "t", label: "Team" }, by: ben, reason }],
  conditionAnswered: (["holds", "broken", "cannotTell"] as const).map((kind) => ({
    kind: "conditionAnswered",
    step: part,
    condition: "paid",
    answer: kind === "holds" ? { kind, version: MARK } : { kind, why: MARK },
    askedAt: 1,
    nextProbeAt: null,
  })),
  lookAnswered: [
    { kind: "lookAnswered", step: part, answer: { kind: "notYet", why: MARK }, askedAt: 1, nextLookAt: 2 },
  ],
  reviewOpened: [
    {
      kind: "reviewOpened",
      review: { step: part, reason: "rejected", sentence: MARK, owner: "desk", nextCheckAllowedAt: null },
    },
  ],
  parked: [
    {
      kind: "parked",
      dueAt: 5,
      waits: [
        { kind: "probe", step: part, dueAt: 5, condition: "paid", why: MARK },
        { kind: "poll", step: part, dueAt: 5, untilAt: 9, destination: "bank", why: MARK },
        { kind: "timer", step: part, dueAt: 5 },
      ],
    },
  ],
  eventReceived: [
    { kind: "eventReceived", eventType: "paid", sourceId: MARK, payload: MARK, by: ben, ignored: null },
  ],
  eventAttached: [{ kind: "eventAttached", eventType: "paid", sourceId: `2${MARK}`, payload: MARK, by: ben }],
  approvalAnswered: [
    {
      kind: "approvalAnswered",
      step: "approve",
      approved: true,
      form: { name: MARK },
      note: MARK,
      sourceId: `api:${MARK}`,
      by: ben,
    },
    {
      kind: "approvalAnswered",
      step: "approve",
      approved: true,
      form: null,
      note: null,
      sourceId: `api:${MARK}`,
      by: ben,
    },
  ],
  noteAdded: [{ kind: "noteAdded", text: MARK, by: ben }],
  repairOpened: [{ kind: "repairOpened", claimId: "c", holderId: "h", by: ben }],
  repairTakenOver: [
    {
      kind: "repairTakenOver",
      claimId: "c",
      holderId: "h",
      by: ben,
      from: { claimId: "d", by: ben },
      reason,
    },
  ],
  repairEnded: [{ kind: "repairEnded", claimId: "c", why: "closed", events: 0, ignored: null }],
  resumed: [{ kind: "resumed", step: null, by: ben, reason }],
  inputCorrected: [{ kind: "inputCorrected", input: { name: MARK }, by: ben, reason }],
  cancelRequested: [{ kind: "cancelRequested", by: ben, reason }],
  canceled: [{ kind: "canceled", by: ben, reason }],
  pauseRequested: [{ kind: "pauseRequested", by: ben, reason, untilAt: null }],
  paused: [{ kind: "paused", by: ben, reason, untilAt: null }],
  claimLost: [
    {
      kind: "claimLost",
      claimId: "c",
      holderId: "h",
      holderName: "w",
      why: "silent",
      openAttempts: [attempt],
    },
  ],
  lateReport: [
    { kind: "lateReport", ...attempt, claimId: "c", holder, outcome: { kind: "failed", failure, wire } },
    {
      kind: "lateReport",
      ...attempt,
      claimId: "c",
      holder,
      outcome: { kind: "succeeded", result: value, evidence: MARK },
    },
  ],
  caseDone: [{ kind: "caseDone", result: MARK }, { kind: "caseDone" }],
};

const erasure = { at: 99, by: "eve", reason: "asked for by mail" };

function journalOf(entries: readonly Entry[]): readonly JournalEntry[] {
  return entries.map((entry, index) => ({
    revision: index + 1,
    at: 10 + index,
    commitId: `c${index}`,
    entry,
  }));
}

describe("erasing a journal", () => {
  test.each(Object.entries(EXAMPLES))(
    "nothing of a person is left in %s, and its shape stays",
    (kind, all) => {
      const journal = journalOf([...EXAMPLES.eachStarted, ...all]);
      const erased = eraseJournal("07-a", journal, erasure);
      expect(JSON.stringify(erased)).not.toContain(MARK);
      expect(erased.map(({ revision, at, commitId }) => ({ revision, at, commitId }))).toEqual(
        journal.map(({ revision, at, commitId }) => ({ revision, at, commitId })),
      );
      expect(erased.slice(1).map(({ entry }) => entry.kind)).toEqual(all.map(() => kind));
      expect(eraseJournal("07-a", erased, erasure)).toEqual(erased);
    },
  );

  test("keys of an each and sources of facts keep apart what they kept apart", () => {
    const [event] = EXAMPLES.eventReceived;
    const journal = journalOf([
      ...EXAMPLES.eachStarted,
      ...(event === undefined ? [] : [event, { ...event, sourceId: "another" }]),
      { ...confirmed, by: { how: "event", sourceId: "another", eventType: "paid" } },
    ]);
    expect(eraseJournal("07-a", journal, erasure).map(({ entry }) => entry)).toMatchObject([
      { keys: ["erased-1", "erased-2"] },
      { sourceId: "erased-2", payload: ERASED },
      { sourceId: "erased-3" },
      { step: "pay[erased-1]", by: { sourceId: "erased-3" } },
    ]);
    expect(erasedStepName(journal, "pay[second].undo")).toBe("pay[erased-2].undo");
    expect(erasedStepName(journal, "mail")).toBe("mail");
  });

  test("the fold goes through what is left, and its row says who erased it and has nothing to be found by", () => {
    const journal = journalOf(
      [EXAMPLES.caseStarted[0], ...EXAMPLES.noteAdded, ...EXAMPLES.canceled].filter(
        (one) => one !== undefined,
      ),
    );
    const left = eraseJournal("07-a", journal, erasure);
    const state = foldJournal("07-a", left);
    expect(state).toMatchObject({ businessKey: "erased-07-a", input: ERASED, search: null, erased: erasure });
    expect(rowOf(state)).toMatchObject({ state: "canceled", revision: 3, summary: { erased: erasure } });
    expect(rowOf(foldJournal("07-a", journal)).summary).not.toHaveProperty("erased");
  });
});

describe("whether a case can be erased", () => {
  const canceled = foldJournal(
    "07-a",
    journalOf([EXAMPLES.caseStarted[1], ...EXAMPLES.canceled].filter((one) => one !== undefined)),
  );
  const none = { unsealedLines: 0, work: 0, seconds: 0, bulkActs: 0 };
  const ready: ErasableCase = { state: canceled, sealedRevision: 2, open: none };
  const running = foldJournal("07-a", journalOf(EXAMPLES.caseStarted.slice(1)));
  const [review] = EXAMPLES.reviewOpened;
  const reviewed =
    review === undefined
      ? canceled
      : {
          ...canceled,
          steps: foldJournal("07-a", journalOf([...EXAMPLES.caseStarted.slice(1), review])).steps,
        };

  test("one that has ended, is sealed and in no use can", () => {
    expect(decideErasure(ready)).toEqual({ kind: "erase" });
    expect(
      decideErasure({ ...ready, state: { ...canceled, rest: { kind: "done", at: 1, result: null } } }),
    ).toEqual({
      kind: "erase",
    });
  });

  test("one that was erased says by whom, whatever else is known", () => {
    expect(decideErasure({ ...ready, sealedRevision: 0, state: { ...canceled, erased: erasure } })).toEqual({
      kind: "erased",
      erasure,
    });
  });

  test.each([
    ["entries", { ...ready, sealedRevision: 1 }],
    ["lines", { ...ready, open: { ...none, unsealedLines: 1 } }],
  ])("one of which %s are not sealed waits for its seals", (_, found) => {
    expect(decideErasure(found)).toEqual({ kind: "unsealed" });
  });

  test.each([
    ["has not ended", { ...ready, state: running }],
    ["open review", { ...ready, state: reviewed }],
    ["second person", { ...ready, open: { ...none, seconds: 1 } }],
    ["bulk act", { ...ready, open: { ...none, bulkActs: 1 } }],
    ["still worked on", { ...ready, open: { ...none, work: 1 } }],
  ])("one that is in use is refused: %s", (why, found) => {
    const verdict = decideErasure(found);
    expect(verdict.kind === "refused" && verdict.sentence).toContain(why);
  });
});
