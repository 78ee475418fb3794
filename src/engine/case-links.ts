/**
 * Lets events find a case by keys that its steps make known, such as the outside id of what one created. A key is linked
 * before the commit that makes it known, so no wait begins that an event cannot find; one too many does no harm, since
 * it names the same case.
 */

import type { CaseState } from "../core/case-state.ts";
import { isFootholdError } from "../core/errors.ts";
import type { Ports } from "../core/ports.ts";
import { keyShard, keysOfCase } from "../define/case-keys.ts";
import type { CaseType } from "../define/case-type.ts";
import { SHARD_COUNT, type Store } from "../store/port.ts";

/** Delay before a link is tried again while the database is away, in ms. */
const AWAY_MS = 500;

/** What links cases. */
export interface LinkingContext {
  readonly store: Pick<Store, "inbox">;
  readonly ports: Ports;
  /** Aborts when the process gives up. */
  readonly kill: AbortSignal;
  /** Told of what the author's function threw. */
  readonly onBug: (error: unknown) => void;
}

/** Makes the linking of one case under one claim; null where its type has no keys. */
export function linkingOf(
  context: LinkingContext,
  caseType: CaseType,
): ((state: CaseState) => Promise<void>) | null {
  if (caseType.keys === null) return null;
  const linked = new Set<string>();
  return async (state) => {
    const targets = newTargets(context, caseType, state, linked);
    if (targets.length === 0) return;
    if (!(await linkWhileAlive(context, state.caseId, targets))) return;
    for (const { key } of targets) linked.add(key);
  };
}

function newTargets(
  { ports, onBug }: LinkingContext,
  caseType: CaseType,
  state: CaseState,
  linked: ReadonlySet<string>,
): readonly { tenant: string; caseType: string; key: string; shard: number }[] {
  try {
    return keysOfCase(caseType, state)
      .filter(({ key }) => !linked.has(key))
      .map((named) => ({ ...named, shard: keyShard(ports.digest, named, SHARD_COUNT) }));
  } catch (error) {
    // What a step did must be stored whatever this function does.
    onBug(error);
    return [];
  }
}

/** False when the process gave up first. */
async function linkWhileAlive(
  { store, ports, kill }: LinkingContext,
  caseId: string,
  targets: Parameters<Store["inbox"]["linkCase"]>[1],
): Promise<boolean> {
  while (!kill.aborted) {
    try {
      await store.inbox.linkCase(caseId, targets);
      return true;
    } catch (error) {
      if (!isFootholdError(error) || error.code !== "DATABASE_UNAVAILABLE") throw error;
      await ports.clock.sleep(AWAY_MS, kill);
    }
  }
  return false;
}
