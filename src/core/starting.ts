/** What may be said of a case when it starts: how soon its turn comes, and when its business key is free again. */

/** How soon a case's turn comes among those that are due. */
export type Priority = "high" | "normal" | "low";

/** When another case may start with the business key of one: never, once it is canceled, or once it is done or canceled. */
export type KeyFreedBy = "nothing" | "canceled" | "end";

/** Higher goes first. */
export const PRIORITY_RANKS: Readonly<Record<Priority, number>> = { high: 1, normal: 0, low: -1 };

/**
 * What one rank counts for, in ms of waiting: a case of normal priority that has been due for this much longer than one of high
 * priority goes before it. So nothing waits for ever for what is more urgent.
 */
export const PRIORITY_STEP_MS = 600_000;

/** What cases that are due are claimed by, lowest first: when they were due, moved by their priority. Epoch ms. */
export function turnAt(dueAt: number, priority: Priority): number {
  return dueAt - PRIORITY_RANKS[priority] * PRIORITY_STEP_MS;
}
