/**
 * Access to a simulated destination: a token that runs out, a grant that has it anew by a token that is good once, and a
 * person who gives a new grant. Two refreshes at once would revoke the grant, and so break an invariant.
 */

import { ResponseError } from "../src/triage/response.ts";
import type { FaultCounts } from "./faults.ts";
import type { SimulatedProcess } from "./process.ts";
import type { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

/** How the token endpoint behaves. */
interface AccessHabits {
  readonly latencyMsMax: number;
  /** It answers 500: a probability per refresh. */
  readonly broken: number;
}

/** What a token endpoint needs. */
export interface AccessOptions {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  readonly counts: FaultCounts;
  readonly habits: AccessHabits;
  /** Told when two refresh at once. */
  readonly onOverlap: () => void;
}

/** One credential: what the destination takes, and what every process finds where the credential is kept. */
export class SimulatedAccess {
  readonly #options: AccessOptions;
  #good = 1;
  #kept = 1;
  #isRevoked = false;
  #underWay = 0;
  #isCalm = false;

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /** Of the destination, and of the credential. */
  get name(): string {
    return this.#options.name;
  }

  /** The token that a request is sent with. */
  get token(): number {
    return this.#kept;
  }

  /** The token runs out. */
  expire(): void {
    this.#good += 1;
  }

  /** Somebody revokes the grant: only a person can give another one. */
  revoke(): void {
    this.#isRevoked = true;
    this.#good += 1;
  }

  /** A person gives a new grant. */
  restore(): void {
    this.#isRevoked = false;
    this.#kept = this.#good;
  }

  /** From now on the endpoint answers, and the grant is good. */
  calmDown(): void {
    this.#isCalm = true;
    this.restore();
  }

  /** What a request with this token is told; null = it may go on. */
  refusal(token: number): Error | null {
    if (token === this.#good) return null;
    this.#options.counts.hit("denied");
    return new ResponseError(401, this.#options.name, {}, "{}");
  }

  /** What an author's `refresh` does, from a process: asks for a new token and keeps it where all find it. */
  refresh(process: SimulatedProcess): Promise<void> {
    const { scheduler, random, habits, onOverlap } = this.#options;
    if (this.#underWay > 0) onOverlap();
    this.#underWay += 1;
    const latency = (): number => random.between(0, habits.latencyMsMax);
    return new Promise((resolve, reject) => {
      const isBroken = !this.#isCalm && random.chance(habits.broken);
      scheduler.schedule(latency(), () => {
        this.#underWay -= 1;
        const error = this.#renew(isBroken);
        process.after(latency(), () => (error === null ? resolve() : reject(error)));
      });
    });
  }

  #renew(isBroken: boolean): Error | null {
    const { name, counts } = this.#options;
    if (isBroken) {
      counts.hit("refreshBroken");
      return new ResponseError(500, `${name}/token`, {}, '{"error":"server_error"}');
    }
    if (this.#isRevoked) {
      counts.hit("refreshDenied");
      return new ResponseError(400, `${name}/token`, {}, '{"error":"invalid_grant"}');
    }
    this.#good += 1;
    this.#kept = this.#good;
    return null;
  }
}
