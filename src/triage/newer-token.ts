/** How far a destination may raise our fencing tokens. */

import { failureOf, type Failure } from "../core/failure.ts";

/** Tokens are at least the time in ms: one that is further ahead than this was never one of ours. */
const AHEAD_MS_MAX = 366 * 24 * 3_600_000;

/**
 * A token from the far future is somebody's mistake, not an instruction: raised above it, ours would soon be out of reach.
 * `now` in epoch ms.
 */
export function withinReach(failure: Failure, now: number): Failure {
  const { instruction } = failure;
  if (instruction?.kind !== "newerToken" || instruction.seen <= now + AHEAD_MS_MAX) return failure;
  const { owner: _owner, scope: _scope, ...known } = failure;
  return failureOf({
    ...known,
    cause: "bug",
    instruction: null,
    sentence:
      `${failure.sentence.replace(/\.$/, "")}. The token ${instruction.seen} lies more than a year ahead, so it is none ` +
      `of ours: find out who shows such tokens there.`,
  });
}
