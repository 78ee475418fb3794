/** Erasing what is kept of a case, in one transaction under its lock. */

import type { Digest } from "../../core/basis.ts";
import { ERASED } from "../../core/erasure.ts";
import { foldJournal } from "../../core/fold.ts";
import type { JournalEntry } from "../../core/journal.ts";
import { entryHash, erasureMark, lineHash, type SealedEntry } from "../../core/seal.ts";
import type { CaseTraces, ErasureChange, ErasureStore, LockedErasable } from "../erasure-port.ts";
import type { StoredRow } from "../port.ts";
import { addAuditLine, encodeLine, readCaseLines, readEntries, type CaseLine } from "./audit.ts";
import { lockCase, shardOf } from "./case-lock.ts";
import { toEntries } from "./case-rows.ts";
import type { Database, Session } from "./database.ts";
import { summaryColumns } from "./entry-columns.ts";
import { encodeEntry, openEntries, type EntryColumns } from "./journal-codec.ts";

/** Makes it over the store's own pool. */
export function postgresErasures(database: Database): ErasureStore {
  return {
    countTraces: (caseId) => database.guarded(() => countTraces(database, caseId)),
    erase: (caseId, digest, decide) =>
      database.guarded(() =>
        database.transact("begin_change", (session) => erase(session, caseId, digest, decide)),
      ),
  };
}

interface TraceColumns {
  readonly entries: number;
  readonly audit_lines: number;
  readonly events: number;
  readonly bodies: number;
  readonly search_values: number;
  readonly seconds: number;
  readonly bulk_acts: number;
}

async function countTraces(database: Database, caseId: string): Promise<CaseTraces | null> {
  const shard = shardOf(caseId);
  if (shard === null) return null;
  const [row] = await database.run<TraceColumns>("count_traces", [shard, caseId]);
  if (row === undefined) return null;
  const { entries, audit_lines: auditLines, events, bodies, seconds } = row;
  const { search_values: searchValues, bulk_acts: bulkActs } = row;
  return { entries, auditLines, events, bodies, searchValues, seconds, bulkActs };
}

interface ErasableColumns {
  readonly sealed_revision: number;
  readonly unsealed_lines: number;
  readonly work: number;
  readonly seconds: number;
  readonly bulk_acts: number;
  readonly now: number;
}

async function erase<Reply>(
  session: Session,
  caseId: string,
  digest: Digest,
  decide: (found: LockedErasable, now: number) => ErasureChange<Reply>,
): Promise<Reply | null> {
  const shard = shardOf(caseId);
  const row = shard === null ? null : await lockCase(session, shard, caseId);
  if (row === null) return null;
  const rows = await session.run<EntryColumns>("read_journal", [row.shard, caseId, 0]);
  const journal = toEntries(row, 0, await openEntries(session.payloads, rows, () => caseId));
  const [known] = await session.run<ErasableColumns>("read_erasable", [row.shard, caseId]);
  if (known === undefined) return null;
  const { sealed_revision: sealedRevision, unsealed_lines: unsealedLines, now } = known;
  const { work, seconds, bulk_acts: bulkActs } = known;
  const open = { unsealedLines, work, seconds, bulkActs };
  const state = foldJournal(caseId, journal);
  const change = decide({ row, journal, state, sealedRevision, open }, now);
  if (change.kind === "erase") await writeErasure(session, row, digest, change);
  return change.reply;
}

async function writeErasure<Reply>(
  session: Session,
  row: StoredRow,
  digest: Digest,
  change: Extract<ErasureChange<Reply>, { kind: "erase" }>,
): Promise<void> {
  const { shard, caseId, revision } = row;
  const whole = [{ caseId, from: 1, to: revision }];
  const [sealed, lines] = [
    await readEntries(session, shard, whole),
    await readCaseLines(session, { shard, caseId, isErased: false }),
  ];
  // Before the journal: it says which events the case was told.
  await session.run("erase_events", [shard, caseId, ERASED]);
  await eraseJournal(session, row, { sealed, journal: change.journal, digest });
  await eraseLines(session, shard, lines, { change, digest });
  await session.run("erase_case", [shard, caseId, change.businessKey, ...summaryColumns(change.row), ERASED]);
  await session.run("erase_keys", [caseId, ERASED]);
  const left = {
    entries: await readEntries(session, shard, whole),
    lines: (await readCaseLines(session, { shard, caseId, isErased: true })).map((one) => one.sealed),
  };
  await addAuditLine(session, change.lineOf(erasureMark(left, digest)));
}

async function eraseJournal(
  session: Session,
  { shard, caseId }: StoredRow,
  {
    sealed,
    journal,
    digest,
  }: {
    readonly sealed: readonly SealedEntry[];
    readonly journal: readonly JournalEntry[];
    readonly digest: Digest;
  },
): Promise<void> {
  const encoded = journal.map(({ entry }) => encodeEntry(entry));
  await session.run("erase_journal", [
    shard,
    caseId,
    journal.map(({ revision }) => revision),
    encoded.map(({ step }) => step),
    journal.map(({ entry }) => ("sourceId" in entry ? entry.sourceId : null)),
    encoded.map(({ body }) => body),
    sealed.map((one) => one.sealedAs ?? entryHash(one, digest)),
  ]);
}

async function eraseLines<Reply>(
  session: Session,
  shard: number,
  lines: readonly CaseLine[],
  {
    change,
    digest,
  }: { readonly change: Extract<ErasureChange<Reply>, { kind: "erase" }>; readonly digest: Digest },
): Promise<void> {
  const erased = lines.map(({ texts, sealed, before, after }) => {
    const { about, plan, why, sentence } = change.textsOf(texts);
    const body = encodeLine({ why, sentence, before, after });
    return {
      auditId: sealed.auditId,
      about,
      plan,
      body,
      sealedAs: sealed.sealedAs ?? lineHash(sealed, digest),
    };
  });
  await session.run("erase_lines", [
    shard,
    erased.map(({ auditId }) => auditId),
    erased.map(({ about }) => about),
    erased.map(({ plan }) => plan),
    erased.map(({ body }) => body),
    erased.map(({ sealedAs }) => sealedAs),
  ]);
}
