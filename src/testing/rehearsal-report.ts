/** What a rehearsal found, as data and as text. */

import { AssertionError } from "node:assert";
import type { Failpoint } from "../engine/failpoints.ts";
import type { AccessHow, RefusedHow } from "./planned-fault.ts";
import type { TraceLine } from "./stage.ts";

/** How a step came through a fault. */
export type Verdict =
  /** The case was done with the effects of a run without faults. */
  | "safe"
  /** So too, after the destination was asked whether it had happened. */
  | "checked"
  /** The case stands in review: nothing was sent again, and a person has to find out. */
  | "person"
  /** More effects than in a run without faults. */
  | "twice"
  /** The case was done, and an effect is missing. */
  | "lost"
  /** The case neither ended nor went to a person. */
  | "stuck"
  /** `run` succeeded more often than without faults, and nothing tells whether the second one had an effect. */
  | "unproven"
  /** The fault did not come to pass, so it shows nothing: the case took another way than in the first run. */
  | "notHit";

/** How effects were counted for a step. */
export type JudgedBy =
  /** What the rehearsal's `effects` listed. */
  | "effects"
  /** The ledgers of fake destinations, and `noteEffect`. */
  | "ledger"
  /** What `run` gave: two different answers to one wanted effect are two effects. */
  | "answers"
  /** Nothing: no ledger, no `effects`, and `run` gives every case the same answer. */
  | "nothing";

/** What is done to a step. */
export type StepFault =
  | `crash ${Failpoint}`
  | "answer lost"
  | "late send"
  | "late answer"
  /** At fake destinations: its connection breaks, and it arrives when the step has gone on without it. */
  | "request arrives late"
  /** At fake destinations with names or versions: somebody else is there first. */
  | "rival"
  /** The destination does not take the input, the pace, or does not find what is acted on. */
  | `refused: ${RefusedHow}`
  /** The destination does not let us in, until that is made good. */
  | `access: ${AccessHow}`;

/** What is done to an event. */
export type EventFault = "repeated" | "early" | "reordered";

/** One fault and what came of it. Of several attempts, the worst. */
export interface RehearsalCell<Fault extends string> {
  readonly fault: Fault;
  readonly verdict: Verdict;
  /** The step that it went wrong for; it may be another than the one that met the fault. Null where nothing did. */
  readonly step: string | null;
}

/** A step that sends, or the undo of one, under every fault. */
export interface RehearsedStep {
  readonly step: string;
  readonly destination: string;
  readonly repeatSafety: string;
  readonly judgedBy: JudgedBy;
  /** Effects of one send without faults, at `effects` and `ledger`; null where they cannot be counted. */
  readonly effects: number | null;
  /** Empty where the case does not come to the step without faults. */
  readonly cells: readonly RehearsalCell<StepFault>[];
}

/** An event, under every fault. */
export interface RehearsedEvent {
  readonly eventType: string;
  readonly cells: readonly RehearsalCell<EventFault>[];
}

/** Something that went wrong, or needs a person, with the shortest course of events that shows it. */
export interface Finding {
  readonly step: string;
  readonly verdict: Exclude<Verdict, "safe" | "checked">;
  /** In words: "crash duringSend of pay". */
  readonly fault: string;
  readonly trace: readonly TraceLine[];
}

/** What came of a rehearsal. */
export interface RehearsalReport {
  readonly caseType: string;
  readonly version: number;
  /** How often the case was run in all. */
  readonly runs: number;
  readonly steps: readonly RehearsedStep[];
  readonly events: readonly RehearsedEvent[];
  /** One for each step and verdict; the worst first. */
  readonly findings: readonly Finding[];
  /** True when every verdict is safe, checked or person. */
  readonly isSafe: boolean;
}

/** Verdicts from the worst on. */
const WORST_FIRST: readonly Verdict[] = [
  "twice",
  "lost",
  "stuck",
  "unproven",
  "notHit",
  "person",
  "checked",
  "safe",
];

