/** kill -9 and SIGSTOP of a worker at every point of an attempt, alone and in pairs; many cases per ended process. */

import { seededRandom, type SeededRandom } from "../../examples/services/seeded-random.ts";
import { FAILPOINTS, type Failpoint } from "../../src/engine/failpoints.ts";
import { inArena, type Arena } from "./arena.ts";
import { STEPS, type PlannedType, type StepName } from "./case-types.ts";
import type { Trap, WorkerProcess } from "./crew.ts";
import { KIND_NAMES, KINDS, type KindName } from "./kinds.ts";
import { ran, type Outcome, type RoundInput } from "./tally.ts";

/** How a process is ended. A stopped one wakes up when all is over, and says what it had to say. */
export type EndedBy = "kill" | "stop";

/** A point of one step's attempt. */
interface Place {
  readonly step: StepName;
  readonly point: Failpoint;
}

const PLACES: readonly Place[] = STEPS.flatMap((step) => FAILPOINTS.map((point) => ({ step, point })));

/**
 * The places of a case that nothing has happened to yet. What follows a confirmed step is opened with its confirmation, or
 * with the answer to a question: only the first intent may have a moment before it.
 */
function firstPlaces(kind: KindName): readonly Place[] {
  const { opensAfterQuestion } = KINDS[kind];
  return PLACES.filter(
    ({ step, point }) => point !== "beforeIntent" || (step === "first" && !opensAfterQuestion),
  );
}

const FIRST_PLACES: readonly { readonly kind: KindName; readonly place: Place }[] = KIND_NAMES.flatMap(
  (kind) => firstPlaces(kind).map((place) => ({ kind, place })),
);
/** Places of all kinds. */
export const PLACE_COUNT: number = FIRST_PLACES.length;
/** Cases that a worker holds when it is ended: as many as one holds by itself. */
const CASES_MAX = 48;

/** Ends a worker while each of its cases stands at another place; the next round goes on with further ones. One run = one case. */
export async function endAtPlaces(endedBy: EndedBy, input: RoundInput): Promise<Outcome> {
  const { serverUrl, commonSeed, resumedWithinMs, done, runs } = input;
  const order = shuffle(FIRST_PLACES, seededRandom(commonSeed));
  const from = done % order.length;
  const chosen = order.slice(from, from + Math.min(runs, CASES_MAX));
  return inArena(serverUrl, async (arena) => {
    const traps: Trap[] = [];
    for (const { kind, place } of chosen) traps.push(await holdOne(arena, kind, place));
    const victim = await arena.worker("victim", { traps });
    await victim.hear("at", traps.length);
    arena.sweep();
    const survivor = await arena.worker("survivor");
    const endedAt = performance.now();
    await endProcess(victim, endedBy);
    await arena.settle();
    const late = traps.filter(
      (trap) => !isEndOfCase(trap) && takenAfter(survivor, trap, endedAt) > resumedWithinMs,
    );
    const slow = late.map(
      ({ caseId }) => `case ${caseId} had no holder ${resumedWithinMs} ms after the fault`,
    );
    return ran(traps.length, traps.filter((trap) => wasHit(arena, victim.name, trap)).length, [
      ...slow,
      ...(await arena.judge()),
    ]);
  });
}

