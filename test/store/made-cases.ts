import { randomBytes, randomUUID } from "node:crypto";
import { failureOf } from "../../src/core/failure.ts";
import { foldEntries, foldJournal } from "../../src/core/fold.ts";
import type { SearchOutline } from "../../src/core/search-outline.ts";
import type { ParentRef } from "../../src/core/child-standing.ts";
import type { Entry, JournalEntry } from "../../src/core/journal.ts";
import { rowOf } from "../../src/core/row.ts";
import type {
  CaseWrite,
  ChangeId,
  FoldedCase,
  HolderCommit,
  NewCase,
  NewClaim,
  NewHolder,
} from "../../src/store/port.ts";

export const person = { kind: "person", name: "ada" } as const;
export const actWithinMs = 60_000;

/** What may be different about a new case. */
export interface CaseWishes {
  readonly caseType?: string;
  readonly tenant?: string;
  readonly businessKey?: string | null;
  readonly definitionVersion?: number;
  readonly engineVersion?: number;
  readonly shard?: number;
  readonly caseId?: string;
  readonly at: number;
  readonly claim?: NewClaim;
  readonly parent?: ParentRef;
  readonly search?: SearchOutline;
  readonly concurrencyKey?: string;
  /** More entries after the first. */
  readonly entries?: readonly Entry[];
}

/** What a change that is no fact is known by. */
export function changeOf(commitId: string): ChangeId {
  return { commitId, sourceId: null };
}

export function newId(): string {
  return randomUUID();
}

export function newCaseId(shard: number): string {
  return `${String(shard).padStart(2, "0")}-${randomBytes(6).toString("hex")}`;
}

/** A new case that was started at `at` and is due then, unless its entries park it. */
export function newCase(wishes: CaseWishes): NewCase {
  const { caseType = "purchase", tenant = "default", businessKey = null, definitionVersion = 1, at } = wishes;
  const shard = wishes.shard ?? 7;
  const caseId = wishes.caseId ?? newCaseId(shard);
  const commitId = newId();
  const started: Entry = {
    kind: "caseStarted",
    caseType,
    definitionVersion,
    tenant,
    businessKey,
    input: { amount: 12.5, née: "ü" },
    by: person,
    ...(wishes.parent === undefined ? {} : { parent: wishes.parent }),
    ...(wishes.search === undefined ? {} : { search: wishes.search }),
    ...(wishes.concurrencyKey === undefined ? {} : { concurrencyKey: wishes.concurrencyKey }),
  };
  const entries = [started, ...(wishes.entries ?? [])];
  return {
    identity: {
      caseId,
      shard,
      tenant,
      caseType,
      businessKey,
      startedAt: at,
      definitionVersion,
      engineVersion: wishes.engineVersion ?? 1,
    },
    commitId,
    at,
    entries,
    row: rowOf(foldJournal(caseId, number(0, commitId, at, entries))),
    claim: wishes.claim ?? null,
  };
}

function number(
  revision: number,
  commitId: string,
  at: number,
  entries: readonly Entry[],
): readonly JournalEntry[] {
  return entries.map((entry, index) => ({ revision: revision + index + 1, at, commitId, entry }));
}

/** An entry that parks the case until `dueAt`, null = until something happens. */
export function parkedUntil(dueAt: number | null): Entry {
  return {
    kind: "parked",
    waits: [{ kind: "approval", step: "approve", dueAt, by: "finance" }],
    dueAt,
  };
}

export const intentOpened = (step = "createRecord"): Entry => ({
  kind: "intentOpened",
  step,
  intentVersion: 1,
  idempotencyKey: `key-${step}`,
  destination: "erp",
  credentialId: "erp-service",
  basis: "b",
  fingerprint: "f",
  request: '{"vendor":"acme"}',
});

export const attemptOpened = (at: number, claimId: string, attempt = 1, step = "createRecord"): Entry => ({
  kind: "attemptOpened",
  step,
  intentVersion: 1,
  attempt,
  fencingToken: at + attempt,
  sendDeadlineAt: at + 30_000,
  claimId,
  holder: { kind: "worker", name: "w-1", holderId: "h" },
});

export const attemptFailed = (retryAt: number | null, attempt = 1): Entry => ({
  kind: "attemptFailed",
  step: "createRecord",
  intentVersion: 1,
  attempt,
  failure: failureOf({
    cause: "transient",
    executed: "no",
    rule: "status 503",
    sentence: "The ERP answered 503.",
    raw: { status: 503 },
  }),
  retryAt,
});

export const confirmed = (step = "createRecord"): Entry => ({
  kind: "stepConfirmed",
  step,
  intentVersion: 0,
  basis: "b",
  result: { kind: "value", value: { recordId: "R-17" } },
  evidence: { status: 201 },
  by: { how: "timer", dueAt: 1 },
});

export const note = (text: string): Entry => ({ kind: "noteAdded", text, by: person });

export const reviewOpened = (step = "createRecord"): Entry => ({
  kind: "reviewOpened",
  review: {
    step,
    reason: "unknown",
    sentence: "Nobody knows whether it happened.",
    owner: "purchasing",
    nextCheckAllowedAt: null,
  },
});

/** A write of these entries on top of a case as it was read. */
export function writeOf(
  { state }: Pick<FoldedCase, "state">,
  commitId: string,
  entries: readonly Entry[],
  claim: CaseWrite["claim"],
  at: number,
): CaseWrite {
  return {
    at,
    entries,
    row: rowOf(foldEntries(state, number(state.revision, commitId, at, entries))),
    claim,
  };
}

/** A commit of a holder on a case that it claimed; when the case moved, only the entries in `outcomes` are stored. */
export function commitOf(
  stored: FoldedCase,
  at: number,
  entries: readonly Entry[],
  wishes: {
    readonly outcomes?: readonly Entry[];
    readonly isFreed?: boolean;
    readonly commitId?: string;
  } = {},
): HolderCommit {
  const { row } = stored;
  const commitId = wishes.commitId ?? newId();
  const keep = { kind: "keep", actWithinMs } as const;
  return {
    caseId: row.caseId,
    shard: row.shard,
    commitId,
    claimId: row.claim?.claimId ?? "none",
    revision: row.revision,
    lineage: row.lineage,
    current: writeOf(stored, commitId, entries, wishes.isFreed === true ? { kind: "free" } : keep, at),
    moved: (missed) =>
      writeOf(
        { state: foldEntries(stored.state, missed) },
        commitId,
        wishes.outcomes ?? [],
        wishes.isFreed === true ? { kind: "free" } : keep,
        at,
      ),
  };
}

export function newHolder(wishes: Partial<NewHolder> = {}): NewHolder {
  return {
    holderId: newId(),
    kind: "worker",
    name: "w-1",
    host: "localhost",
    build: "test",
    leaseMs: 3_000,
    caseTypes: [{ name: "purchase", version: 1 }],
    destinations: [],
    ...wishes,
  };
}
