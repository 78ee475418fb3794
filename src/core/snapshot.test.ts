import { describe, expect, it } from "vitest";
import type { CaseState } from "./case-state.ts";
import { failure, numbered, person, START, worker } from "./case.fixture.ts";
import { foldEntries, foldJournal } from "./fold.ts";
import type { Entry, EntryKind, JournalEntry } from "./journal.ts";
import { canonicalJson, type Json } from "./json.ts";
import { extendLineage, FIRST_LINEAGE } from "./lineage.ts";
import { FOLD_VERSION, foldOnto } from "./snapshot.ts";

const ref = { step: "create", intentVersion: 1, attempt: 1 } as const;
const value = { kind: "value", value: { id: 17 } } as const;

/** An entry of each kind, in an order in which they can happen. */
const entries: { readonly [Kind in EntryKind]: Extract<Entry, { kind: Kind }> } = {
  caseStarted: {
    kind: "caseStarted",
    caseType: "purchase",
    definitionVersion: 1,
    tenant: "default",
    businessKey: "PO-1",
    input: { vendor: "acme" },
    by: person,
    search: { attributes: [], tags: [["vendor"]], masked: { input: [], results: {} } },
  },
  lookAnswered: {
    kind: "lookAnswered",
    step: "wait",
    answer: { kind: "cannotTell", why: "it is down" },
    askedAt: START,
    nextLookAt: START + 1,
  },
  conditionAnswered: {
    kind: "conditionAnswered",
    step: "create",
    condition: "inBudget",
    answer: { kind: "cannotTell", why: "it is down" },
    askedAt: START,
    nextProbeAt: START + 1,
  },
  definitionChanged: {
    kind: "definitionChanged",
    version: 2,
    renamed: [{ from: "old", to: "new" }],
    by: { kind: "worker", name: "w", holderId: "h" },
  },
  restored: { kind: "restored", backupAt: START, by: { kind: "person", name: "ann" } },
  eachStarted: { kind: "eachStarted", step: "lines", keys: ["1", "2"] },
  intentOpened: {
    kind: "intentOpened",
    step: "create",
    intentVersion: 1,
    idempotencyKey: "key",
    destination: "erp",
    credentialId: "erp",
    basis: "basis",
    fingerprint: "fingerprint",
    request: "{}",
  },
  attemptOpened: {
    kind: "attemptOpened",
    ...ref,
    fencingToken: 1,
    sendDeadlineAt: START + 9,
    claimId: "claim-1",
    holder: worker,
  },
  childStarted: { kind: "childStarted", ...ref, caseId: "00-1", caseType: "shipment" },
  childTold: {
    kind: "childTold",
    step: "create",
    caseId: "00-1",
    childRevision: 2,
    standing: { kind: "inReview" },
  },
  attemptFailed: { kind: "attemptFailed", ...ref, failure: failure({ executed: "maybe" }), retryAt: START },
  checkAnswered: {
    kind: "checkAnswered",
    step: "create",
    intentVersion: 1,
    answer: { kind: "didNotHappen" },
    askedAt: START,
    proves: false,
    nextCheckAt: START + 5,
  },
  accessRefreshed: {
    kind: "accessRefreshed",
    ...ref,
    credentialId: "erp",
    answer: { kind: "failed", failure: failure() },
    retryAt: START + 3,
  },
  claimLost: {
    kind: "claimLost",
    claimId: "claim-1",
    holderId: "h",
    holderName: "w",
    why: "silent",
    openAttempts: [ref],
  },
  lateReport: {
    kind: "lateReport",
    ...ref,
    claimId: "claim-1",
    holder: worker,
    outcome: { kind: "succeeded", result: value, evidence: "R-17" },
  },
  stepConfirmed: {
    kind: "stepConfirmed",
    step: "create",
    intentVersion: 1,
    basis: "basis",
    result: value,
    evidence: "R-17",
    by: { how: "lateReport", attempt: 1 },
  },
  stepLapsed: { kind: "stepLapsed", step: "create", because: { kind: "basis" }, confirmedAtRevision: 9 },
  stepRestored: { kind: "stepRestored", step: "create" },
  outcomeRuledOut: {
    kind: "outcomeRuledOut",
    step: "create",
    intentVersion: 1,
    evidence: null,
    by: person,
    reason: "asked the bank",
  },
  redoOrdered: { kind: "redoOrdered", step: "create", by: person, reason: "it is wrong there" },
  stepUndone: { kind: "stepUndone", step: "create", intentVersion: 1 },
  reviewOpened: {
    kind: "reviewOpened",
    review: { step: "notify", reason: "bug", sentence: "It failed.", owner: "ops", nextCheckAllowedAt: null },
  },
  parked: { kind: "parked", waits: [{ kind: "check", step: "create", dueAt: START }], dueAt: START },
  eventReceived: {
    kind: "eventReceived",
    eventType: "paid",
    sourceId: "e-1",
    payload: 1,
    by: person,
    ignored: null,
  },
  approvalAnswered: {
    kind: "approvalAnswered",
    step: "approve",
    approved: true,
    form: null,
    note: null,
    sourceId: "a-1",
    by: person,
  },
  noteAdded: { kind: "noteAdded", text: "seen", by: person },
  repairOpened: { kind: "repairOpened", claimId: "claim-2", holderId: "page-1", by: person },
  eventAttached: { kind: "eventAttached", eventType: "paid", sourceId: "e-2", payload: 2, by: person },
  repairTakenOver: {
    kind: "repairTakenOver",
    claimId: "claim-3",
    holderId: "page-2",
    by: person,
    from: { claimId: "claim-2", by: person },
    reason: "ill",
  },
  undoOrdered: { kind: "undoOrdered", step: "create", by: person, reason: "wrong one" },
  leftOutside: { kind: "leftOutside", step: "notify", by: person, reason: "it was read already" },
  checkOrdered: { kind: "checkOrdered", step: "create", by: person, reason: null },
  assigned: { kind: "assigned", to: { id: "p-1", label: "Ann" }, by: person, reason: null },
  repairEnded: { kind: "repairEnded", claimId: "claim-3", why: "closed", events: 1, ignored: null },
  inputCorrected: { kind: "inputCorrected", input: { vendor: "other" }, by: person, reason: "wrong" },
  pauseRequested: { kind: "pauseRequested", by: person, reason: null, untilAt: null },
  paused: { kind: "paused", by: person, reason: "later", untilAt: START + 7 },
  resumed: { kind: "resumed", step: "notify", by: person, reason: null },
  cancelRequested: { kind: "cancelRequested", by: person, reason: null },
  caseDone: { kind: "caseDone" },
  canceled: { kind: "canceled", by: person, reason: null },
};

