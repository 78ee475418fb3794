/** Goes through every seal and compares it with what is stored now. Reads only; what is written meanwhile does no harm. */

import type { Digest } from "../core/basis.ts";
import { ERASE_ACT } from "../core/erasure.ts";
import { isJsonObject, type Json } from "../core/json.ts";
import {
  checkEnd,
  checkErased,
  checkHead,
  checkLines,
  checkLink,
  checkRange,
  FIRST_HEAD,
  headOf,
  SealedSoFar,
  type SealedEntry,
  type Seal,
  type SealFinding,
  type SealHead,
} from "../core/seal.ts";
import {
  AUDIT_LINES_MAX,
  SEAL_RANGES_MAX,
  type CasePlace,
  type RevisionRange,
  type UnsealedCount,
  type UnsealedPage,
} from "../store/audit-port.ts";
import type { Store } from "../store/port.ts";

/** Seals read at once. */
const SEALS_AT_ONCE = 20;
/** Cases looked at in one statement, and entries of one that no seal covers yet. */
const CASES_AT_ONCE = 1_000;
const TAIL_MAX = 1_000;
/** Findings that are told; whoever changed more is found out all the same. */
const FINDINGS_MAX = 1_000;

/** What verifying found. */
export interface AuditVerdict {
  /** At most 1,000, by shard and seal; empty = everything sealed is as it was. */
  readonly findings: readonly SealFinding[];
  readonly seals: number;
  readonly entries: number;
  readonly lines: number;
  /** How many of these were erased since, by an erasure that is on record. */
  readonly erased: number;
  /** What no seal covers yet: nobody can tell whether that was changed. */
  readonly unsealed: UnsealedCount;
}

/** What verifying works with. */
export interface VerifyParts {
  readonly store: Pick<Store, "audit">;
  readonly digest: Digest;
  /** Heads that were exported before; none = a chain that was cut or made anew from its beginning is not found. */
  readonly exported: readonly SealHead[];
  /** Told how many seals of how many were looked at; left out = nobody is. */
  readonly onSeals?: (looked: number, of: number) => void;
}

interface Tally {
  readonly findings: SealFinding[];
  seals: number;
  entries: number;
  lines: number;
  erased: number;
}

/** Verifies all seals. */
export async function verifyAudit(parts: VerifyParts): Promise<AuditVerdict> {
  const { audit } = parts.store;
  const tally: Tally = { findings: [], seals: 0, entries: 0, lines: 0, erased: 0 };
  const heads = await audit.readHeads();
  const of = heads.reduce((sum, { sealNo }) => sum + sealNo, 0);
  const looking = { ...parts, onSeals: (looked: number) => parts.onSeals?.(looked, of) };
  for (const head of heads) await verifyShard(looking, head, tally);
  tally.findings.push(...(await missingTails(parts)));
  return {
    ...tally,
    findings: tally.findings.slice(0, FINDINGS_MAX),
    unsealed: await audit.countUnsealed(),
  };
}

/** The same, where the number of all seals is known. */
type Looking = Omit<VerifyParts, "onSeals"> & { readonly onSeals: (looked: number) => void };

async function verifyShard(parts: Looking, told: SealHead, tally: Tally): Promise<void> {
  const { shard } = told;
  const { audit } = parts.store;
  const exported = parts.exported.find((one) => one.shard === shard) ?? null;
  const soFar = new SealedSoFar();
  const erased = new Set<string | null>();
  let last: SealHead = { shard, sealNo: 0, hash: FIRST_HEAD };
  let atExported: SealHead | null = null;
  // The head was read first: what is sealed meanwhile is left for the next time.
  while (last.sealNo < told.sealNo && tally.findings.length < FINDINGS_MAX) {
    const seals = await audit.readSeals(shard, last.sealNo, SEALS_AT_ONCE);
    const known = seals.filter(({ sealNo }) => sealNo <= told.sealNo);
    if (known.length === 0) break;
    for (const seal of known) {
      tally.findings.push(...checkLink(last, seal, parts.digest), ...soFar.take(seal));
      await verifySeal(parts, seal, tally, erased);
      last = headOf(seal);
      if (last.sealNo === exported?.sealNo) atExported = last;
    }
    parts.onSeals(tally.seals);
  }
  // Enough was found; what would be said of an end that was not read is not known.
  if (tally.findings.length >= FINDINGS_MAX) return;
  tally.findings.push(...checkEnd(last, told));
  const differs = exported === null ? null : checkHead(exported, atExported);
  if (differs !== null) tally.findings.push(differs);
  for (const caseId of erased) await verifyErased(parts, { shard, caseId }, tally);
  tally.findings.push(...(await strays(parts, shard)));
}

