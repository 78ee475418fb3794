/** A clock that moves only when a test says so, and ports around it. */

import { createHash } from "node:crypto";
import type { Cancellation, Clock, Ports } from "../core/ports.ts";

interface Timer {
  readonly atMonotonic: number;
  readonly order: number;
  readonly fire: () => void;
}

/** Time by hand. Wall and monotonic clock start apart, so that a test notices when they are mixed up. */
export class ManualClock implements Clock {
  #monotonic = 5_000;
  #wall = 1_800_000_000_000;
  #order = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  /** How many sleeps are under way. */
  get sleepers(): number {
    return this.#timers.size;
  }

  sleep(delayMs: number, signal?: Cancellation): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const finish = (): void => {
        this.#timers.delete(timer);
        signal?.removeEventListener("abort", finish);
        resolve();
      };
      const atMonotonic = this.#monotonic + Math.max(0, delayMs);
      const timer: Timer = { atMonotonic, order: (this.#order += 1), fire: finish };
      this.#timers.add(timer);
      signal?.addEventListener("abort", finish, { once: true });
    });
  }

  /** Time passes; timers fire in order, each with all that it sets off before the next. */
  async advance(byMs: number): Promise<void> {
    const target = this.#monotonic + byMs;
    await settle();
    for (;;) {
      const next = this.#earliest(target);
      if (next === null) break;
      this.#pass(Math.max(0, next.atMonotonic - this.#monotonic));
      next.fire();
      await settle();
    }
    this.#pass(target - this.#monotonic);
    await settle();
  }

  /** Time passes while the process is stopped: no timer fires before the next {@link advance}. */
  stall(byMs: number): void {
    this.#pass(byMs);
  }

  /** The wall clock is set anew; the monotonic one runs on. */
  jumpWall(byMs: number): void {
    this.#wall += byMs;
  }

  #pass(byMs: number): void {
    this.#monotonic += byMs;
    this.#wall += byMs;
  }

  #earliest(target: number): Timer | null {
    let found: Timer | null = null;
    for (const timer of this.#timers) {
      if (timer.atMonotonic > target) continue;
      const isBefore =
        found === null ||
        timer.atMonotonic < found.atMonotonic ||
        (timer.atMonotonic === found.atMonotonic && timer.order < found.order);
      if (isBefore) found = timer;
    }
    return found;
  }
}

/** Lets every promise that can go on go on, over several turns of the loop. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Ports around a clock: ids that count up from the given name, and no luck in the random numbers. */
export function portsAround(clock: Clock, name = "t"): Ports {
  let ids = 0;
  return {
    clock,
    ids: {
      unique: () => `${name}-${(ids += 1)}`,
      caseSuffix: () => (ids += 1).toString(32).padStart(12, "0"),
    },
    random: () => 0.5,
    digest: (text) => createHash("sha256").update(text).digest("hex"),
  };
}
