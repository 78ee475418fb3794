import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FootholdError } from "../core/errors.ts";
import { LOG_EVENTS, LOG_LEVELS, type LogLevel } from "./log-events.ts";
import { createLog, type LogFields, type Logger, type ProcessLog } from "./logger.ts";
import { traceIdOfCase } from "./open-telemetry.ts";

type Line = LogFields & { readonly level: LogLevel; readonly sentence: string };

function logAt(clock: { now: number }): { readonly log: ProcessLog; readonly lines: Line[] } {
  const lines: Line[] = [];
  const at =
    (level: LogLevel): Logger[LogLevel] =>
    (fields, sentence) =>
      void lines.push({ level, sentence, ...fields });
  const logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { log: createLog({ logger, clock: { monotonic: () => clock.now } }), lines };
}

const attempt = {
  kind: "attempted",
  caseId: "00case",
  caseType: "order",
  step: "book",
  attempt: 2,
  destination: "erp",
  claimId: "c-1",
  durationMs: 12.4,
  requests: 3,
} as const;

test("an attempt is told with its case, step, number, destination, claim and trace, and why it failed", () => {
  const { log, lines } = logAt({ now: 0 });
  log.onReport({ ...attempt, failure: null });
  const failure = { kind: "unknown", executed: "maybe", sentence: "It timed out." } as const;
  log.onReport({ ...attempt, requests: null, failure });
  const of = {
    caseId: "00case",
    caseType: "order",
    step: "book",
    attempt: 2,
    destination: "erp",
    claimId: "c-1",
    durationMs: 12,
    trace_id: traceIdOfCase("00case"),
  };
  expect(lines).toEqual([
    {
      level: "debug",
      event: "attemptSucceeded",
      sentence: "00case: attempt 2 of book at erp succeeded",
      requests: 3,
      ...of,
    },
    {
      level: "info",
      event: "attemptFailed",
      sentence: "00case: attempt 2 of book at erp failed (unknown): It timed out.",
      failureKind: "unknown",
      executed: "maybe",
      ...of,
    },
  ]);
});

test("that the database is away is told once until it is back, of each activity", () => {
  const { log, lines } = logAt({ now: 0 });
  const error = new FootholdError("DATABASE_UNAVAILABLE", "nobody at postgres://app:hunter2@db");
  for (const during of ["claim", "claim", "heartbeat"]) log.onReport({ kind: "databaseAway", during, error });
  log.onReport({ kind: "databaseBack", during: "claim" });
  log.onReport({ kind: "databaseAway", during: "claim", error });
  log.onInboxReport({ kind: "databaseAway", during: "claim", error });
  log.onNoticeReport({ kind: "databaseAway", error });
  log.onNoticeReport({ kind: "databaseBack" });
  expect(lines.map(({ event, during }) => `${event} ${during ?? ""}`)).toEqual([
    "databaseAway claim",
    "databaseAway heartbeat",
    "databaseBack claim",
    "databaseAway claim",
    "databaseAway claim",
    "databaseAway telling owners",
    "databaseBack telling owners",
  ]);
  expect(lines[0]).toMatchObject({ level: "error", error: { code: "DATABASE_UNAVAILABLE" } });
  expect(JSON.stringify(lines)).not.toContain("hunter2");
});

test("a fault is told with its stack and causes, without the secrets in them", () => {
  const { log, lines } = logAt({ now: 0 });
  const cause = new Error("authorization: Bearer aB3dE5fG7hJ9");
  log.onError(new TypeError("password=hunter2 is not a function", { cause }));
  log.onReport({ kind: "bug", caseId: null, error: "thrown api_key=hunter2" });
  expect(lines).toMatchObject([
    {
      event: "serverFault",
      error: { type: "TypeError", stack: expect.stringContaining("caused by Error") as unknown },
    },
    { event: "engineFault", error: { type: "thrown" } },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/hunter2|aB3dE5/);
});

test("a flood is told as a number, at the level of what was left out", () => {
  const clock = { now: 0 };
  const { log, lines } = logAt(clock);
  const failure = { kind: "transient", executed: "no", sentence: "It is down." } as const;
  for (let times = 0; times < 1_000; times += 1) log.onReport({ ...attempt, failure });
  expect(lines).toHaveLength(5);
  clock.now = 10_000;
  log.tellRepeats();
  log.end();
  expect(lines.slice(5)).toMatchObject([
    { level: "info", event: "repeated", of: "attemptFailed", count: 995, destination: "erp" },
  ]);
});

test("lines of the least level are all told, and only to whoever takes them", () => {
  const told: string[] = [];
  const line = (_fields: LogFields, sentence: string): void => void told.push(sentence);
  let isAsked = true;
  const logger = { debug: line, info: line, warn: line, error: line, isLevelEnabled: () => isAsked };
  const log = createLog({ logger, clock: { monotonic: () => 0 } });
  for (let times = 0; times < 20; times += 1) log.onReport({ ...attempt, failure: null });
  expect(told).toHaveLength(20);
  isAsked = false;
  log.onReport({ ...attempt, failure: null });
  expect(told).toHaveLength(20);
});

test("every event is on its page, with its level, in the same words and order", () => {
  const page = readFileSync(new URL("../../docs/reference/logs.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` +\| (\w+) +\| (.*?) +\|$/gm)].map((row) => row.slice(1));
  expect(rows).toEqual(Object.entries(LOG_EVENTS).map(([event, { level, help }]) => [event, level, help]));
  expect(new Set(rows.map(([, level]) => level))).toEqual(new Set(LOG_LEVELS));
});
