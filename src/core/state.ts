/** What a person reads about a case: derived at read time from its row, its holder and the clock, never stored. */

import type { Claim } from "./claim.ts";
import { destinationKey, type Denial, type DestinationState } from "./in-flight.ts";
import type { Review, ReviewReason } from "./journal.ts";
import { ownersAsked, type Wait } from "./waits.ts";
import { awaitedTypes } from "./outline.ts";
import type { CaseSummary, RestingState, StoredState } from "./row.ts";
import { formatUtc } from "./utc-time.ts";

/** The words people read. The bare word "processing" is not among them. */
export type ReadableState =
  | "Running"
  | "Will retry"
  | "Waiting for event"
  | "Waiting for child"
  | "Waiting for approval"
  | "Waiting until"
  | "Held back"
  | "Paused"
  | "Worker lost"
  | "Outcome unknown"
  | "Needs correction"
  | "Needs access"
  | "Needs review"
  | "Being repaired"
  /** In a case that is being canceled; the sentence begins with how far that has come. */
  | "Undoing"
  | "Done"
  | "Done after repair"
  | "Canceled";

/** A process or an open page that holds claims. */
export interface Holder {
  readonly holderId: string;
  readonly kind: "worker" | "page";
  /** A label for people. */
  readonly name: string;
  readonly host: string;
  readonly build: string;
  readonly leaseMs: number;
  readonly beatAt: number;
  /** Set by the sweep or by an orderly stop; a marked holder never comes back (R6). */
  readonly endedAt: number | null;
}

/** What a reading is made of. */
export interface ReadingInput {
  readonly state: StoredState;
  readonly dueAt: number | null;
  readonly summary: CaseSummary;
  readonly claim: Claim | null;
  /** The claim's holder; null when there is no claim or nobody knows the holder. */
  readonly holder: Holder | null;
  readonly now: number;
  /** When it was due before its key held it back; left out = its key does not. */
  readonly heldSinceAt?: number;
  /** What is known of destinations, by `destinationKey`. Left out: nothing is. */
  readonly destinations?: ReadonlyMap<string, DestinationReading>;
  /** What is known of its key, where that holds it back. Left out: nothing is. */
  readonly key?: KeyStanding;
}

/** Who has the places of the key that holds a case back. */
export interface KeyStanding {
  readonly limit: number;
  /** Cases that are held back by it. */
  readonly waiting: number;
  readonly holders: readonly KeyHolder[];
}

/** A case that has a place of a key. */
export interface KeyHolder {
  readonly caseId: string;
  /** How it stands and who acts on it next, where it keeps its place until it ends; null = it gives it back when it rests. */
  readonly untilEnd: { readonly state: ReadableState; readonly actsNext: string } | null;
}

/** What a reading needs to know of a destination. */
export interface DestinationReading {
  readonly downSinceAt: number | null;
  readonly notBeforeAt: number | null;
  readonly notBeforeBy: DestinationState["notBeforeBy"];
  readonly denial: Pick<Denial, "cause" | "sinceAt" | "sentence"> | null;
  /** Cases held back there. */
  readonly waiting: number;
}

/** One case in words. */
export interface Reading {
  readonly state: ReadableState;
  /** What stands and why, in one sentence. */
  readonly sentence: string;
  readonly actsNext: string;
  /** When that is due; null = no time is set. */
  readonly byAt: number | null;
}

/** True while the holder's last beat is younger than its lease. Only for what people read: safety never rests on it. */
export function seemsAlive(holder: Holder, now: number): boolean {
  return holder.endedAt === null && now <= holder.beatAt + holder.leaseMs;
}

/** Reads a case. */
export function readState(input: ReadingInput): Reading {
  if (input.state === "claimed") return readClaimed(input);
  return readResting(input.state, input);
}

function readClaimed(input: ReadingInput): Reading {
  const { claim, holder, summary, now } = input;
  const actByAt = claim?.actByAt ?? null;
  const repairer = holder?.kind === "page" ? holder.name : summary.repair?.name;
  if (repairer !== undefined) return readRepair(repairer, input);
  if (holder === null || !seemsAlive(holder, now)) {
    const who = holder === null ? "Its holder" : `${holder.name} (${holder.host})`;
    return {
      state: "Worker lost",
      sentence: `${who} has given no sign of life for longer than its lease; another worker goes on once it is freed.`,
      actsNext: "the sweep",
      byAt: holder === null ? actByAt : holder.beatAt + holder.leaseMs,
    };
  }
  return {
    state: "Running",
    sentence: `${holder.name} (${holder.host}) works on it.`,
    actsNext: holder.name,
    byAt: actByAt,
  };
}

