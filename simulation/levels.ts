/**
 * A world of three levels: an order that has shipments, which have labels, each of them a case. Every level sends to
 * destinations of several kinds, everywhere something fails, and the order is canceled half-way.
 */

import type { StepOutline } from "../src/core/outline.ts";
import {
  drawLimit,
  drawSend,
  eachOf,
  TOP_TYPE,
  type CaseShape,
  type Common,
  type SendDraw,
} from "./case-shape.ts";
import { CHAOS_MS, type Chaos } from "./chaos.ts";
import type { Contract } from "./contracts.ts";
import { ON_CANCELED, startOf } from "./family.ts";
import { LEVEL_KINDS } from "./faults.ts";
import { MOMENTS } from "./levels-cancel.ts";
import { checkLevels, isOver, LevelsWatch } from "./levels-rules.ts";
import type { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";
import type { CaseTypes, World } from "./world.ts";

/** One that deduplicates by key, one by name, one that can only be asked, and one that can nothing. */
const CONTRACTS: readonly Contract[] = ["key", "unique", "lookup", "none"];
/** Steps without an undo, as a share: what they do stays outside, and somebody says so. */
const FOR_GOOD_SHARE = 0.15;
/** When the moment to cancel is first looked for, and how long it may take to come about, in virtual ms. */
const CANCELED_FROM_MS = 500;
const CANCELED_FROM_MS_MAX = 7_000;
const CANCELED_WITHIN_MS = 14_000;
/** What is to hit an order that goes well comes before, in virtual ms. */
const EARLY_MS = 4_000;
/** How long an order rests before it is done, in virtual ms: longer than it takes until it is canceled. */
const REST_MS = 60_000;
/** How long nobody helps once the world is good, in virtual ms: those above must know of what waits for people by then. */
const UNHELPED_MS = 10_000;

/** The order and what it is made of. */
export const LEVELS_WORLD: World = {
  name: "levels",
  kinds: LEVEL_KINDS,
  startsMax: 1,
  restsFromMs: 0,
  hasStandby: false,
  laterMs: 0,
  hasInbox: false,
  leavesShare: 0.6,
  unhelpedMs: UNHELPED_MS,
  drawTypes: (_, random) => drawLevels(random),
  plan: ({ chaos, random, scheduler }) => planLevels(chaos, random, scheduler),
  isOver,
  judge: checkLevels,
  watch: () => new LevelsWatch(),
};

function drawLevels(random: SeededRandom): CaseTypes {
  const level = { random, inFlight: drawLimit(random) };
  const top = drawOrder(level);
  return { top, all: [top, drawShipment(level), drawLabel(level)] };
}

interface Level {
  readonly random: SeededRandom;
  readonly inFlight: CaseShape["inFlight"];
}

function drawOrder(level: Level): CaseShape {
  const pay = sends(level, "pay", []);
  const ship = starts(level, "ship", { follows: [pay], caseType: "shipment" });
  const tell = sends(level, "tell", level.random.chance(0.5) ? [pay, ship] : [pay]);
  const rest: StepOutline = { ...common("rest", [pay, ship, tell]), kind: "sleep", forMs: REST_MS };
  return shapeOf(level, TOP_TYPE, [pay, ship, tell, rest]);
}

function drawShipment(level: Level): CaseShape {
  const pack = sends(level, "pack", []);
  const labels = starts(level, "labels", { follows: [pack], caseType: "label" });
  const book = sends(level, "book", level.random.chance(0.5) ? [pack, labels] : [pack]);
  return shapeOf(level, "shipment", [pack, labels, book]);
}

function drawLabel(level: Level): CaseShape {
  const print = sends(level, "print", []);
  return shapeOf(
    level,
    "label",
    level.random.chance(0.5) ? [print, sends(level, "stick", [print])] : [print],
  );
}

function shapeOf({ random, inFlight }: Level, caseType: string, steps: readonly StepOutline[]): CaseShape {
  const keys = ["a", "b"].slice(0, random.between(1, 2));
  const refusesFaulty = caseType !== TOP_TYPE && random.chance(0.5);
  return { caseType, steps, guarded: new Set(), isVersioned: false, inFlight, refusesFaulty, keys };
}

/** What steps of every kind have; it follows the last of what is in `earlier`. */
function common(name: string, earlier: readonly StepOutline[]): Common {
  const closure = earlier.map((one) => one.name);
  return { name, formerly: [], after: closure.slice(-1), closure, when: [], requires: [], uses: null };
}

function sends({ random, inFlight }: Level, name: string, earlier: readonly StepOutline[]): StepOutline {
  const draw: SendDraw = {
    contract: random.pick(CONTRACTS),
    onLapse: random.pick(["recheck", "undo", "undo", "review"]),
    inFlight,
    hasUndo: !random.chance(FOR_GOOD_SHARE),
  };
  return drawSend(random, common(name, earlier), draw);
}

/** One case, or one for every key. */
function starts(
  { random, inFlight }: Level,
  name: string,
  { follows, caseType }: { readonly follows: readonly StepOutline[]; readonly caseType: string },
): StepOutline {
  const onCanceled = random.pick(ON_CANCELED);
  const onLapse = random.pick(["review", "undo"] as const);
  const one = startOf(common(name, follows), { caseType, onCanceled, onLapse }, { inFlight });
  return random.chance(0.6) ? eachOf(one, random.next()) : one;
}

/** Draws what happens, and at which moment the order is canceled. */
function planLevels(chaos: Chaos, random: SeededRandom, scheduler: Scheduler): void {
  const at = (share: number, times: number, act: () => void, untilMs: number = EARLY_MS): void => {
    if (!random.chance(share)) return;
    for (let index = 0; index < times; index += 1) scheduler.schedule(random.between(0, untilMs), act);
  };
  at(0.7, random.between(1, 4), () => chaos.killOne(random), CHAOS_MS / 2);
  at(0.5, random.between(1, 3), () => chaos.stopOne(random), CHAOS_MS / 2);
  at(0.2, random.between(1, 2), () => chaos.jumpOne(random));
  at(0.5, random.between(1, 3), () => chaos.person(random, "correct"), CHAOS_MS / 2);
  at(0.3, random.between(1, 4), () => chaos.person(random, "resume"), CHAOS_MS);
  at(0.6, random.between(2, 6), () => chaos.actBelow(random, "pause"), CHAOS_MS);
  at(0.3, random.between(1, 3), () => chaos.openPage(random), CHAOS_MS / 2);
  at(0.6, random.between(2, 6), () => chaos.actBelow(random, "repair"), CHAOS_MS);
  at(0.5, random.between(1, 3), () => chaos.expireAccess(random));
  at(0.4, random.between(1, 2), () => chaos.revokeAccess(random), CHAOS_MS / 2);
  at(0.6, random.between(2, 6), () => chaos.actBelow(random, "cancel"), CHAOS_MS);
  const moment = random.pick(MOMENTS);
  scheduler.schedule(random.between(CANCELED_FROM_MS, CANCELED_FROM_MS_MAX), () =>
    chaos.cancelOrder(moment, CANCELED_WITHIN_MS),
  );
}
