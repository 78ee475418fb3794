import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { failure, numbered, person, START, started, worker } from "./case.fixture.ts";
import { foldJournal } from "./fold.ts";
import type { Entry, EntryKind, Review, ReviewReason } from "./journal.ts";
import type { Wait } from "./waits.ts";
import { rowOf, type CaseSummary, type RestingState, type StoredState } from "./row.ts";
import { readState, type ReadableState } from "./state.ts";

const page = readFileSync(new URL("../../docs/states.md", import.meta.url), "utf8");

/** Rows of the table below a heading, as cells without back quotes. */
function rowsOf(heading: string): readonly (readonly string[])[] {
  const at = page.indexOf(`\n## ${heading}\n`);
  const next = page.indexOf("\n## ", at + 1);
  return page
    .slice(at, next === -1 ? undefined : next)
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) =>
      line
        .replaceAll("`", "")
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
}

const column = (heading: string, index: number): readonly string[] =>
  rowsOf(heading).map((cells) => cells[index] ?? "");

// Records, so that a member that is added to a type must be added here.
const stored: Record<StoredState, true> = {
  ready: true,
  claimed: true,
  waiting: true,
  paused: true,
  in_review: true,
  done: true,
  canceled: true,
};
const readable: Record<ReadableState, true> = {
  Running: true,
  "Will retry": true,
  "Waiting for event": true,
  "Waiting for child": true,
  "Waiting for approval": true,
  "Waiting until": true,
  "Held back": true,
  Paused: true,
  "Worker lost": true,
  "Outcome unknown": true,
  "Needs correction": true,
  "Needs access": true,
  "Needs review": true,
  "Being repaired": true,
  Undoing: true,
  Done: true,
  "Done after repair": true,
  Canceled: true,
};
const reasons: Record<ReviewReason, true> = {
  rejected: true,
  denied: true,
  quota: true,
  unknown: true,
  limit: true,
  conflict: true,
  gone: true,
  bug: true,
  precondition: true,
  lapsed: true,
  unreadable: true,
  poison: true,
  refused: true,
  expired: true,
  mayExistTwice: true,
  staysOutside: true,
};
const waits: Record<Wait["kind"], Wait> = {
  retry: { kind: "retry", step: "a", dueAt: START, attempt: 2, attemptsMax: 5, by: "backoff" },
  check: { kind: "check", step: "a", dueAt: START },
  probe: { kind: "probe", step: "a", dueAt: START, condition: "open", why: "down" },
  approval: { kind: "approval", step: "a", dueAt: null, by: "finance" },
  event: { kind: "event", step: "a", dueAt: START, eventType: "paid" },
  poll: { kind: "poll", step: "a", dueAt: START, untilAt: START, destination: "erp", why: "it runs" },
  timer: { kind: "timer", step: "a", dueAt: START },
  child: { kind: "child", step: "a", dueAt: null, caseId: "00-1", caseType: "shipment", needsPeople: false },
  held: { kind: "held", step: "a", dueAt: START, destination: "erp", credentialId: "erp-1" },
  access: {
    kind: "access",
    step: "a",
    dueAt: START,
    destination: "erp",
    credentialId: "erp-1",
    owner: "erp-admins",
  },
};

function read(state: StoredState, summary: Partial<CaseSummary>): ReadableState {
  const nothing = { confirmed: 0, waits: [], reviews: [], unsettled: [], lastFailure: null, losses: 0 };
  const whole = { ...nothing, isRepaired: false, repair: null, stoppedBy: null, ...summary };
  return readState({ state, dueAt: null, summary: whole, claim: null, holder: null, now: START }).state;
}

const reviewOf = (reason: ReviewReason): Review => ({
  step: "a",
  reason,
  sentence: "It stopped.",
  owner: "platform",
  nextCheckAllowedAt: null,
});

