/**
 * Seals: what shows that somebody changed the database by hand. From time to time a job takes what was written since, makes a
 * seal over its hashes, and links it to the seal before, one chain for each shard. Whoever edits, deletes, adds or moves a
 * sealed row breaks its seal; whoever makes the seal anew breaks the link of the next one; and whoever makes the whole chain
 * anew ends at another head than the one that was exported. Bodies are sealed by their hashes alone, so that a body may be
 * erased later and the chain still holds.
 *
 * An entry's place is its revision, in which a case's commits stand one after the other whenever they end; an audit line's is
 * the seal that took it. So nothing is missed that was committed late. Pure; the hash is passed in.
 */

import type { Digest } from "./basis.ts";
import { canonicalJson, isJsonArray, isJsonObject, type Json, type JsonObject } from "./json.ts";

/** What a chain begins with. */
export const FIRST_HEAD: string = "0".repeat(64);
/** Characters of a row's own hash that a seal keeps, to tell which row is not as it was. */
const MARK_CHARS = 8;

/** A row as it is sealed: all of it but the place, and of the body the hash. */
interface SealedRow {
  /** Every column that must not change, in a fixed order. */
  readonly facts: readonly Json[];
  /** SHA-256 of the body, in hexadecimal, as the row says. */
  readonly bodyHash: string;
  /** False where the body is not what that hash says. */
  readonly isIntact: boolean;
  /** The hash that it was sealed with, before its contents were erased; null = they were not. */
  readonly sealedAs: string | null;
}

/** An entry of a journal. */
export interface SealedEntry extends SealedRow {
  readonly caseId: string;
  readonly revision: number;
}

/** An audit line. */
export interface SealedLine extends SealedRow {
  readonly auditId: string;
  /** Null where it is about no case. */
  readonly caseId: string | null;
}

/** Entries of one case in a seal, without a gap. */
export interface EntryRange {
  readonly caseId: string;
  readonly from: number;
  readonly to: number;
  /** Over all of them. */
  readonly hash: string;
  /** The first characters of each one's hash, one after the other. */
  readonly marks: string;
}

/** What a seal is over. */
export interface SealBody {
  readonly ranges: readonly EntryRange[];
  readonly lines: readonly { readonly auditId: string; readonly hash: string }[];
}

/** A seal. */
export interface Seal {
  readonly shard: number;
  /** 1 for the first of its shard, then without gaps. */
  readonly sealNo: number;
  readonly sealedAt: number;
  /** The hash of the seal before. */
  readonly previous: string;
  readonly body: SealBody;
  readonly hash: string;
}

/** Where the chain of a shard ends. */
export interface SealHead {
  readonly shard: number;
  /** 0 = nothing is sealed yet. */
  readonly sealNo: number;
  readonly hash: string;
}

/** What is not as it was sealed. */
export interface SealFinding {
  readonly kind:
    | "edited"
    | "deleted"
    | "inserted"
    | "moved"
    /** It was never sealed, though what came after it was. */
    | "gap"
    /** A seal itself is not as it was made, or not linked to the one before. */
    | "sealBroken"
    | "sealMissing"
    /** The chain ends before the exported head. */
    | "truncated"
    /** The chain has another seal in the place of the exported head. */
    | "headDiffers";
  readonly shard: number;
  readonly sealNo: number;
  /** The case or the audit line; null = the seal itself. */
  readonly at:
    | { readonly kind: "entry"; readonly caseId: string; readonly revision: number }
    | { readonly kind: "line"; readonly auditId: string }
    | null;
  readonly sentence: string;
}