/** Ends a worker, and the next one where it has come to. One run = one case and its pair of places. */
export async function endAtPairs({ serverUrl, seed, runs }: RoundInput): Promise<Outcome> {
  const random = seededRandom(seed);
  const [firstEnd, secondEnd] = [random.pick(ENDS), random.pick(ENDS)];
  const pairs = Array.from({ length: Math.min(runs, PAIRS_AT_ONCE) }, () => random.pick(PAIRS));
  return inArena(serverUrl, async (arena) => {
    const firstTraps: Trap[] = [];
    const secondTraps: Trap[] = [];
    for (const { kind, first, second } of pairs) {
      const trap = await holdOne(arena, kind, first, { name: `${kind}_${firstTraps.length}`, kind });
      firstTraps.push(trap);
      secondTraps.push({ ...trap, ...second });
    }
    arena.sweep();
    const ends: [readonly Trap[], EndedBy][] = [
      [firstTraps, firstEnd],
      [secondTraps, secondEnd],
    ];
    for (const [index, [traps, endedBy]] of ends.entries()) {
      // A case that lost its worker is tried beside none that did not (R9): each type has a worker of its own.
      const victim = await arena.worker(`victim ${index + 1}`, { traps, workerPerType: true });
      await victim.hear("at", traps.length);
      await endProcess(victim, endedBy);
    }
    await arena.worker("survivor");
    await arena.settle();
    const hits = pairs.filter((_, index) =>
      [firstTraps[index], secondTraps[index]].every(
        (trap, victim) => trap !== undefined && wasHit(arena, `victim ${victim + 1}`, trap),
      ),
    ).length;
    return ran(pairs.length, hits, await arena.judge());
  });
}

const ENDS: readonly EndedBy[] = ["kill", "stop"];
/** Pairs in one arena. */
const PAIRS_AT_ONCE = 25;

interface Pair {
  readonly kind: KindName;
  readonly first: Place;
  readonly second: Place;
}

/** Every pair whose second place a worker comes to after the first fault. */
const PAIRS: readonly Pair[] = FIRST_PLACES.flatMap(({ kind, place }) =>
  placesAfter(kind, place).map((second) => ({ kind, first: place, second })),
);

function placesAfter(kind: KindName, { step, point }: Place): readonly Place[] {
  const { afterUnknown, opensAfterQuestion } = KINDS[kind];
  const next = point === "afterConfirm" ? STEPS[STEPS.indexOf(step) + 1] : step;
  if (next === undefined) return [];
  // Whether an attempt of the step that goes on stands open, of which nobody knows what became of it.
  const isOpen = point !== "beforeIntent" && !(point === "afterConfirm" && opensAfterQuestion);
  if (isOpen && afterUnknown === "stops") return [];
  return PLACES.filter((one) => {
    if (one.step !== next) {
      return STEPS.indexOf(one.step) > STEPS.indexOf(next) && one.point !== "beforeIntent";
    }
    // What is asked about is confirmed by the answer where it has happened; else that ends the claim until the next question.
    const hasHappened = point === "afterSend" || point === "beforeConfirm";
    if (isOpen && afterUnknown === "asks") {
      return one.point === "beforeConfirm" || (one.point === "afterConfirm" && hasHappened);
    }
    return one.point !== "beforeIntent" || isOpen || !opensAfterQuestion;
  });
}

async function holdOne(arena: Arena, kind: KindName, place: Place, type?: PlannedType): Promise<Trap> {
  const [caseId = ""] = await arena.start(kind, 1, type);
  return { act: "hold", caseId, ...place };
}

async function endProcess(victim: WorkerProcess, endedBy: EndedBy): Promise<void> {
  if (endedBy === "kill") await victim.kill();
  else victim.signal("SIGSTOP");
}

/** The last confirmation was stored with the end of the case: nothing is left to go on with. */
function isEndOfCase(trap: Trap): boolean {
  return trap.step === "third" && trap.act === "hold" && trap.point === "afterConfirm";
}

/** The sweep took the case from the victim, or it had ended by then. */
function wasHit(arena: Arena, victim: string, trap: Trap): boolean {
  const freed = arena.swept("holderFreed").filter(({ name }) => name === victim);
  return isEndOfCase(trap) || freed.some(({ caseIds }) => caseIds.includes(trap.caseId));
}

function takenAfter(survivor: WorkerProcess, { caseId }: Trap, endedAt: number): number {
  const taken = survivor.heard("claimed").find(({ caseIds }) => caseIds?.includes(caseId));
  return (taken?.heardAt ?? Infinity) - endedAt;
}

function shuffle<T>(all: readonly T[], random: SeededRandom): readonly T[] {
  const left = [...all];
  const shuffled: T[] = [];
  while (left.length > 0) shuffled.push(...left.splice(random.under(left.length), 1));
  return shuffled;
}
