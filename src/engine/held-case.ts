/** A case under a claim: its state as its holder knows it, and the way of its commits through the one door (R1-R3). */

import { actWithinMs } from "../core/claim.ts";
import type { CaseState } from "../core/case-state.ts";
import { FootholdError, isFootholdError } from "../core/errors.ts";
import { foldEntries } from "../core/fold.ts";
import type { Entry, JournalEntry } from "../core/journal.ts";
import { extendLineage } from "../core/lineage.ts";
import type { Ports } from "../core/ports.ts";
import { rowOf } from "../core/row.ts";
import { storableText } from "../core/storable-text.ts";
import type { CaseWrite, FoldedCase, HolderCommit, HolderReply, StepTransaction } from "../store/port.ts";
import { preview, type ClaimEnd } from "./advance.ts";
import type { Committer } from "./committer.ts";
import type { DatabaseClock } from "./database-clock.ts";
import type { Lease } from "./lease.ts";

/** Characters of the store's reason that are kept. */
const WHY_CHARS_MAX = 500;

/** What the way to the door needs. */
export interface HeldCaseContext {
  readonly ports: Ports;
  readonly databaseClock: DatabaseClock;
  readonly lease: Lease;
  readonly committer: Committer;
  /** Lets events find the case by what a commit makes known; done before the commit, so that no wait begins unfindable. */
  readonly link?: (state: CaseState) => Promise<void>;
}

/** What to commit. */
export interface HolderWrite {
  /** Stored whenever the claim is still ours. */
  readonly outcomes: readonly Entry[];
  /** Stored only if nothing came in between. */
  readonly onward: readonly Entry[];
  readonly end: ClaimEnd;
  /** When the case is looked at again, where `end` is `pollAgain`. */
  readonly pollAt?: number | undefined;
  /** How long each task that is under way then may take, in ms: the claim must not be dropped before (R8). */
  readonly deadlinesMs: readonly number[];
  /** Of a commit that may come again from another process; left out = a new one. */
  readonly commitId?: string;
}

/** Whether the claim is still ours after a commit. */
export type Hold = "held" | "released" | "claimLost";

/** Nothing of a commit was stored, and nothing of what was written with it. */
export interface RolledBack {
  readonly kind: "rolledBack";
  readonly why: string;
}

/** A claimed case. One commit at a time. */
export class HeldCase {
  readonly caseId: string;
  readonly claimId: string;
  readonly #context: HeldCaseContext;
  readonly #shard: number;
  #state: CaseState;
  #lineage: string;
  #pollAt: number | null = null;

  constructor(context: HeldCaseContext, { row, state }: FoldedCase, claimId: string) {
    this.#context = context;
    this.caseId = row.caseId;
    this.claimId = claimId;
    this.#shard = row.shard;
    this.#state = state;
    this.#lineage = row.lineage;
  }

  /** The state after the last answer of the door. */
  get state(): CaseState {
    return this.#state;
  }

  /** When the case is due again, once it was given back. */
  get dueAt(): number | null {
    return this.#pollAt ?? rowOf(this.#state).dueAt;
  }

  /**
   * Commits and takes in what the door stored. What the store cannot take is stored without the part that only people
   * read (R11). Throws INVARIANT_BROKEN when even that is refused.
   */
  async commit(write: HolderWrite): Promise<Hold> {
    const commit = await this.#holderCommit(write);
    const reply = await this.#context.committer.commit(commit);
    return reply.kind === "refused" ? this.#commitLess(write, reply.why) : this.#learn(reply, commit, write);
  }

  /**
   * Commits together with what a step wrote in `open`. Told why it was rolled back, the claim is as it was; after a lost
   * reply it is found out whether it was stored.
   */
  async commitIn(open: StepTransaction, write: HolderWrite): Promise<Hold | RolledBack> {
    const commit = await this.#holderCommit(write);
    const reply = await this.#replyIn(open, commit);
    if (reply.kind === "rolledBack") return reply;
    if (reply.kind === "refused") return { kind: "rolledBack", why: reply.why };
    return this.#learn(reply, commit, write);
  }