/** The next seal of a chain. The entries stand in the order of their cases and revisions. */
export function makeSeal(
  head: SealHead,
  sealedAt: number,
  what: { readonly entries: readonly SealedEntry[]; readonly lines: readonly SealedLine[] },
  digest: Digest,
): Seal {
  const byCase = new Map<string, SealedEntry[]>();
  for (const entry of what.entries) {
    const entries = byCase.get(entry.caseId);
    if (entries === undefined) byCase.set(entry.caseId, [entry]);
    else entries.push(entry);
  }
  const ranges = [...byCase].map(([caseId, entries]) => rangeOf(caseId, entries, digest));
  const lines = what.lines.map((line) => ({ auditId: line.auditId, hash: lineHash(line, digest) }));
  const seal = {
    shard: head.shard,
    sealNo: head.sealNo + 1,
    sealedAt,
    previous: head.hash,
    body: { ranges, lines },
  };
  return { ...seal, hash: sealHash(seal, digest) };
}

function rangeOf(caseId: string, entries: readonly SealedEntry[], digest: Digest): EntryRange {
  const hashes = entries.map((entry) => entryHash(entry, digest));
  const revisions = entries.map(({ revision }) => revision);
  const range = { caseId, from: Math.min(...revisions), to: Math.max(...revisions) };
  return { ...range, hash: rangeHash(range, hashes, digest), marks: hashes.map(markOf).join("") };
}

function rangeHash(
  { caseId, from, to }: Pick<EntryRange, "caseId" | "from" | "to">,
  hashes: readonly string[],
  digest: Digest,
): string {
  return digest(canonicalJson(["range", caseId, from, to, hashes]));
}

/** Of an entry, without its place, so that one that was moved is known again. */
export function entryHash({ caseId, facts, bodyHash }: SealedEntry, digest: Digest): string {
  return digest(canonicalJson(["entry", caseId, facts, bodyHash]));
}

/** Of an audit line. */
export function lineHash({ auditId, facts, bodyHash }: SealedLine, digest: Digest): string {
  return digest(canonicalJson(["line", auditId, facts, bodyHash]));
}

function markOf(hash: string): string {
  return hash.slice(0, MARK_CHARS);
}

function splitMarks(marks: string): readonly string[] {
  return Array.from({ length: Math.ceil(marks.length / MARK_CHARS) }, (_, index) =>
    marks.slice(index * MARK_CHARS, (index + 1) * MARK_CHARS),
  );
}

function sealHash({ shard, sealNo, sealedAt, previous, body }: Omit<Seal, "hash">, digest: Digest): string {
  const ranges = body.ranges.map(({ caseId, from, to, hash, marks }) => [caseId, from, to, hash, marks]);
  const lines = body.lines.map(({ auditId, hash }) => [auditId, hash]);
  return digest(canonicalJson(["seal", shard, sealNo, sealedAt, previous, ranges, lines]));
}

/**
 * The body of a seal as a store gives it back. What somebody put in its place reads as a body too, though as another one, so
 * that the seal is found broken.
 */
export function readSealBody(value: Json): SealBody {
  const told = objectOf(value);
  return {
    ranges: arrayOf(told["ranges"]).map((one) => {
      const { caseId, from, to, hash, marks } = objectOf(one);
      return {
        caseId: textOf(caseId),
        from: numberOf(from),
        to: numberOf(to),
        hash: textOf(hash),
        marks: textOf(marks),
      };
    }),
    lines: arrayOf(told["lines"]).map((one) => {
      const { auditId, hash } = objectOf(one);
      return { auditId: textOf(auditId), hash: textOf(hash) };
    }),
  };
}

function objectOf(value: Json): JsonObject {
  return isJsonObject(value) ? value : {};
}

function arrayOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && isJsonArray(value) ? value : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: Json | undefined): number {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : 0;
}

/** The head that a seal makes. */
export function headOf({ shard, sealNo, hash }: Seal): SealHead {
  return { shard, sealNo, hash };
}

