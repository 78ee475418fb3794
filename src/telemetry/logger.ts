/** The log of a process: what its parts tell, as lines with a stable name, masked and bounded. */

import { maskSecrets } from "../core/masked-text.ts";
import type { Clock } from "../core/ports.ts";
import type { OnReport } from "../engine/report.ts";
import type { OnInboxReport } from "../inbox/report.ts";
import type { OnNoticeReport } from "../notices/report.ts";
import { engineEntry } from "./log-engine.ts";
import { errorMessage, loggedError } from "./log-error.ts";
import { LOG_EVENTS, type LogEntry, type LogEvent, type LogFacts, type LogLevel } from "./log-events.ts";
import { inboxEntry } from "./log-inbox.ts";
import { noticeEntry } from "./log-notices.ts";
import { LogRepeats } from "./log-repeats.ts";
import { traceIdOfCase } from "./open-telemetry.ts";

/** What stands in a line beside its sentence. */
export interface LogFields extends LogFacts {
  /** Stable; see docs/reference/logs.md. */
  readonly event: LogEvent;
  /** The trace of the case, where a line is of one. */
  readonly trace_id?: string;
}

/** What takes lines. A logger of `pino` is one as it is. */
export interface Logger {
  /** What is of use to who looks for a fault. */
  debug(fields: LogFields, sentence: string): void;
  /** What happens as it should. */
  info(fields: LogFields, sentence: string): void;
  /** What somebody may have to look at. */
  warn(fields: LogFields, sentence: string): void;
  /** What is broken. */
  error(fields: LogFields, sentence: string): void;
  /** False where lines of a level go nowhere, so that none is made. Left out = they are made. */
  isLevelEnabled?(level: LogLevel): boolean;
}

/** The log of a process: give its parts to whoever reports. */
export interface ProcessLog {
  readonly onReport: OnReport;
  readonly onInboxReport: OnInboxReport;
  readonly onNoticeReport: OnNoticeReport;
  /** What a server could not answer for. */
  readonly onError: (error: unknown) => void;
  /** A line of the process itself. */
  readonly tell: (entry: LogEntry) => void;
  /** Tells how often what was left out came, of what is over by now. Call it now and then. */
  readonly tellRepeats: () => void;
  /** The same of everything, at the end. */
  readonly end: () => void;
}

/** What it is made of. */
export interface ProcessLogOptions {
  readonly logger: Logger;
  readonly clock: Pick<Clock, "monotonic">;
  /** How a person calls the command line here. Default `foothold`. */
  readonly program?: string;
}

/**
 * Makes a log of what workers, sweeps, the inbox, notices and the server report. Lines hold names, ids, numbers and one
 * sentence; no input, result, header or body. Secrets in sentences and errors are masked as everywhere. Of what comes more than
 * five times within ten seconds, the rest is told as a number.
 */
export function createLog({ logger, clock, program = "foothold" }: ProcessLogOptions): ProcessLog {
  const repeats = new LogRepeats();
  const away = new Set<string>();
  const write = (entry: LogEntry, level: LogLevel = LOG_EVENTS[entry.event].level): void => {
    const { event, facts } = entry;
    const { caseId } = facts;
    const traced = caseId === undefined ? {} : { trace_id: traceIdOfCase(caseId) };
    logger[level]({ event, ...facts, ...traced }, maskSecrets(entry.sentence));
  };
  const writeOver = (entries: readonly LogEntry[]): void => {
    // What was left out matters as much as what was told of it.
    for (const entry of entries) write(entry, LOG_EVENTS[entry.facts.of ?? entry.event].level);
  };
  const tell = (entry: LogEntry): void => {
    // Whoever asks for the least looks for one case: all of it is told then.
    if (LOG_EVENTS[entry.event].level === "debug") {
      if (logger.isLevelEnabled?.("debug") !== false) write(entry);
      return;
    }
    const { isTold, over } = repeats.admit(entry, clock.monotonic());
    writeOver(over);
    if (isTold) write(entry);
  };
  const tellFrom = (part: string, entry: LogEntry): void => {
    const key = `${part} ${entry.facts.during ?? ""}`;
    if (entry.event === "databaseAway" && away.has(key)) return;
    if (entry.event === "databaseAway") away.add(key);
    if (entry.event === "databaseBack") away.delete(key);
    tell(entry);
  };
  return {
    onReport: (report) => tellFrom("engine", engineEntry(report)),
    onInboxReport: (report) => tellFrom("inbox", inboxEntry(report)),
    onNoticeReport: (report) => tellFrom("notices", noticeEntry(report, program)),
    onError: (error) =>
      tell({
        event: "serverFault",
        sentence: errorMessage(error),
        facts: { error: loggedError(error, true) },
      }),
    tell,
    tellRepeats: () => writeOver(repeats.over(clock.monotonic())),
    end: () => writeOver(repeats.over(Infinity)),
  };
}
