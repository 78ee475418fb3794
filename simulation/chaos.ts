/** What goes wrong, and what people do about it, at random moments of the bad time of a run: what may happen, and how often. */

import { ARRIVED, REVOKED } from "./case-shape.ts";
import { LAG_MAX } from "./failover.ts";
import type { Moment } from "./levels-cancel.ts";
import type { PersonAct } from "./person.ts";
import { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

/** How long the world is bad, in virtual ms. */
export const CHAOS_MS = 15_000;
/** Most cases that go well have ended by then, in virtual ms: what is to hit them comes before. */
const EARLY_MS = 2_500;

/** The seeds with children in which some of those are canceled. */
const CANCEL_CHILD_SHARE = 0.4;

/** What can be done to a run. */
export interface Chaos {
  killOne(random: SeededRandom): void;
  stopOne(random: SeededRandom): void;
  jumpOne(random: SeededRandom): void;
  person(random: SeededRandom, act: PersonAct): void;
  event(random: SeededRandom, eventType: string): void;
  runOutOfStock(random: SeededRandom): void;
  /** Somebody else changes what a write is conditional on. */
  changeOne(random: SeededRandom): void;
  openPage(random: SeededRandom): void;
  expireAccess(random: SeededRandom): void;
  revokeAccess(random: SeededRandom): void;
  killServer(): void;
  /** The database loses its last commits, `lag` at most. */
  failOver(lag: number): void;
  /** Somebody acts on a case that another one started, where there is one. */
  actBelow(random: SeededRandom, act: PersonAct | "repair"): void;
  /** Somebody cancels the first case at a moment, which is waited for so long, in virtual ms. */
  cancelOrder(moment: Moment, waitMs: number): void;
}

/** Draws what happens in a run, and when. */
export function planChaos(chaos: Chaos, random: SeededRandom, scheduler: Scheduler): void {
  const at = (share: number, times: number, act: () => void, untilMs: number = CHAOS_MS): void => {
    if (!random.chance(share)) return;
    for (let index = 0; index < times; index += 1) scheduler.schedule(random.between(0, untilMs), act);
  };
  at(0.5, random.between(1, 4), () => chaos.killOne(random));
  at(0.5, random.between(1, 4), () => chaos.stopOne(random));
  at(0.3, random.between(1, 3), () => chaos.jumpOne(random));
  at(0.6, random.between(1, 4), () => chaos.person(random, "approve"));
  at(0.6, random.between(2, 10), () => chaos.person(random, "correct"));
  at(0.4, random.between(1, 4), () => chaos.person(random, "correct"), EARLY_MS);
  at(0.4, random.between(2, 10), () => chaos.person(random, "resume"));
  at(0.2, random.between(1, 2), () => chaos.person(random, "cancel"));
  at(0.1, random.between(1, 3), () => chaos.person(random, "leaveOutside"));
  at(0.3, random.between(1, 4), () => chaos.event(random, REVOKED));
  at(0.5, random.between(1, 3), () => chaos.event(random, ARRIVED));
  at(0.5, random.between(1, 4), () => chaos.runOutOfStock(random));
  at(0.4, random.between(1, 4), () => chaos.runOutOfStock(random), EARLY_MS);
  at(0.5, random.between(1, 4), () => chaos.changeOne(random));
  at(0.5, random.between(1, 6), () => chaos.openPage(random));
  at(0.8, random.between(2, 6), () => chaos.expireAccess(random));
  at(0.5, random.between(1, 3), () => chaos.revokeAccess(random));
  at(0.3, random.between(1, 3), () => chaos.killServer());
  at(0.3, random.between(1, 3), () => chaos.failOver(random.between(1, LAG_MAX)));
}

/** What is done to cases that others started; of its own draws, so that all else of a seed stays what it is. */
export function planFamilyChaos(chaos: Chaos, seed: number, scheduler: Scheduler): void {
  const random = new SeededRandom(~seed);
  if (!random.chance(CANCEL_CHILD_SHARE)) return;
  const times = random.between(1, 3);
  for (let index = 0; index < times; index += 1)
    scheduler.schedule(random.between(0, CHAOS_MS / 2), () => chaos.actBelow(random, "cancel"));
}