const journal: readonly JournalEntry[] = numbered(Object.values(entries), { from: 1, at: START }).map(
  (one) => ({ ...one, commitId: `c-${one.revision}` }),
);
const lineageOf = (some: readonly JournalEntry[]): string => extendLineage(FIRST_LINEAGE, some);

/** As it comes back from storage. */
const stored = (state: CaseState): CaseState => JSON.parse(JSON.stringify(state)) as CaseState;

describe("a snapshot", () => {
  it("of any part of a journal gives the state that the whole of it gives", () => {
    const whole = foldJournal("case-1", journal);
    for (const { revision } of journal) {
      const known = journal.slice(0, revision);
      const snapshot = { state: stored(foldJournal("case-1", known)), lineage: lineageOf(known) };
      expect(foldOnto(snapshot, journal.slice(revision), lineageOf(journal))).toEqual(whole);
    }
  });

  it("is not used for a journal that has lost what is folded into it, though others stand there now", () => {
    const known = journal.slice(0, 12);
    const snapshot = { state: foldJournal("case-1", known), lineage: lineageOf(known) };
    const others = journal.slice(0, 12).map((one) => ({ ...one, commitId: `other ${one.revision}` }));
    expect(foldOnto(snapshot, [], lineageOf(others))).toBeNull();
    const further = journal.slice(12, 14);
    expect(foldOnto(snapshot, further, lineageOf([...others, ...further]))).toBeNull();
    expect(foldOnto(snapshot, [], lineageOf(journal.slice(0, 3)))).toBeNull();
  });

  it("is of this version of the fold: raise FOLD_VERSION with whatever changes this digest", () => {
    const states = journal.map(({ revision }) => foldJournal("case-1", journal.slice(0, revision)));
    const [first] = states;
    if (first === undefined) throw new Error("there is no journal");
    expect(states.at(-1)).toEqual(foldEntries(first, journal.slice(1)));
    const folded = extendLineage(FIRST_LINEAGE, [{ commitId: canonicalJson(states as unknown as Json) }]);
    expect({ version: FOLD_VERSION, folded }).toEqual({ version: 15, folded: "ba324d8557a77e7e" });
  });
});
