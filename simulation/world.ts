/** What the simulated worlds differ in: which cases there are, what goes wrong, and what is judged beside all else. */

import type { ClaimReply, StoredCase } from "../src/store/port.ts";
import { drawShape, type CaseShape } from "./case-shape.ts";
import { CHAOS_MS, planChaos, planFamilyChaos, type Chaos } from "./chaos.ts";
import { drawFamily } from "./family.ts";
import { FAULT_KINDS, type FaultKind } from "./faults.ts";
import { drawConcurrency, KeyWatch } from "./key-watch.ts";
import type { Judged } from "./judging.ts";
import type { Violation } from "./journal-rules.ts";
import { CONTRACTS } from "./outside.ts";
import type { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

/** The case types of a seed. */
export interface CaseTypes {
  /** Of what people start; it is the first of all. */
  readonly top: CaseShape;
  readonly all: readonly CaseShape[];
}

/** What a world plans its seed with. */
interface Planned {
  readonly seed: number;
  readonly chaos: Chaos;
  readonly random: SeededRandom;
  readonly scheduler: Scheduler;
  readonly types: CaseTypes;
}

/** Judges all cases at every look, while they are under way. */
export interface CaseWatch {
  /** Right after a worker claimed some; `all` that people started. */
  noteClaims(reply: ClaimReply, all: readonly (StoredCase | null)[]): readonly Violation[];
  noteFailover(): void;
  look(
    cases: readonly StoredCase[],
    at: { readonly now: number; readonly isCalm: boolean },
  ): readonly Violation[];
}

/** One world. */
export interface World {
  readonly name: "main" | "levels";
  /** What is counted in it. */
  readonly kinds: readonly FaultKind[];
  /** Cases that people start, at most. */
  readonly startsMax: number;
  /** From when on its cases may have come to rest for good, in virtual ms. */
  readonly restsFromMs: number;
  /** Its database has a standby, to which it fails over. */
  readonly hasStandby: boolean;
  /** By how much those begin later that do, in virtual ms. */
  readonly laterMs: number;
  /** In every other seed events come by the inbox. */
  readonly hasInbox: boolean;
  /** How likely people are to say, each time they look, that what they cannot find out about stays outside. */
  readonly leavesShare: number;
  /** How long nobody helps once it is good, in virtual ms. */
  readonly unhelpedMs: number;
  drawTypes(seed: number, random: SeededRandom): CaseTypes;
  plan(planned: Planned): void;
  /** False while something must still become of cases that could rest as they are; `now` in epoch ms. */
  isOver(cases: readonly StoredCase[], now: number): boolean;
  /** What it judges at the end beside what holds in every world. */
  judge(judged: Judged): readonly Violation[];
  watch(types: CaseTypes): CaseWatch;
}

/** Anything that a case type can be, one or several of it, and in some seeds cases that start others. */
export const MAIN_WORLD: World = {
  name: "main",
  kinds: FAULT_KINDS,
  startsMax: 3,
  restsFromMs: CHAOS_MS + 5_000,
  hasStandby: true,
  laterMs: 8_000,
  hasInbox: true,
  leavesShare: 0.2,
  unhelpedMs: 0,
  drawTypes: (seed, random) => {
    const contracts = CONTRACTS.filter(() => random.chance(0.6));
    const used = contracts.length > 0 ? contracts : (["key"] as const);
    const concurrency = drawConcurrency(seed);
    const drawn = drawShape(random.fork(), used);
    const top = concurrency === null ? drawn : { ...drawn, concurrency };
    return { top, all: drawFamily(seed, top, used) };
  },
  plan: ({ seed, chaos, random, scheduler, types }) => {
    planChaos(chaos, random, scheduler);
    if (types.all.length > 1) planFamilyChaos(chaos, seed, scheduler);
  },
  isOver: () => true,
  judge: () => [],
  watch: ({ top }) => new KeyWatch(top.concurrency),
};
