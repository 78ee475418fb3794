/**
 * Every figure that machines watch, in words: one table for the text that Prometheus reads, for the instruments of
 * OpenTelemetry, and for the page docs/reference/metrics.md. No label holds what grows with the number of cases: labels are
 * names of definitions, states and kinds.
 */

/** Labels of what is asked for when it is read: how everything stands. */
export interface GaugeLabels {
  readonly foothold_cases: "case_type" | "state";
  readonly foothold_cases_open: "case_type" | "reading";
  readonly foothold_cases_due: "case_type";
  readonly foothold_oldest_due_seconds: "case_type";
  readonly foothold_cases_with_review: "case_type";
  readonly foothold_workers: "case_type";
  readonly foothold_cases_without_worker: "case_type";
  readonly foothold_destination_limit: "destination" | "credential";
  readonly foothold_destination_in_flight: "destination" | "credential";
  readonly foothold_destination_held_back: "destination" | "credential";
  readonly foothold_destination_up: "destination" | "credential";
  readonly foothold_inbox_work: "source" | "state";
  readonly foothold_inbox_refused: "source" | "reason";
  readonly foothold_schedule_overdue_seconds: "schedule";
  readonly foothold_schedule_slots_not_started: "schedule";
  readonly foothold_notices_undelivered: never;
}

/** Labels of what a process counts while it does it. */
export interface CounterLabels {
  readonly foothold_attempts_total: "destination" | "outcome" | "kind";
  readonly foothold_requests_total: "destination";
  readonly foothold_hidden_retries_total: "destination";
  readonly foothold_claims_total: "case_type";
  readonly foothold_claims_lost_total: "case_type";
  readonly foothold_claims_freed_total: "why";
  readonly foothold_heartbeats_total: "outcome";
  readonly foothold_sweep_passes_total: "outcome";
  readonly foothold_inbox_worked_total: "source" | "outcome";
}

/** Labels of what a process measures while it does it. */
export interface HistogramLabels {
  readonly foothold_attempt_duration_seconds: "destination" | "outcome";
  readonly foothold_commit_duration_seconds: "outcome";
  readonly foothold_commit_batch_size: never;
}

/** Name of a figure that is asked for when it is read. */
export type GaugeName = keyof GaugeLabels;
/** Name of a figure that is counted. */
export type CounterName = keyof CounterLabels;
/** Name of a figure that is measured. */
export type HistogramName = keyof HistogramLabels;

/** Units, as OpenTelemetry writes them; what stands in braces is a thing that is counted, none is a yes or no. */
type FigureUnit =
  | "s"
  | "{case}"
  | "{attempt}"
  | "{request}"
  | "{worker}"
  | "{claim}"
  | "{commit}"
  | "{heartbeat}"
  | "{pass}"
  | "{work}"
  | "{slot}"
  | "{message}"
  | "";

/** A figure in words. */
export interface Figure<Label extends string = string> {
  readonly help: string;
  readonly unit: FigureUnit;
  readonly labels: readonly Label[];
}

/** A figure of which the spread is kept. */
export interface SpreadFigure<Label extends string = string> extends Figure<Label> {
  /** Upper bounds of its parts, rising, in its unit. */
  readonly bounds: readonly number[];
}

