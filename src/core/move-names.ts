/**
 * Every move and fact that people can make, as data: what each acts on, what it asks of the person, and which single right
 * it takes. Whoever guards the desk makes its table of roles from this list, so that no move is ever without a right.
 */

import type { Verb } from "./rights.ts";

/** What is known of a move before it is made. */
export interface MoveRule {
  /** One right may cover several moves. */
  readonly right: Verb;
  /** What it acts on: the case, one of its steps, or every case that waits on a credential. */
  readonly on: "case" | "step" | "credential";
  /** Whether the person must say why. */
  readonly reason: "needed" | "optional" | "none";
  /** True where it goes against what the engine would do by itself, or vouches for what it cannot see: a second person may be asked. */
  readonly isRisky: boolean;
  /** True where it is judged on the plan that the person saw (R5). */
  readonly isPlanned: boolean;
}

/** The name of a move. */
export type MoveName =
  | "check"
  | "resume"
  | "force"
  | "correct"
  | "restoreAccess"
  | "confirm"
  | "ruleOut"
  | "skip"
  | "redo"
  | "undo"
  | "assign"
  | "handOver"
  | "note"
  | "pause"
  | "open"
  | "close"
  | "takeOver"
  | "cancel"
  | "leaveOutside"
  | "approve"
  | "standIn";

/** The closed list. */
export const MOVES: Readonly<Record<MoveName, MoveRule>> = {
  /** Ask anew what is known of a step. */
  check: { right: "check", on: "step", reason: "optional", isRisky: false, isPlanned: true },
  /** Let the case, or one step, go on. */
  resume: { right: "resume", on: "case", reason: "optional", isRisky: false, isPlanned: true },
  /** Send exactly what was rejected once more. */
  force: { right: "force", on: "step", reason: "needed", isRisky: true, isPlanned: true },
  /** Correct the input and go on. */
  correct: { right: "correct", on: "case", reason: "needed", isRisky: false, isPlanned: true },
  /** Let every case go on that waits on a credential, after one of them was tried. */
  restoreAccess: {
    right: "restoreAccess",
    on: "credential",
    reason: "optional",
    isRisky: false,
    isPlanned: false,
  },
  /** Vouch that a step took effect. */
  confirm: { right: "confirm", on: "step", reason: "needed", isRisky: true, isPlanned: true },
  /** Vouch that a step did not. */
  ruleOut: { right: "confirm", on: "step", reason: "needed", isRisky: true, isPlanned: true },
  /** Leave a step out. */
  skip: { right: "skip", on: "step", reason: "needed", isRisky: true, isPlanned: true },
  /** Do a confirmed step again, and what follows it as far as that rests on it. */
  redo: { right: "redo", on: "step", reason: "needed", isRisky: true, isPlanned: true },
  /** Take back what a confirmed step did. */
  undo: { right: "undo", on: "step", reason: "needed", isRisky: true, isPlanned: true },
  /** Say whose the case is. */
  assign: { right: "assign", on: "case", reason: "optional", isRisky: false, isPlanned: false },
  /** Give the case that one has open for repair to somebody else. */
  handOver: { right: "assign", on: "case", reason: "needed", isRisky: false, isPlanned: false },
  note: { right: "note", on: "case", reason: "none", isRisky: false, isPlanned: false },
  pause: { right: "pause", on: "case", reason: "optional", isRisky: false, isPlanned: false },
  /** Hold the case while a page is open. */
  open: { right: "repair", on: "case", reason: "none", isRisky: false, isPlanned: false },
  close: { right: "repair", on: "case", reason: "none", isRisky: false, isPlanned: false },
  /** Take the case from another person's page. */
  takeOver: { right: "takeOver", on: "case", reason: "needed", isRisky: false, isPlanned: false },
  cancel: { right: "cancel", on: "case", reason: "optional", isRisky: true, isPlanned: true },
  /** Say, in a case that is being canceled, that what a step did stays outside. */
  leaveOutside: { right: "cancel", on: "step", reason: "needed", isRisky: true, isPlanned: true },
  /** Answer an approval, with yes or no. */
  approve: { right: "approve", on: "step", reason: "none", isRisky: false, isPlanned: true },
  /** Answer one in place of the people whom it is asked of. */
  standIn: { right: "standIn", on: "step", reason: "needed", isRisky: true, isPlanned: true },
};

/** Every name, in the order in which they are offered. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a literal are its names
export const MOVE_NAMES: readonly MoveName[] = Object.keys(MOVES) as MoveName[];
