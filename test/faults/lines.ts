/** Networks that fail between a worker and its database. */

import { until } from "../engine/world.ts";
import { inArena, type Arena } from "./arena.ts";
import { startFaultLine, type FaultLine } from "./fault-line.ts";
import { keepBusy } from "./load.ts";
import { ran, type Outcome, type RoundInput } from "./tally.ts";

/** Commits that are hit in one arena. */
const COMMITS_MAX = 500;
/** How long that may take, in ms. */
const COMMITS_WITHIN_MS = 120_000;
/** Cases whose worker is cut off. */
const SILENT_CASES = 30;

/** Cuts commits off, or their answers. One run = one commit; each was sent again and stored once. */
export async function cutCommits(
  fault: "cutBefore" | "loseReply",
  { serverUrl, seed, runs }: RoundInput,
): Promise<Outcome> {
  const wanted = Math.min(runs, COMMITS_MAX);
  return withLine(serverUrl, seed, async (arena, line) => {
    // Few cases at a time, so that commits are many and small.
    for (const name of ["one", "two"]) await arena.worker(name, { url: line.url, concurrency: 4 });
    arena.sweep();
    line.fail(fault);
    const load = keepBusy(arena, "key");
    await until("enough commits to be hit", () => line.hits() >= wanted, COMMITS_WITHIN_MS);
    line.heal();
    await load.stop();
    await arena.settle();
    const hits = Math.min(line.hits(), wanted);
    return ran(wanted, hits, [...(await judgeRepeats(arena)), ...(await arena.judge())]);
  });
}

/** Cuts a worker off without closing its connections, while another one can reach the database. One run = one time. */
export async function silenceWorker({ serverUrl, seed }: RoundInput): Promise<Outcome> {
  return withLine(serverUrl, seed, async (arena, line) => {
    await arena.worker("silent", { url: line.url });
    await arena.ledger.answerAfter(300);
    const ids = await arena.start("key", SILENT_CASES);
    arena.sweep();
    await until("sends to be under way", async () => (await arena.ledger.read()).length >= SILENT_CASES);
    line.fail("silence");
    await arena.worker("other");
    await arena.rest();
    line.heal();
    await arena.settle();
    const freed = arena
      .swept("holderFreed")
      .flatMap(({ name, caseIds }) => (name === "silent" ? caseIds : []));
    return ran(1, freed.length === ids.length ? 1 : 0, await arena.judge());
  });
}

/** No claim was lost, so each step was sent once: nothing was forgotten that had been done. */
async function judgeRepeats({ ledger, cases }: Arena): Promise<readonly string[]> {
  const lines = await ledger.read();
  const wanted = cases.length * 3;
  return lines.length === wanted ? [] : [`${lines.length} requests were sent for ${wanted} effects`];
}

async function withLine(
  serverUrl: string,
  seed: string,
  act: (arena: Arena, line: FaultLine) => Promise<Outcome>,
): Promise<Outcome> {
  return inArena(serverUrl, async (arena) => {
    const line = await startFaultLine(arena.database.url, seed);
    try {
      return await act(arena, line);
    } finally {
      await line.stop();
    }
  });
}
