/**
 * A database whose standby lags some commits behind. A failover makes the standby all there is: rows, journals, claims
 * and heartbeats are as they were, and nobody who was told that his commit is stored is told that it is gone.
 */

import type { CredentialState } from "../src/core/refresh.ts";
import { memoryServer } from "../src/store/memory/store.ts";
import type { HolderCommit, Store, StoredCase } from "../src/store/port.ts";

/** Commits by which the standby lags, at most. */
export const LAG_MAX = 12;

/** Steps of which a failover lost an attempt, as `case step`: what was sent then, no journal tells any more. */
export type LostAttempts = ReadonlySet<string>;

/** Takes what there is now; the function given makes that all there is. */
type Replicate = () => () => void;

/** The database of a run. */
export class ReplicatedDatabase {
  readonly store: Store;
  readonly #kept: Replicate[];
  readonly #lostAttempts = new Set<string>();
  readonly #lostRevisions = new Set<string>();
  /** Until when a refresh may be under way whose turn is lost, by credential. */
  readonly #lostTurns = new Map<string, number>();
  /** What the standby had after each of the last commits, oldest first; none before it lags. */
  #images: (() => void)[] = [];

  constructor(now: () => number) {
    const { store, replicate } = memoryServer({ now });
    this.#kept = [replicate];
    this.store = this.#recorded(store);
  }

  /** Keeps something else in this database: a failover loses its last changes with those of the cases. */
  keep(replicate: Replicate): void {
    this.#kept.push(replicate);
  }

  #replicate(): () => void {
    const images = this.#kept.map((replicate) => replicate());
    return () => images.forEach((restore) => restore());
  }

  /** What failovers lost: attempts, and entries as `case revision`. */
  get losses(): { readonly lostAttempts: LostAttempts; readonly lostRevisions: ReadonlySet<string> } {
    return { lostAttempts: this.#lostAttempts, lostRevisions: this.#lostRevisions };
  }

  get lostAttempts(): LostAttempts {
    return this.#lostAttempts;
  }

  /** True where one who was told that it is his turn to refresh may do so still, and another one may be told the same. */
  hasLostTurn(credentialId: string, now: number): boolean {
    return (this.#lostTurns.get(credentialId) ?? 0) > now;
  }

  /** From here on commits can get lost; those before are safe on the standby. */
  startToLag(): void {
    this.#images = [this.#replicate()];
  }

  /** Loses the last commits, as many as the standby lags by but `lag` at most; gives how many entries of these cases were lost. */
  async failOver(lag: number, caseIds: readonly string[], credentialIds: readonly string[]): Promise<number> {
    const before = await this.#loadAll(caseIds);
    const turnsBefore = await this.#turns(credentialIds);
    this.#images.at(-1 - Math.min(lag, this.#images.length - 1))?.();
    this.startToLag();
    const after = await this.#loadAll(caseIds);
    const turnsAfter = await this.#turns(credentialIds);
    turnsBefore.forEach((turn, index) => {
      const credentialId = credentialIds[index];
      if (turn === null || credentialId === undefined || turnsAfter[index]?.turnId === turn.turnId) return;
      this.#lostTurns.set(credentialId, turn.untilAt);
    });
    const kept = new Set(after.flatMap(({ journal }) => journal.map(({ commitId }) => commitId)));
    const lost = before.map(({ row, journal }) => {
      const gone = journal.filter(({ commitId }) => !kept.has(commitId));
      for (const { entry, revision } of gone) {
        this.#lostRevisions.add(`${row.caseId} ${revision}`);
        if (entry.kind === "attemptOpened") this.#lostAttempts.add(`${row.caseId} ${entry.step}`);
      }
      return gone.length;
    });
    return lost.reduce((sum, one) => sum + one, 0);
  }

  #turns(credentialIds: readonly string[]): Promise<readonly CredentialState["turn"][]> {
    return Promise.all(
      credentialIds.map((credentialId) =>
        this.store.changeCredential(credentialId, (stored) => ({ state: null, reply: stored?.turn ?? null })),
      ),
    );
  }

  async #loadAll(caseIds: readonly string[]): Promise<readonly StoredCase[]> {
    const stored = await Promise.all(caseIds.map((caseId) => this.store.loadCase(caseId)));
    return stored.filter((one) => one !== null);
  }

  /** The store, with an image taken after whatever writes. */
  #recorded(store: Store): Store {
    const recorded = async <Reply>(reply: Promise<Reply>): Promise<Reply> => {
      const value = await reply;
      if (this.#images.length > 0) this.#images = [...this.#images, this.#replicate()].slice(-1 - LAG_MAX);
      return value;
    };
    return {
      ...store,
      insertCase: (start) => recorded(store.insertCase(start)),
      claimDue: (request) => recorded(store.claimDue(request)),
      commit: (commits) => recorded(store.commit(commits)),
      begin: async () => {
        const transaction = await store.begin();
        const commit = transaction.commit.bind(transaction);
        return Object.assign(transaction, { commit: (what: HolderCommit) => recorded(commit(what)) });
      },
      changeCase: (caseId, change, decide) => recorded(store.changeCase(caseId, change, decide)),
      setAside: (caseId, claimId, summary) => recorded(store.setAside(caseId, claimId, summary)),
      registerHolder: (holder) => recorded(store.registerHolder(holder)),
      beat: (holderId) => recorded(store.beat(holderId)),
      endHolder: (holderId, beat) => recorded(store.endHolder(holderId, beat)),
      changeDestination: (id, decide) => recorded(store.changeDestination(id, decide)),
      changeCredential: (id, decide) => recorded(store.changeCredential(id, decide)),
      hastenHeld: (request) => recorded(store.hastenHeld(request)),
      forgetHolders: (endedBefore) => recorded(store.forgetHolders(endedBefore)),
      schedules: {
        ...store.schedules,
        change: (target, decide) => recorded(store.schedules.change(target, decide)),
      },
    };
  }
}
