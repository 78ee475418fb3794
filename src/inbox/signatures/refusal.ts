/** Why a request is refused. All reasons are answered alike; only people here read which it was. */

/** One reason. */
export type RefusalReason =
  /** What proves the sender is not there. */
  | "unsigned"
  /** It is there and cannot be read. */
  | "malformed"
  | "wrongSignature"
  | "tooOld"
  | "tooNew"
  /** No secret of the source is in use and written as its provider writes them: a fault of ours. */
  | "noSecret";
