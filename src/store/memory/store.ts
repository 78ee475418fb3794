/**
 * The memory store: the port in one process, for tests, simulations and trials. It stores and compares, and decides
 * nothing; each method is one step that nothing can come in between. Everything is gone with the process.
 */

import type { ToldStanding } from "../../core/child-telling.ts";
import { invariant, isFootholdError } from "../../core/errors.ts";
import type { ImportedCommit } from "../../core/imported-case.ts";
import { FIRST_LINEAGE } from "../../core/lineage.ts";
import type { CredentialState } from "../../core/refresh.ts";
import { isClaimable, type CaseSummary, type RestingState } from "../../core/row.ts";
import type { Entry } from "../../core/journal.ts";
import { holdsKey, keyFreedByIn, priorityIn } from "../../core/start-entry.ts";
import { takeTurns, type DueCase, type TurnGroup } from "../../core/turns.ts";
import type { CredentialChange } from "../destination-port.ts";
import {
  CLAIM_BATCH_MAX,
  type CaseChange,
  type ChangeId,
  type ChangeReply,
  type ClaimReply,
  type ClaimRequest,
  type FoldedCase,
  type HeldClaim,
  type InsertReply,
  type NewCase,
  type Store,
  type StoredCase,
  type StoredRow,
  type UnreadableCase,
} from "../port.ts";
import type { CallReply, CallRequest } from "../place-port.ts";
import type { ParentKnows, UntoldCase, UntoldRequest } from "../child-port.ts";
import {
  append,
  claimAfter,
  heldClaim,
  newClaim,
  orInvalid,
  storedRow,
  untoldCase,
  type MemoryCase,
} from "./cases.ts";
import { MemoryAudit } from "./audit.ts";
import { memoryBulk, MemoryBulk } from "./bulk.ts";
import { commitAll, commitOne, findCommit } from "./commit.ts";
import { countHeld, hastenHeld, MemoryDestinations } from "./destinations.ts";
import { memoryErasures } from "./erasures.ts";
import { frozenJsonb } from "./frozen.ts";
import { MemoryHolders, refill } from "./holders.ts";
import { MemoryKeyPlaces, type Wanted } from "./key-places.ts";
import { countCases, countFound, listCases, readPulse, takeable, type SeenNow } from "./listing.ts";
import { memoryInbox, type MemoryInboxServer } from "./inbox.ts";
import { memoryKeys } from "./keys.ts";
import { memoryMilestones } from "./milestones.ts";
import { memoryNotices } from "./notices.ts";
import { memoryPeople } from "./people.ts";
import { memorySamples } from "./samples.ts";
import { MemorySchedules } from "./schedules.ts";
import { memorySeconds } from "./seconds.ts";
import { MemorySnapshots } from "./snapshots.ts";
import { MemoryTransaction, type StagedStore } from "./step-transaction.ts";
import { systemNow } from "./system.ts";

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** The store's clock, epoch ms; the system's when left out. */
  readonly now?: () => number;
}

/** A memory store with a standby that lags behind it, for tests of what a failover loses. */
export interface MemoryServer {
  readonly store: Store;
  /** Takes what the standby has now; the function given makes that all there is. */
  readonly replicate: () => () => void;
}

/** A store in memory. */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  return memoryServer(options).store;
}

/** The same, with its standby. */
export function memoryServer(options: MemoryStoreOptions = {}): MemoryServer {
  const memory = new Memory(options.now ?? systemNow);
  return { store: storeOf(memory), replicate: () => memory.replicate() };
}

