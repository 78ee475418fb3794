/** Whether a bug of our own may be mended: another build runs than the ones that ran when cases stopped by it. */

import type { ProblemGroup } from "../core/problems.ts";
import { seemsAlive } from "../core/state.ts";
import type { StoredHolder } from "../store/port.ts";

/** A build that may have mended a problem. */
export interface NewBuild {
  readonly build: string;
  /** When the first of its workers that run now was started. */
  readonly sinceAt: number;
}

/**
 * The build that takes the cases of a problem now, where every worker that takes them was started after the last of them stopped
 * and none has a build that ran before. Null for whatever no code of ours mends, and where the workers of that time are not known
 * any more (they are for a day after they ended).
 */
export function newBuildFor(
  { kind, caseType, lastSinceAt }: Pick<ProblemGroup, "kind" | "caseType" | "lastSinceAt">,
  holders: readonly StoredHolder[],
  now: number,
): NewBuild | null {
  if (kind !== "bug") return null;
  const workers = holders.filter(
    (one) => one.kind === "worker" && one.caseTypes.some(({ name }) => name === caseType),
  );
  const before = new Set(
    workers.filter(({ startedAt }) => startedAt <= lastSinceAt).map(({ build }) => build),
  );
  const running = workers.filter((one) => seemsAlive(one, now));
  // While an old one runs, what is resumed may come to it again.
  const areNew = running.every(({ build, startedAt }) => startedAt > lastSinceAt && !before.has(build));
  const newest = running.toSorted((one, other) => other.startedAt - one.startedAt)[0];
  if (before.size === 0 || !areNew || newest === undefined) return null;
  const same = running.filter(({ build }) => build === newest.build).map(({ startedAt }) => startedAt);
  return { build: newest.build, sinceAt: Math.min(...same) };
}