  async #replyIn(open: StepTransaction, commit: HolderCommit): Promise<HolderReply | RolledBack> {
    try {
      return await open.commit(commit);
    } catch (error) {
      if (!isFootholdError(error) || error.code !== "DATABASE_UNAVAILABLE") throw error;
      const found = await this.#context.committer.find(commit);
      return found ?? { kind: "rolledBack", why: error.message };
    }
  }

  async #holderCommit(write: HolderWrite): Promise<HolderCommit> {
    const { link, ports } = this.#context;
    const state = this.#state;
    if (link !== undefined) await link(preview(state, write.outcomes, state.changedAt));
    return {
      caseId: this.caseId,
      shard: this.#shard,
      commitId: write.commitId ?? ports.ids.unique(),
      claimId: this.claimId,
      revision: state.revision,
      lineage: this.#lineage,
      current: this.#polled(this.#write(state, [...write.outcomes, ...write.onward], write), write),
      moved: (missed) => this.#write(foldEntries(state, missed), write.outcomes, write),
    };
  }

  /** Where something came in between, the case is due at once instead (R2). */
  #polled(caseWrite: CaseWrite, { pollAt }: HolderWrite): CaseWrite {
    return pollAt === undefined ? caseWrite : { ...caseWrite, row: { ...caseWrite.row, dueAt: pollAt } };
  }

  #write(base: CaseState, entries: readonly Entry[], { end, deadlinesMs }: HolderWrite): CaseWrite {
    const { databaseClock, lease } = this.#context;
    const at = Math.max(databaseClock.now(), base.changedAt);
    return {
      at,
      entries,
      row: rowOf(preview(base, entries, at)),
      claim:
        end === "keep"
          ? { kind: "keep", actWithinMs: actWithinMs(deadlinesMs, lease.leaseMs) }
          : { kind: "free" },
    };
  }

  #learn(
    reply: Exclude<HolderReply, { kind: "refused" }>,
    { commitId, current }: Pick<HolderCommit, "commitId" | "current">,
    { end, pollAt }: HolderWrite,
  ): Hold {
    switch (reply.kind) {
      case "current":
        this.#pollAt = pollAt ?? null;
        this.#follow(numbered(this.#state, current, commitId));
        return end === "keep" ? "held" : "released";
      case "moved":
        this.#follow(reply.missed);
        return end === "keep" ? "held" : "released";
      case "repeated":
        this.#follow(reply.missed);
        if (reply.claimId === this.claimId) return "held";
        // Stored, and then either given up as it says, or taken from us while we waited for the answer.
        return end === "keep" ? "claimLost" : "released";
      case "claimLost":
        return "claimLost";
    }
  }

  #follow(entries: readonly JournalEntry[]): void {
    this.#state = foldEntries(this.#state, entries);
    this.#lineage = extendLineage(this.#lineage, entries);
  }

  #commitLess({ outcomes, onward, deadlinesMs, commitId }: HolderWrite, why: string): Promise<Hold> {
    const named = commitId === undefined ? {} : { commitId };
    const less = { onward: [], end: "keep", deadlinesMs, ...named } as const;
    // What happened must not suffer from what was to follow.
    if (outcomes.length > 0 && onward.length > 0) return this.commit({ ...less, outcomes });
    const plain = outcomes.map((entry) => plainly(entry, storableText(why, WHY_CHARS_MAX)));
    const isPlainer = JSON.stringify(plain) !== JSON.stringify(outcomes);
    if (isPlainer) return this.commit({ ...less, outcomes: plain });
    throw new FootholdError("INVARIANT_BROKEN", `The store refused a commit of case ${this.caseId}: ${why}`, {
      details: { caseId: this.caseId },
    });
  }
}

/** What a commit appended to what was known, as the store has numbered it. */
function numbered(
  { revision }: CaseState,
  { entries, at }: CaseWrite,
  commitId: string,
): readonly JournalEntry[] {
  return entries.map((entry, index) => ({ revision: revision + index + 1, at, commitId, entry }));
}

function plainly(entry: Entry, why: string): Entry {
  if (entry.kind === "stepConfirmed") {
    const result = { kind: "unreadable", why: `the store refused it (${why})` } as const;
    return { ...entry, result, evidence: null };
  }
  if (entry.kind === "attemptFailed") {
    const sentence = `${entry.step} failed with ${entry.failure.kind}; the store refused the details.`;
    return { ...entry, failure: { ...entry.failure, sentence, fields: [], raw: null } };
  }
  return entry;
}
