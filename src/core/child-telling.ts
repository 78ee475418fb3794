/**
 * What passes between a case and its children beside their start: a child tells how it stands, and is canceled by its parent.
 * Both are facts: they need no claim, and told twice they count once.
 */

import { stepOf, type CaseState } from "./case-state.ts";
import { isEnd, type ChildStanding } from "./child-standing.ts";
import type { Actor, Entry } from "./journal.ts";
import { isEnded, type HeldBy, type MoveVerdict } from "./moves.ts";
import { isUntouched } from "./outside.ts";
import type { StoredState } from "./row.ts";
import { undoName } from "./undo.ts";

/** How deep cases may stand below each other. */
export const CHILD_DEPTH_MAX = 8;

/** How a case stands, as far as its row tells: when that changes, its parent is told. */
export type RowStanding = "running" | "inReview" | "done" | "canceled";

/** How a case stood when its parent was last told; telling = it is being told, or nobody knows whether it was. */
export type ToldStanding = RowStanding | "telling";

/** The PostgreSQL store says the same in SQL, and a test holds the two equal. */
export function rowStanding({
  state,
  hasReview,
}: {
  readonly state: StoredState;
  readonly hasReview: boolean;
}): RowStanding {
  if (state === "done" || state === "canceled") return state;
  return hasReview ? "inReview" : "running";
}

/**
 * How a case stands, as it tells its parent. One whose child waits for people waits for them too: only what it is told
 * changes that, so whoever tells it can tell those above in the same breath.
 */
export function standingOfCase({ rest, steps }: CaseState): ChildStanding {
  if (rest.kind === "done") return { kind: "done", result: rest.result };
  if (rest.kind === "canceled") return { kind: "canceled", by: rest.by.name, reason: rest.reason };
  const needsPeople = Object.values(steps).some(
    ({ review, child }) => review !== null || child?.standing.kind === "inReview",
  );
  return { kind: needsPeople ? "inReview" : "running" };
}

/** What a child tells its parent; null for a case that no other one started. */
export function tellingOf(child: CaseState): Extract<Entry, { kind: "childTold" }> | null {
  const { parent, caseId, revision } = child;
  if (parent === null) return null;
  return {
    kind: "childTold",
    step: parent.step,
    caseId,
    childRevision: revision,
    standing: standingOfCase(child),
  };
}

/**
 * What a parent writes down of what a child tells; null where it is nothing new. An end is news whatever revision was told
 * before: a failover may have lost that one. But a child that was asked to cancel is never done after that: who tells so comes too
 * late. The step may have another name by now than when the child was started.
 */
export function newsOf(
  parent: CaseState,
  told: Extract<Entry, { kind: "childTold" }>,
): Extract<Entry, { kind: "childTold" }> | null {
  const [found] = Object.entries(parent.steps).filter(([, { child }]) => child?.caseId === told.caseId);
  if (found === undefined || isEnded(parent)) return null;
  const [step, { child }] = found;
  const isAskedToCancel = stepOf(parent, undoName(step)).confirmation !== null;
  if (isAskedToCancel && told.standing.kind === "done") return null;
  const isOld = child === null || (child.toldRevision >= told.childRevision && !isEnd(told.standing));
  return isOld || child.standing.kind === told.standing.kind ? null : { ...told, step };
}

/**
 * Cancels a case for its parent, which takes back what its step did: also one that is done. During a person's repair it is
 * canceled once that ends.
 */
export function decideCancelByParent(
  state: CaseState,
  held: HeldBy | null,
  request: { readonly by: Actor; readonly reason: string | null },
): MoveVerdict {
  if (state.rest.kind === "canceled" || state.cancelRequest !== null) return { kind: "repeated" };
  if (held === null && isUntouched(state))
    return { kind: "write", entries: [{ kind: "canceled", ...request }] };
  return { kind: "write", entries: [{ kind: "cancelRequested", ...request, byParent: true }] };
}
