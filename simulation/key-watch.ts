/** Cases of one key: never more at once than the limit, and none waits while a place is free. */

import type { ConcurrencyOutline } from "../src/core/concurrency-outline.ts";
import type { ClaimReply, StoredCase } from "../src/store/port.ts";
import type { Violation } from "./journal-rules.ts";
import { SeededRandom } from "./random.ts";
import type { CaseWatch } from "./world.ts";

/** How long a place may be free in a good world while a case waits for it, in virtual ms: some passes of a sweep. */
const UNCALLED_MS_MAX = 6_000;

/** The key of all cases of a seed, by what frees its places. */
export const SHARED_KEYS = { rest: "one at a time", end: "one after the other" } as const;

/** Draws, for part of the seeds, how many of the cases that people start are worked on at once. */
export function drawConcurrency(seed: number): ConcurrencyOutline | null {
  // Of its own, so that the other seeds are what they were.
  const random = new SeededRandom(seed ^ 0x6b6579);
  if (!random.chance(0.3)) return null;
  return { limit: random.pick([1, 1, 2]), freedBy: random.chance(0.6) ? "rest" : "end" };
}

/** True where its key holds it back behind a case that is at rest and keeps its place until it ends. */
export function isBehind(
  { row: { heldSinceAt, summary } }: StoredCase,
  others: readonly StoredCase[],
  isSettled: (stored: StoredCase) => boolean,
): boolean {
  if (heldSinceAt === undefined || summary.concurrencyKey !== SHARED_KEYS.end) return false;
  return others.some((other) => !isEnded(other) && isSettled(other) && other.row.heldSinceAt === undefined);
}

function isEnded({ row: { state } }: StoredCase): boolean {
  return state === "done" || state === "canceled";
}

/** Watches the key of a seed; where it has none, nothing. */
export class KeyWatch implements CaseWatch {
  readonly #concurrency: ConcurrencyOutline | null;
  /** Claims that workers got. */
  readonly #claims = new Set<string>();
  /** Cases that a worker got and that have not ended since. */
  readonly #begun = new Set<string>();
  #freeSince: number | null = null;
  #isUnsure = false;

  constructor(concurrency: ConcurrencyOutline | undefined) {
    this.#concurrency = concurrency ?? null;
  }

  /** A failover takes claims back, and with some of them the place that was kept until the end: who has begun is not known any more. */
  noteFailover(): void {
    this.#isUnsure = this.#concurrency?.freedBy === "end";
  }

  /** Judges all cases right after some were claimed. */
  noteClaims({ cases }: ClaimReply, all: readonly (StoredCase | null)[]): readonly Violation[] {
    if (this.#concurrency === null || this.#isUnsure) return [];
    const keyed = cases.filter(({ row }) => row.summary.concurrencyKey !== undefined);
    for (const { row } of keyed) {
      if (row.claim !== null) this.#claims.add(row.claim.claimId);
      this.#begun.add(row.caseId);
    }
    const atWork = this.#atWork(all.filter((one) => one !== null));
    const { limit } = this.#concurrency;
    if (keyed.length === 0 || atWork.length <= limit) return [];
    return [{ rule: "key", what: `${atWork.join(", ")} are at work at once, at most ${limit} may be` }];
  }

  /** Those that must have a place. One that has ended and was begun again waits for its turn like any other. */
  #atWork(all: readonly StoredCase[]): readonly string[] {
    for (const { row, journal } of all) {
      const hasEnded = journal.some(({ entry }) => entry.kind === "caseDone" || entry.kind === "canceled");
      if (hasEnded) this.#begun.delete(row.caseId);
    }
    const isKept = this.#concurrency?.freedBy === "end";
    return all
      .filter(({ row: { caseId, claim } }) => {
        const isWorkedOn = claim !== null && this.#claims.has(claim.claimId);
        return isWorkedOn || (isKept && this.#begun.has(caseId));
      })
      .map(({ row }) => row.caseId);
  }

  /** Whether anything waits in a good world for a place that is free. */
  look(
    cases: readonly StoredCase[],
    { now, isCalm }: { readonly now: number; readonly isCalm: boolean },
  ): readonly Violation[] {
    const waiting = cases.find(
      ({ row: { heldSinceAt, dueAt } }) => heldSinceAt !== undefined && dueAt !== heldSinceAt,
    );
    const isFree = this.#concurrency !== null && this.#atWork(cases).length < this.#concurrency.limit;
    if (waiting === undefined || !isFree || !isCalm || this.#isUnsure) {
      this.#freeSince = null;
      return [];
    }
    this.#freeSince ??= now;
    if (now - this.#freeSince <= UNCALLED_MS_MAX) return [];
    return [{ rule: "called", what: `${waiting.row.caseId} waits for a place of its key that is free` }];
  }
}