function storeOf(memory: Memory): Store {
  return {
    description: "memory (nothing is kept when this process ends)",
    migrate: async () => ({ applied: [], version: 0 }),
    checkSchema: async () => 0,
    now: async () => memory.now(),
    close: async () => memory.listeners.clear(),
    insertCase: async (start) => memory.insertCase(start),
    importCase: async (identity, commits) => memory.importCase(identity, commits),
    claimDue: async (request) => memory.claimDue(request),
    commit: async (commits) => commitAll(memory.cases, commits, memory.now()),
    begin: async () =>
      new MemoryTransaction(memory, (commit) => commitOne(memory.cases, commit, memory.now())),
    findCommit: async (commit) => findCommit(memory.cases, commit),
    changeCase: async (caseId, change, decide) => memory.changeCase(caseId, change, decide),
    setAside: async (caseId, claimId, summary) => memory.setAside(caseId, claimId, summary),
    loadCase: async (caseId) => memory.loadCase(caseId),
    loadRow: async (caseId) => memory.loadRow(caseId),
    listCases: async (filter) => listCases(memory.cases.values(), filter, memory.seen()),
    countFound: async (criteria, max) =>
      countFound(memory.cases.values(), criteria, { ...memory.seen(), max }),
    readPulse: async (caseIds) => readPulse(memory.cases, caseIds),
    countCases: async () => countCases(memory.cases.values(), memory.now()),
    registerHolder: async (holder) => {
      const now = memory.now();
      memory.holders.register(holder, now);
      return { now };
    },
    beat: async (holderId) => {
      const now = memory.now();
      if (!memory.holders.beat(holderId, now)) return { kind: "ended" };
      return { kind: "alive", now, claims: memory.claims().filter((claim) => claim.holderId === holderId) };
    },
    listHolders: async () => memory.holders.list(),
    endHolder: async (holderId, seenBeat) => memory.holders.end(holderId, seenBeat, memory.now()),
    forgetHolders: async (endedBefore) =>
      memory.holders.forget(endedBefore, new Set(memory.claims().map(({ holderId }) => holderId))),
    listClaims: async (limit) => memory.claims().slice(0, limit),
    changeCredential: async (credentialId, decide) => memory.changeCredential(credentialId, decide),
    readDestinations: async () => memory.destinations.read(memory.now(), memory.holders.senders()),
    changeDestination: async (id, decide) => memory.destinations.change(id, memory.now(), decide),
    forgetDestinations: async (changedBefore) => memory.destinations.forget(changedBefore),
    hastenHeld: async (request) => hastenHeld(memory.cases, request, memory.now()),
    countHeld: async () => countHeld(memory.cases.values(), memory.now()),
    listen: async (onHint) => memory.listen(onHint),
    children: {
      listUntold: async (request) => memory.listUntold(request),
      noteTold: async (caseId, standing, known) => memory.noteTold(caseId, standing, known),
    },
    inbox: memory.inbox.store,
    people: memoryPeople(() => memory.now(), memory.audit),
    bulk: memoryBulk(memory.bulk, () => memory.now()),
    audit: memory.audit.store,
    erasures: memoryErasures(memory),
    notices: memoryNotices({
      now: () => memory.now(),
      rows: () => [...memory.cases.values()].map(storedRow),
    }),
    keys: memoryKeys(),
    milestones: memoryMilestones(memory.cases),
    samples: memorySamples({
      now: () => memory.now(),
      rows: () => [...memory.cases.values()].map(storedRow),
      holders: () => memory.holders.list(),
    }),
    schedules: memory.schedules.store,
    seconds: memory.seconds,
    places: placesOf(memory),
  };
}

function placesOf(memory: Memory): Store["places"] {
  return {
    callNext: async (request) => memory.callNext(request),
    read: async (keys) => memory.keyPlaces.read(keys),
    forget: async (takenBefore) => memory.keyPlaces.forget(takenBefore),
  };
}

function startOf({ journal }: MemoryCase): readonly Entry[] {
  return journal.slice(0, 1).map(({ entry }) => entry);
}

function dueCaseOf(stored: MemoryCase): DueCase & { readonly stored: MemoryCase } {
  const { caseType, tenant } = stored.identity;
  return { caseType, tenant, dueAt: stored.row.dueAt ?? 0, priority: priorityIn(startOf(stored)), stored };
}

/** The groups in which anything has a time. */
function groupsOf(cases: Iterable<MemoryCase>): readonly TurnGroup[] {
  const groups = new Map<string, TurnGroup>();
  for (const { identity, row, claim } of cases) {
    const { caseType, tenant } = identity;
    if (claim === null && isClaimable(row, Infinity))
      groups.set(JSON.stringify([caseType, tenant]), { caseType, tenant });
  }
  return [...groups.values()];
}

const EMPTY = {
  lineage: FIRST_LINEAGE,
  claim: null,
  journal: [],
  told: "running",
  changes: new Map<string, string>(),
} as const;

