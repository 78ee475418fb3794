/**
 * Late workers: a process is stopped inside `run`, past the last look at its lease; another worker goes on with its
 * cases; then it wakes up and its requests go out, whatever the engine wants. No lease can prevent that. One run = one case.
 */

import { stepOf } from "../../src/core/case-state.ts";
import { until } from "../engine/world.ts";
import { inArena, type Arena } from "./arena.ts";
import type { Trap, WorkerProcess } from "./crew.ts";
import { KINDS, type KindName } from "./kinds.ts";
import { ran, type Outcome, type RoundInput } from "./tally.ts";

/** When the stopped process wakes up. */
export type WakesUp =
  /** Once all that goes on without it has come to rest. */
  | "whenAllIsOver"
  /** While its request can still be expected: whoever asks must not believe yet that it did not happen. */
  | "withinDeadline";

/** Cases of one stopped process. */
const CASES_MAX = 50;
const STEP = "second";

/** Stops a worker in the middle of sends and wakes it up late. */
export async function wakeZombies(
  kind: KindName,
  wakesUp: WakesUp,
  { serverUrl, runs }: RoundInput,
): Promise<Outcome> {
  return inArena(serverUrl, async (arena) => {
    const deadline = wakesUp === "withinDeadline" ? "60s" : KINDS[kind].deadline;
    const ids = await arena.start(kind, Math.min(runs, CASES_MAX), { name: `${kind}_late`, kind, deadline });
    const traps = ids.map((caseId): Trap => ({ act: "sendLate", caseId, step: STEP }));
    const zombie = await arena.worker("zombie", { traps });
    await zombie.hear("at", ids.length);
    zombie.signal("SIGSTOP");
    arena.sweep();
    await arena.worker("survivor");
    if (wakesUp === "whenAllIsOver") await arena.rest();
    else await allWait(arena);
    const before = await arena.ledger.read();
    zombie.signal("SIGCONT");
    zombie.tell("go");
    const late = kind === "transaction" ? 0 : await lateRequests(arena, zombie, ids, before.length);
    await arena.settle();
    // What is written late in a transaction is never seen: the door refuses it.
    const refused = zombie.heard("claimLost").filter(({ caseId = "" }) => ids.includes(caseId)).length;
    return ran(ids.length, kind === "transaction" ? refused : late, [
      ...(await judgeRequests(arena, kind, wakesUp, ids)),
      ...(await arena.judge()),
    ]);
  });
}

/** The others have taken over, asked, and wait for the last moment at which the request may still arrive. */
async function allWait(arena: Arena): Promise<void> {
  await until("every case to wait", async () => {
    const rows = await arena.rows();
    return rows.every(({ state, summary }) => state === "waiting" && summary.unsettled.includes(STEP));
  });
}

/** Requests of the first attempts that arrive after the wake-up; waits for all of them, within a bound. */
async function lateRequests(
  arena: Arena,
  zombie: WorkerProcess,
  ids: readonly string[],
  before: number,
): Promise<number> {
  const tokens = new Set<string>();
  for (const caseId of ids) {
    const attempt = stepOf(await arena.world.state(caseId), STEP).intent?.attempts[0];
    tokens.add(`${caseId}.${STEP} ${attempt?.fencingToken}`);
  }
  const arrived = async (): Promise<number> =>
    (await arena.ledger.read())
      .slice(before)
      .filter(({ key, token }) => tokens.has(`${key.slice(0, key.lastIndexOf("."))} ${token}`)).length;
  await until(`the late requests of ${zombie.name}`, async () => (await arrived()) >= ids.length).catch(
    () => undefined,
  );
  return arrived();
}

/** An unknown outcome is never sent again by itself where the destination can do nothing about it. */
async function judgeRequests(
  arena: Arena,
  kind: KindName,
  wakesUp: WakesUp,
  ids: readonly string[],
): Promise<readonly string[]> {
  const isAlone = KINDS[kind].afterUnknown === "stops" || wakesUp === "withinDeadline";
  const lines = await arena.lines();
  return ids.flatMap((caseId) => {
    const sent = lines.filter(({ key }) => key.startsWith(`${caseId}.${STEP}.`)).length;
    // The late request, and that of the other worker where there may be one; the late one of a transaction is rolled back.
    const wanted = isAlone || kind === "transaction" ? 1 : 2;
    return sent === wanted ? [] : [`${STEP} of case ${caseId} was sent ${sent} times, not ${wanted}`];
  });
}
