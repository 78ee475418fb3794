import { setTimeout as pause } from "node:timers/promises";
import { FootholdError } from "../../core/errors.ts";
import { inFolder } from "./folder-error.ts";
import { enter, listPresent, type Presence } from "./presence.ts";

const roundMs = 20;

/**
 * Does `work` while no other process (nor another call in this one) does work under the same folder.
 *
 * Each contender puts down its own entry, then looks: whoever sees another living entry takes its own back and tries again.
 * Of two contenders the one that put its entry down last sees the other, so two never go on together; and as no entry is
 * ever taken over from a dead process, there is no race about whose lock is broken.
 *
 * Throws `EMBEDDED_LOCKED`, naming the process that works, after `waitMs`; `EMBEDDED_FOLDER_UNUSABLE` if it may not write.
 */
export async function withLock<T>(
  folder: string,
  { waitMs, signal }: { readonly waitMs: number; readonly signal?: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> {
  const presence = await takeLock(folder, waitMs, signal);
  try {
    return await work();
  } finally {
    presence.leave();
  }
}

async function takeLock(folder: string, waitMs: number, signal: AbortSignal | undefined): Promise<Presence> {
  const startedAt = performance.now();
  for (let round = 1; ; round += 1) {
    signal?.throwIfAborted();
    const presence = inFolder(folder, () => tryLock(folder));
    if (presence !== undefined) return presence;
    if (performance.now() - startedAt > waitMs) throw lockedError(folder, waitMs);
    // Spread by process and round, or two contenders could meet in step for ever.
    await pause(roundMs / 2 + ((process.pid * 7 + round * 13) % roundMs), undefined, { signal });
  }
}

/** Takes the lock if it is free at this moment; for those who cannot wait. */
export function tryLock(folder: string): Presence | undefined {
  // Looking first keeps those who only wait from disturbing each other.
  if (listPresent(folder).length > 0) return undefined;
  const presence = enter(folder);
  if (listPresent(folder, presence).length === 0) return presence;
  presence.leave();
  return undefined;
}

function lockedError(folder: string, waitMs: number): FootholdError {
  const holders = listPresent(folder);
  return new FootholdError(
    "EMBEDDED_LOCKED",
    `another process (${holders.join(", ")}) has been starting or stopping the embedded database for ${waitMs / 1000} s. ` +
      `If it hangs, end it and try again. The lock is ${folder}.`,
    { details: { folder, pids: holders } },
  );
}