/** Its parent may know of the end that a case comes back from, with no note of that: then it would stand as is noted. */
function toldAfter({ row, told }: MemoryCase, state: RestingState): ToldStanding {
  const [wasEnded, isEnded] = [row.state, state].map((one) => one === "done" || one === "canceled");
  return wasEnded === true && isEnded === false ? "telling" : told;
}

function keyOf({ tenant, caseType, businessKey }: NewCase["identity"]): string | null {
  return businessKey === null ? null : JSON.stringify([tenant, caseType, businessKey]);
}

class Memory implements StagedStore {
  readonly now: () => number;
  readonly cases = new Map<string, MemoryCase>();
  /** Case ids by tenant, type and business key: of several, the newest. */
  private readonly idsByKey = new Map<string, string>();
  readonly holders = new MemoryHolders();
  readonly seconds = memorySeconds(() => this.now());
  readonly bulk = new MemoryBulk(() => this.now());
  readonly schedules = new MemorySchedules(
    () => this.now(),
    (caseId) => this.cases.has(caseId),
  );
  readonly destinations = new MemoryDestinations();
  readonly snapshots = new MemorySnapshots();
  readonly keyPlaces = new MemoryKeyPlaces(this.cases);
  readonly listeners = new Set<() => void>();
  private readonly credentials = new Map<string, CredentialState>();
  readonly inbox: MemoryInboxServer;
  readonly audit: MemoryAudit;

  constructor(now: () => number) {
    this.now = now;
    this.inbox = memoryInbox(this);
    this.audit = new MemoryAudit(this);
  }

  knowsFact(caseId: string, sourceId: string | null): boolean {
    const stored = this.cases.get(caseId);
    return stored !== undefined && (sourceId === null || stored.changes.has(sourceId));
  }

  /** What lists are judged by beside rows. */
  seen(): SeenNow {
    return { holders: this.holders.list(), secondUntilAt: this.seconds.untilAt, now: this.now() };
  }

  /** What is stored is frozen, so a copy of the maps is a copy of all. */
  replicate(): () => void {
    const [cases, idsByKey] = [[...this.cases], [...this.idsByKey]];
    const credentials = [...this.credentials];
    const failOvers = [this.holders, this.destinations, this.schedules, this.inbox, this.keyPlaces].map(
      (one) => one.replicate(),
    );
    return () => {
      refill(this.credentials, credentials);
      refill(this.cases, cases);
      refill(this.idsByKey, idsByKey);
      for (const failOver of failOvers) failOver();
    };
  }

  /** What a start would find; null = nothing is in its way. */
  findStart({ identity, commitId }: NewCase): InsertReply | null {
    const taken = this.cases.get(identity.caseId);
    if (taken?.journal[0]?.commitId === commitId) return { kind: "repeated" };
    const key = keyOf(identity);
    const named = key === null ? undefined : this.idsByKey.get(key);
    if (named !== undefined && this.holdsKey(named)) return { kind: "exists", caseId: named };
    return taken === undefined ? null : { kind: "idTaken" };
  }

  insertCase(start: NewCase): InsertReply {
    const found = this.findStart(start);
    if (found !== null) return found;
    const { identity, claim, ...first } = start;
    const key = keyOf(identity);
    const now = this.now();
    const started = orInvalid("The case", identity.caseId, () =>
      append(
        { ...EMPTY, identity: Object.freeze({ ...identity }) },
        first,
        claim === null ? null : newClaim(claim, now),
      ),
    );
    this.cases.set(identity.caseId, started);
    if (key !== null) this.idsByKey.set(key, identity.caseId);
    this.hintIfDue(started, now);
    return { kind: "started" };
  }

  importCase(identity: NewCase["identity"], commits: readonly ImportedCommit[]): InsertReply {
    const [first, ...others] = commits;
    invariant(first !== undefined, `the import of case ${identity.caseId} has no commit`);
    const reply = this.insertCase({ identity, ...first, claim: null });
    const started = this.cases.get(identity.caseId);
    if (reply.kind !== "started" || started === undefined) return reply;
    const whole = others.reduce((before, commit) => append(before, commit, null), started);
    const facts = others.flatMap(({ sourceId, commitId }) =>
      sourceId === null ? [] : [[sourceId, commitId] as const],
    );
    this.cases.set(identity.caseId, { ...whole, changes: new Map(facts) });
    this.hintIfDue(whole, this.now());
    return reply;
  }

