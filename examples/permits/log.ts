import type { CsvRow } from "./csv.ts";
import { splitCsv } from "./csv.ts";
import type { PermitStep } from "./step-names.ts";
import { stepLabel } from "./step-names.ts";

/** One activity of a permit case, as the log tells it. */
export interface PermitActivity extends PermitStep {
  /** 1-based place in the case. */
  readonly position: number;
  /** When it happened, in epoch milliseconds. */
  readonly at: number;
  readonly performedBy: string;
  readonly group: string;
  readonly channel: string;
  readonly department: string;
}

/** One permit case: its activities in order, at least one. */
export interface PermitCase {
  readonly caseId: string;
  readonly activities: readonly PermitActivity[];
  /** Number of its variant. */
  readonly variantNumber: number;
}

/** One distinct sequence of activities, and the cases that went that way. */
export interface Variant {
  /** 1-based, in the order in which sequences first appear in the log. */
  readonly number: number;
  /** The steps that every case of the variant takes, in order. */
  readonly steps: readonly PermitStep[];
  readonly caseCount: number;
}

/** A log that was read. */
export interface PermitLog {
  readonly cases: readonly PermitCase[];
  readonly variants: readonly Variant[];
  readonly activityCount: number;
}

/** A log, or the first fault in its text and the line (1-based) where it is. */
export type ReadLog =
  | { readonly kind: "log"; readonly log: PermitLog }
  | { readonly kind: "fault"; readonly line: number; readonly message: string };

/** Activities in one log, at most. */
const activitiesMax = 200_000;

/** Activities in one case, at most. */
export const activitiesPerCaseMax = 500;

/** Longest case id and activity, in characters: what the example services take. */
const nameCharsMax = 200;

/** The columns that a log must have, in any order; others are passed over. */
export const logColumns = [
  "case_id",
  "activity",
  "at",
  "performed_by",
  "group",
  "channel",
  "department",
] as const;

type Column = (typeof logColumns)[number];
type Cells = Readonly<Record<Column, string>>;
type Fault = ReadLog & { readonly kind: "fault" };

/**
 * Reads the CSV text of a permit log: a header row with the columns of `logColumns`, then one row per
 * activity, grouped by case and in order of time within it. `at` is `2011-10-11 13:45:40.276000+02:00` (a T
 * for the blank, fewer digits, no fraction and Z are fine).
 *
 * A text that breaks any of this gives a fault with its line; a log is read whole or not at all. Never
 * throws.
 */
export function readPermitLog(text: string): ReadLog {
  const csv = splitCsv(text, activitiesMax + 1);
  if (csv.kind === "fault") return csv;
  const [header, ...rows] = csv.rows;
  if (header === undefined) return fault(1, "the log is empty; its first line must name the columns");
  const missing = logColumns.filter((column) => !header.fields.includes(column));
  if (missing.length > 0) return fault(header.line, `the header lacks: ${missing.join(", ")}`);
  const twice = logColumns.find(
    (column) => header.fields.indexOf(column) !== header.fields.lastIndexOf(column),
  );
  if (twice !== undefined) return fault(header.line, `the header names ${twice} twice`);
  if (rows.length === 0) return fault(header.line, "the log has a header and no activities");
  const grouped = groupByCase(header, rows);
  return grouped.kind === "fault" ? grouped : { kind: "log", log: logOf(grouped.activitiesByCase) };
}

/**
 * Where a permit activity is sent: what is printed and sent (T05, T15, T20) by mail, all else to the
 * registry.
 */
export function destinationOf(activity: string): "registry" | "mail" {
  return /^T(05|15|20)\b/.test(activity) ? "mail" : "registry";
}

type ActivitiesByCase = ReadonlyMap<string, readonly PermitActivity[]>;

function groupByCase(
  header: CsvRow,
  rows: readonly CsvRow[],
): Fault | { readonly kind: "grouped"; readonly activitiesByCase: ActivitiesByCase } {
  const activitiesByCase = new Map<string, PermitActivity[]>();
  let openCaseId: string | null = null;
  for (const row of rows) {
    const cells = cellsOf(header, row);
    if ("kind" in cells) return cells;
    const caseId = cells.case_id;
    const known = activitiesByCase.get(caseId);
    if (known !== undefined && caseId !== openCaseId) {
      return fault(row.line, `case ${caseId} goes on after other cases; its rows must stand together`);
    }
    const activities = known ?? [];
    const next = nextActivity(row.line, cells, activities);
    if ("kind" in next) return next;
    activities.push(next);
    activitiesByCase.set(caseId, activities);
    openCaseId = caseId;
  }
  return { kind: "grouped", activitiesByCase };
}

function cellsOf(header: CsvRow, row: CsvRow): Cells | Fault {
  if (row.fields.length !== header.fields.length) {
    return fault(row.line, `has ${row.fields.length} fields where the header has ${header.fields.length}`);
  }
  const cell = (column: Column): string => row.fields[header.fields.indexOf(column)] ?? "";
  for (const column of ["case_id", "activity"] as const) {
    if (cell(column).trim() === "") return fault(row.line, `${column} is empty`);
    if (cell(column).length > nameCharsMax)
      return fault(row.line, `${column} is over ${nameCharsMax} characters`);
  }
  return {
    case_id: cell("case_id"),
    activity: cell("activity"),
    at: cell("at"),
    performed_by: cell("performed_by"),
    group: cell("group"),
    channel: cell("channel"),
    department: cell("department"),
  };
}

function nextActivity(line: number, cells: Cells, before: readonly PermitActivity[]): PermitActivity | Fault {
  const at = readTime(cells.at);
  if (at === null)
    return fault(line, `at is not a time with an offset: ${JSON.stringify(cells.at.slice(0, 60))}`);
  const previous = before.at(-1);
  if (previous !== undefined && at < previous.at) {
    return fault(line, `is earlier than the row before it in case ${cells.case_id}`);
  }
  if (before.length === activitiesPerCaseMax) {
    return fault(line, `case ${cells.case_id} has more than ${activitiesPerCaseMax} activities`);
  }
  return {
    activity: cells.activity,
    occurrence: before.filter((earlier) => earlier.activity === cells.activity).length + 1,
    position: before.length + 1,
    at,
    performedBy: cells.performed_by,
    group: cells.group,
    channel: cells.channel,
    department: cells.department,
  };
}

/** Epoch milliseconds; null when the text is not a date, a time and an offset. */
function readTime(text: string): number | null {
  const parts = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text);
  if (parts === null) return null;
  const [, date, time, fraction = "", offset] = parts;
  const at = Date.parse(`${date}T${time}.${fraction.padEnd(3, "0").slice(0, 3)}${offset}`);
  return Number.isNaN(at) ? null : at;
}

function logOf(activitiesByCase: ActivitiesByCase): PermitLog {
  const cases: PermitCase[] = [];
  const variants = new Map<string, Variant>();
  let activityCount = 0;
  for (const [caseId, activities] of activitiesByCase) {
    const sequence = JSON.stringify(activities.map(stepLabel));
    const known = variants.get(sequence);
    const number = known?.number ?? variants.size + 1;
    const steps = activities.map(({ activity, occurrence }) => ({ activity, occurrence }));
    variants.set(sequence, { number, steps, caseCount: (known?.caseCount ?? 0) + 1 });
    cases.push({ caseId, activities, variantNumber: number });
    activityCount += activities.length;
  }
  return { cases, variants: [...variants.values()], activityCount };
}

function fault(line: number, message: string): Fault {
  return { kind: "fault", line, message };
}
