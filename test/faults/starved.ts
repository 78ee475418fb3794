/** Workers that lack time, memory or files. One run = one starved process. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../examples/services/seeded-random.ts";
import { until } from "../engine/world.ts";
import { inArena, type Arena } from "./arena.ts";
import { STEPS, type StepName } from "./case-types.ts";
import type { WorkerProcess } from "./crew.ts";
import { KIND_NAMES } from "./kinds.ts";
import { ran, type Outcome, type RoundInput } from "./tally.ts";

/** Cases of each kind that are under way in the process. */
const CASES = 8;
/** How long the destination takes to answer, in ms, so that neighbors are in the middle of sends. */
const ANSWER_MS = 200;
/** What the process that runs out of it may use, in MB. */
const MEMORY_MB = 64;
/** Files that a process may open beside those that it has. */
const FILES_MORE = 4;
const FILES_BEFORE = 4_096;

/** A loop blocks a worker until others have its cases, before its case sends or after it was answered. */
export async function blockLoop({ serverUrl, seed }: RoundInput): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "foothold-loop-"));
  const untilFile = join(folder, "end");
  try {
    return await inArena(serverUrl, async (arena) => {
      const place = await chooseOne(arena, seed);
      const when = seededRandom(`${seed} when`).pick(["beforeSend", "afterSend"] as const);
      const blocked = await arena.worker("blocked", { traps: [{ ...place, act: "block", untilFile, when }] });
      await blocked.hear("at");
      arena.sweep();
      const other = await arena.worker("other");
      await until("another worker to have the case", () => hasClaimed(other, place.caseId));
      writeFileSync(untilFile, "");
      await blocked.hear("holderEnded");
      // What it commits when it comes to itself is refused.
      await blocked.hear("claimLost");
      await arena.settle();
      return ran(1, wasFreed(arena, blocked.name, place.caseId), await arena.judge());
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A step uses up the memory of its process right after it was answered. */
export async function exhaustMemory({ serverUrl, seed }: RoundInput): Promise<Outcome> {
  return inArena(serverUrl, async (arena) => {
    const place = await chooseOne(arena, seed);
    const hungry = await arena.worker("hungry", {
      traps: [{ ...place, act: "eatMemory" }],
      env: { ...process.env, NODE_OPTIONS: `--max-old-space-size=${MEMORY_MB}` },
    });
    await hungry.hear("at");
    arena.sweep();
    await until("the process to die of it", () => hungry.isGone());
    await arena.worker("other");
    await arena.settle();
    return ran(1, wasFreed(arena, hungry.name, place.caseId), await arena.judge());
  });
}

/** A worker may open no more files, so that requests and connections to the database fail before they begin. */
export async function exhaustFiles({ serverUrl }: RoundInput): Promise<Outcome> {
  if (!existsSync("/usr/bin/prlimit")) {
    return {
      kind: "skipped",
      reason: "the limit of a running process is set by prlimit, which is not there",
    };
  }
  return inArena(serverUrl, async (arena) => {
    await arena.ledger.answerAfter(ANSWER_MS);
    const worker = await arena.worker("narrow");
    limitFiles(worker.pid, readdirSync(`/proc/${worker.pid}/fd`).length + FILES_MORE);
    for (const kind of KIND_NAMES) await arena.start(kind, CASES);
    arena.sweep();
    const isHit = async (): Promise<boolean> => (await failedFor(arena, "EMFILE")) > 0;
    await until("requests to fail for want of files", isHit);
    limitFiles(worker.pid, FILES_BEFORE);
    await arena.settle();
    return ran(1, 1, await arena.judge());
  });
}

/** Cases of every kind to be under way, and the one that does it. */
async function chooseOne(
  arena: Arena,
  seed: string,
): Promise<{ readonly caseId: string; readonly step: StepName }> {
  await arena.ledger.answerAfter(ANSWER_MS);
  const ids: string[] = [];
  for (const kind of KIND_NAMES) ids.push(...(await arena.start(kind, CASES)));
  const random = seededRandom(seed);
  return { caseId: random.pick(ids), step: random.pick(STEPS) };
}

function hasClaimed(worker: WorkerProcess, caseId: string): boolean {
  return worker.heard("claimed").some(({ caseIds }) => caseIds?.includes(caseId) === true);
}

function wasFreed(arena: Arena, name: string, caseId: string): number {
  const freed = arena.swept("holderFreed").filter((one) => one.name === name);
  return freed.some(({ caseIds }) => caseIds.includes(caseId)) ? 1 : 0;
}

function limitFiles(pid: number, count: number): void {
  execFileSync("prlimit", ["--pid", String(pid), `--nofile=${count}:${FILES_BEFORE}`]);
}

async function failedFor(arena: Arena, code: string): Promise<number> {
  let count = 0;
  for (const { caseId } of arena.cases) {
    const failed = (await arena.world.entries(caseId)).filter(({ kind }) => kind === "attemptFailed");
    if (failed.some((entry) => JSON.stringify(entry).includes(code))) count += 1;
  }
  return count;
}