  renameCase(erased: MemoryCase): void {
    const { caseId } = erased.identity;
    for (const [key, named] of this.idsByKey) if (named === caseId) this.idsByKey.delete(key);
    this.cases.set(caseId, erased);
    const key = keyOf(erased.identity);
    if (key !== null) this.idsByKey.set(key, caseId);
  }

  private holdsKey(caseId: string): boolean {
    const stored = this.cases.get(caseId);
    return stored !== undefined && holdsKey(stored.row.state, keyFreedByIn(startOf(stored)));
  }

  claimDue(request: ClaimRequest): ClaimReply {
    const { claimIds, holderId, actWithinMs } = request;
    invariant(claimIds.length <= CLAIM_BATCH_MAX, `a claim of ${claimIds.length} cases was asked for`);
    const now = this.now();
    const dueBy = request.now ?? now;
    const cases = takeable(this.cases.values(), request);
    const { taken: due, sharedTo } = takeTurns(
      cases.filter(({ row }) => isClaimable(row, dueBy)).map(dueCaseOf),
      {
        places: claimIds.length,
        shared: request.share?.places ?? 0,
        after: request.share?.after ?? null,
        groups: request.share === undefined ? [] : groupsOf(this.cases.values()),
      },
    );
    const wanted = due.flatMap(({ stored }, index): readonly Wanted[] => {
      const claimId = claimIds[index];
      return claimId === undefined ? [] : [{ stored, claimId }];
    });
    const claimed = this.keyPlaces.take(wanted, request, now).map(({ stored: one, claimId }) => {
      const row = { ...one.row, dueAt: one.heldSinceAt ?? one.row.dueAt };
      const claim = newClaim({ claimId, holderId, actWithinMs }, now);
      const taken = { ...one, row, heldSinceAt: null, claim };
      this.cases.set(one.identity.caseId, taken);
      return taken;
    });
    const next = cases.find(({ row }) => !isClaimable(row, dueBy));
    const isFull = wanted.length > 0 && (wanted.length === claimIds.length || claimed.length < wanted.length);
    const nextDueAt = isFull ? now : (next?.row.dueAt ?? null);
    const after = claimed.length === 0 ? null : sharedTo;
    return { ...this.foldAll(claimed), nextDueAt, sharedTo: after, now };
  }

  callNext(request: CallRequest): CallReply {
    const reply = this.keyPlaces.callNext(request, this.now());
    if (reply.called > 0) this.hint();
    return reply;
  }

  private foldAll(claimed: readonly MemoryCase[]): Pick<ClaimReply, "cases" | "unreadable"> {
    const cases: FoldedCase[] = [];
    const unreadable: UnreadableCase[] = [];
    for (const one of claimed) {
      try {
        cases.push(this.folded(one));
      } catch (fault) {
        if (!isFootholdError(fault)) throw fault;
        unreadable.push({ row: storedRow(one), fault });
      }
    }
    return { cases, unreadable };
  }

  private folded(one: MemoryCase): FoldedCase {
    return Object.freeze({ row: storedRow(one), state: this.snapshots.stateOf(one) });
  }

  changeCase<Reply>(
    caseId: string,
    { commitId, sourceId }: ChangeId,
    decide: (stored: FoldedCase, now: number) => CaseChange<Reply>,
  ): ChangeReply<Reply> | null {
    const stored = this.cases.get(caseId);
    if (stored === undefined) return null;
    const knownAs = sourceId ?? commitId;
    const knownBy = stored.changes.get(knownAs);
    if (knownBy !== undefined) return { kind: knownBy === commitId ? "repeated" : "known" };
    const now = this.now();
    const found = this.folded(stored);
    if (found.state.erased !== undefined) return { kind: "erased" };
    const change = decide(found, now);
    switch (change.kind) {
      case "leave":
        return { kind: "decided", reply: change.reply };
      case "write": {
        const claim = claimAfter(stored.claim, change.claim, now);
        const changes =
          change.entries.length === 0 ? stored.changes : new Map([...stored.changes, [knownAs, commitId]]);
        const told = toldAfter(stored, change.row.state);
        const changed = orInvalid("The change", caseId, () =>
          append({ ...stored, told, changes }, change, claim),
        );
        this.cases.set(caseId, changed);
        if (change.line !== undefined) this.audit.add(change.line);
        this.hintIfDue(changed, now);
        return { kind: "decided", reply: change.reply };
      }
    }
  }