/** What was done and what came stays with the case, whether its page is still there or not. */
function readRepair(name: string, { claim, holder, summary, now }: ReadingInput): Reading {
  const events = summary.repair?.events ?? 0;
  const came = events === 0 ? "" : `; ${events} ${events === 1 ? "event" : "events"} came meanwhile`;
  const byAt = Math.min(
    claim?.actByAt ?? Infinity,
    holder === null ? Infinity : holder.beatAt + holder.leaseMs,
  );
  const until = { byAt: byAt === Infinity ? null : byAt };
  if (holder !== null && seemsAlive(holder, now)) {
    return {
      state: "Being repaired",
      sentence: `${name} has it open for repair${came}.`,
      actsNext: name,
      ...until,
    };
  }
  const sentence = `${name} had it open for repair, and the page has given no sign of life since${came}; the sweep ends the repair.`;
  return { state: "Being repaired", sentence, actsNext: "the sweep", ...until };
}

function readResting(state: RestingState, input: ReadingInput): Reading {
  const { summary, dueAt, now, heldSinceAt } = input;
  const isHeldBack = heldSinceAt !== undefined && dueAt !== null && dueAt > now;
  // A person who is to act on a review must not be overlooked.
  if (isHeldBack && summary.reviews.length === 0) return readHeldByKey(input);
  switch (state) {
    case "done":
      return summary.isRepaired
        ? readEnded("Done after repair", "Every step is confirmed, after people helped.", summary)
        : readEnded("Done", "Every step is confirmed.", summary);
    case "canceled":
      return readEnded("Canceled", `Canceled by ${stopper(summary)}.`, summary);
    case "paused":
      if (dueAt !== null && dueAt <= now) return readReady(input);
      return {
        state: "Paused",
        sentence: `Paused by ${stopper(summary)}.`,
        actsNext: summary.stoppedBy?.name ?? "a person",
        byAt: dueAt,
      };
    case "in_review":
    case "waiting":
    case "ready":
      return readOpen(state, input);
  }
}

/** An ended case can have an open review all the same: a late report of an effect that is one too many (R10). */
function readEnded(state: ReadableState, sentence: string, { reviews }: CaseSummary): Reading {
  const [review] = reviews;
  if (review === undefined) return { state, sentence, actsNext: "nobody", byAt: null };
  const { owner, nextCheckAllowedAt } = review;
  return { state, sentence: `${sentence} ${review.sentence}`, actsNext: owner, byAt: nextCheckAllowedAt };
}

function readOpen(state: "in_review" | "waiting" | "ready", input: ReadingInput): Reading {
  const { summary } = input;
  if (state === "ready" && summary.losses > 0) return readReady(input);
  const [review] = summary.reviews;
  // Where another branch goes on, or a fact has just come, the person must not be overlooked.
  if (review !== undefined) return readReview(review);
  const [wait] = summary.waits.toSorted(
    (one, other) => (one.dueAt ?? Number.MAX_VALUE) - (other.dueAt ?? Number.MAX_VALUE),
  );
  const reading = wait === undefined ? readReady(input) : readWait(wait, input);
  if (summary.undoing === undefined || reading.state === "Worker lost") return reading;
  const { sentence } = reading;
  return { ...reading, state: "Undoing", sentence: `${sayUndoing(summary.undoing)}: ${sentence}` };
}

/** "Undoing 2 of 3"; of what is not known yet to have happened, nothing is to be counted. */
function sayUndoing({ undone, of }: NonNullable<CaseSummary["undoing"]>): string {
  return `Undoing ${Math.min(undone + 1, of)} of ${of}`;
}

