/** What becomes of a planned send whose destination takes no further attempt now. */

import { stepOf, type CaseState } from "./case-state.ts";
import { destinationKey, type Hold } from "./in-flight.ts";
import type { Wait } from "./waits.ts";
import { canonicalJson } from "./json.ts";
import type { StepOutline } from "./outline.ts";
import type { Act, PlanInput } from "./planning.ts";
import { ownerOf } from "./review.ts";

/** A send that its destination does not take now waits; no attempt is spent on that. Any other act is left as it is. */
export function holdSend({ holds, outline, state }: PlanInput, step: StepOutline, act: Act): Act {
  if (act.kind !== "send" || step.kind !== "step" || act.isDoubtful === true) return act;
  const { name: destination, credentialId } = step.destination;
  const hold = holds?.get(destinationKey(destination, credentialId)) ?? null;
  if (hold === null) return act;
  const where = { step: step.name, destination, credentialId };
  if (hold.kind === "denied" && !isTriedAnew(state, step.name, hold)) {
    const owner = ownerOf(outline, step, "denied");
    return { kind: "wait", wait: { kind: "access", ...where, dueAt: hold.dueAt, owner } };
  }
  const limit = hold.kind === "denied" ? hold.limit : hold;
  switch (limit?.kind) {
    case "permit":
      return { ...act, needsPermit: true };
    case "held":
      return { kind: "wait", wait: { kind: "held", ...where, dueAt: limit.dueAt } };
    case undefined:
      return act;
  }
}

/** A person acted on the step since access was last refused: that one case tells whether it is restored. */
function isTriedAnew(
  state: CaseState,
  name: string,
  { deniedAt }: Extract<Hold, { kind: "denied" }>,
): boolean {
  const { round, renewedAt } = stepOf(state, name);
  return round.number > 1 && renewedAt !== null && renewedAt > deniedAt;
}

/** True where two lists of waits differ only in when what is held back or not there yet is looked at again: nothing to write down. */
export function areSameWaits(one: readonly Wait[], other: readonly Wait[]): boolean {
  return one.length === other.length && one.every((wait, index) => isSameWait(wait, other[index]));
}

function isSameWait(one: Wait, other: Wait | undefined): boolean {
  if (other === undefined || one.kind !== other.kind || one.step !== other.step) return false;
  if (one.kind === "poll") {
    return canonicalJson({ ...one, dueAt: 0 }) === canonicalJson({ ...other, dueAt: 0 });
  }
  if (!isHeldBack(one) || !isHeldBack(other)) return one.dueAt === other.dueAt;
  return one.destination === other.destination && one.credentialId === other.credentialId;
}

/** A wait that a destination's limit or credential imposes. */
export type HeldWait = Extract<Wait, { kind: "held" | "access" }>;

/** True for a {@link HeldWait}. */
export function isHeldBack(wait: Wait): wait is HeldWait {
  return wait.kind === "held" || wait.kind === "access";
}