  changeCredential<Reply>(credentialId: string, decide: CredentialChange<Reply>): Reply {
    const { state, reply } = decide(this.credentials.get(credentialId) ?? null, this.now());
    if (state !== null) this.credentials.set(credentialId, frozenJsonb(state));
    return reply;
  }

  setAside(caseId: string, claimId: string | null, summary: CaseSummary): boolean {
    const stored = this.cases.get(caseId);
    if (stored === undefined || (stored.claim?.claimId ?? null) !== claimId) return false;
    const row = { ...stored.row, state: "in_review", dueAt: null, summary: frozenJsonb(summary) } as const;
    this.cases.set(caseId, { ...stored, row, heldSinceAt: null, claim: null });
    return true;
  }

  listUntold({ limit, unchangedMs }: UntoldRequest): readonly UntoldCase[] {
    const changedBy = this.now() - unchangedMs;
    return [...this.cases.values()]
      .filter(({ row }) => row.summary.parent !== undefined && row.changedAt <= changedBy)
      .toSorted((one, other) => one.row.changedAt - other.row.changedAt)
      .map(untoldCase)
      .filter((one) => one !== null)
      .slice(0, limit);
  }

  noteTold(caseId: string, standing: ToldStanding, known: ParentKnows): void {
    const stored = this.cases.get(caseId);
    const parentId = stored?.row.summary.parent?.caseId;
    if (stored === undefined || parentId === undefined || !this.#doesKnow(parentId, known)) return;
    this.cases.set(caseId, { ...stored, told: standing });
  }

  #doesKnow(parentId: string, known: ParentKnows): boolean {
    switch (known.kind) {
      case "told":
        return this.knowsFact(parentId, known.sourceId);
      case "ended": {
        const state = this.cases.get(parentId)?.row.state;
        return state === "done" || state === "canceled";
      }
      case "nothing":
        return true;
    }
  }

  /** What a change would be told, with nothing changed. */
  tryChange<Reply>(
    caseId: string,
    { commitId, sourceId }: ChangeId,
    decide: (stored: FoldedCase, now: number) => CaseChange<Reply>,
  ): ChangeReply<Reply> | null {
    const stored = this.cases.get(caseId);
    if (stored === undefined) return null;
    const knownBy = stored.changes.get(sourceId ?? commitId);
    if (knownBy !== undefined) return { kind: knownBy === commitId ? "repeated" : "known" };
    const found = this.folded(stored);
    if (found.state.erased !== undefined) return { kind: "erased" };
    return { kind: "decided", reply: decide(found, this.now()).reply };
  }

  /** The case with a business key, of several the newest; null = there is none. */
  findCase(tenant: string, caseType: string, businessKey: string): string | null {
    return this.idsByKey.get(JSON.stringify([tenant, caseType, businessKey])) ?? null;
  }

  /** Tells listeners that something may be due, later, so that whoever listens finds the change done. */
  hint(): void {
    for (const listener of this.listeners) queueMicrotask(listener);
  }

  loadCase(caseId: string): StoredCase | null {
    const stored = this.cases.get(caseId);
    return stored === undefined ? null : Object.freeze({ ...this.folded(stored), journal: stored.journal });
  }

  loadRow(caseId: string): StoredRow | null {
    const stored = this.cases.get(caseId);
    return stored === undefined ? null : storedRow(stored);
  }

  claims(): readonly HeldClaim[] {
    const claims = [...this.cases.values()].map(heldClaim).filter((claim) => claim !== null);
    return claims.toSorted((a, b) => (a.caseId < b.caseId ? -1 : 1));
  }

  listen(onHint: () => void): () => Promise<void> {
    // One that is given twice is two listeners.
    const listener = (): void => onHint();
    this.listeners.add(listener);
    return async () => {
      this.listeners.delete(listener);
    };
  }

  private hintIfDue({ row, claim }: MemoryCase, now: number): void {
    if (claim === null && isClaimable(row, now)) this.hint();
  }
}
