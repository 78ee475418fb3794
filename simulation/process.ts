/**
 * A simulated process: everything it waits for goes through here. A killed one never goes on from any wait; a stopped
 * one goes on from all of them, late and in order, when it is continued. Its monotonic clock runs on meanwhile; its
 * wall clock may jump.
 */

import { createHash } from "node:crypto";
import type { Cancellation, Ports } from "../src/core/ports.ts";
import type { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

/** Epoch of virtual time zero, so that times look like times. */
export const EPOCH_MS = 1_800_000_000_000;

/** One process of the run. */
export class SimulatedProcess {
  readonly name: string;
  readonly ports: Ports;
  readonly #scheduler: Scheduler;
  #isDead = false;
  #stoppedUntil = 0;
  #wallOffset = 0;
  #ids = 0;

  constructor(name: string, scheduler: Scheduler, random: SeededRandom) {
    this.name = name;
    this.#scheduler = scheduler;
    this.ports = {
      clock: {
        now: () => EPOCH_MS + scheduler.now + this.#wallOffset,
        monotonic: () => scheduler.now,
        sleep: (delayMs, signal) => this.#sleep(delayMs, signal),
      },
      ids: {
        unique: () => `${name}-${(this.#ids += 1)}-${random.between(0, 2 ** 30).toString(36)}`,
        caseSuffix: () => Array.from({ length: 12 }, () => random.between(0, 31).toString(32)).join(""),
      },
      random: () => random.next(),
      digest: (text) => createHash("sha256").update(text).digest("hex"),
    };
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get isStopped(): boolean {
    return this.#stoppedUntil > this.#scheduler.now;
  }

  /** `kill -9`: no code of this process runs again. */
  kill(): void {
    this.#isDead = true;
  }

  /** SIGSTOP, and SIGCONT after `forMs`. */
  stop(forMs: number): void {
    this.#stoppedUntil = this.#scheduler.now + forMs;
  }

  /** The wall clock jumps by `byMs`. */
  jump(byMs: number): void {
    this.#wallOffset += byMs;
  }

  /** Runs `resume` in this process at the earliest after `delayMs`: never if it is dead, later if it is stopped. */
  after(delayMs: number, resume: () => void): void {
    this.#scheduler.schedule(delayMs, () => this.#resume(resume));
  }

  #resume(resume: () => void): void {
    if (this.#isDead) return;
    const stoppedForMs = this.#stoppedUntil - this.#scheduler.now;
    if (stoppedForMs > 0) this.#scheduler.schedule(stoppedForMs, () => this.#resume(resume));
    else resume();
  }

  #sleep(delayMs: number, signal?: Cancellation): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      let isOver = false;
      const finish = (): void => {
        if (isOver) return;
        isOver = true;
        signal?.removeEventListener("abort", finish);
        resolve();
      };
      signal?.addEventListener("abort", finish, { once: true });
      this.after(delayMs, finish);
    });
  }
}
