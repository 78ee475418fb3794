/** Wire evidence as the meter gives it: what triage reads, and what findings need beside it. */

import type { WireEvidence, WireRequest } from "../core/wire-evidence.ts";
import type { ClientTry } from "./request-facts.ts";

/** Whose idempotency key a request carried. */
export type KeyKind =
  | "none"
  /** The one that the engine gave to the step. */
  | "own"
  /** One that the client makes anew for every call. */
  | "automatic"
  /** Any other. */
  | "other";

/** A request with what findings need. */
export interface MeteredRequest extends WireRequest {
  /** True for the same request sent again, after one like it had failed or was answered with trouble. */
  readonly isRepeat: boolean;
  /** True when it was begun after the attempt had ended or been stopped. */
  readonly isLate: boolean;
  /** The client by name; null = not recognized. */
  readonly client: string | null;
  readonly keyKind: KeyKind;
  /** What the client itself says of its tries. */
  readonly clientTry: ClientTry | null;
}

/** What the meter saw of one attempt. */
export interface MeteredEvidence extends WireEvidence {
  readonly requests: readonly MeteredRequest[];
  /** Requests that left although they were the same request again. */
  readonly repeatCount: number;
  /** Requests begun after the attempt had ended or been stopped, as far as is known by now. */
  readonly lateCount: number;
  /**
   * A client by name whose requests cannot be seen, and which sends again by itself what got no reply; null = none was
   * recognized.
   */
  readonly unseenClient: string | null;
}

/** Where the meter may be blind. */
export const BLIND_SPOTS = {
  /** A connection of a protocol that the meter cannot read: a database, mail, a message broker. */
  protocol: "unmetered protocol",
  /** HTTP/2 without undici: a call that waits for its connection may count for another attempt. */
  http2: "http2",
  childProcess: "child process",
  workerThread: "worker thread",
  /** Nothing was seen at all: whatever went over a connection opened earlier, by another protocol, is not seen. */
  nothingSeen: "no request was seen",
  /** A request still waits for its connection, and nothing stops it. */
  pending: "pending request",
  /** The same request left on behalf of somebody else, through a queue that may mix them up. */
  sharedQueue: "shared queue",
  /** The client says that it tried more often than was seen. */
  missedTries: "missed tries",
  /** More requests than are kept could not be told apart. */
  meterFault: "fault of the meter",
} as const;

/** One of {@link BLIND_SPOTS}. */
export type BlindSpot = (typeof BLIND_SPOTS)[keyof typeof BLIND_SPOTS];
