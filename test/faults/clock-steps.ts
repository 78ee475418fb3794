/** The wall clock of a worker jumps while it holds cases. Needs libfaketime (the Debian package `faketime`). */

import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../engine/world.ts";
import { installDebianPackage } from "../setup/debian.ts";
import { inArena, LEASE_MS, type Arena } from "./arena.ts";
import type { WorkerProcess } from "./crew.ts";
import { KIND_NAMES } from "./kinds.ts";
import { ran, type Outcome, type RoundInput } from "./tally.ts";

/** Cases of each kind. */
const CASES = 8;
/** How long the destination takes to answer, in ms, so that the clock jumps in the middle of sends. */
const ANSWER_MS = 400;
/** How exact a jump must be seen, in ms. */
const JUMP_SLACK_MS = 60_000;

/** Steps the clock of a worker by so many hours. One run = one step. */
export async function stepClock(hours: 1 | -1, { serverUrl }: RoundInput): Promise<Outcome> {
  if (findLibrary() === null) installDebianPackage("faketime");
  const library = findLibrary();
  if (library === null) {
    return { kind: "skipped", reason: "libfaketime is not installed, and this user cannot install it" };
  }
  const folder = mkdtempSync(join(tmpdir(), "foothold-clock-"));
  const offsetFile = join(folder, "offset");
  try {
    return await inArena(serverUrl, async (arena) => {
      writeFileSync(offsetFile, "+0");
      await arena.ledger.answerAfter(ANSWER_MS);
      for (const kind of KIND_NAMES) await arena.start(kind, CASES);
      arena.sweep();
      const stepped = await arena.worker("stepped", { env: fakedClock(library, offsetFile) });
      await until("sends to be under way", async () => (await arena.ledger.read()).length > CASES);
      const before = await readClock(stepped);
      writeFileSync(offsetFile, `${hours > 0 ? "+" : "-"}${Math.abs(hours) * 3_600}`);
      const after = await readClock(stepped);
      const isHit = Math.abs(after - before - hours * 3_600_000) < JUMP_SLACK_MS;
      // A holder that somebody wrongly took for dead would be freed within a lease.
      await new Promise((resolve) => setTimeout(resolve, LEASE_MS + 1_000));
      const freed = freedAlive(arena, stepped);
      await arena.worker("steady");
      await arena.settle();
      return ran(1, isHit ? 1 : 0, [...freed, ...(await arena.judge())]);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function freedAlive(arena: Arena, worker: WorkerProcess): readonly string[] {
  const isFreed = arena.swept("holderFreed").length > 0 || worker.heard("holderEnded").length > 0;
  return isFreed ? [`${worker.name} was alive, and what it held was freed`] : [];
}

async function readClock(worker: WorkerProcess): Promise<number> {
  const count = worker.heard("clock").length + 1;
  worker.tell("clock");
  return (await worker.hear("clock", count)).at(-1)?.wallAt ?? 0;
}

function fakedClock(library: string, offsetFile: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: offsetFile,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    DONT_FAKE_MONOTONIC: "1",
  };
}

/** Where Debian puts it, on whatever processor. */
function findLibrary(): string | null {
  if (process.platform !== "linux") return null;
  const found = readdirSync("/usr/lib")
    .map((name) => join("/usr/lib", name, "faketime", "libfaketimeMT.so.1"))
    .find((path) => existsSync(path));
  return found ?? null;
}