/** How bad a verdict is; lower is worse. */
export function rankOf(verdict: Verdict): number {
  return WORST_FIRST.indexOf(verdict);
}

/** True for what a rehearsal passes. */
export function isSafeVerdict(verdict: Verdict): boolean {
  return verdict === "safe" || verdict === "checked" || verdict === "person";
}

const WORDS: Readonly<Record<Verdict, string>> = {
  safe: "safe",
  checked: "checked",
  person: "needs a person",
  twice: "SENDS TWICE",
  lost: "LOST",
  stuck: "STUCK",
  unproven: "not shown",
  notHit: "not hit",
};

const HEADINGS: readonly string[] = [
  "step",
  "sends to",
  "repeat safety",
  "judged by",
  "crash",
  "answer lost",
  "late worker",
  "late request",
  "rival",
  "refused",
  "access",
];

/** The report as text for people: a table of steps and faults, and the shortest trace of each finding. */
export function formatRehearsal(report: RehearsalReport): string {
  const { caseType, version, runs, steps, events, findings, isSafe } = report;
  const unreached = steps.filter(({ cells }) => cells.length === 0);
  const all = unreached.length === 0 ? "every step" : "every step that was reached";
  const lines = [
    `${caseType} version ${version}: ${runs} runs, ${isSafe ? `${all} is safe` : "NOT every step is safe"}`,
    "",
    ...tableOf([
      HEADINGS,
      ...steps.map(({ step, destination, repeatSafety, judgedBy, cells }) => [
        step,
        destination,
        repeatSafety,
        cells.length === 0 ? "-" : judgedBy,
        worstOf(cells, "crash"),
        worstOf(cells, "answer lost"),
        worstOf(cells, "late"),
        worstOf(cells, "request"),
        worstOf(cells, "rival"),
        worstOf(cells, "refused"),
        worstOf(cells, "access"),
      ]),
    ]),
  ];
  if (events.length > 0) {
    const rows = events.map(({ eventType, cells }) => [
      eventType,
      worstOf(cells, "repeated"),
      worstOf(cells, "early"),
      worstOf(cells, "reordered"),
    ]);
    lines.push("", ...tableOf([["event", "repeated", "early", "reordered"], ...rows]));
  }
  for (const { step } of unreached) {
    lines.push("", `${step} was not reached: rehearse it with an input that takes the case there`);
  }
  for (const { step, effects } of steps) {
    if (effects === null || effects <= 1) continue;
    lines.push("", `${step} makes ${effects} effects with one send: no crash between them is rehearsed`);
    lines.push("  (Make each a step of its own, unless the destination makes them all or none.)");
  }
  for (const { step, verdict, fault, trace } of findings) {
    lines.push("", `${step} ${WORDS[verdict]}: ${fault}`, ...trace.map(traceLine));
    if (verdict === "unproven") lines.push(`  ${UNPROVEN_HELP}`);
  }
  return lines.join("\n");
}

/** Throws `AssertionError` with the whole report unless every step is safe. */
export function expectSafe(report: RehearsalReport): void {
  if (report.isSafe) return;
  const actual = report.findings.map(({ step, verdict, fault }) => `${step}: ${verdict} (${fault})`);
  throw new AssertionError({
    message: formatRehearsal(report),
    actual,
    expected: [],
    operator: "expectSafe",
  });
}

const UNPROVEN_HELP =
  "(Run succeeded more than once and gives every case the same answer: list the effects with `effects`, or send " +
  "to a fake destination.)";

function worstOf(cells: readonly RehearsalCell<string>[], prefix: string): string {
  const verdicts = cells.filter(({ fault }) => fault.startsWith(prefix)).map(({ verdict }) => verdict);
  const worst = verdicts.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
  return worst === undefined ? "-" : WORDS[worst];
}

function traceLine({ atMs, text }: TraceLine): string {
  return `  +${(atMs / 1_000).toFixed(1)} s  ${text}`;
}

function tableOf(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
