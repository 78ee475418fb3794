/** `npm run permits -- FILE.csv`: see `--help`. Figures go to stdout, everything else to stderr. */

import { isFootholdError } from "foothold";
import { LogFileError, readLogFile } from "./log-file.ts";
import type { PermitLog } from "./log.ts";
import { help, readOptions, type RunOptions } from "./options.ts";
import { runPermits, type Progress, type RunOutcome } from "./permit-run.ts";
import { progressLine, reportText } from "./present.ts";
import { isGood } from "./figures.ts";

const exitCode = { good: 0, bad: 1, usage: 2 } as const;

/** How often the bar moves, in milliseconds. */
const barEveryMs = 100;

async function main(parameters: readonly string[]): Promise<number> {
  const asked = readOptions(parameters);
  switch (asked.kind) {
    case "help":
      process.stdout.write(help);
      return exitCode.good;
    case "faulty":
      return refuse(`${asked.message}. See --help.`);
    case "run":
      return start(asked.options);
  }
}

async function start(options: RunOptions): Promise<number> {
  let log: PermitLog;
  try {
    log = await readLogFile(options.file);
  } catch (error) {
    if (error instanceof LogFileError) return refuse(`${error.message}.`);
    throw error;
  }
  say(
    `${log.cases.length} cases of ${log.variants.length} types, ${log.activityCount} steps, ` +
      `${options.workerCount} worker${options.workerCount === 1 ? "" : "s"}, ${faultsInWords(options)}`,
  );
  const troubles: string[] = [];
  const bar = new Bar();
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort(new Error("it was interrupted"));
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  const timeout = setTimeout(
    () => interrupted.abort(new Error(`it took longer than ${options.timeoutMs / 1_000} s`)),
    options.timeoutMs,
  );
  try {
    const outcome = await runPermits(log, options, {
      signal: interrupted.signal,
      onProgress: (progress) => bar.show(progress),
      onPlace: (place) => say(`cases are kept in ${place}`),
      onTrouble: (text) => troubles.push(text),
    });
    bar.clear();
    return conclude(outcome, troubles, options.isJson);
  } catch (error) {
    bar.clear();
    if (!isFootholdError(error)) throw error;
    say(`${error.message} (${error.code})`);
    return exitCode.bad;
  } finally {
    clearTimeout(timeout);
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

function faultsInWords({ seed, workerCount }: RunOptions): string {
  if (seed === null) return "no faults";
  const whose = workerCount === 1 ? "of the destinations only" : "of destinations and workers";
  return `faults ${whose} from seed ${seed}`;
}

function conclude(outcome: RunOutcome, troubles: readonly string[], isJson: boolean): number {
  for (const trouble of troubles) say(`trouble: ${trouble}`);
  for (const finding of outcome.findings) say(finding);
  if (isJson) {
    if (outcome.gaveUp !== null) say(`the run was given up: ${outcome.gaveUp}`);
    process.stdout.write(`${JSON.stringify(outcome.figures)}\n`);
  } else {
    process.stdout.write(reportText(outcome));
  }
  const isWell = outcome.gaveUp === null && isGood(outcome.figures) && troubles.length === 0;
  return isWell ? exitCode.good : exitCode.bad;
}

function refuse(message: string): number {
  say(message);
  return exitCode.usage;
}

function say(text: string): void {
  process.stderr.write(`permits: ${text}\n`);
}

/** A line that is written over itself, where a person watches. */
class Bar {
  #shownAt = -Infinity;
  #charCount = 0;

  show(progress: Progress): void {
    if (!process.stderr.isTTY) return;
    const now = performance.now();
    if (now - this.#shownAt < barEveryMs) return;
    this.#shownAt = now;
    const line = progressLine(progress);
    process.stderr.write(`\r${line.padEnd(this.#charCount)}`);
    this.#charCount = line.length;
  }

  clear(): void {
    if (this.#charCount > 0) process.stderr.write(`\r${" ".repeat(this.#charCount)}\r`);
    this.#charCount = 0;
  }
}

process.exitCode = await main(process.argv.slice(2));
