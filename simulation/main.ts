/** `npm run simulate -- --seeds N [--from K]`, or `--seed S [--trace]` for one. `--until-found` stops at
 * the first violation. Exit 1 on a violation. */

import { parseArgs } from "node:util";
import { FAULT_KINDS } from "./faults.ts";
import { runSeed, type RunResult } from "./run.ts";

/** Seeds printed per broken rule; the rest are counted. */
const SHOWN_MAX = 5;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    trace: { type: "boolean", default: false },
    "until-found": { type: "boolean", default: false },
  },
});

const isClean = values.seed === undefined ? await runMany() : await runOne(Number(values.seed));
process.exitCode = isClean ? 0 : 1;

async function runOne(seed: number): Promise<boolean> {
  const result = await runSeed(seed, values.trace ? (line) => process.stdout.write(`${line}\n`) : undefined);
  process.stdout.write(`seed ${seed}: ${result.events} events, hash ${result.hash}\n`);
  for (const { rule, what } of result.violations) process.stdout.write(`  ${rule}: ${what}\n`);
  return result.violations.length === 0;
}

async function runMany(): Promise<boolean> {
  const [count, from] = [Number(values.seeds), Number(values.from)];
  const startedAt = performance.now();
  const hitIn = new Map<string, number>();
  const brokenIn = new Map<string, number>();
  let violations = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    const result = await runSeed(seed);
    for (const kind of FAULT_KINDS)
      if (result.counts.of(kind) > 0) hitIn.set(kind, (hitIn.get(kind) ?? 0) + 1);
    if (result.violations.length === 0) continue;
    violations += result.violations.length;
    show(result, brokenIn);
    if (values["until-found"]) break;
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const shares = FAULT_KINDS.map(
    (kind) => `${kind} ${(((hitIn.get(kind) ?? 0) / count) * 100).toFixed(1)}%`,
  ).join(", ");
  for (const [rule, seeds] of brokenIn) process.stdout.write(`${rule} broken in ${seeds} seeds\n`);
  process.stdout.write(`seeds hit by each fault: ${shares}\n`);
  process.stdout.write(`${count} seeds, ${violations} violations, ${(count / seconds).toFixed(0)} seeds/s\n`);
  return violations === 0;
}

function show({ seed, violations }: RunResult, brokenIn: Map<string, number>): void {
  for (const rule of new Set(violations.map((one) => one.rule))) {
    const seeds = (brokenIn.get(rule) ?? 0) + 1;
    brokenIn.set(rule, seeds);
    const first = violations.find((one) => one.rule === rule);
    if (seeds <= SHOWN_MAX && first !== undefined)
      process.stdout.write(`seed ${seed}: ${rule}: ${first.what}\n`);
  }
}
