/**
 * Seals what was written since, in batches, off every path that somebody waits on (core/seal.ts). It walks over all cases
 * and compares what each holds with what is sealed of it, so that nothing is missed, however late it was committed. Several
 * sealers do no harm: each adds to a chain only where it still ends as that sealer saw it before it looked.
 */

import { headOf, makeSeal, type SealedEntry, type SealedLine, type SealHead } from "../core/seal.ts";
import type { Ports } from "../core/ports.ts";
import {
  SEAL_RANGES_MAX,
  type CasePlace,
  type RevisionRange,
  type UnsealedCase,
} from "../store/audit-port.ts";
import type { Store } from "../store/port.ts";

/** How often to seal, in ms. */
const SEAL_EVERY_MS = 10_000;
/** Cases looked at in one statement. */
const LOOK_CASES = 1_000;
/** Statements of that kind in one pass: 10,000 cases, so that a million are gone round in less than 20 minutes. */
const LOOKS_MAX = 10;
/** Entries and lines in one seal. */
const SEAL_ROWS_MAX = 2_000;
/** Seals of one shard in one pass; what is left comes with the next. */
const SEALS_MAX = 20;

/** Passes that seal everything: a thousand times what one looks at. */
const PASSES_MAX = 1_000;

/** What a sealer is made of. */
export interface SealerOptions {
  readonly store: Pick<Store, "audit" | "now">;
  readonly ports: Pick<Ports, "clock" | "digest">;
  /** Told of a pass that failed. The next one is made all the same. */
  readonly onError: (error: unknown) => void;
}

/** What a pass did. */
export interface SealReport {
  readonly seals: number;
  readonly entries: number;
  readonly lines: number;
}

/** Seals from time to time. */
export interface Sealer {
  start(): void;
  /** Ends after the pass under way. Safe twice. */
  stop(): Promise<void>;
  /** Goes on from where the last pass ended. */
  sealOnce(): Promise<SealReport>;
}

/** Makes a sealer; nothing runs before `start` or `sealOnce`. */
export function createSealer(options: SealerOptions): Sealer {
  const { clock } = options.ports;
  const stopped = new AbortController();
  let loop: Promise<void> | null = null;
  let place: CasePlace | null = null;
  const sealOnce = async (): Promise<SealReport> => {
    const pass = await sealPass(options, place);
    ({ place } = pass);
    return pass.report;
  };
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      try {
        await sealOnce();
      } catch (error) {
        options.onError(error);
      }
      await clock.sleep(SEAL_EVERY_MS, stopped.signal);
    }
  };
  return {
    start: () => {
      loop ??= run();
    },
    stop: async () => {
      stopped.abort();
      await loop;
    },
    sealOnce,
  };
}

/** Seals everything that is there when it begins. For commands, tests, and whoever exports heads. */
export async function sealAll(options: Omit<SealerOptions, "onError">): Promise<SealReport> {
  let report: SealReport = { seals: 0, entries: 0, lines: 0 };
  let place: CasePlace | null = null;
  for (let count = 0; count < PASSES_MAX; count += 1) {
    const pass: SealPass = await sealPass(options, place);
    report = added(report, pass.report);
    ({ place } = pass);
    if (place === null && pass.report.seals === 0) break;
  }
  return report;
}

/** Makes the seals that a case and the audit lines about it lack, with other lines that no seal took yet. */
export async function sealCase(
  { store, ports }: Omit<SealerOptions, "onError">,
  { caseId, revision, sealedRevision }: Omit<UnsealedCase, "shard">,
): Promise<void> {
  const heads = await store.audit.readHeads();
  const lines = await store.audit.listUnsealedLines(SEAL_ROWS_MAX);
  for (const head of heads) {
    const isItsOwn = caseId.startsWith(String(head.shard).padStart(2, "0"));
    await sealShard({ store, ports }, head, {
      cases:
        isItsOwn && revision > sealedRevision
          ? [{ shard: head.shard, caseId, revision, sealedRevision }]
          : [],
      lines: lines.filter(({ shard }) => shard === head.shard),
    });
  }
}

