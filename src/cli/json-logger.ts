/** JSON lines on stderr, written by pino. */

import { destination, pino, stdTimeFunctions } from "pino";
import type { LogLevel } from "../telemetry/log-events.ts";
import type { Logger } from "../telemetry/logger.ts";

/** Of stderr. */
const DESCRIPTOR = 2;

/** Fields that no line has; should one ever get in by mistake, it is not written out. */
const NEVER: readonly string[] = [
  "input",
  "result",
  "request",
  "response",
  "payload",
  "headers",
  "body",
  "raw",
  "authorization",
  "cookie",
  "password",
  "token",
  "secret",
];

/** Makes it. Lines are written at once: what a process told last before it died is what matters most. */
export function jsonLogger(level: LogLevel): Logger {
  const lines = destination({ dest: DESCRIPTOR, sync: true });
  // A log that nobody takes any more must not end the work.
  lines.on("error", () => undefined);
  return pinoLogger(level, lines);
}

/** The same, to wherever. */
export function pinoLogger(level: LogLevel, lines: { write(line: string): void }): Logger {
  return pino(
    {
      level,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: NEVER.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: "***" },
    },
    lines,
  );
}