/** Whether a seal is what was made, and follows the one before. */
export function checkLink(head: SealHead, seal: Seal, digest: Digest): readonly SealFinding[] {
  const { shard, sealNo } = seal;
  const about = { shard, sealNo, at: null };
  const missing = Array.from({ length: Math.max(0, sealNo - head.sealNo - 1) }, (_, index): SealFinding => {
    const lost = head.sealNo + 1 + index;
    return { ...about, sealNo: lost, kind: "sealMissing", sentence: `Seal ${lost} is not there.` };
  });
  const isLinked = missing.length > 0 || seal.previous === head.hash;
  const isWhole = sealHash(seal, digest) === seal.hash;
  const broken = (sentence: string): SealFinding => ({ ...about, kind: "sealBroken", sentence });
  return [
    ...missing,
    ...(isLinked ? [] : [broken(`Seal ${sealNo} does not follow the seal before it.`)]),
    ...(isWhole ? [] : [broken(`Seal ${sealNo} is not as it was made.`)]),
  ];
}

/** A row and the seal that says what it must be. */
interface Sealed {
  readonly shard: number;
  readonly sealNo: number;
}

/** Compares the entries of a range, as they are now, with what was sealed. */
export function checkRange(
  { shard, sealNo }: Sealed,
  range: EntryRange,
  entries: readonly SealedEntry[],
  digest: Digest,
): readonly SealFinding[] {
  const { caseId, from, to } = range;
  const byRevision = new Map(entries.map((entry) => [entry.revision, entry]));
  const marks = splitMarks(range.marks);
  const finding = (
    revision: number,
    kind: "edited" | "deleted" | "moved",
    words: string,
  ): readonly SealFinding[] => [
    {
      shard,
      sealNo,
      kind,
      at: { kind: "entry", caseId, revision },
      sentence: `Entry ${revision} of case ${caseId} ${words}.`,
    },
  ];
  const hashes: string[] = [];
  const found = marks.flatMap((mark, index): readonly SealFinding[] => {
    const revision = from + index;
    const entry = byRevision.get(revision);
    if (entry === undefined) return finding(revision, "deleted", "is not there any more");
    const hash = entry.sealedAs ?? entryHash(entry, digest);
    hashes.push(hash);
    if (!entry.isIntact) return finding(revision, "edited", "has another body than its hash says");
    if (markOf(hash) === mark) return [];
    return marks.includes(markOf(hash))
      ? finding(revision, "moved", "is one that stood in another place")
      : finding(revision, "edited", "is not as it was sealed");
  });
  if (found.length > 0 || rangeHash({ caseId, from, to }, hashes, digest) === range.hash) return found;
  return finding(from, "edited", `or a later one up to ${to} is not as it was sealed`);
}

/** Compares the audit lines that say that they are in a seal with those that were sealed. */
export function checkLines(
  { shard, sealNo }: Sealed,
  sealed: SealBody["lines"],
  lines: readonly SealedLine[],
  digest: Digest,
): readonly SealFinding[] {
  const byId = new Map(lines.map((line) => [line.auditId, line]));
  const known = new Set(sealed.map(({ auditId }) => auditId));
  const finding = (auditId: string, kind: "edited" | "deleted" | "inserted", words: string): SealFinding => ({
    shard,
    sealNo,
    kind,
    at: { kind: "line", auditId },
    sentence: `Audit line ${auditId} ${words}.`,
  });
  const found = sealed.flatMap(({ auditId, hash }): readonly SealFinding[] => {
    const line = byId.get(auditId);
    if (line === undefined) return [finding(auditId, "deleted", "is not there any more, or not in its seal")];
    if (!line.isIntact) return [finding(auditId, "edited", "has another body than its hash says")];
    return (line.sealedAs ?? lineHash(line, digest)) === hash
      ? []
      : [finding(auditId, "edited", "is not as it was sealed")];
  });
  const added = lines.filter(({ auditId }) => !known.has(auditId));
  return [
    ...found,
    ...added.map(({ auditId }) => finding(auditId, "inserted", "says that it was sealed, and was not")),
  ];
}

/** What is left of a case after its data was erased. */
export interface ErasedRows {
  /** In the order of their revisions. */
  readonly entries: readonly SealedEntry[];
  /** In the order of their ids. */
  readonly lines: readonly SealedLine[];
}

