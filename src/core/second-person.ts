/**
 * Moves that need a second person (four eyes): which ones, and who may be the second. What the first one asked for is bound to
 * the plan that they saw; that it is still the same is judged when the move is made (R5). Pure.
 */

import type { ErrorCode } from "./errors.ts";
import type { Actor } from "./journal.ts";
import type { Some } from "./rights.ts";
import { formatUtc } from "./utc-time.ts";

/** Moves that a configuration may ask a second person for. */
export const SECOND_MOVES = [
  "resume",
  "force",
  "correct",
  "confirm",
  "ruleOut",
  "skip",
  "redo",
  "undo",
  "leaveOutside",
  "cancel",
] as const;

/** One of {@link SECOND_MOVES}. */
export type SecondMove = (typeof SECOND_MOVES)[number];

/**
 * What a rule may name: also `approve`, which is the act of a second person already. It then has to be another one than whoever
 * started the case or corrected its input.
 */
export type SecondRuleMove = SecondMove | "approve";

/** Every {@link SecondRuleMove}. */
export const SECOND_RULE_MOVES: readonly SecondRuleMove[] = [...SECOND_MOVES, "approve"];

/** Moves that need a second person, on cases of these types. */
export interface SecondRule {
  readonly moves: readonly SecondRuleMove[];
  readonly caseTypes: Some;
}

/** What became of a request. An open one whose time is over is as good as declined. */
export type SecondState = "open" | "approved" | "declined" | "void";

/** What is known of a request. */
export interface AskedSecond {
  readonly requestId: string;
  readonly state: SecondState;
  readonly askedBy: Actor;
  readonly endsAt: number;
  readonly why: string | null;
}

/** Whether an answer is taken. */
export type SecondVerdict =
  | { readonly kind: "taken" }
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly sentence: string };

/** True if the move needs a second person on cases of this type. */
export function needsSecond(rules: readonly SecondRule[], move: SecondRuleMove, caseType: string): boolean {
  return rules.some(
    ({ moves, caseTypes }) => moves.includes(move) && (caseTypes === "all" || caseTypes.includes(caseType)),
  );
}

/**
 * True for one and the same person, also where one of the two acts by a token of theirs: those of people who were signed in
 * have their id, and are told by "ada (nightly-import)".
 */
export function isSamePerson(one: Actor, other: Actor): boolean {
  const [id, otherId] = [idOf(one), idOf(other)];
  if (id !== null && otherId !== null) return id === otherId;
  return baseName(one.name) === baseName(other.name);
}

function idOf(actor: Actor): string | null {
  return actor.kind === "person" ? (actor.personId ?? null) : null;
}

function baseName(name: string): string {
  return name.replace(/ \([^()]*\)$/, "");
}

/** Judges an answer. Whoever asked may take it back, and nobody may approve what they asked for themselves. */
export function decideSecond(
  request: AskedSecond,
  answer: { readonly by: Actor; readonly isApproved: boolean; readonly now: number },
): SecondVerdict {
  const { requestId, state, askedBy, endsAt, why } = request;
  if (state !== "open") {
    const because = why === null ? "" : `: ${why.replace(/\.$/, "")}`;
    return refused("SECOND_OVER", `Request ${requestId} is ${state}${because}. Nothing was done.`);
  }
  if (answer.now >= endsAt) {
    return refused(
      "SECOND_OVER",
      `Request ${requestId} ended at ${formatUtc(endsAt)} without an answer. Make the move again, so that it is asked for anew.`,
    );
  }
  if (answer.isApproved && isSamePerson(askedBy, answer.by)) {
    return refused(
      "SECOND_REFUSED",
      `${askedBy.name} asked for this, so another person has to approve it. Nothing was done.`,
    );
  }
  return { kind: "taken" };
}

/** Judges who says yes to an approval: nobody who shaped what is approved. */
export function decideApprover(
  shapedBy: readonly Actor[],
  { by, caseId, step }: { readonly by: Actor; readonly caseId: string; readonly step: string },
): SecondVerdict {
  const same = shapedBy.find((one) => isSamePerson(one, by));
  if (same === undefined) return { kind: "taken" };
  return refused(
    "SECOND_REFUSED",
    `${same.name} started case ${caseId} or corrected its input, so another person has to approve ${step}. Nothing was done.`,
  );
}

function refused(code: ErrorCode, sentence: string): SecondVerdict {
  return { kind: "refused", code, sentence };
}
