import type { PlannedFault } from "./fault-book.ts";
import type { Outside } from "./case-types.ts";
import type { Variant } from "./log.ts";

/** What a worker process needs to get ready. */
export interface WorkerConfig {
  readonly name: string;
  /** What the case types are made of. */
  readonly variants: readonly Variant[];
  readonly databaseUrl: string;
  readonly schema: string;
  /** Cases that it holds at once. */
  readonly concurrency: number;
  readonly outside: Outside;
  readonly faultBook: string;
}

/** What the parent tells a worker process, in this order. */
export type ToWorker =
  | { readonly kind: "prepare"; readonly config: WorkerConfig }
  | { readonly kind: "begin"; readonly faults: readonly PlannedFault[] }
  /** Finish what runs, then end. */
  | { readonly kind: "stop" };

/** What a worker process tells its parent: something that must not happen in a good run. */
export interface FromWorker {
  readonly kind: "trouble";
  readonly text: string;
}

/** How long a worker may be silent before its cases are freed, in milliseconds. */
export const leaseMs = 3_000;

/** How often each process looks for silent workers, in milliseconds. */
export const sweepEveryMs = 500;