/** How everything stands, in the order of its page. */
export const GAUGES: { readonly [Name in GaugeName]: Figure<GaugeLabels[Name]> } = {
  foothold_cases: { help: "Cases by stored state.", unit: "{case}", labels: ["case_type", "state"] },
  foothold_cases_open: {
    help: "Open cases by the state that people read, up to 50,000 of each stored state.",
    unit: "{case}",
    labels: ["case_type", "reading"],
  },
  foothold_cases_due: { help: "Cases that a worker could take now.", unit: "{case}", labels: ["case_type"] },
  foothold_oldest_due_seconds: {
    help: "How long the case that has waited longest for a worker has been due; 0 where none is.",
    unit: "s",
    labels: ["case_type"],
  },
  foothold_cases_with_review: {
    help: "Cases with an open review: they need a person.",
    unit: "{case}",
    labels: ["case_type"],
  },
  foothold_workers: {
    help: "Workers alive that take cases of this type.",
    unit: "{worker}",
    labels: ["case_type"],
  },
  foothold_cases_without_worker: {
    help: "Cases that wait for a worker or lost theirs, of types that no worker takes.",
    unit: "{case}",
    labels: ["case_type"],
  },
  foothold_destination_limit: {
    help: "Attempts that all workers together may have under way at a destination now.",
    unit: "{attempt}",
    labels: ["destination", "credential"],
  },
  foothold_destination_in_flight: {
    help: "Attempts under way at a destination.",
    unit: "{attempt}",
    labels: ["destination", "credential"],
  },
  foothold_destination_held_back: {
    help: "Cases that a destination's limit holds back, or that wait for access to it.",
    unit: "{case}",
    labels: ["destination", "credential"],
  },
  foothold_destination_up: {
    help: "1 where a destination answers as it should, 0 where it is down, throttles, is out of quota or denies access.",
    unit: "",
    labels: ["destination", "credential"],
  },
  foothold_inbox_work: {
    help: "Work that events called for, by its state.",
    unit: "{work}",
    labels: ["source", "state"],
  },
  foothold_inbox_refused: {
    help: "Requests to a source that were refused in the last hour, by reason.",
    unit: "{request}",
    labels: ["source", "reason"],
  },
  foothold_schedule_overdue_seconds: {
    help: "For how long a slot has been due that no process decides; 0 where none is.",
    unit: "s",
    labels: ["schedule"],
  },
  foothold_schedule_slots_not_started: {
    help: "Slots that could not be started, and that nobody has looked at.",
    unit: "{slot}",
    labels: ["schedule"],
  },
  foothold_notices_undelivered: {
    help: "Messages to owners that could not be delivered.",
    unit: "{message}",
    labels: [],
  },
};

/** What each process counts, in the order of its page. */
export const COUNTERS: { readonly [Name in CounterName]: Figure<CounterLabels[Name]> } = {
  foothold_attempts_total: {
    help: "Attempts that ended, by outcome (`succeeded`, `failed`) and kind of failure (`none` where there is none).",
    unit: "{attempt}",
    labels: ["destination", "outcome", "kind"],
  },
  foothold_requests_total: {
    help: "Requests that were really seen to leave during attempts, hidden retries included.",
    unit: "{request}",
    labels: ["destination"],
  },
  foothold_hidden_retries_total: {
    help: "Requests among them that a client repeated by itself.",
    unit: "{request}",
    labels: ["destination"],
  },
  foothold_claims_total: { help: "Cases that were claimed.", unit: "{claim}", labels: ["case_type"] },
  foothold_claims_lost_total: {
    help: "Claims that a worker lost while it worked: another one goes on with the case.",
    unit: "{claim}",
    labels: ["case_type"],
  },
  foothold_claims_freed_total: {
    help: "Claims that were freed, by why: `silent` (its holder), `actBy` (committed nothing for too long), `orphaned`.",
    unit: "{claim}",
    labels: ["why"],
  },
  foothold_heartbeats_total: {
    help: "Heartbeats by what came of them: `alive`, `ended` (it was taken for lost), `unanswered`.",
    unit: "{heartbeat}",
    labels: ["outcome"],
  },
  foothold_sweep_passes_total: {
    help: "Passes of the sweep, by whether they came to their end: `done`, `failed`.",
    unit: "{pass}",
    labels: ["outcome"],
  },
  foothold_inbox_worked_total: {
    help: "Work of events that was worked on, by the state that it came to.",
    unit: "{work}",
    labels: ["source", "outcome"],
  },
};

/** Parts of times, in seconds: from a query to the longest deadlines. */
const SECONDS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
];

/** What each process measures, in the order of its page. */
export const HISTOGRAMS: { readonly [Name in HistogramName]: SpreadFigure<HistogramLabels[Name]> } = {
  foothold_attempt_duration_seconds: {
    help: "How long attempts took, from the call of `run` to its outcome.",
    unit: "s",
    labels: ["destination", "outcome"],
    bounds: SECONDS,
  },
  foothold_commit_duration_seconds: {
    help: "How long the database took to answer a batch of commits (`answered`) or to fail it (`failed`).",
    unit: "s",
    labels: ["outcome"],
    bounds: SECONDS,
  },
  foothold_commit_batch_size: {
    help: "Commits that went to the database as one batch.",
    unit: "{commit}",
    labels: [],
    bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500],
  },
};

/** A gauge as it stands under some labels. */
export interface GaugeValue {
  readonly name: GaugeName;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