interface SealPass {
  readonly report: SealReport;
  /** Where the next pass goes on; null = from the first case. */
  readonly place: CasePlace | null;
}

async function sealPass(
  { store, ports }: Omit<SealerOptions, "onError">,
  from: CasePlace | null,
): Promise<SealPass> {
  let report: SealReport = { seals: 0, entries: 0, lines: 0 };
  let place = from;
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    // Before anything is looked for: whatever another sealer takes from now on moves a head, and then ours is not added.
    const heads = await store.audit.readHeads();
    const lines = await store.audit.listUnsealedLines(SEAL_ROWS_MAX);
    const found = await store.audit.findUnsealed(place, LOOK_CASES);
    for (const head of heads) {
      const done = await sealShard({ store, ports }, head, {
        cases: found.cases.filter(({ shard }) => shard === head.shard),
        lines: lines.filter(({ shard }) => shard === head.shard),
      });
      report = added(report, done);
    }
    place = found.next;
    if (place === null) break;
  }
  return { report, place };
}

/** Seals what was found of one shard, as many entries of each case as have room. */
async function sealShard(
  { store, ports }: Omit<SealerOptions, "onError">,
  head: SealHead,
  what: { readonly cases: readonly UnsealedCase[]; readonly lines: readonly SealedLine[] },
): Promise<SealReport> {
  let report: SealReport = { seals: 0, entries: 0, lines: 0 };
  let [last, cases, lines] = [head, what.cases, what.lines];
  for (let count = 0; count < SEALS_MAX && cases.length + lines.length > 0; count += 1) {
    const { ranges, rest } = takeRanges(cases);
    const entries = ranges.length === 0 ? [] : await readWhole(store, head.shard, ranges);
    if (entries.length + lines.length === 0) return report;
    const sealedAt = await store.now();
    const seal = makeSeal(last, sealedAt, { entries, lines }, ports.digest);
    if (!(await store.audit.writeSeal(seal))) return report;
    report = added(report, { seals: 1, entries: entries.length, lines: lines.length });
    const ends = new Map(seal.body.ranges.map(({ caseId, to }) => [caseId, to]));
    // One of which an entry is missing is sealed no further.
    cases = rest.filter(
      ({ caseId, sealedRevision }) => (ends.get(caseId) ?? sealedRevision) === sealedRevision,
    );
    [last, lines] = [headOf(seal), []];
  }
  return report;
}

/** The next ranges, up to the rows of one seal, and what is left of the cases. */
function takeRanges(cases: readonly UnsealedCase[]): {
  readonly ranges: readonly RevisionRange[];
  readonly rest: readonly UnsealedCase[];
} {
  const ranges: RevisionRange[] = [];
  const rest: UnsealedCase[] = [];
  let room = SEAL_ROWS_MAX;
  for (const one of cases) {
    const count = Math.min(room, one.revision - one.sealedRevision);
    const isFull = count === 0 || ranges.length === SEAL_RANGES_MAX;
    const to = isFull ? one.sealedRevision : one.sealedRevision + count;
    if (!isFull) ranges.push({ caseId: one.caseId, from: one.sealedRevision + 1, to });
    if (to < one.revision) rest.push({ ...one, sealedRevision: to });
    room -= to - one.sealedRevision;
  }
  return { ranges, rest };
}

/** What is missing in a range is not sealed over: up to there it is, and verifying then tells what is not there. */
async function readWhole(
  store: Pick<Store, "audit">,
  shard: number,
  ranges: readonly RevisionRange[],
): Promise<readonly SealedEntry[]> {
  const entries = await store.audit.readRanges(shard, ranges);
  const nextOf = new Map(ranges.map(({ caseId, from }) => [caseId, from]));
  return entries.filter(({ caseId, revision }) => {
    const isNext = nextOf.get(caseId) === revision;
    if (isNext) nextOf.set(caseId, revision + 1);
    return isNext;
  });
}

function added(one: SealReport, other: SealReport): SealReport {
  return {
    seals: one.seals + other.seals,
    entries: one.entries + other.entries,
    lines: one.lines + other.lines,
  };
}
