/** What the engine tells its process. Nothing here changes what it does; a command prints it, a test waits for it. */

import type { Failure } from "../core/failure.ts";
import type { RestingState } from "../core/row.ts";

/** One thing worth telling. Sentences are in the reader's language of choice: the teller's. */
export type Report =
  | { readonly kind: "claimed"; readonly caseIds: readonly string[] }
  /** The claim ended in order: the case is done, waits, or stands in review. */
  | {
      readonly kind: "released";
      readonly caseId: string;
      readonly state: RestingState;
      readonly dueAt: number | null;
    }
  /** An attempt ended. What it means for the case is decided after this. */
  | {
      readonly kind: "attempted";
      readonly caseId: string;
      readonly caseType: string;
      readonly step: string;
      readonly attempt: number;
      readonly destination: string;
      readonly claimId: string;
      readonly durationMs: number;
      /** Requests that were seen to leave; null where nothing was seen. */
      readonly requests: number | null;
      /** Null = it took effect. */
      readonly failure: Pick<Failure, "kind" | "executed" | "sentence"> | null;
    }
  | { readonly kind: "claimLost"; readonly caseId: string; readonly claimId: string }
  | {
      readonly kind: "lateReport";
      readonly caseId: string;
      readonly step: string;
      readonly attempt: number;
      readonly took: "effect" | "noEffect";
    }
  /** A request was begun after its attempt had ended or was stopped. */
  | {
      readonly kind: "lateRequest";
      readonly caseId: string;
      readonly step: string;
      readonly attempt: number;
      readonly method: string;
      /** Scheme, host and port; null where the client does not tell. */
      readonly origin: string | null;
      /** False where a queue that steps share may have mixed it up with another step's. */
      readonly isSure: boolean;
    }
  | { readonly kind: "holderEnded"; readonly holderId: string; readonly nextHolderId: string }
  | {
      readonly kind: "holderFreed";
      readonly holderId: string;
      readonly name: string;
      readonly caseIds: readonly string[];
    }
  | {
      readonly kind: "claimFreed";
      readonly caseId: string;
      readonly claimId: string;
      readonly why: "silent" | "actBy" | "orphaned";
    }
  /** Told once per activity, until it is back. */
  | { readonly kind: "databaseAway"; readonly during: string; readonly error: unknown }
  | { readonly kind: "databaseBack"; readonly during: string }
  | { readonly kind: "unreadable"; readonly caseId: string; readonly error: unknown }
  | { readonly kind: "bug"; readonly caseId: string | null; readonly error: unknown };

/** Takes reports. Must not throw. */
export type OnReport = (report: Report) => void;
