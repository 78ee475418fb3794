/** The crew of workers of a run, and what happens to its members. */

import type { FaultCounts } from "./faults.ts";
import type { SimulatedProcess } from "./process.ts";
import type { SeededRandom } from "./random.ts";

/** What a crew is made of. */
export interface CrewOptions {
  readonly counts: FaultCounts;
  /** How long one may be stopped, in virtual ms. */
  readonly stoppedMsMax: number;
  readonly onTrace: (line: string) => void;
}

/** Workers, living and dead. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #members: SimulatedProcess[] = [];

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  add(process: SimulatedProcess): void {
    this.#members.push(process);
  }

  /** `kill -9` of one; false when none lives. */
  killOne(random: SeededRandom): boolean {
    const living = this.#members.filter((one) => !one.isDead);
    if (living.length === 0) return false;
    const victim = random.pick(living);
    victim.kill();
    this.#options.counts.hit("workerKilled");
    this.#options.onTrace(`${victim.name} is killed`);
    return true;
  }

  /** SIGSTOP of one, past its lease as a rule. */
  stopOne(random: SeededRandom): void {
    const living = this.#members.filter((one) => !one.isDead && !one.isStopped);
    if (living.length === 0) return;
    const victim = random.pick(living);
    const forMs = random.between(500, this.#options.stoppedMsMax);
    victim.stop(forMs);
    this.#options.counts.hit("workerStopped");
    this.#options.onTrace(`${victim.name} is stopped for ${forMs} ms`);
  }

  /** The wall clock of one jumps. */
  jumpOne(random: SeededRandom): void {
    random.pick(this.#members).jump(random.pick([-3_600_000, -5_000, 5_000, 3_600_000]));
    this.#options.counts.hit("clockJump");
  }

  /** None is stopped any more. */
  goOn(): void {
    for (const one of this.#members) one.stop(0);
  }
}
