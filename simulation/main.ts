/**
 * `npm run simulate -- --seeds N [--from K] [--jobs J] [--reruns]`, or `--seed S [--trace]` for one. `--world levels`: orders
 * with shipments and labels that are canceled half-way, instead of the main world. `--jobs`: processes, by default one a core,
 * with 1 in this very one. `--reruns`: every seed is run twice and must come to the same hash. `--until-found` ends soon after
 * the first violation.
 * Exit 1 on a violation, 2 on a wrong option.
 */

import { fork, type ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runSeed } from "./run.ts";
import { runBlock, type SeedBlock } from "./seed-block.ts";
import { addTallies, EMPTY_TALLY, tellBroken, tellTally, type Tally } from "./tally.ts";
import { MAIN_WORLD, type World } from "./world.ts";
import { worldNamed, WORLDS } from "./worlds.ts";

/** Seeds that a process is given at once. */
const BLOCK = 50;
const BLOCK_UNTIL_FOUND = 5;
const JOBS_MAX = 64;
/** Between two lines that tell how far it is, in ms. */
const TELL_EVERY_MS = 30_000;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    jobs: { type: "string", default: String(Math.min(availableParallelism(), JOBS_MAX)) },
    seed: { type: "string" },
    world: { type: "string", default: MAIN_WORLD.name },
    trace: { type: "boolean", default: false },
    reruns: { type: "boolean", default: false },
    "until-found": { type: "boolean", default: false },
  },
});

const world = readWorld(values.world);
const isClean =
  values.seed === undefined
    ? await runMany({
        count: readNumber("seeds", values.seeds, 1),
        from: readNumber("from", values.from, 0),
        jobs: readNumber("jobs", values.jobs, 1, JOBS_MAX),
      })
    : await runOne(readNumber("seed", values.seed, 0));
process.exitCode = isClean ? 0 : 1;

async function runOne(seed: number): Promise<boolean> {
  const onTrace = values.trace ? (line: string) => process.stdout.write(`${line}\n`) : undefined;
  const result = await runSeed(seed, onTrace, world);
  process.stdout.write(`seed ${seed}: ${result.events} events, hash ${result.hash}\n`);
  for (const { rule, what } of result.violations) process.stdout.write(`  ${rule}: ${what}\n`);
  return result.violations.length === 0;
}

interface Wanted {
  readonly count: number;
  readonly from: number;
  readonly jobs: number;
}

async function runMany({ count, from, jobs }: Wanted): Promise<boolean> {
  const startedAt = performance.now();
  let told = startedAt;
  let tally = EMPTY_TALLY;
  const blocks = cut(from, count);
  const isOver = (): boolean => values["until-found"] && tally.violations > 0;
  const work = async (run: (block: SeedBlock) => Promise<Tally>): Promise<void> => {
    for (let block = blocks.next(); block.done !== true && !isOver(); block = blocks.next()) {
      const done = await run(block.value);
      tally = addTallies(tally, done);
      for (const line of tellBroken(done)) process.stderr.write(`${line}\n`);
      if (performance.now() - told < TELL_EVERY_MS) continue;
      told = performance.now();
      process.stderr.write(`${tally.seeds} of ${count} seeds, ${tally.violations} violations\n`);
    }
  };
  const workBeside = async (): Promise<void> => {
    const child = fork(fileURLToPath(new URL("seeds-process.ts", import.meta.url)), {
      execArgv: process.execArgv,
    });
    try {
      await work((block) => ask(child, block));
    } finally {
      child.kill();
    }
  };
  const processes = Math.min(jobs, Math.ceil(count / BLOCK));
  if (processes === 1) await work(runBlock);
  else await Promise.all(Array.from({ length: processes }, workBeside));
  const seconds = (performance.now() - startedAt) / 1_000;
  const lines = tellTally(tally, { seconds, kinds: world.kinds });
  process.stdout.write(`${lines.join("\n")}\n`);
  return tally.violations === 0;
}

/** Whoever looks for the first violation wants to know of it soon. */
function* cut(from: number, count: number): Generator<SeedBlock, undefined> {
  const untilFound = values["until-found"];
  const size = untilFound ? BLOCK_UNTIL_FOUND : BLOCK;
  for (let at = from; at < from + count; at += size)
    yield {
      world: world.name,
      from: at,
      count: Math.min(size, from + count - at),
      rerun: values.reruns,
      untilFound,
    };
}

/** Rejects when the process ends before it answered. */
async function ask(child: ChildProcess, block: SeedBlock): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => {
      reject(
        new Error(
          `the process that ran ${block.count} seeds from ${block.from} ended with ${code ?? "a signal"}`,
        ),
      );
    };
    child.once("exit", ended);
    // What a process of ours sends is a tally.
    child.once("message", (tally: Tally) => {
      child.off("exit", ended);
      resolve(tally);
    });
    child.send(block);
  });
}

function readNumber(name: string, text: string, min: number, max: number = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= min && number <= max) return number;
  process.stderr.write(`--${name} is a whole number from ${min} to ${max}, not ${JSON.stringify(text)}\n`);
  process.exit(2);
}

function readWorld(name: string): World {
  const found = worldNamed(name);
  if (found !== null) return found;
  process.stderr.write(`--world is one of ${Object.keys(WORLDS).join(", ")}, not ${JSON.stringify(name)}\n`);
  process.exit(2);
}
