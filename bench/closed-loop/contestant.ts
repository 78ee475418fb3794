/** What takes part in the closed loop: something that brings cases of three instant steps to their durable end. */

/** One contestant, started in a process of its own. */
export interface Contestant {
  /** Starts one case and resolves when its third step is durably recorded. */
  readonly runCase: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Where a contestant keeps its state, and how much it is asked to do at once. */
export interface Surroundings {
  /** Of an empty database of its own, `synchronous_commit` on. */
  readonly url: string;
  /** Cases that are under way at any time. */
  readonly inFlight: number;
  /** Of an empty Redis on this machine, where there is one. */
  readonly redisPort?: number | undefined;
}

/** What every step of every contestant does. */
export function instantStep(ref: number): () => Promise<{ readonly ok: boolean; readonly ref: number }> {
  return () => Promise.resolve({ ok: true, ref });
}

/** Starts a contestant. */
export type OpenContestant = (surroundings: Surroundings) => Promise<Contestant>;

/** Resolves callers by the id of their case, when a worker elsewhere in the process says that it has ended. */
export class Endings {
  readonly #waiting = new Map<string, () => void>();
  /** Ended before anybody waited: a worker may be faster than the answer to the start. */
  readonly #early = new Set<string>();

  wait(id: string): Promise<void> {
    if (this.#early.delete(id)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  end(id: string): void {
    const resolve = this.#waiting.get(id);
    if (resolve === undefined) {
      this.#early.add(id);
      return;
    }
    this.#waiting.delete(id);
    resolve();
  }
}
