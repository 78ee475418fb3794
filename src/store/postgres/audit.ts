/** Audit lines and seals in PostgreSQL. */

import { invariant, type ErrorCode } from "../../core/errors.ts";
import { canonicalJson, type Json } from "../../core/json.ts";
import {
  readSealBody,
  type ErasedRows,
  type Seal,
  type SealedEntry,
  type SealedLine,
  type SealHead,
} from "../../core/seal.ts";
import {
  AUDIT_LINES_MAX,
  HOUSE_SHARD,
  SEAL_RANGES_MAX,
  type AuditFilter,
  type AuditOutcome,
  type AuditPage,
  type AuditStore,
  type CasePlace,
  type NewAuditLine,
  type RevisionRange,
  type StoredAuditLine,
  type UnsealedCount,
  type UnsealedPage,
} from "../audit-port.ts";
import { steadyMark } from "../../core/payload-codec.ts";
import type { ErasedTexts } from "../erasure-port.ts";
import { shardOf } from "./case-lock.ts";
import type { Database, Runner } from "./database.ts";
import { payloadPlace } from "./payload-places.ts";
import type { ReadPayload } from "./payloads.ts";
import { drawSalt } from "./system.ts";

/** Makes it over the store's own pool. */
export function postgresAudit(database: Database): AuditStore {
  return {
    append: (line) => database.guarded(() => addAuditLine(database, line)),
    list: (filter) => database.guarded(() => listLines(database, filter)),
    readHeads: () => database.guarded(() => database.run<HeadColumns>("list_seal_heads", []).then(toHeads)),
    findUnsealed: (after, limit) => database.guarded(() => findUnsealed(database, after, limit)),
    listUnsealedLines: (limit) =>
      database.guarded(async () => {
        const rows = await database.run<LineFacts>("list_unsealed_lines", [limit]);
        return rows.map((row) => ({ shard: row.shard, ...toSealedLine(row) }));
      }),
    readRanges: (shard, ranges) => database.guarded(() => readEntries(database, shard, ranges)),
    writeSeal: (seal) => database.guarded(() => writeSeal(database, seal)),
    readSeals: (shard, after, limit) =>
      database.guarded(async () => {
        const rows = await database.run<SealColumns>("read_seals", [shard, after, limit]);
        return rows.map(toSeal);
      }),
    readSealedLines: (shard, sealNo) =>
      database.guarded(async () => {
        const rows = await database.run<LineFacts>("read_sealed_lines", [shard, sealNo]);
        return rows.map(toSealedLine);
      }),
    readErased: (caseId) => database.guarded(() => readErased(database, caseId)),
    findStrays: (shard, limit) =>
      database.guarded(async () => {
        const rows = await database.run<StrayColumns>("find_strays", [shard, limit]);
        return rows.map(({ case_id: caseId, revision }) => ({ caseId, revision }));
      }),
    countUnsealed: () => database.guarded(() => countUnsealed(database)),
  };
}

/** Writes a line, by itself or in the transaction of what it tells of. */
export async function addAuditLine(runner: Runner, line: NewAuditLine): Promise<void> {
  const { auditId, act, outcome, code, who, personId, caseId, about, plan } = line;
  const { why, sentence, before, after } = line;
  const shard = caseId === null ? HOUSE_SHARD : (shardOf(caseId) ?? HOUSE_SHARD);
  const body = encodeLine({ why, sentence, before, after });
  const columns = [shard, auditId, act, outcome, code, who, personId, caseId, about, plan];
  const place = payloadPlace("audit", auditId);
  for (const stored of await runner.payloads.seal([{ place, bytes: body }], "json")) {
    await runner.run("add_audit_line", [...columns, stored.body, stored.codec]);
  }
}

/** What an audit line says beside its columns. */
type LineBody = Pick<NewAuditLine, "why" | "sentence" | "before" | "after">;

/** The body of a line. Nobody can guess an erased one from its hash: the salt is gone with it. */
export function encodeLine({ why, sentence, before, after }: LineBody): Buffer {
  return Buffer.from(canonicalJson({ why, sentence, before, after, salt: drawSalt() }));
}

function decodeLine(body: Buffer): LineBody {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `encodeLine`, by which all lines are written
  const { why, sentence, before, after } = JSON.parse(body.toString("utf8")) as LineBody;
  return { why, sentence, before, after };
}

