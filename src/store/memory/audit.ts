/** Audit lines and seals of a memory store. Nothing of it outlives the process, so a body stands in the place of its hash. */

import type { Digest } from "../../core/basis.ts";
import { invariant } from "../../core/errors.ts";
import { canonicalJson, type Json } from "../../core/json.ts";
import {
  entryHash,
  FIRST_HEAD,
  headOf,
  lineHash,
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
  type AuditPage,
  type AuditStore,
  type CasePlace,
  type NewAuditLine,
  type RevisionRange,
  type StoredAuditLine,
  type UnsealedCase,
  type UnsealedCount,
  type UnsealedPage,
} from "../audit-port.ts";
import type { ErasedTexts } from "../erasure-port.ts";
import { SHARD_COUNT } from "../port.ts";
import type { MemoryCase } from "./cases.ts";
import { frozenCopy } from "./frozen.ts";

/** What the lines and seals are about. */
interface Sealing {
  readonly now: () => number;
  readonly cases: ReadonlyMap<string, MemoryCase>;
}

/** The audit of a memory store, and how the rest of it writes lines along with what they tell of. */
export class MemoryAudit {
  private readonly of: Sealing;
  private readonly lines = new Map<string, StoredAuditLine>();
  private readonly seals: readonly Seal[][] = Array.from({ length: SHARD_COUNT }, () => []);
  private readonly sealed = new Map<string, number>();
  /** What erased rows were sealed with: by case and revision, and by audit id. */
  private readonly sealedEntries = new Map<string, ReadonlyMap<number, string>>();
  private readonly sealedLines = new Map<string, string>();

  constructor(of: Sealing) {
    this.of = of;
  }

  add(line: NewAuditLine): void {
    if (this.lines.has(line.auditId)) return;
    this.lines.set(line.auditId, frozenCopy({ ...line, at: this.of.now(), sealNo: null }));
  }

  readonly store: AuditStore = {
    append: async (line) => this.add(line),
    list: async (filter) => this.list(filter),
    readHeads: async () => this.seals.map((_, shard) => this.head(shard)),
    findUnsealed: async (after, limit) => this.findUnsealed(after, limit),
    listUnsealedLines: async (limit) => this.unsealedLines().slice(0, limit),
    readRanges: async (_shard, ranges) => this.readRanges(ranges),
    readErased: async (caseId) => this.readErased(caseId),
    writeSeal: async (seal) => this.writeSeal(seal),
    readSeals: async (shard, after, limit) =>
      this.chain(shard)
        .filter(({ sealNo }) => sealNo > after)
        .slice(0, limit),
    readSealedLines: async (shard, sealNo) =>
      [...this.lines.values()]
        .filter((line) => shardOf(line) === shard && line.sealNo === sealNo)
        .toSorted((a, b) => (a.auditId < b.auditId ? -1 : 1))
        .map((line) => this.toSealed(line)),
    // Entries and rows are one thing here, so none can lie beyond the other.
    findStrays: async () => [],
    countUnsealed: async () => this.countUnsealed(),
  };

  private chain(shard: number): Seal[] {
    const chain = this.seals[shard];
    invariant(chain !== undefined, `there is no shard ${shard}`);
    return chain;
  }

  private head(shard: number): SealHead {
    const last = this.chain(shard).at(-1);
    return last === undefined ? { shard, sealNo: 0, hash: FIRST_HEAD } : headOf(last);
  }

  private list({ limit, after, ...filter }: AuditFilter): AuditPage {
    invariant(limit >= 1 && limit <= AUDIT_LINES_MAX, `a page of ${limit} audit lines was asked for`);
    const newestFirst = [...this.lines.values()].toReversed();
    const isFirstPage = after === undefined;
    const start = isFirstPage ? 0 : newestFirst.findIndex(({ auditId }) => auditId === after) + 1;
    // A cursor that is none of ours lies before everything.
    const rest = isFirstPage || start > 0 ? newestFirst.slice(start) : [];
    const found = rest.filter((line) => isMeant(line, filter));
    const lines = found.slice(0, limit);
    return { lines, next: found.length > limit ? (lines.at(-1)?.auditId ?? null) : null };
  }

  private unsealedCases(): readonly UnsealedCase[] {
    return [...this.of.cases.values()]
      .map(({ identity: { shard, caseId }, row: { revision } }) => ({
        shard,
        caseId,
        revision,
        sealedRevision: this.sealed.get(caseId) ?? 0,
      }))
      .toSorted((a, b) => a.shard - b.shard || (a.caseId < b.caseId ? -1 : 1));
  }

  private findUnsealed(after: CasePlace | null, limit: number): UnsealedPage {
    const rest = this.unsealedCases().filter(
      ({ shard, caseId }) =>
        after === null || shard > after.shard || (shard === after.shard && caseId > after.caseId),
    );
    const looked = rest.slice(0, limit);
    const last = looked.at(-1);
    return {
      cases: looked.filter(({ revision, sealedRevision }) => revision > sealedRevision),
      next: last === undefined || looked.length < limit ? null : { shard: last.shard, caseId: last.caseId },
    };
  }

