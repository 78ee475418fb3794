/** What a worker elsewhere reports of a task, as the protocol has it. Types alone: the console knows them too. */

import type { Json } from "../core/json.ts";
import type { StopCause } from "../triage/sort.ts";

/** How far what failed had got, as its worker saw it. */
type SentElsewhere =
  /** Nothing had left. */
  | "no"
  /** It may have left, and nobody answered. */
  | "maybe"
  /** The destination answered; `status` and `body` say what. */
  | "answered";

/** What a send failed with. */
export interface FailedElsewhere {
  readonly kind: "failed";
  readonly sent: SentElsewhere;
  /** The class of the error there. */
  readonly name: string;
  readonly message: string;
  /** A code as operating systems and clients give it, such as `ECONNREFUSED`. */
  readonly code?: string;
  /** HTTP status of the answer. */
  readonly status?: number;
  /** Of the answer. */
  readonly headers?: { readonly [name: string]: string };
  readonly body?: Json;
  readonly stack?: string;
  /** Why the worker stopped it itself, where it did. */
  readonly stopped?: StopCause;
}

/** What came of a task. */
export type ElsewhereAnswer =
  | { readonly kind: "confirmed"; readonly result: Json; readonly requests?: number }
  | (FailedElsewhere & { readonly requests?: number })
  | {
      readonly kind: "happened";
      readonly result: Json;
      readonly evidence?: Json;
      readonly fingerprint?: string;
    }
  | { readonly kind: "differs"; readonly why: string; readonly evidence?: Json }
  | { readonly kind: "didNotHappen" }
  | { readonly kind: "cannotTell"; readonly why: string };
