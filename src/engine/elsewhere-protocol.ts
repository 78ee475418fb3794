/** What workers elsewhere and this side tell each other. Types and bounds only. */

import type { CaseType } from "../define/case-type.ts";
import type { ElsewhereAnswer } from "./elsewhere-words.ts";
import type { WorkTask } from "./elsewhere-task.ts";

/** The protocol that is spoken here. */
export const WORK_PROTOCOL = 1;
/** Cases that one request may claim. */
export const WORK_CLAIMS_MAX = 16;
/** Cases that one worker elsewhere may hold. */
export const WORK_HOLDS_MAX = 256;
/** How long a claim may wait for work, in ms. */
export const WORK_WAIT_MS_MAX = 20_000;
/** A worker that starts. */
export interface NewWorker {
  readonly name: string;
  readonly host: string;
  /** Language and build, for people. */
  readonly build: string;
  readonly caseTypes: readonly CaseType[];
}

/** What a worker is told when it has registered. Times are durations: clocks of two machines are never compared. */
export interface Registered {
  readonly protocol: number;
  /** Its secret: whoever has it speaks for this worker. */
  readonly workerKey: string;
  /** What people see of it. */
  readonly holderId: string;
  readonly leaseMs: number;
  readonly beatEveryMs: number;
  /** How long the answer to a beat may be trusted, from when the beat was *sent*, in ms. */
  readonly trustMs: number;
  readonly caseTypes: readonly { readonly name: string; readonly version: number }[];
}

/** What a beat learned. */
export type WorkLife =
  /** `lost`: claims that were named and are not this worker's: lost, or asked for and not made yet. */
  | { readonly kind: "alive"; readonly lost: readonly string[] }
  /** The sweep has ended this worker: it stops what it does and registers anew. */
  | { readonly kind: "ended" };

/** What a claim brought. */
export type ClaimedWork =
  | {
      readonly kind: "tasks";
      readonly tasks: readonly WorkTask[];
      /** How long this answer was waited for here, in ms: what a task says of time counts from its end. */
      readonly heldMs: number;
    }
  | { readonly kind: "ended" };

/** A claim to make. The ids are the worker's own, made before: asked again with the same ids, it gives the same cases. */
export interface ClaimOrder {
  readonly claimIds: readonly string[];
  readonly waitMs: number;
  readonly caseTypes: readonly CaseType[];
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
}

/** What came of a task, as its worker tells it. */
export interface WorkReport {
  readonly workerKey: string;
  readonly claimId: string;
  readonly task: string;
  readonly answer: ElsewhereAnswer;
  /** False: the case goes back, whatever is next. */
  readonly goOn: boolean;
}

/** What became of a report. */
export type WorkTaken =
  /** It is in the journal. `next`: what to do next for this case; null = nothing, and the claim has ended. */
  | { readonly kind: "stored"; readonly next: WorkTask | null; readonly heldMs: number }
  /** Another holder may act on the case by now: nothing was confirmed by it, and it is kept as evidence. */
  | { readonly kind: "late" };