  private unsealedLines(): readonly (SealedLine & { readonly shard: number })[] {
    return [...this.lines.values()]
      .filter(({ sealNo }) => sealNo === null)
      .toSorted((a, b) => a.at - b.at || (a.auditId < b.auditId ? -1 : 1))
      .map((line) => ({ shard: shardOf(line), ...this.toSealed(line) }));
  }

  private readRanges(ranges: readonly RevisionRange[]): readonly SealedEntry[] {
    invariant(ranges.length <= SEAL_RANGES_MAX, `${ranges.length} ranges of entries were asked for`);
    return ranges
      .toSorted((a, b) => (a.caseId < b.caseId ? -1 : 1))
      .flatMap(({ caseId, from, to }) =>
        (this.of.cases.get(caseId)?.journal ?? [])
          .filter(({ revision }) => revision >= from && revision <= to)
          .map(({ revision, at, commitId, entry }) => ({
            caseId,
            revision,
            facts: [at, commitId, entry.kind],
            // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON only, by types without index signature
            bodyHash: canonicalJson(entry as unknown as Json),
            isIntact: true,
            sealedAs: this.sealedEntries.get(caseId)?.get(revision) ?? null,
          })),
      );
  }

  /** Up to which revision a case is sealed, and how many lines about it are not. */
  sealedUpTo(caseId: string): { readonly sealedRevision: number; readonly unsealedLines: number } {
    const lines = this.linesOf(caseId).filter(({ sealNo }) => sealNo === null);
    return { sealedRevision: this.sealed.get(caseId) ?? 0, unsealedLines: lines.length };
  }

  /** In the order of their ids. */
  linesOf(caseId: string): readonly StoredAuditLine[] {
    return [...this.lines.values()]
      .filter((line) => line.caseId === caseId)
      .toSorted((a, b) => (a.auditId < b.auditId ? -1 : 1));
  }

  /** Erases the texts of lines, and keeps what these and the entries of the case are sealed with. Call it before they change. */
  erase(caseId: string, textsOf: (line: ErasedTexts) => ErasedTexts, digest: Digest): void {
    const entries = this.readRanges([{ caseId, from: 1, to: Number.MAX_SAFE_INTEGER }]);
    this.sealedEntries.set(
      caseId,
      new Map(entries.map((entry) => [entry.revision, entry.sealedAs ?? entryHash(entry, digest)])),
    );
    for (const line of this.linesOf(caseId)) {
      const sealed = this.toSealed(line);
      this.sealedLines.set(line.auditId, sealed.sealedAs ?? lineHash(sealed, digest));
      const { about, plan, why, sentence } = line;
      this.lines.set(line.auditId, frozenCopy({ ...line, ...textsOf({ about, plan, why, sentence }) }));
    }
  }

  readErased(caseId: string): ErasedRows {
    const entries = this.readRanges([{ caseId, from: 1, to: Number.MAX_SAFE_INTEGER }]);
    return {
      entries: entries.filter(({ sealedAs }) => sealedAs !== null),
      lines: this.linesOf(caseId)
        .map((line) => this.toSealed(line))
        .filter(({ sealedAs }) => sealedAs !== null),
    };
  }

  private toSealed(line: StoredAuditLine): SealedLine {
    return { ...toSealed(line), sealedAs: this.sealedLines.get(line.auditId) ?? null };
  }

  private writeSeal(seal: Seal): boolean {
    const { shard, sealNo, previous, body } = seal;
    const head = this.head(shard);
    if (head.sealNo !== sealNo - 1 || head.hash !== previous) return false;
    this.chain(shard).push(frozenCopy(seal));
    for (const { caseId, to } of body.ranges) this.sealed.set(caseId, to);
    for (const { auditId } of body.lines) {
      const line = this.lines.get(auditId);
      if (line?.sealNo === null) this.lines.set(auditId, Object.freeze({ ...line, sealNo }));
    }
    return true;
  }

  private countUnsealed(): UnsealedCount {
    const entries = this.unsealedCases().map(({ revision, sealedRevision }) => revision - sealedRevision);
    return { entries: entries.reduce((sum, one) => sum + one, 0), lines: this.unsealedLines().length };
  }
}

function isMeant(line: StoredAuditLine, filter: Omit<AuditFilter, "limit" | "after">): boolean {
  const { act, outcome, who, caseId, about, sinceAt, untilAt } = filter;
  return (
    (act === undefined || line.act === act) &&
    (outcome === undefined || line.outcome === outcome) &&
    (who === undefined || line.who === who || line.personId === who) &&
    (caseId === undefined || line.caseId === caseId) &&
    (about === undefined || line.about === about) &&
    (sinceAt === undefined || line.at >= sinceAt) &&
    (untilAt === undefined || line.at < untilAt)
  );
}

function shardOf({ caseId }: NewAuditLine): number {
  return caseId !== null && /^\d\d/.test(caseId) ? Number(caseId.slice(0, 2)) : HOUSE_SHARD;
}

function toSealed(line: StoredAuditLine): Omit<SealedLine, "sealedAs"> {
  const {
    auditId,
    why,
    sentence,
    before,
    after,
    at,
    act,
    outcome,
    code,
    who,
    personId,
    caseId,
    about,
    plan,
  } = line;
  return {
    auditId,
    caseId,
    facts: [at, act, outcome, code, who, personId, caseId, about, plan],
    bodyHash: canonicalJson({ why, sentence, before, after }),
    isIntact: true,
  };
}
