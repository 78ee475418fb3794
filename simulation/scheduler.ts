/**
 * Virtual time: a heap of events that runs one at a time, in an order that the seed decides among equals. Nothing in a
 * run waits for real time; after each event the promises it settled run to their next wait before the next event does.
 */

/** Something that happens at a moment. */
interface Scheduled {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** Runs events in order of virtual time. */
export class Scheduler {
  #now = 0;
  #order = 0;
  #events = 0;
  readonly #heap: Scheduled[] = [];

  /** Virtual ms since the run began. */
  get now(): number {
    return this.#now;
  }

  /** Events run so far. */
  get events(): number {
    return this.#events;
  }

  /** Runs `run` after `delayMs` of virtual time. */
  schedule(delayMs: number, run: () => void): void {
    this.#push({ at: this.#now + Math.max(0, delayMs), order: (this.#order += 1), run });
  }

  /** Runs the next event and everything it sets off. False when nothing is left before `untilAt`. */
  async step(untilAt: number): Promise<boolean> {
    const next = this.#heap[0];
    if (next === undefined || next.at > untilAt) return false;
    this.#pop();
    this.#now = Math.max(this.#now, next.at);
    this.#events += 1;
    next.run();
    await settled();
    return true;
  }

  /** Runs events until `work` has ended, or none is left. Rejects as it does. */
  async until(work: Promise<void>): Promise<void> {
    const pending = { isOver: false };
    const watched = work.finally(() => {
      pending.isOver = true;
    });
    await settled();
    while (!pending.isOver && (await this.step(Infinity)));
    await watched;
  }

  #push(event: Scheduled): void {
    const heap = this.#heap;
    heap.push(event);
    let child = heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#swapIfBefore(child, parent)) return;
      child = parent;
    }
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    let parent = 0;
    for (;;) {
      const left = parent * 2 + 1;
      const right = left + 1;
      const earlier = this.#isBefore(right, left) ? right : left;
      if (!this.#swapIfBefore(earlier, parent)) return;
      parent = earlier;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return false;
    return one.at === other.at ? one.order < other.order : one.at < other.at;
  }

  #swapIfBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined || !this.#isBefore(a, b)) return false;
    this.#heap[a] = other;
    this.#heap[b] = one;
    return true;
  }
}

/** Resolves once every promise that can run has run: a macrotask comes after all microtasks. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
