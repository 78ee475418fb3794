/** What the shell must be given from outside, so that the whole engine runs under a simulated clock and one seed. */

import type { Digest } from "./basis.ts";
import type { Measuring } from "./measuring.ts";
import type { Tracing } from "./tracing.ts";

/** The part of an AbortSignal that a clock needs; core knows neither DOM nor Node types. */
export interface Cancellation {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options: { once: true }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Time and timers. */
export interface Clock {
  /** Wall clock, epoch ms. May jump. */
  now(): number;
  /** Never goes back and does not jump, ms from any origin. */
  monotonic(): number;
  /** Resolves after `delayMs`, or at once when `signal` aborts; never rejects. */
  sleep(delayMs: number, signal?: Cancellation): Promise<void>;
}

/** Random ids. */
export interface Ids {
  /** At least 120 random bits, lower-case letters, digits and `-`: commit, claim and holder ids, source ids. */
  unique(): string;
  /** The random part of a case id: 60 bits, 12 characters. */
  caseSuffix(): string;
}

/** Everything from outside. */
export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  /** In [0, 1). */
  readonly random: () => number;
  /** SHA-256 in hexadecimal. */
  readonly digest: Digest;
  /** Follows what is done, for traces; left out = nothing is followed. */
  readonly tracing?: Tracing;
  /** Counts and measures what is done; left out = nothing is counted. */
  readonly measuring?: Measuring;
}

/** The transaction that will confirm a step, for what the step writes itself. It ends with the commit: never keep it. */
export interface Transaction {
  /**
   * Runs one statement of one command, with its parameters as `$1`, `$2`. Throws what the driver throws: the attempt then
   * failed, and all of it is rolled back. Commands that would end the transaction are refused.
   */
  query(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number }>;
}
