/** What came of many seeds, added up. */

import { ALL_KINDS, type FaultKind } from "./faults.ts";
import type { RunResult } from "./run.ts";

/** Seeds told of per broken rule; the rest are counted. */
const TOLD_MAX = 5;

/** What came of a block of seeds; plain data, so that processes can hand it on. */
export interface Tally {
  readonly seeds: number;
  /** Seeds that were run again and came to the same hash. */
  readonly reruns: number;
  readonly violations: number;
  /** Seeds in which a fault was really hit. */
  readonly hitIn: Readonly<Partial<Record<FaultKind, number>>>;
  /** Per broken rule: in how many seeds, and the first of them with what was found. */
  readonly brokenIn: Readonly<Record<string, BrokenRule>>;
}

interface BrokenRule {
  readonly seeds: number;
  readonly first: readonly { readonly seed: number; readonly what: string }[];
}

/** Of no seed. */
export const EMPTY_TALLY: Tally = { seeds: 0, reruns: 0, violations: 0, hitIn: {}, brokenIn: {} };

/** The tally of one seed; `rerun`: what came of running it again, null where it was run once. */
export function tallySeed(result: RunResult, rerun: RunResult | null): Tally {
  const differs = rerun !== null && rerun.hash !== result.hash;
  const found = [
    ...result.violations,
    ...(differs
      ? [{ rule: "replay", what: `the second run came to ${rerun.hash}, not ${result.hash}` }]
      : []),
  ];
  const rules = [...new Set(found.map(({ rule }) => rule))];
  return {
    seeds: 1,
    reruns: rerun !== null && !differs ? 1 : 0,
    violations: found.length,
    hitIn: Object.fromEntries(
      ALL_KINDS.filter((kind) => result.counts.of(kind) > 0).map((kind) => [kind, 1]),
    ),
    brokenIn: Object.fromEntries(
      rules.map((rule) => {
        const what = found.find((one) => one.rule === rule)?.what ?? "";
        return [rule, { seeds: 1, first: [{ seed: result.seed, what }] }];
      }),
    ),
  };
}

/** Two tallies as one. */
export function addTallies(a: Tally, b: Tally): Tally {
  const rules = new Set([...Object.keys(a.brokenIn), ...Object.keys(b.brokenIn)]);
  return {
    seeds: a.seeds + b.seeds,
    reruns: a.reruns + b.reruns,
    violations: a.violations + b.violations,
    hitIn: Object.fromEntries(ALL_KINDS.map((kind) => [kind, (a.hitIn[kind] ?? 0) + (b.hitIn[kind] ?? 0)])),
    brokenIn: Object.fromEntries(
      [...rules].map((rule) => [rule, addBroken(a.brokenIn[rule], b.brokenIn[rule])]),
    ),
  };
}

function addBroken(a: BrokenRule | undefined, b: BrokenRule | undefined): BrokenRule {
  const first = [...(a?.first ?? []), ...(b?.first ?? [])].toSorted((one, other) => one.seed - other.seed);
  return { seeds: (a?.seeds ?? 0) + (b?.seeds ?? 0), first: first.slice(0, TOLD_MAX) };
}

/** What was broken, and where first. */
export function tellBroken({ brokenIn }: Tally): readonly string[] {
  return Object.entries(brokenIn).flatMap(([rule, { first }]) =>
    first.map(({ seed, what }) => `seed ${seed}: ${rule}: ${what}`),
  );
}

/** A tally in lines; the last one counts. `kinds`: of what it is told in how many seeds it was hit. */
export function tellTally(
  tally: Tally,
  { seconds, kinds }: { readonly seconds: number; readonly kinds: readonly FaultKind[] },
): readonly string[] {
  const { seeds, reruns, violations, hitIn, brokenIn } = tally;
  const share = (kind: FaultKind): string => (((hitIn[kind] ?? 0) / Math.max(seeds, 1)) * 100).toFixed(1);
  return [
    ...tellBroken(tally),
    ...Object.entries(brokenIn).map(([rule, broken]) => `${rule} broken in ${broken.seeds} seeds`),
    `seeds hit by each fault: ${kinds.map((kind) => `${kind} ${share(kind)}%`).join(", ")}`,
    ...(reruns > 0 ? [`${reruns} of ${seeds} reruns identical`] : []),
    `${seeds} seeds, ${violations} violations, ${(seeds / seconds).toFixed(0)} seeds/s`,
  ];
}