interface LineColumns {
  readonly audit_id: string;
  readonly act: string;
  readonly outcome: AuditOutcome;
  readonly code: ErrorCode | null;
  readonly who: string | null;
  readonly person_id: string | null;
  readonly case_id: string | null;
  readonly about: string | null;
  readonly plan: string | null;
  readonly codec: string;
  readonly body: Buffer;
  readonly seal_no: number | null;
  readonly at: number;
  readonly at_us: number;
}

async function listLines(database: Database, filter: AuditFilter): Promise<AuditPage> {
  const { act, outcome, who, caseId, about, sinceAt, untilAt, limit, after } = filter;
  invariant(limit >= 1 && limit <= AUDIT_LINES_MAX, `a page of ${limit} audit lines was asked for`);
  const [at = null, id = null] = after === undefined ? [] : placeOf(after);
  const rows = await database.run<LineColumns>("list_audit_lines", [
    act ?? null,
    outcome ?? null,
    who ?? null,
    caseId ?? null,
    about ?? null,
    sinceAt ?? null,
    untilAt ?? null,
    at,
    id,
    limit + 1,
  ]);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? `${last.at_us}.${last.audit_id}` : null;
  const opened = await database.payloads.open(
    shown.map(({ audit_id: lineId, codec, body }) => ({ place: payloadPlace("audit", lineId), codec, body })),
  );
  return { lines: shown.map((row, index) => toLine(row, opened[index])), next };
}

/** A cursor that is none of ours lies before everything. */
function placeOf(cursor: string): readonly [number, string] {
  const [, at, id] = /^(\d{1,16})\.(.{1,100})$/.exec(cursor) ?? [];
  return at === undefined || id === undefined ? [0, ""] : [Number(at), id];
}

function toLine(row: LineColumns, opened: ReadPayload | undefined): StoredAuditLine {
  return {
    auditId: row.audit_id,
    at: row.at,
    act: row.act,
    outcome: row.outcome,
    code: row.code,
    who: row.who,
    personId: row.person_id,
    caseId: row.case_id,
    about: row.about,
    plan: row.plan,
    ...bodyOf(opened),
    sealNo: row.seal_no,
  };
}

/** A line whose body cannot be opened says so in its place: it must not take the others down. */
function bodyOf(opened: ReadPayload | undefined): LineBody {
  if (opened?.kind === "read") return decodeLine(opened.body);
  const sentence = `What became of it cannot be read: ${opened?.fault.what ?? "it was not opened"}.`;
  return { why: null, sentence, before: null, after: null };
}

interface HeadColumns {
  readonly shard: number;
  readonly seal_no: number;
  readonly hash: string;
}

function toHeads(rows: readonly HeadColumns[]): readonly SealHead[] {
  return rows.map(({ shard, seal_no: sealNo, hash }) => ({ shard, sealNo, hash }));
}

interface UnsealedColumns {
  readonly shard: number;
  readonly case_id: string;
  readonly revision: number;
  readonly sealed_revision: number;
  readonly looked_at: number;
}

async function findUnsealed(
  database: Database,
  after: CasePlace | null,
  limit: number,
): Promise<UnsealedPage> {
  const rows = await database.run<UnsealedColumns>("find_unsealed", [
    after?.shard ?? null,
    after?.caseId ?? null,
    limit,
  ]);
  const last = rows.at(-1);
  const isLast = last === undefined || last.looked_at < limit;
  return {
    cases: rows
      .map((row) => ({
        shard: row.shard,
        caseId: row.case_id,
        revision: row.revision,
        sealedRevision: row.sealed_revision,
      }))
      .filter(({ revision, sealedRevision }) => revision > sealedRevision),
    next: isLast ? null : { shard: last.shard, caseId: last.case_id },
  };
}

interface EntryFacts {
  readonly case_id: string;
  readonly revision: number;
  readonly kind: string;
  readonly step: string | null;
  readonly commit_id: string;
  readonly tenant: string;
  readonly definition_version: number;
  readonly engine_version: number;
  readonly credential_id: string | null;
  readonly codec: string;
  readonly source_id: string | null;
  readonly at_us: number;
  readonly body_hash: string;
  readonly is_intact: boolean;
  readonly sealed_as: string | null;
}

