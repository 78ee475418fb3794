/** What a failure means for people, in plain words. */

import type { FailureKind, Instruction } from "../core/failure.ts";
import type { FormatTime } from "./entry-words.ts";

/** What a kind of failure means and who can do something about it. */
export function sayKind(kind: FailureKind): string {
  switch (kind) {
    case "transient":
      return "It can pass by itself: the destination was not reached, or could not answer just then.";
    case "throttled":
      return "The destination wants fewer requests; it is asked again when it allows it.";
    case "quota":
      return "A plan or daily limit of the account is used up; whoever owns the account can raise it.";
    case "unknown":
      return "It is not known whether it happened: the answer was lost, or came to nobody.";
    case "rejected":
      return "The destination does not accept what was sent; the input must be corrected.";
    case "denied":
      return "The destination refused access; it must be restored before anything goes on.";
    case "conflict":
      return "Something is there already that is not what was wanted.";
    case "precondition":
      return "What it was conditional on no longer holds.";
    case "gone":
      return "What it acts on is not there.";
    case "bug":
      return "A fault in code or configuration; sending it again as it is cannot help.";
    case "stopped":
      return "We stopped it ourselves: a deadline, a lost lease, or a shutdown.";
  }
}

/** What the destination told about trying again; null where it told nothing. `at`: when it was told. */
export function sayInstruction(
  instruction: Instruction | null,
  at: number,
  formatTime: FormatTime,
): string | null {
  switch (instruction?.kind) {
    case undefined:
      return null;
    case "retryAfter":
      return `It may be tried again from ${formatTime(at + instruction.delayMs)} on (${instruction.source}).`;
    case "pace":
      return `It named no time; it is tried more and more slowly (${instruction.source}).`;
    case "doNotRetry":
      return `It must not be tried again as it is (${instruction.source}).`;
    case "newerToken":
      return `It has seen a newer fencing token than ours: ${instruction.seen} (${instruction.source}).`;
  }
}
