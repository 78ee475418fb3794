/**
 * Virtual time: timers that fire in order, and a clock that moves only from one to the next. It stands still while
 * anything is under way in the user's code (a promise, a real request to a local server), so real asynchronous code
 * works under it; whatever only waits costs nothing.
 */

/** Epoch ms at which virtual time begins unless told otherwise: 2027-01-15T08:00:00Z. */
export const START_AT = 1_800_000_000_000;
/** How long the user's code may take in real time before virtual time goes on beside it, in ms. */
export const PATIENCE_MS = 5_000;
/** Turns of the event loop without anything under way, after which all promises are taken as settled. */
const CALM_TURNS = 2;

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
}

interface Call {
  readonly begunAt: number;
  /** False while it waits for virtual time, or once patience with it has ended. */
  isCounted: boolean;
}

/** One virtual time line. */
export class VirtualTime {
  readonly startAt: number;
  readonly #patienceMs: number;
  readonly #timers = new Set<Timer>();
  readonly #calls = new Set<Call>();
  #now: number;
  #order = 0;
  readonly #waiting = new Set<() => void>();

  constructor(startAt: number, patienceMs: number) {
    this.startAt = startAt;
    this.#now = startAt;
    this.#patienceMs = patienceMs;
  }

  /** Epoch ms. */
  get now(): number {
    return this.#now;
  }

  /** Fires once after `delayMs`. Gives the function that takes that back. */
  after(delayMs: number, fire: () => void): () => void {
    const at = this.#now + Math.max(0, delayMs);
    const timer: Timer = { at, order: (this.#order += 1), fire };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Does work of the user's code: time stands still until it ends, or until patience with it does. */
  async call<T>(work: (call: CallInTime) => Promise<T> | T): Promise<T> {
    const call: Call = { begunAt: performance.now(), isCounted: true };
    this.#calls.add(call);
    try {
      return await work({ idle: (wait) => this.#idle(call, wait) });
    } finally {
      this.#calls.delete(call);
      this.#ring();
    }
  }

  /** Resolves once nothing can go on without time. */
  async settle(): Promise<void> {
    let calmTurns = 0;
    while (calmTurns < CALM_TURNS) {
      await nextTurn();
      if (this.#isCalm()) {
        calmTurns += 1;
        continue;
      }
      calmTurns = 0;
      await this.#somethingEnds();
    }
  }

  /** Moves to the earliest timer up to `untilAt` and fires it, with all that it sets off. False when there is none. */
  async step(untilAt: number): Promise<boolean> {
    await this.settle();
    const timer = this.#earliest();
    if (timer === null || timer.at > untilAt) return false;
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, timer.at);
    timer.fire();
    await this.settle();
    return true;
  }

  /** Moves at once, as for a machine that slept: timers that became due fire late, with the next steps. */
  leap(toAt: number): void {
    this.#now = Math.max(this.#now, toAt);
  }

  #earliest(): Timer | null {
    let earliest: Timer | null = null;
    for (const timer of this.#timers) {
      if (earliest === null || timer.at < earliest.at) earliest = timer;
      else if (timer.at === earliest.at && timer.order < earliest.order) earliest = timer;
    }
    return earliest;
  }

  async #idle<T>(call: Call, wait: () => Promise<T>): Promise<T> {
    const wasCounted = call.isCounted;
    call.isCounted = false;
    this.#ring();
    try {
      return await wait();
    } finally {
      call.isCounted = wasCounted;
    }
  }

  #ring(): void {
    for (const ring of this.#waiting) ring();
  }

  #isCalm(): boolean {
    for (const { isCounted } of this.#calls) if (isCounted) return false;
    return true;
  }

  /** A call ends or begins to wait for virtual time; one that takes too long in real time is no longer waited for. */
  async #somethingEnds(): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = (): void => {
        this.#waiting.delete(end);
        clearTimeout(timeout);
        resolve();
      };
      const timeout = setTimeout(end, this.#patienceMs);
      this.#waiting.add(end);
    });
    const tooOld = performance.now() - this.#patienceMs;
    for (const call of this.#calls) if (call.begunAt <= tooOld) call.isCounted = false;
  }
}

/** A call of the user's code, as virtual time sees it. */
export interface CallInTime {
  /** Waits for something that only virtual time brings; time may pass meanwhile. */
  idle<T>(wait: () => Promise<T>): Promise<T>;
}

/** A macrotask comes after all microtasks and lets the sockets have their turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
