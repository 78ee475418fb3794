/** That the data of a case was erased, and the words that stand in its place. */

/** Who had the data of a case erased, when and why. */
export interface Erasure {
  /** Epoch ms. */
  readonly at: number;
  /** A name, for people. */
  readonly by: string;
  readonly reason: string;
}

/** What stands where there was something that may tell of a person. */
export const ERASED = "[erased]";

/** What the audit calls it. */
export const ERASE_ACT = "erase";

/** The business key of an erased case: the one that it had is free for another case. */
export function erasedKey(caseId: string): string {
  return `erased-${caseId}`;
}

/** The source id of an erased fact. */
export function erasedSource(revision: number): string {
  return `erased-${revision}`;
}
