/** Cases that come in all the time, as long as a fault goes on. */

import { until } from "../engine/world.ts";
import type { Arena } from "./arena.ts";
import type { KindName } from "./kinds.ts";

/** Cases that are started together. */
const BATCH = 16;
/** Cases that wait at most; more are started as these are done. */
const BACKLOG_MAX = 200;
/** How often to look whether more are wanted, in ms. */
const LOOK_EVERY_MS = 20;

/** A load that can be stopped. */
export interface Load {
  /** Ends when every start that was begun was answered. Rejects if one failed. */
  stop(): Promise<void>;
}

/** Waits until this many more cases are done than now; while the database is away, until it is back and they are. */
export async function someDone(arena: Arena, count: number): Promise<void> {
  const before = await until("the database to be back", () => arena.doneCount());
  await until("cases to be done", async () => ((await arena.doneCount()) ?? 0) >= before + count);
}

/** Starts cases of a kind without end, as fast as they are done. */
export function keepBusy(arena: Arena, kind: KindName): Load {
  const stopping = new AbortController();
  // A run that fails stops nobody.
  const over = AbortSignal.any([stopping.signal, arena.over]);
  const run = async (): Promise<void> => {
    let done = 0;
    while (!over.aborted) {
      done = (await arena.doneCount()) ?? done;
      if (arena.cases.length - done < BACKLOG_MAX) await arena.start(kind, BATCH);
      else await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  };
  const running = run();
  // A failed start is told by `stop`; until then nobody listens.
  running.catch(() => undefined);
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