/**
 * The digest that the audit line of an erasure holds: over what is left, and over the hashes that all of it was sealed with. It
 * shows that rows were erased by it, and not by hand.
 */
export function erasureMark({ entries, lines }: ErasedRows, digest: Digest): string {
  const left = [
    ...entries.map((one) => ["entry", one.revision, one.sealedAs, entryHash(one, digest)]),
    ...lines.map((one) => ["line", one.auditId, one.sealedAs, lineHash(one, digest)]),
  ];
  return digest(canonicalJson(["erasure", left]));
}

/** Compares what is left of an erased case with what its erasures say that they left. Null = one of them left it so. */
export function checkErased(
  { shard, caseId }: { readonly shard: number; readonly caseId: string | null },
  rows: ErasedRows,
  marks: readonly Json[],
  digest: Digest,
): SealFinding | null {
  const isLeftSo = [...rows.entries, ...rows.lines].every(({ isIntact }) => isIntact);
  if (isLeftSo && marks.includes(erasureMark(rows, digest))) return null;
  const [entry] = rows.entries;
  const [line] = rows.lines;
  const at: SealFinding["at"] =
    entry === undefined
      ? line === undefined
        ? null
        : { kind: "line", auditId: line.auditId }
      : { kind: "entry", caseId: entry.caseId, revision: entry.revision };
  const what = caseId === null ? "an audit line that is about no case" : `case ${caseId}`;
  const sentence =
    marks.length === 0
      ? `Something of ${what} stands as erased, and no erasure is on record.`
      : `What is left of ${what} is not as its erasure left it.`;
  return { kind: "edited", shard, sealNo: 0, at, sentence };
}

/** Up to which revision each case of a shard was sealed, as one seal after the other is read. */
export class SealedSoFar {
  readonly #revisions = new Map<string, number>();

  /** Takes a seal. A range that does not begin where the one before ended leaves entries without a seal, or has them twice. */
  take({ shard, sealNo, body }: Pick<Seal, "shard" | "sealNo" | "body">): readonly SealFinding[] {
    return body.ranges.flatMap(({ caseId, from, to }): readonly SealFinding[] => {
      const before = this.#revisions.get(caseId) ?? 0;
      this.#revisions.set(caseId, to);
      if (from === before + 1) return [];
      const sentence =
        from > before
          ? `Entries ${before + 1} to ${from - 1} of case ${caseId} were never sealed.`
          : `Entries ${from} to ${before} of case ${caseId} were sealed twice.`;
      return [{ shard, sealNo, kind: "gap", at: { kind: "entry", caseId, revision: before + 1 }, sentence }];
    });
  }
}

/** Compares the end of a chain, as it was read, with where the store says that it ends. */
export function checkEnd(last: SealHead, told: SealHead): readonly SealFinding[] {
  if (last.sealNo === told.sealNo && last.hash === told.hash) return [];
  const { shard, sealNo } = told;
  const sentence =
    last.sealNo < sealNo
      ? `Seals ${last.sealNo + 1} to ${sealNo} are not there.`
      : `Seal ${last.sealNo} is not the one that shard ${shard} is said to end with.`;
  return [{ shard, sealNo, at: null, kind: last.sealNo < sealNo ? "sealMissing" : "sealBroken", sentence }];
}

/** What may be known of a chain before it is read: its exported head. Null = as it should be. */
export function checkHead(exported: SealHead, found: SealHead | null): SealFinding | null {
  const { shard, sealNo } = exported;
  if (sealNo === 0 || found?.hash === exported.hash) return null;
  const about = { shard, sealNo, at: null };
  return found === null
    ? {
        ...about,
        kind: "truncated",
        sentence: `The chain of shard ${shard} ends before seal ${sealNo}, which was exported.`,
      }
    : {
        ...about,
        kind: "headDiffers",
        sentence: `Seal ${sealNo} of shard ${shard} is another one than was exported.`,
      };
}
