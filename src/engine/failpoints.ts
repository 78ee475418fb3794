/**
 * Named points in the life of an attempt at which a fault test may kill, stop or delay the process. A product run
 * passes none and pays one call of an empty function.
 */

/** Where the engine stands. In order of one attempt. */
export type Failpoint =
  /** The case is claimed and nothing is written yet for the next step. */
  | "beforeIntent"
  /** Intent and attempt are committed, nothing is sent. */
  | "afterIntent"
  /** `run` was called; its first request may be on its way. */
  | "duringSend"
  /** `run` has ended and nothing is written about it. */
  | "afterSend"
  /** The outcome is on its way to the store. */
  | "beforeConfirm"
  /** The outcome is stored. */
  | "afterConfirm";

/** Every failpoint, in order. */
export const FAILPOINTS: readonly Failpoint[] = [
  "beforeIntent",
  "afterIntent",
  "duringSend",
  "afterSend",
  "beforeConfirm",
  "afterConfirm",
];

/** What a failpoint is told. */
export interface FailpointPlace {
  readonly caseId: string;
  readonly step: string;
  /** Number of the attempt; the next one's where none is open. */
  readonly attempt: number;
  readonly claimId: string;
}

/** Called at each point; what it returns is awaited. */
export type OnFailpoint = (point: Failpoint, place: FailpointPlace) => void | Promise<void>;

/** The product's: does nothing. */
export const NO_FAILPOINTS: OnFailpoint = () => undefined;
