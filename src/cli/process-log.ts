/** The log of a process that keeps running: lines for people on a terminal, JSON elsewhere, both on stderr. */

import type { Clock } from "../core/ports.ts";
import { LOG_LEVELS, type LogLevel } from "../telemetry/log-events.ts";
import { createLog, type LogFields, type Logger, type ProcessLog } from "../telemetry/logger.ts";
import { usage, type Call, type OptionSpec } from "./command.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";
import { warn } from "./terminal.ts";
import { formatTime } from "./times.ts";

/** How often it is told how many lines were left out, in ms. */
const REPEATS_EVERY_MS = 10_000;

const FORMATS = ["text", "json"] as const;
type Format = (typeof FORMATS)[number];

/** Options of every command that keeps running. */
export const LOG_OPTIONS: readonly OptionSpec[] = [
  {
    name: "log-level",
    value: "LEVEL",
    help: `${LOG_LEVELS.join(", ")}: the least that is told on stderr; else FOOTHOLD_LOG_LEVEL, or info`,
  },
  {
    name: "log-format",
    value: "FORMAT",
    help: "text or json; else FOOTHOLD_LOG_FORMAT, or text on a terminal and json elsewhere",
  },
];

/** A log, and what goes with it. */
export interface OpenedLog {
  readonly log: ProcessLog;
  /** True where stdout has lines for people at the start: everywhere but where JSON was asked for. */
  readonly greets: boolean;
  /** Tells a line of the process itself, where the lines for people do not say it already. */
  readonly tellStart: ProcessLog["tell"];
  /** Tells what is still to be told. Safe twice. */
  readonly close: () => void;
}

/** Opens it. Throws `USAGE`. */
export async function openLog(call: Call, clock: Clock): Promise<OpenedLog> {
  const level = chosen(call, "log-level", "FOOTHOLD_LOG_LEVEL", LOG_LEVELS) ?? "info";
  const asked = chosen(call, "log-format", "FOOTHOLD_LOG_FORMAT", FORMATS);
  const format: Format = asked ?? (process.stderr.isTTY ? "text" : "json");
  const logger = await loggerOf(format, level, clock);
  const log = createLog({ logger, clock, program: SPOKEN_NAME });
  const timer = setInterval(() => log.tellRepeats(), REPEATS_EVERY_MS);
  timer.unref();
  return {
    log,
    greets: asked !== "json",
    tellStart: (entry) => {
      if (format === "json") log.tell(entry);
    },
    close: () => {
      clearInterval(timer);
      log.end();
    },
  };
}

async function loggerOf(format: Format, level: LogLevel, clock: Clock): Promise<Logger> {
  switch (format) {
    case "text":
      return textLogger(level, () => clock.now());
    case "json": {
      // Only here: no other command needs it.
      const { jsonLogger } = await import("./json-logger.ts");
      return jsonLogger(level);
    }
  }
}

/** Prints the sentences alone, and where a fault is to be found the stack. */
function textLogger(level: LogLevel, now: () => number): Logger {
  const at = (own: LogLevel): Logger[LogLevel] => {
    if (!isTold(own, level)) return () => undefined;
    return ({ error }: LogFields, sentence) => {
      warn(`${formatTime(now())} ${sentence}`);
      if (error?.stack !== undefined) warn(error.stack);
    };
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    isLevelEnabled: (own) => isTold(own, level),
  };
}

function isTold(own: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(own) >= LOG_LEVELS.indexOf(least);
}

function chosen<Word extends string>(
  call: Call,
  option: string,
  variable: string,
  words: readonly Word[],
): Word | null {
  const given = call.text(option) ?? process.env[variable] ?? "";
  if (given === "") return null;
  const word = words.find((one) => one === given);
  if (word !== undefined) return word;
  throw usage(call.command, `--${option} and ${variable} are one of ${words.join(", ")}.`);
}