function readReady({ summary, dueAt, now }: ReadingInput): Reading {
  const next = { actsNext: "the next free worker", byAt: dueAt };
  if (summary.losses > 0) {
    const times = summary.losses === 1 ? "once" : `${summary.losses} times in a row`;
    return { state: "Worker lost", sentence: `Its worker was lost ${times}; another one goes on.`, ...next };
  }
  const [unsettled] = summary.unsettled;
  if (unsettled !== undefined) {
    return {
      state: "Outcome unknown",
      sentence: `It is not known yet whether ${unsettled} happened.`,
      ...next,
    };
  }
  if (summary.lastFailure !== null) {
    const { step, sentence } = summary.lastFailure;
    return { state: "Will retry", sentence: `${step} is tried again. ${sentence}`, ...next };
  }
  if (dueAt !== null && dueAt > now) {
    const byAt = dueAt;
    return { state: "Waiting until", sentence: "It begins at its time.", actsNext: "the engine", byAt };
  }
  return { state: "Waiting until", sentence: "It is due and waits for a free worker.", ...next };
}

function readReview(review: Review): Reading {
  return {
    state: reviewState(review.reason),
    sentence: review.sentence,
    actsNext: review.owner,
    byAt: review.nextCheckAllowedAt,
  };
}

function reviewState(reason: ReviewReason): ReadableState {
  switch (reason) {
    case "rejected":
      return "Needs correction";
    case "denied":
    case "quota":
      return "Needs access";
    case "unknown":
      return "Outcome unknown";
    case "limit":
    case "conflict":
    case "gone":
    case "bug":
    case "precondition":
    case "lapsed":
    case "unreadable":
    case "poison":
    case "refused":
    case "expired":
    case "mayExistTwice":
    case "staysOutside":
      return "Needs review";
  }
}

function readWait(wait: Wait, { summary: { lastFailure }, dueAt, destinations, now }: ReadingInput): Reading {
  const engine = { actsNext: "the engine", byAt: wait.dueAt };
  switch (wait.kind) {
    case "retry": {
      const why = lastFailure?.step === wait.step ? ` ${lastFailure.sentence}` : "";
      const whose = wait.by === "provider" ? " at the time that the destination named" : "";
      const sentence = `${wait.step} is tried again${whose} (attempt ${wait.attempt} of ${wait.attemptsMax}).${why}`;
      return { state: "Will retry", sentence, ...engine };
    }
    case "check":
      return {
        state: "Outcome unknown",
        sentence: `It is not known whether ${wait.step} happened; the destination is asked again.`,
        ...engine,
      };
    case "probe":
      return {
        state: "Waiting until",
        sentence: `${wait.step} waits: whether "${wait.condition}" holds could not be told (${wait.why}); it is asked again.`,
        ...engine,
      };
    case "approval": {
      const whom = ownersAsked(wait, now).join(" or ");
      const sentence = `${wait.step} waits for ${whom}.`;
      return { state: "Waiting for approval", sentence, actsNext: whom, byAt: wait.dueAt };
    }
    case "event":
      return {
        state: "Waiting for event",
        sentence: `${wait.step} waits for the event ${awaitedTypes(wait).join(" or ")}.`,
        actsNext: `whoever sends ${awaitedTypes(wait).join(" or ")}`,
        byAt: wait.dueAt,
      };
    case "poll":
      // The row knows when it is looked again; the journal only when it was for the first time.
      return {
        state: "Waiting until",
        sentence: `${wait.step} waits for ${wait.destination}, which does not have it yet (${wait.why}); it is looked again.`,
        ...engine,
        byAt: dueAt ?? wait.dueAt,
      };
    case "child":
      return readChildWait(wait);
    case "timer":
      return { state: "Waiting until", sentence: `${wait.step} waits for its time.`, ...engine };
    case "held":
      // The row knows when it is due again; the journal only when it was held back first.
      return {
        state: "Held back",
        sentence: sayHeld(wait, destinations),
        ...engine,
        byAt: dueAt ?? wait.dueAt,
      };
    case "access": {
      const isOwn = lastFailure?.step === wait.step && lastFailure.kind === "quota";
      return {
        state: "Needs access",
        sentence: isOwn ? sayReset(wait, lastFailure.sentence) : sayAccess(wait, destinations),
        actsNext: wait.owner,
        byAt: isOwn ? wait.dueAt : null,
      };
    }
  }
}

