/** Erasing what a memory store keeps of a case. */

import type { Digest } from "../../core/basis.ts";
import { rowStanding } from "../../core/child-telling.ts";
import { erasureMark } from "../../core/seal.ts";
import type { CaseTraces, ErasureChange, ErasureStore, LockedErasable } from "../erasure-port.ts";
import type { StoredCase } from "../port.ts";
import type { MemoryAudit } from "./audit.ts";
import type { MemoryBulk } from "./bulk.ts";
import type { MemoryCase } from "./cases.ts";
import { frozenCopy, frozenJsonb } from "./frozen.ts";
import { eraseEvents, eventsOfCase, openWorkOn } from "./inbox-erasing.ts";
import type { MemoryInbox } from "./inbox-tables.ts";
import type { MemorySeconds } from "./seconds.ts";
import type { MemoryKeyPlaces } from "./key-places.ts";
import type { MemorySnapshots } from "./snapshots.ts";

/** What is erased. */
export interface ErasableMemory {
  now(): number;
  readonly cases: Map<string, MemoryCase>;
  readonly snapshots: MemorySnapshots;
  readonly audit: MemoryAudit;
  readonly bulk: MemoryBulk;
  readonly seconds: MemorySeconds;
  readonly keyPlaces: Pick<MemoryKeyPlaces, "erase">;
  readonly inbox: { readonly tables: MemoryInbox };
  loadCase(caseId: string): StoredCase | null;
  /** Puts a case in the place of the one that it was, which had another business key. */
  renameCase(erased: MemoryCase): void;
}

/** Makes it. */
export function memoryErasures(memory: ErasableMemory): ErasureStore {
  return {
    countTraces: async (caseId) => countTraces(memory, caseId),
    erase: async (caseId, digest, decide) => erase(memory, caseId, digest, decide),
  };
}

function countTraces(memory: ErasableMemory, caseId: string): CaseTraces | null {
  const stored = memory.loadCase(caseId);
  if (stored === null) return null;
  const { tables } = memory.inbox;
  const found = eventsOfCase(tables, caseId, stored.journal);
  const bodies = [...found.deliveries].filter((id) => tables.deliveries.get(id)?.stored.kept === "here");
  const keys = [...tables.linked.values()].filter((cases) => cases.has(caseId));
  return {
    entries: stored.row.revision,
    auditLines: memory.audit.linesOf(caseId).length,
    events: found.events.size,
    bodies: bodies.length,
    searchValues: (stored.row.summary.search ?? []).length + keys.length,
    seconds: memory.seconds.allOf(caseId).length,
    bulkActs: memory.bulk.with(caseId).length,
  };
}

function erase<Reply>(
  memory: ErasableMemory,
  caseId: string,
  digest: Digest,
  decide: (found: LockedErasable, now: number) => ErasureChange<Reply>,
): Reply | null {
  const stored = memory.loadCase(caseId);
  const before = memory.cases.get(caseId);
  if (stored === null || before === undefined) return null;
  const events = eventsOfCase(memory.inbox.tables, caseId, stored.journal);
  const { sealedRevision, unsealedLines } = memory.audit.sealedUpTo(caseId);
  const now = memory.now();
  const open = {
    unsealedLines,
    work: openWorkOn(memory.inbox.tables, events),
    seconds: memory.seconds.allOf(caseId).filter(({ state, endsAt }) => state === "open" && endsAt > now)
      .length,
    bulkActs: memory.bulk.with(caseId).filter(({ state }) => state !== "stopped" && state !== "done").length,
  };
  const change = decide({ ...stored, sealedRevision, open }, now);
  if (change.kind === "leave") return change.reply;
  memory.audit.erase(caseId, change.textsOf, digest);
  memory.renameCase(
    Object.freeze({
      ...before,
      identity: Object.freeze({ ...before.identity, businessKey: change.businessKey }),
      row: Object.freeze({ ...change.row, summary: frozenJsonb(change.row.summary) }),
      journal: Object.freeze(change.journal.map((one) => frozenCopy(one))),
      // It tells nobody anything any more.
      told: rowStanding({ state: change.row.state, hasReview: false }),
      changes: new Map([...before.changes].filter(([knownAs, commitId]) => knownAs === commitId)),
    }),
  );
  memory.snapshots.drop(caseId);
  memory.seconds.erase(caseId);
  memory.bulk.erase(caseId);
  memory.keyPlaces.erase(caseId);
  eraseEvents(memory.inbox.tables, caseId, events);
  memory.audit.add(change.lineOf(erasureMark(memory.audit.readErased(caseId), digest)));
  return change.reply;
}
