/**
 * What was seen on the wire while an attempt ran. The error that a client throws cannot tell "never sent" from "executed,
 * answer lost"; what was really connected, sent and answered can.
 */

/** How much of a request is known to have left. Absence is proof; presence only means that it may have arrived. */
export type SentState =
  /** Proved: no byte of it reached a connection. */
  | "none"
  /** A connection was there, and how far it got was not seen. */
  | "maybe"
  /** Its headers left. */
  | "headers"
  /** Its headers and its whole body left. */
  | "full";

/** One request that an attempt made, or tried to make. Holds no query, no body and no secret. */
export interface WireRequest {
  readonly method: string;
  /** Scheme, host and port; null where the client does not tell. */
  readonly origin: string | null;
  /** Tells equal requests from other ones: a hash over method, origin and path. */
  readonly group: string;
  /** A hash of the idempotency key that it carried; null = it carried none. */
  readonly keyHash: string | null;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly sent: SentState;
  /** HTTP status of the answer; null = none was seen. */
  readonly status: number | null;
  /** Chosen headers of the answer by lower-case name: instructions, request ids, content type. */
  readonly headers: Readonly<Record<string, string>>;
  /** True once the whole body of the answer was read. */
  readonly isAnswerComplete: boolean;
}

/** What was seen of one attempt. */
export interface WireEvidence {
  /** In the order they were made; of many, the first 32 and the last one. */
  readonly requests: readonly WireRequest[];
  /** Requests of which at least the headers left, or may have left. */
  readonly sentCount: number;
  /** Tries that are proved not to have left. */
  readonly unsentCount: number;
  /**
   * Where the meter was blind during the attempt (`http2`, `child process`, `worker thread`, `unmetered protocol`, ...).
   * While it is not empty, counts are "at least", and nothing is proved by absence.
   */
  readonly blindSpots: readonly string[];
}

/** What a sequence of requests says about the client that made them. */
export type WireFindingCode =
  /** The client sent the same request again by itself. */
  | "HIDDEN_RETRY"
  /** It did so with a write that carried no idempotency key. */
  | "UNSAFE_HIDDEN_RETRY"
  /** It makes an idempotency key of its own for every call: the destination cannot know a repeat again. */
  | "AUTO_KEY_PER_CALL"
  /** Its repeats times our attempts are more than the bound of the step. */
  | "MULTIPLIED"
  /** A request left after its attempt had been taken for ended, or after its claim was lost. */
  | "LATE_REQUEST"
  /** Something ran in which the meter cannot see requests. */
  | "BLIND";

/** A finding; `client` names the one that was recognized, for the setting that turns it off. */
export interface WireFinding {
  readonly code: WireFindingCode;
  readonly client: string | null;
}

/** What is kept of an attempt's evidence in the journal. */
export interface WireSummary {
  /** Requests that left, or may have left. */
  readonly requests: number;
  /** How many of them were the same request sent again by the client itself. */
  readonly repeats: number;
  /** True where the meter was blind: there may have been more. */
  readonly isAtLeast: boolean;
  /** At most one for each code. */
  readonly findings: readonly WireFinding[];
  /** The key of a write that was not the step's own, hashed; it tells later attempts that the key changed. */
  readonly foreignKey?: ForeignKey;
}

/** An idempotency key that the client made or was given elsewhere. Both are hashes. */
export interface ForeignKey {
  readonly group: string;
  readonly keyHash: string;
}