describe("docs/states.md", () => {
  it("has every stored and every readable state, once, and no other", () => {
    expect(column("Stored states", 0).toSorted()).toEqual(Object.keys(stored).toSorted());
    expect(column("What a person reads", 0).toSorted()).toEqual(Object.keys(readable).toSorted());
  });

  it("leads to a runbook for each state that people read", () => {
    expect(page).toContain("(guides/runbooks.md)");
    const runbooks = readFileSync(new URL("../../docs/guides/runbooks.md", import.meta.url), "utf8");
    const headings = [...runbooks.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
    expect(headings.toSorted()).toEqual(Object.keys(readable).toSorted());
  });

  it("says what each state means, who acts next and by when", () => {
    const cells = [...rowsOf("Stored states"), ...rowsOf("What a person reads")].flat();
    expect(cells.filter((cell) => cell === "")).toEqual([]);
  });

  it("reads every review and every wait as the code does", () => {
    const headings = { reviews: "What a review is about", waits: "What a case waits for" };
    expect(column(headings.reviews, 0)).toEqual(Object.keys(reasons));
    for (const [reason = "", , told] of rowsOf(headings.reviews)) {
      expect([reason, read("in_review", { reviews: [reviewOf(reason as ReviewReason)] })]).toEqual([
        reason,
        told,
      ]);
    }
    expect(column(headings.waits, 0)).toEqual(Object.keys(waits));
    for (const [kind = "", , told] of rowsOf(headings.waits)) {
      expect([kind, read("waiting", { waits: [waits[kind as Wait["kind"]]] })]).toEqual([kind, told]);
    }
  });
});

const ref = { step: "a", intentVersion: 1, attempt: 1 };
const why = { by: person, reason: null };
const basis = { basis: "b", fingerprint: "f", request: null };
const to = { idempotencyKey: "k", destination: "erp", credentialId: "c" };
/** Each case has an intent with an open attempt, so that every entry has what it speaks of. */
const sent: readonly Entry[] = [
  { kind: "intentOpened", step: "a", intentVersion: 1, ...to, ...basis },
  { kind: "attemptOpened", ...ref, fencingToken: 1, sendDeadlineAt: START, claimId: "c", holder: worker },
];
const confirmed: Entry = {
  kind: "stepConfirmed",
  step: "a",
  intentVersion: 0,
  basis: "b",
  result: { kind: "value", value: null },
  evidence: null,
  by: { how: "timer", dueAt: START },
};
const opened: Entry = { kind: "repairOpened", claimId: "r", holderId: "p", by: person };
const resting: Record<RestingState, readonly Entry[]> = {
  ready: [],
  waiting: [{ kind: "parked", waits: [waits.timer], dueAt: START }],
  in_review: [{ kind: "parked", waits: [], dueAt: null }],
  paused: [{ kind: "paused", ...why, untilAt: START }],
  done: [{ kind: "caseDone" }],
  canceled: [{ kind: "canceled", ...why }],
};
const entries: Record<Exclude<EntryKind, "caseStarted">, readonly Entry[]> = {
  intentOpened: [{ kind: "intentOpened", step: "a", intentVersion: 2, ...to, ...basis }],
  attemptOpened: [
    {
      kind: "attemptOpened",
      ...ref,
      attempt: 2,
      fencingToken: 2,
      sendDeadlineAt: START,
      claimId: "c",
      holder: worker,
    },
  ],
  attemptFailed: [{ kind: "attemptFailed", ...ref, failure: failure(), retryAt: null }],
  checkAnswered: [
    {
      kind: "checkAnswered",
      step: "a",
      intentVersion: 1,
      answer: { kind: "didNotHappen" },
      askedAt: START,
      proves: false,
      nextCheckAt: START,
    },
  ],
  accessRefreshed: [
    { kind: "accessRefreshed", ...ref, credentialId: "e", answer: { kind: "refreshed" }, retryAt: null },
  ],
  stepUndone: [{ kind: "stepUndone", step: "a", intentVersion: 1 }],
  outcomeRuledOut: [
    { kind: "outcomeRuledOut", step: "a", intentVersion: 1, evidence: null, by: person, reason: "why" },
  ],
  redoOrdered: [{ kind: "redoOrdered", step: "a", by: person, reason: "why" }],
  undoOrdered: [{ kind: "undoOrdered", step: "a", by: person, reason: "why" }],
  definitionChanged: [{ kind: "definitionChanged", version: 2, renamed: [], by: person }],
  restored: [{ kind: "restored", backupAt: 1, by: person }],
  eachStarted: [{ kind: "eachStarted", step: "a", keys: ["1"] }],
  childStarted: [{ kind: "childStarted", ...ref, caseId: "00-1", caseType: "shipment" }],
  childTold: [
    {
      kind: "childTold",
      step: "a",
      caseId: "00-1",
      childRevision: 2,
      standing: { kind: "done", result: null },
    },
  ],
  leftOutside: [{ kind: "leftOutside", step: "a", by: person, reason: "why" }],
  checkOrdered: [{ kind: "checkOrdered", step: "a", ...why }],
  assigned: [{ kind: "assigned", to: { id: "p-1", label: "Ann" }, ...why }],
  conditionAnswered: [
    {
      kind: "conditionAnswered",
      step: "a",
      condition: "x",
      answer: { kind: "holds" },
      askedAt: START,
      nextProbeAt: null,
    },
  ],
  lookAnswered: [
    {
      kind: "lookAnswered",
      step: "a",
      answer: { kind: "notYet", why: "it runs" },
      askedAt: START,
      nextLookAt: START,
    },
  ],
  stepConfirmed: [confirmed],
  stepLapsed: [{ kind: "stepLapsed", step: "a", because: { kind: "basis" }, confirmedAtRevision: 1 }],
  stepRestored: [{ kind: "stepRestored", step: "a" }],
  reviewOpened: [{ kind: "reviewOpened", review: reviewOf("limit") }],
  parked: [...resting.waiting, ...resting.in_review],
  eventReceived: [
    { kind: "eventReceived", eventType: "paid", sourceId: "e", payload: null, by: person, ignored: null },
  ],
  eventAttached: [{ kind: "eventAttached", eventType: "paid", sourceId: "e", payload: null, by: person }],
  repairOpened: [opened],
  repairTakenOver: [
    {
      kind: "repairTakenOver",
      claimId: "r-2",
      holderId: "p-2",
      by: person,
      from: { claimId: "r", by: person },
      reason: "r",
    },
  ],
  repairEnded: [{ kind: "repairEnded", claimId: "r", why: "closed", events: 0, ignored: null }],
  approvalAnswered: [
    {
      kind: "approvalAnswered",
      step: "a",
      approved: true,
      form: null,
      note: null,
      sourceId: "s",
      by: person,
    },
  ],
  noteAdded: [{ kind: "noteAdded", text: "t", by: person }],
  resumed: [{ kind: "resumed", step: null, ...why }],
  inputCorrected: [{ kind: "inputCorrected", input: 1, by: person, reason: "r" }],
  cancelRequested: [{ kind: "cancelRequested", ...why }],
  canceled: resting.canceled,
  pauseRequested: [{ kind: "pauseRequested", ...why, untilAt: null }],
  paused: resting.paused,
  claimLost: [
    { kind: "claimLost", claimId: "c", holderId: "h", holderName: "w", why: "silent", openAttempts: [ref] },
  ],
  lateReport: [
    {
      kind: "lateReport",
      ...ref,
      claimId: "c",
      holder: worker,
      outcome: { kind: "failed", failure: failure() },
    },
  ],
  caseDone: resting.done,
};

const open: readonly RestingState[] = ["ready", "waiting", "in_review", "paused"];
const groups: Record<string, readonly RestingState[]> = {
  any: [...open, "done", "canceled"],
  "any open": open,
  "any open but paused": open.filter((state) => state !== "paused"),
  // A claim lies over what may be claimed.
  "what a holder holds": ["ready", "waiting", "paused"],
};

/** What only happens during a repair. */
const inRepair: readonly EntryKind[] = ["eventAttached", "repairTakenOver", "repairEnded"];

function stateAfter(from: RestingState, entry: Entry): string {
  const before = inRepair.includes(entry.kind) ? [opened] : [];
  const known = entry.kind === "childTold" ? entries.childStarted : [];
  const journal = numbered([started(), ...sent, ...known, ...resting[from], ...before, entry], {
    from: 1,
    at: START,
  });
  return rowOf(foldJournal("case-1", journal)).state;
}

describe("how one state becomes another, in docs/states.md", () => {
  const rows = rowsOf("How one becomes another").slice(1);

  it("is told of every entry of a journal", () => {
    const told = new Set(
      rows.flatMap(([kinds = ""]) => kinds.split(", ")).filter((kind) => kind !== "the same"),
    );
    expect([...told].toSorted()).toEqual(Object.keys(entries).toSorted());
  });

  it.each(rows.map(([kinds = "", from = "", becomes = ""], index) => ({ kinds, from, becomes, index })))(
    "$kinds: $from -> $becomes",
    ({ kinds, from, becomes, index }) => {
      const named = kinds === "the same" ? (rows[index - 1]?.[0] ?? "") : kinds;
      const states = groups[from] ?? (from.split(", ") as readonly RestingState[]);
      for (const kind of named.split(", ")) {
        for (const state of states) {
          for (const entry of entries[kind as keyof typeof entries]) {
            const after = stateAfter(state, entry);
            const [wanted = "", ...others] = becomes.startsWith("stays") ? [state] : becomes.split(" ");
            // A parking becomes one of two, by whether anything is waited for.
            const isOther = others.includes(after);
            expect([kind, state, isOther ? wanted : after]).toEqual([kind, state, wanted]);
          }
        }
      }
    },
  );
});
