/**
 * Hints of changes for open pages. One look a second at the store for all of them together, and at once where a start or
 * an act hints; nothing at all while nobody listens. A hint says that something changed, never what.
 */

import type { Clock } from "../../core/ports.ts";
import type { Pulse, Store, WatchedCase } from "../../store/port.ts";
import type { Change } from "./types.ts";

/** Pages that may listen at the same time. */
export const LISTENERS_MAX = 100;
/** Of these, pages of one person: what somebody leaves open must not take the room of all others. */
export const LISTENERS_OF_ONE_MAX = 20;
/** Cases that one page may ask about. */
export const LISTENER_CASES_MAX = 100;
const LOOK_EVERY_MS = 1_000;
/** After a failed look, so that a database that is away is not asked every second. */
const LOOK_AGAIN_MS = 5_000;

/** Who listens. */
interface Listener {
  /** Whose page it is. */
  readonly person: string;
  readonly caseIds: readonly string[];
  /** What they may see; a case that they may not is never hinted at. */
  readonly sees: (one: WatchedCase) => boolean;
  readonly onChange: (change: Change) => void;
}

/** The feed of one server. */
export interface ChangeFeed {
  /** Returns the function that stops listening, or whose pages are too many already. */
  listen(listener: Listener): (() => void) | "tooManyOfAll" | "tooManyOfOne";
}

/** Makes the feed. It looks at nothing before somebody listens. */
export function createChangeFeed(store: Store, clock: Clock): ChangeFeed {
  const listeners = new Set<Listener>();
  let isRunning = false;

  async function run(): Promise<void> {
    let before: Pulse | null = null;
    let wake = new AbortController();
    // Without hints from the store it looks every second all the same.
    const stop = await store.listen(() => wake.abort()).catch(() => null);
    while (listeners.size > 0) {
      const now = await look(store, listeners);
      if (now !== null) {
        tell(listeners, before, now);
        before = now;
      }
      wake = new AbortController();
      await clock.sleep(now === null ? LOOK_AGAIN_MS : LOOK_EVERY_MS, wake.signal);
    }
    await stop?.();
    isRunning = false;
    // Somebody may have come while it ended.
    if (listeners.size > 0) start();
  }

  function start(): void {
    if (isRunning) return;
    isRunning = true;
    void run();
  }

  return {
    listen: (listener) => {
      if (listeners.size >= LISTENERS_MAX) return "tooManyOfAll";
      const own = [...listeners].filter(({ person }) => person === listener.person);
      if (own.length >= LISTENERS_OF_ONE_MAX) return "tooManyOfOne";
      listeners.add(listener);
      start();
      return () => listeners.delete(listener);
    },
  };
}

/** Null = the database does not answer; pages learn that when they read. */
async function look(store: Store, listeners: ReadonlySet<Listener>): Promise<Pulse | null> {
  const caseIds = [...new Set([...listeners].flatMap((one) => one.caseIds))];
  try {
    return await store.readPulse(caseIds);
  } catch {
    return null;
  }
}

function tell(listeners: ReadonlySet<Listener>, before: Pulse | null, now: Pulse): void {
  if (before === null) return;
  const known = new Map(before.cases.map((one) => [one.caseId, one]));
  const changed = now.cases.filter((one) => {
    const old = known.get(one.caseId);
    return old !== undefined && (old.revision !== one.revision || old.claimId !== one.claimId);
  });
  for (const { caseIds, sees, onChange } of listeners) {
    for (const one of changed) {
      if (caseIds.includes(one.caseId) && sees(one)) {
        onChange({ kind: "case", caseId: one.caseId, revision: one.revision });
      }
    }
    if (before.mark !== now.mark || changed.length > 0) onChange({ kind: "list" });
  }
}
