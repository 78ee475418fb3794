/**
 * A process of a test world: everything the engine waits for goes through here. A killed one never goes on from any
 * wait; a stopped one goes on from all of them, late and in order. What it has already sent is on its way regardless.
 */

import { createHash } from "node:crypto";
import type { Cancellation, Ports } from "../core/ports.ts";
import { systemPorts } from "../engine/system.ts";
import type { HolderCommit, Store } from "../store/port.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** One process: a worker, the sweep or the desk. */
export class TestProcess {
  readonly name: string;
  readonly ports: Ports;
  readonly #time: VirtualTime;
  #isDead = false;
  #stoppedUntil = -Infinity;
  #ids = 0;

  constructor(name: string, time: VirtualTime) {
    this.name = name;
    this.#time = time;
    this.ports = {
      clock: {
        now: () => time.now,
        monotonic: () => time.now - time.startAt,
        sleep: (delayMs, signal) => this.#sleep(delayMs, signal),
      },
      ids: {
        unique: () => `${name}-${(this.#ids += 1)}`,
        // Drawn at random, because keys are made of it and a destination may remember those of earlier worlds.
        caseSuffix: () => systemPorts().ids.caseSuffix(),
      },
      random: () => 0.5,
      digest: (text) => createHash("sha256").update(text).digest("hex"),
    };
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** When it goes on; null = it is not stopped. */
  get stoppedUntil(): number | null {
    return !this.#isDead && this.#stoppedUntil > this.#time.now ? this.#stoppedUntil : null;
  }

  /** No code of the engine in this process runs again. */
  kill(): void {
    this.#isDead = true;
  }

  /** Stops it now; it goes on after `forMs`. */
  stop(forMs: number): void {
    this.#stoppedUntil = this.#time.now + forMs;
  }

  /** Resolves at once in a running process, when it goes on in a stopped one, and never in a dead one. */
  awake(): Promise<void> {
    if (!this.#isDead && this.stoppedUntil === null) return Promise.resolve();
    return new Promise((resolve) => void this.#after(0, resolve));
  }

  /** The store as this process meets it. */
  reach(store: Store): Store {
    const call = async <Reply>(apply: () => Promise<Reply>): Promise<Reply> => {
      await this.awake();
      const reply = await apply();
      await this.awake();
      return reply;
    };
    return {
      description: store.description,
      migrate: () => call(() => store.migrate()),
      checkSchema: () => call(() => store.checkSchema()),
      now: () => call(() => store.now()),
      close: () => Promise.resolve(),
      insertCase: (start) => call(() => store.insertCase(start)),
      importCase: (identity, commits) => call(() => store.importCase(identity, commits)),
      claimDue: (request) => call(() => store.claimDue(request)),
      commit: (commits) => call(() => store.commit(commits)),
      begin: () =>
        call(async () => {
          const transaction = await store.begin();
          const commit = transaction.commit.bind(transaction);
          return Object.assign(transaction, { commit: (what: HolderCommit) => call(() => commit(what)) });
        }),
      findCommit: (commit) => call(() => store.findCommit(commit)),
      changeCase: (caseId, change, decide) => call(() => store.changeCase(caseId, change, decide)),
      changeCredential: (credentialId, decide) => call(() => store.changeCredential(credentialId, decide)),
      setAside: (caseId, claimId, summary) => call(() => store.setAside(caseId, claimId, summary)),
      loadCase: (caseId) => call(() => store.loadCase(caseId)),
      loadRow: (caseId) => call(() => store.loadRow(caseId)),
      listCases: (filter) => call(() => store.listCases(filter)),
      countFound: (criteria, max) => call(() => store.countFound(criteria, max)),
      readPulse: (caseIds) => call(() => store.readPulse(caseIds)),
      countCases: () => call(() => store.countCases()),
      registerHolder: (holder) => call(() => store.registerHolder(holder)),
      beat: (holderId) => call(() => store.beat(holderId)),
      listHolders: () => call(() => store.listHolders()),
      endHolder: (holderId, beat) => call(() => store.endHolder(holderId, beat)),
      forgetHolders: (endedBefore) => call(() => store.forgetHolders(endedBefore)),
      listClaims: (limit) => call(() => store.listClaims(limit)),
      readDestinations: () => call(() => store.readDestinations()),
      changeDestination: (id, decide) => call(() => store.changeDestination(id, decide)),
      forgetDestinations: (changedBefore) => call(() => store.forgetDestinations(changedBefore)),
      hastenHeld: (request) => call(() => store.hastenHeld(request)),
      countHeld: () => call(() => store.countHeld()),
      listen: (onHint) => store.listen(() => void this.#after(0, onHint)),
      children: {
        listUntold: (request) => call(() => store.children.listUntold(request)),
        noteTold: (caseId, standing, known) => call(() => store.children.noteTold(caseId, standing, known)),
      },
      ...besides(store),
      schedules: {
        ...store.schedules,
        list: () => call(() => store.schedules.list()),
        change: (target, decide) => call(() => store.schedules.change(target, decide)),
        see: (names) => call(() => store.schedules.see(names)),
      },
      places: {
        callNext: (request) => call(() => store.places.callNext(request)),
        read: (keys) => call(() => store.places.read(keys)),
        forget: (takenBefore) => call(() => store.places.forget(takenBefore)),
      },
    };
  }

  #after(delayMs: number, resume: () => void): () => void {
    return this.#time.after(delayMs, () => this.#resume(resume));
  }

  #resume(resume: () => void): void {
    if (this.#isDead) return;
    const { stoppedUntil } = this;
    if (stoppedUntil === null) resume();
    else this.#after(stoppedUntil - this.#time.now, resume);
  }

  #sleep(delayMs: number, signal?: Cancellation): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const finish = (): void => {
        takeBack();
        signal?.removeEventListener("abort", finish);
        resolve();
      };
      const takeBack = this.#after(delayMs, finish);
      signal?.addEventListener("abort", finish, { once: true });
    });
  }
}

/** What no process here reaches over its network: nothing makes bulk acts, takes samples, erases, or tells anybody. */
function besides({
  erasures,
  inbox,
  people,
  bulk,
  audit,
  notices,
  samples,
  keys,
  milestones,
  seconds,
}: Store): Pick<
  Store,
  | "erasures"
  | "inbox"
  | "people"
  | "bulk"
  | "audit"
  | "notices"
  | "samples"
  | "keys"
  | "milestones"
  | "seconds"
> {
  return { erasures, inbox, people, bulk, audit, notices, samples, keys, milestones, seconds };
}