function readChildWait({ step, caseId, caseType, needsPeople }: Extract<Wait, { kind: "child" }>): Reading {
  const people = needsPeople ? ", which waits for people" : "";
  return {
    state: "Waiting for child",
    sentence: `${step} waits for ${caseType} case ${caseId}${people}.`,
    actsNext: needsPeople ? `whoever case ${caseId} waits for` : `case ${caseId}`,
    byAt: null,
  };
}

/** Holders of places that a sentence names. */
const HOLDERS_NAMED = 3;

/** It is due, and as many cases of its key as may are worked on already. */
function readHeldByKey({ summary, dueAt: byAt, key }: ReadingInput): Reading {
  const name = summary.concurrencyKey ?? "its key";
  const state = "Held back";
  const [first] = key?.holders ?? [];
  if (key === undefined || first === undefined)
    return {
      state,
      sentence: `It waits for its turn among the cases of ${name}.`,
      actsNext: "the engine",
      byAt,
    };
  const { holders, limit, waiting } = key;
  const named = holders.slice(0, HOLDERS_NAMED).map(sayHolder);
  const more = holders.length - named.length;
  const all = [...named, ...(more === 0 ? [] : [`${more} more`])].join("; ");
  const places = `${holders.length} of ${limit} ${limit === 1 ? "place" : "places"}`;
  const sentence = `It waits for its turn: ${places} of ${name} taken, by ${all}${sayWaiting(waiting)}.`;
  const keeper = holders.find(({ untilEnd }) => untilEnd !== null && untilEnd.state !== "Running");
  return { state, sentence, actsNext: keeper?.untilEnd?.actsNext ?? `case ${first.caseId}`, byAt };
}

function sayHolder({ caseId, untilEnd }: KeyHolder): string {
  if (untilEnd === null) return `case ${caseId}, which is worked on`;
  return `case ${caseId} until it ends (${untilEnd.state}; next: ${untilEnd.actsNext})`;
}

/** "Held back: erp is down since …; 37 cases wait; next check allowed at …". */
function sayHeld(
  { step, destination, credentialId }: Extract<Wait, { kind: "held" }>,
  destinations: ReadingInput["destinations"],
): string {
  const known = destinations?.get(destinationKey(destination, credentialId));
  if (known === undefined) return `${step} waits: ${destination} is sent no more at a time now.`;
  const { downSinceAt, notBeforeAt } = known;
  const next = notBeforeAt === null ? "" : `; next check allowed at ${formatUtc(notBeforeAt)}`;
  const counted = sayWaiting(known.waiting);
  if (downSinceAt !== null) {
    return `${step} waits: ${destination} is down since ${formatUtc(downSinceAt)}${counted}${next}.`;
  }
  switch (known.notBeforeBy) {
    case "throttled":
      return `${step} waits: ${destination} asked to slow down${counted}${next}.`;
    case "quota":
      return `${step} waits: the quota of ${credentialId} at ${destination} is used up${counted}${next}.`;
    case "probe":
    case null:
      return `${step} waits: ${destination} is sent no more at a time now${counted}.`;
  }
}

function sayWaiting(waiting: number): string {
  if (waiting === 0) return "";
  return waiting === 1 ? "; 1 case waits" : `; ${waiting} cases wait`;
}

function sayAccess(
  { step, destination, credentialId }: Extract<Wait, { kind: "access" }>,
  destinations: ReadingInput["destinations"],
): string {
  const known = destinations?.get(destinationKey(destination, credentialId));
  const denial = known?.denial ?? null;
  if (known === undefined || denial === null) {
    return `${step} waits for access to ${destination} (${credentialId}), which was refused to another case.`;
  }
  const what = denial.cause === "quota" ? "has used up its quota" : "was refused access";
  const since = `${credentialId} ${what} since ${formatUtc(denial.sinceAt)}${sayWaiting(known.waiting)}`;
  return `${step} waits for access to ${destination}: ${since}. ${denial.sentence}`;
}

/** It was refused itself, and its destination named the time of the reset. */
function sayReset({ step, dueAt }: Extract<Wait, { kind: "access" }>, why: string): string {
  return `${step} waits for a higher quota, or for its reset: it is tried once more at ${formatUtc(dueAt)}. ${why}`;
}

function stopper({ stoppedBy }: CaseSummary): string {
  if (stoppedBy === null) return "a person";
  return stoppedBy.reason === null ? stoppedBy.name : `${stoppedBy.name} (${stoppedBy.reason})`;
}
