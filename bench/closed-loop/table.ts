/** The figures of the closed loop as a page: medians, and ratios to Foothold in the same run. */

import { ENTRANTS, isEntrantName, type EntrantName } from "./contestants.ts";
import type { LoopFigures } from "./loop-process.ts";

/** One loop of one contestant. */
export interface Run {
  readonly name: EntrantName;
  readonly inFlight: number;
  readonly figures: LoopFigures;
}

/** Everything that was measured. */
export interface Measured {
  readonly runs: readonly Run[];
  readonly rounds: number;
  readonly windowMs: number;
  readonly postgres: string;
  readonly machine: string;
  readonly node: string;
  /** Empty for what is of this repository. */
  readonly versions: Readonly<Record<string, string>>;
  readonly leftOut: readonly { readonly name: EntrantName; readonly why: string }[];
}

/** Medians of one contestant at one level; null = it was not run. */
export function medianOf({ runs }: Measured, name: EntrantName, inFlight: number): LoopFigures | null {
  const own = runs.filter((run) => run.name === name && run.inFlight === inFlight);
  if (own.length === 0) return null;
  const median = (pick: (figures: LoopFigures) => number): number => {
    const sorted = own.map(({ figures }) => pick(figures)).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  return {
    casesPerSecond: median((one) => one.casesPerSecond),
    p50Ms: median((one) => one.p50Ms),
    p99Ms: median((one) => one.p99Ms),
    cpuMsPerCase: median((one) => one.cpuMsPerCase),
  };
}

/** The levels that were run, lowest first. */
export function levelsOf({ runs }: Measured): readonly number[] {
  return [...new Set(runs.map(({ inFlight }) => inFlight))].toSorted((a, b) => a - b);
}

/** Those that were run, in the order of the table. */
export function namesOf({ runs }: Measured): readonly EntrantName[] {
  const there = new Set(runs.map(({ name }) => name));
  return Object.keys(ENTRANTS)
    .filter((name) => isEntrantName(name))
    .filter((name) => there.has(name));
}

/** Cases in a second, the latency in the middle, and how many times as many Foothold does. */
export function writeTable(measured: Measured): string {
  const levels = levelsOf(measured);
  const head = ["", ...levels.map((level) => `${level} in flight`)];
  const rows = namesOf(measured).map((name) => [
    label(measured, name),
    ...levels.map((level) => cell(measured, name, level)),
  ]);
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function label({ versions }: Measured, name: EntrantName): string {
  const version = versions[name] ?? "";
  return version === "" ? ENTRANTS[name].label : `${ENTRANTS[name].label} ${version}`;
}

function cell(measured: Measured, name: EntrantName, level: number): string {
  const figures = medianOf(measured, name, level);
  const own = medianOf(measured, "foothold", level);
  if (figures === null) return "";
  const rate = `${round(figures.casesPerSecond)}/s, ${round(figures.p50Ms)} ms`;
  if (own === null || name === "foothold") return rate;
  return `${rate}; **${(own.casesPerSecond / figures.casesPerSecond).toFixed(2)}**`;
}

function round(value: number): string {
  return value >= 10 ? value.toFixed(0) : value.toFixed(1);
}

/** The page `docs/benchmarks.md`. */
export function writePage(measured: Measured): string {
  const { rounds, windowMs, postgres, machine, node, leftOut } = measured;
  const durability = namesOf(measured).map(
    (name) => `- ${label(measured, name)}: ${ENTRANTS[name].durability}.`,
  );
  const missing = leftOut.map(({ name, why }) => `- ${ENTRANTS[name].label} was not run: ${why}.`);
  return [
    "# Benchmarks",
    "",
    "Written by `npm run bench`, not by hand. Use the ratios: the absolute figures are those of one machine at one hour.",
    "",
    "## Cases of three instant steps, in a closed loop",
    "",
    `So many cases are under way at any time; when one ends, the next is started. Each contestant in turn, in a process and
an empty database of its own, as its users would write it; medians of ${rounds} x ${windowMs / 1_000} s. Cases in a second,
latency in the middle; in bold how many times as many cases Foothold does in the same run.`,
    "",
    writeTable(measured),
    "",
    "![cases in a second, each level a group of bars](benchmarks.svg)",
    "",
    `PostgreSQL ${postgres}, Node ${node}, ${machine}; worker, starter and database on the same machine.`,
    "",
    "What is durable when a case counts as done:",
    "",
    ...durability,
    ...missing,
    "",
    `Temporal, Inngest, Hatchet and Absurd are not here: their servers, or the schema they need, do not come as npm packages.
Foothold's own limit on requests in flight is set above the level, since nothing is sent; everything else is at its default.`,
    "",
  ].join("\n");
}