/** {@link AuditStore.readRanges}, also within a transaction. */
export async function readEntries(
  runner: Runner,
  shard: number,
  ranges: readonly RevisionRange[],
): Promise<readonly SealedEntry[]> {
  invariant(ranges.length <= SEAL_RANGES_MAX, `${ranges.length} ranges of entries were asked for`);
  const rows = await runner.run<EntryFacts>("read_ranges", [
    shard,
    ranges.map(({ caseId }) => caseId),
    ranges.map(({ from }) => from),
    ranges.map(({ to }) => to),
  ]);
  return rows.map((row) => ({
    caseId: row.case_id,
    revision: row.revision,
    // Seals that were made hold these in this order.
    facts: [
      row.at_us,
      row.kind,
      row.step,
      row.commit_id,
      row.tenant,
      row.definition_version,
      row.engine_version,
      row.credential_id,
      steadyMark(row.codec),
      row.source_id,
    ],
    bodyHash: row.body_hash,
    isIntact: row.is_intact,
    sealedAs: row.sealed_as,
  }));
}

interface LineFacts extends Omit<LineColumns, "body" | "seal_no" | "at" | "at_us"> {
  readonly shard: number;
  readonly codec: string;
  readonly at_us: number;
  readonly body_hash: string;
  readonly is_intact: boolean;
  readonly sealed_as: string | null;
}

function toSealedLine(row: LineFacts): SealedLine {
  return {
    auditId: row.audit_id,
    caseId: row.case_id,
    // Seals that were made hold these in this order.
    facts: [
      row.at_us,
      row.act,
      row.outcome,
      row.code,
      row.who,
      row.person_id,
      row.case_id,
      row.about,
      row.plan,
      steadyMark(row.codec),
    ],
    bodyHash: row.body_hash,
    isIntact: row.is_intact,
    sealedAs: row.sealed_as,
  };
}

/** An audit line about a case, as it is sealed and with what it says. */
export interface CaseLine extends Pick<NewAuditLine, "before" | "after"> {
  readonly sealed: SealedLine;
  readonly texts: ErasedTexts;
}

/** The audit lines about a case, in the order of their ids; `isErased`: only those that were erased. */
export async function readCaseLines(
  runner: Runner,
  {
    shard,
    caseId,
    isErased,
  }: { readonly shard: number; readonly caseId: string; readonly isErased: boolean },
): Promise<readonly CaseLine[]> {
  const rows = await runner.run<LineFacts & Pick<LineColumns, "body">>("read_case_lines", [
    shard,
    caseId,
    isErased,
  ]);
  const opened = await runner.payloads.open(
    rows.map(({ audit_id: lineId, codec, body }) => ({ place: payloadPlace("audit", lineId), codec, body })),
  );
  return rows.map((row, index) => {
    const { why, sentence, before, after } = bodyOf(opened[index]);
    const { about, plan } = row;
    return { sealed: toSealedLine(row), texts: { about, plan, why, sentence }, before, after };
  });
}

async function readErased(database: Database, caseId: string): Promise<ErasedRows> {
  const shard = shardOf(caseId);
  if (shard === null) return { entries: [], lines: [] };
  const [last] = await database.run<{ readonly revision: number }>("read_erased_entries", [shard, caseId]);
  const entries = await readEntries(database, shard, [{ caseId, from: 1, to: last?.revision ?? 0 }]);
  const lines = await readCaseLines(database, { shard, caseId, isErased: true });
  return { entries, lines: lines.map(({ sealed }) => sealed) };
}

async function writeSeal(database: Database, seal: Seal): Promise<boolean> {
  const { shard, sealNo, sealedAt, previous, hash, body } = seal;
  const rows = await database.run("write_seal", [
    shard,
    sealNo,
    sealedAt,
    previous,
    hash,
    JSON.stringify(body),
    body.ranges.map(({ caseId }) => caseId),
    body.ranges.map(({ to }) => to),
    body.lines.map(({ auditId }) => auditId),
  ]);
  return rows.length > 0;
}

interface SealColumns extends HeadColumns {
  readonly sealed_at: number;
  readonly previous: string;
  readonly body: Json;
}

function toSeal(row: SealColumns): Seal {
  const { shard, seal_no: sealNo, sealed_at: sealedAt, previous, hash } = row;
  return { shard, sealNo, sealedAt, previous, hash, body: readSealBody(row.body) };
}

interface StrayColumns {
  readonly case_id: string;
  readonly revision: number;
}

async function countUnsealed(database: Database): Promise<UnsealedCount> {
  const [row] = await database.run<UnsealedCount>("count_unsealed", []);
  return row ?? { entries: 0, lines: 0 };
}
