/** Claims, and the guards of the one door (R1-R3). */

import type { JournalEntry } from "./journal.ts";
import { extendLineage } from "./lineage.ts";

/** The record that one holder may act on a case. */
export interface Claim {
  /** Random, made by the holder before the claim. */
  readonly claimId: string;
  readonly holderId: string;
  readonly claimedAt: number;
  /** When the claim ends if its holder commits nothing more, for people. The sweep measures it by its own clock. */
  readonly actByAt: number;
}

/** Shortest time within which a claim's holder must commit again, in ms. */
export const ACT_WITHIN_MS_MIN = 60_000;

/** How long a claim may go without a commit: 60 s, or the longest open send deadline and one lease if that is more (R8). */
export function actWithinMs(openDeadlinesMs: readonly number[], leaseMs: number): number {
  return Math.max(ACT_WITHIN_MS_MIN, ...openDeadlinesMs.map((deadline) => deadline + leaseMs));
}

/** How often a holder says that it is alive, as a share of its lease; the margin before its end is as long. */
export const BEAT_SHARE = 5;

/** Until when a holder trusts its lease: from when its last heard beat was *sent*, less a margin (R7). */
export function trustedUntil(beatSentAt: number, leaseMs: number): number {
  return beatSentAt + leaseMs - leaseMs / BEAT_SHARE;
}

/** What the door sees of the case at the moment of the commit. */
export interface DoorView {
  readonly claimId: string | null;
  readonly lineage: string;
  /** The entries after the revision that the commit was made on. */
  readonly missed: readonly JournalEntry[];
}

/** What the door decides. */
export type DoorVerdict =
  /** Stored before; its reply was lost (R3). */
  | { readonly kind: "repeated" }
  | { readonly kind: "claimLost" }
  /** Nothing came in between: everything is stored. */
  | { readonly kind: "current" }
  /** Something came in between: only the outcomes are stored (R1), and no parking (R2). */
  | { readonly kind: "moved" };

/**
 * Judges a holder's commit, whose lineage is that of the journal it was made on. The commit id is looked for before any
 * guard. Where entries that the holder saw are not in the journal, a failover lost them: what was decided on them counts
 * no more, and what its sends did is told as by any holder that lost its claim.
 */
export function judgeCommit(
  { claimId, lineage, missed }: DoorView,
  commit: { readonly commitId: string; readonly claimId: string; readonly lineage: string },
): DoorVerdict {
  if (missed.some(({ commitId }) => commitId === commit.commitId)) return { kind: "repeated" };
  if (claimId !== commit.claimId) return { kind: "claimLost" };
  if (extendLineage(commit.lineage, missed) !== lineage) return { kind: "claimLost" };
  return missed.length === 0 ? { kind: "current" } : { kind: "moved" };
}
