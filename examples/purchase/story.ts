/** The story of a purchase request in plain words: one line for each thing that happened. Pure. */

import type { Entry, JournalEntry } from "foothold";
import { Purchase, RecordCreated } from "./purchase.ts";

/** Columns that the name of a case takes. */
export const keyWidth = 9;

/** One line of the terminal: when, which request, what. */
export function storyLine(at: number, name: string, what: string): string {
  return `${clockTime(at)}  ${name.padEnd(keyWidth)}${what}`;
}

/** What an entry of a journal tells a person; null = nothing that they would miss. */
export function tellEntry({ at, entry }: JournalEntry): string | null {
  switch (entry.kind) {
    case "caseStarted":
      return `requested: ${describeRequest(entry.input)}`;
    case "approvalAnswered":
      return `${entry.approved ? "approved" : "refused"} by ${entry.by.name}`;
    case "attemptFailed":
      return `${nounOf(entry.step)} failed: ${whyOf(entry)}${againIn(entry.retryAt, at)}`;
    case "stepConfirmed":
      return tellConfirmed(entry);
    case "stepLapsed":
      return entry.because.kind === "prerequisite"
        ? `${nounOf(entry.step)} no longer stands: "${entry.because.name}" is broken (${entry.because.why})`
        : `${nounOf(entry.step)} no longer stands`;
    case "reviewOpened": {
      const { owner, reason, sentence } = entry.review;
      // What lapsed has told why, one line before.
      return reason === "lapsed"
        ? `stops for ${owner}; nothing is sent again by itself`
        : `stops for ${owner}: ${sentence}`;
    }
    case "claimLost":
      return `lost its worker (${entry.holderName}); another one goes on`;
    case "lateReport":
      return `${nounOf(entry.step)}: a worker that had lost the case reports late`;
    case "eventReceived":
    case "eventAttached":
      return `event ${entry.eventType} came in`;
    case "repairOpened":
      return `opened for repair by ${entry.by.name}`;
    case "repairTakenOver":
      return `repair taken over by ${entry.by.name}`;
    case "repairEnded":
      return "repair ended";
    case "noteAdded":
      return `note by ${entry.by.name}: ${entry.text}`;
    case "stepUndone":
      return `${nounOf(entry.step)} undone`;
    case "outcomeRuledOut":
      return `${entry.by.name} vouches that the ${nounOf(entry.step)} did not happen`;
    case "redoOrdered":
      return `${entry.by.name} ordered the ${nounOf(entry.step)} to be made again`;
    case "undoOrdered":
      return `${entry.by.name} ordered the ${nounOf(entry.step)} to be undone`;
    case "leftOutside":
      return `the ${nounOf(entry.step)} stays, as ${entry.by.name} says`;
    case "checkOrdered":
      return `${entry.by.name} wants the ${nounOf(entry.step)} checked`;
    case "assigned":
      return `given to ${entry.to === null ? "nobody in particular" : entry.to.label} by ${entry.by.name}`;
    case "inputCorrected":
      return `input corrected by ${entry.by.name}`;
    case "resumed":
    case "paused":
    case "canceled":
      return `${entry.kind} by ${entry.by.name}`;
    case "cancelRequested":
      return `to be canceled, as ${entry.by.name} wants`;
    case "caseDone":
      return "done";
    // What the engine notes on its way, before each of the lines above.
    case "intentOpened":
    case "attemptOpened":
    case "checkAnswered":
    case "accessRefreshed":
    case "conditionAnswered":
    case "lookAnswered":
    case "definitionChanged":
    case "restored":
    case "eachStarted":
    case "childStarted":
    case "childTold":
    case "stepRestored":
    case "parked":
    case "pauseRequested":
      return null;
  }
}

/** A request in a few words, such as `3 monitors, 1,140 EUR`. */
export function describeRequest(input: unknown): string {
  const read = Purchase.safeParse(input);
  if (!read.success) return "something unreadable";
  const { item, amount } = read.data;
  return `${item}, ${amount.toLocaleString("en-US")} EUR`;
}

type Confirmed = Extract<Entry, { kind: "stepConfirmed" }>;
type Failed = Extract<Entry, { kind: "attemptFailed" }>;

function tellConfirmed({ step, result, by }: Confirmed): string | null {
  const isFound = by.how === "check";
  switch (step) {
    case "createRecord": {
      const record = `record ${recordOf(result)}`;
      return isFound ? `${record} found at the ERP: its answer had got lost` : `${record} created`;
    }
    case "notify":
      return by.how === "response" ? `notification sent on attempt ${by.attempt}` : "notification sent";
    default:
      // The approval has told its own line when it was answered.
      return null;
  }
}

function recordOf(result: Confirmed["result"]): string {
  const read = RecordCreated.safeParse(result.kind === "value" ? result.value : null);
  return read.success ? read.data.recordId : "(unreadable)";
}

/** What people call the effect of a step, and who makes it. */
const words = new Map([
  ["createRecord", { noun: "record", system: "the ERP" }],
  ["notify", { noun: "notification", system: "mail" }],
]);

function nounOf(step: string): string {
  return words.get(step)?.noun ?? step;
}

/** A status says it shortest; the whole sentence is on the page and in `cases show`. */
function whyOf({ step, failure }: Failed): string {
  const status = /^http\.(\d+)$/.exec(failure.rule)?.[1];
  return status === undefined
    ? failure.sentence.replace(/\.$/, "")
    : `${words.get(step)?.system ?? step} answered ${status}`;
}

function againIn(retryAt: number | null, now: number): string {
  return retryAt === null ? "" : `, tried again in ${(Math.max(0, retryAt - now) / 1_000).toFixed(1)} s`;
}

/** `10:04:10`, by the clock on the wall. */
function clockTime(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}