/** Takes note of the cases that have rows which say that they were erased. */
async function verifySeal(
  { store, digest }: Looking,
  seal: Seal,
  tally: Tally,
  erased: Set<string | null>,
): Promise<void> {
  const { shard, sealNo, body } = seal;
  tally.seals += 1;
  for (let start = 0; start < body.ranges.length; start += SEAL_RANGES_MAX) {
    const ranges = body.ranges.slice(start, start + SEAL_RANGES_MAX);
    const entries = await readByCase(store, shard, ranges);
    for (const range of ranges) {
      const own = entries.get(range.caseId) ?? [];
      tally.entries += own.length;
      if (own.some(({ sealedAs }) => sealedAs !== null)) erased.add(range.caseId);
      tally.findings.push(...checkRange(seal, range, own, digest));
    }
  }
  const lines = await store.audit.readSealedLines(shard, sealNo);
  tally.lines += lines.length;
  for (const line of lines) if (line.sealedAs !== null) erased.add(line.caseId);
  tally.findings.push(...checkLines(seal, body.lines, lines, digest));
}

/** What says that it was erased counts as sealed only where an erasure on record left it so. */
async function verifyErased(
  { store: { audit }, digest }: VerifyParts,
  of: { readonly shard: number; readonly caseId: string | null },
  tally: Tally,
): Promise<void> {
  const { caseId } = of;
  const rows = caseId === null ? { entries: [], lines: [] } : await audit.readErased(caseId);
  const done = caseId === null ? [] : await listErasures(audit, caseId);
  const finding = checkErased(of, rows, done, digest);
  if (finding === null) tally.erased += rows.entries.length + rows.lines.length;
  else tally.findings.push(finding);
}

/** The marks of what was erased of a case. */
async function listErasures(audit: VerifyParts["store"]["audit"], caseId: string): Promise<readonly Json[]> {
  const { lines } = await audit.list({ caseId, act: ERASE_ACT, outcome: "done", limit: AUDIT_LINES_MAX });
  return lines.map(({ after }) => (isJsonObject(after) ? (after["left"] ?? null) : null));
}

async function readByCase(
  { audit }: VerifyParts["store"],
  shard: number,
  ranges: readonly RevisionRange[],
): Promise<ReadonlyMap<string, readonly SealedEntry[]>> {
  const byCase = new Map<string, SealedEntry[]>();
  for (const entry of await audit.readRanges(shard, ranges)) {
    const own = byCase.get(entry.caseId);
    if (own === undefined) byCase.set(entry.caseId, [entry]);
    else own.push(entry);
  }
  return byCase;
}

/** What is not sealed yet may not be whole either: an entry that is missing is missing before any seal. */
async function missingTails({ store }: VerifyParts): Promise<readonly SealFinding[]> {
  const found: SealFinding[] = [];
  let place: CasePlace | null = null;
  do {
    const page: UnsealedPage = await store.audit.findUnsealed(place, CASES_AT_ONCE);
    for (const { shard, caseId, revision, sealedRevision } of page.cases) {
      const range = { caseId, from: sealedRevision + 1, to: Math.min(revision, sealedRevision + TAIL_MAX) };
      const entries = (await readByCase(store, shard, [range])).get(caseId) ?? [];
      const first = entries.findIndex((entry, index) => entry.revision !== range.from + index);
      const missing = first === -1 ? range.from + entries.length : range.from + first;
      if (missing <= range.to) found.push(notThere(shard, caseId, missing));
    }
    place = page.next;
  } while (place !== null && found.length < FINDINGS_MAX);
  return found;
}

function notThere(shard: number, caseId: string, revision: number): SealFinding {
  const sentence = `Entry ${revision} of case ${caseId} is not there, and was not sealed before.`;
  return { kind: "deleted", shard, sealNo: 0, at: { kind: "entry", caseId, revision }, sentence };
}

/** Entries that no commit wrote: the revision of their case does not know them. */
async function strays({ store }: VerifyParts, shard: number): Promise<readonly SealFinding[]> {
  const found = await store.audit.findStrays(shard, FINDINGS_MAX);
  return found.map(({ caseId, revision }): SealFinding => ({
    kind: "inserted",
    shard,
    sealNo: 0,
    at: { kind: "entry", caseId, revision },
    sentence: `Entry ${revision} of case ${caseId} lies beyond the revision of its case: no commit wrote it.`,
  }));
}
