/**
 * A person with an open page: opens a case for repair or takes it over, looks, corrects and resumes under the repair, and
 * closes it, or goes away without a word.
 */

import { isFootholdError, type ErrorCode } from "../src/core/errors.ts";
import type { Json } from "../src/core/json.ts";
import type { Desk } from "../src/desk/desk.ts";
import type { OpenedRepair } from "../src/desk/repairs.ts";
import type { FaultCounts } from "./faults.ts";
import type { SimulatedProcess } from "./process.ts";
import type { SeededRandom } from "./random.ts";

/** How long a person thinks between two things, in virtual ms. */
const THINK_MS_MAX = 1_500;
/** Moves in one repair. */
const MOVES_MAX = 3;
/** How often a page tries to close while the network loses requests. */
const CLOSES_MAX = 20;

/** What a page is made of. */
export interface PageOptions {
  /** Its name is the person's: no two pages have the same. */
  readonly process: SimulatedProcess;
  readonly desk: Desk;
  readonly caseId: string;
  readonly random: SeededRandom;
  readonly counts: FaultCounts;
  readonly correctedInput: () => Json;
  readonly onOpened: () => void;
  readonly onTrace: (line: string) => void;
}

/** Runs one page to its end. Never rejects: what is refused is told. */
export async function usePage(options: PageOptions): Promise<void> {
  const { process, random, counts, onTrace } = options;
  const opened = await openOrTakeOver(options);
  if (opened === null) return;
  options.onOpened();
  const life = new AbortController();
  void showLife(options, opened, life.signal);
  const moves = random.between(0, MOVES_MAX);
  for (let done = 0; done < moves && !process.isDead; done += 1) await makeMove(options, opened);
  if (random.chance(0.4)) {
    counts.hit("pageLeft");
    onTrace(`${process.name} leaves its page`);
    process.kill();
    return;
  }
  life.abort();
  await close(options, opened);
}

async function openOrTakeOver(options: PageOptions): Promise<OpenedRepair | null> {
  const { process, desk, caseId, random, counts } = options;
  const page = { by: process.name, host: "simulation", build: "1" };
  const opened = await attempt(options, "open", () => desk.openRepair(caseId, page));
  if (opened !== null) counts.hit("repair");
  if (opened !== null || random.chance(0.5)) return opened;
  const takenOver = await attempt(options, "take over", () =>
    desk.takeOverRepair(caseId, { ...page, reason: "it takes too long" }),
  );
  if (takenOver !== null) counts.hit("takeOver");
  return takenOver;
}

/** Beats until the page is closed, or learns that its repair is over. */
async function showLife(options: PageOptions, opened: OpenedRepair, closed: AbortSignal): Promise<void> {
  const { process, desk } = options;
  const { caseId, repairId, beatEveryMs } = opened;
  while (!closed.aborted) {
    await process.ports.clock.sleep(beatEveryMs, closed);
    if (closed.aborted) return;
    const life = await attempt(options, "beat", () => desk.keepRepair(caseId, repairId));
    if (life?.kind === "over") return;
  }
}

/** Looks, thinks, and acts on what was seen: an event may come in between. */
async function makeMove(options: PageOptions, { caseId, repairId }: OpenedRepair): Promise<void> {
  const { process, desk, random } = options;
  const view = await attempt(options, "look", () => desk.show(caseId, repairId));
  await process.ports.clock.sleep(random.between(0, THINK_MS_MAX));
  if (view === null) return;
  const by = { by: process.name, repairId, plan: view.plan?.version };
  if (random.chance(0.5)) {
    const input = options.correctedInput();
    await attempt(options, "correct", () =>
      desk.correctInput(caseId, { ...by, input, reason: "it was wrong" }),
    );
  } else await attempt(options, "resume", () => desk.resume(caseId, by));
}

async function close(options: PageOptions, { caseId, repairId }: OpenedRepair): Promise<void> {
  const { process, desk } = options;
  for (let tries = 1; tries <= CLOSES_MAX; tries += 1) {
    const closed = await attempt(options, "close", () => desk.closeRepair(caseId, repairId));
    if (closed !== null || process.isDead) return;
    await process.ports.clock.sleep(THINK_MS_MAX);
  }
}

async function attempt<Reply>(
  { process, caseId, counts, onTrace }: PageOptions,
  what: string,
  act: () => Promise<Reply>,
): Promise<Reply | null> {
  try {
    const reply = await act();
    onTrace(`${process.name}: ${what} ${caseId}`);
    return reply;
  } catch (error) {
    onTrace(`${process.name} is refused: ${what} ${caseId}: ${String(error)}`);
    const code: ErrorCode | null = isFootholdError(error) ? error.code : null;
    if (code === "REPAIR_OVER") counts.hit("repairOver");
    if (code === "PLAN_CHANGED") counts.hit("unseenEvent");
    return null;
  }
}
