/** What must hold of each entry of a journal, judged by what the journal and the ledgers said before it. */

import { createHash } from "node:crypto";
import { basisOf } from "../src/core/basis.ts";
import {
  type Attempt,
  type CaseState,
  hasEffect,
  isNotNeeded,
  recordedAnswer,
  stepOf,
} from "../src/core/case-state.ts";
import type { Entry, JournalEntry } from "../src/core/journal.ts";
import { canonicalJson } from "../src/core/json.ts";
import type { SendStepOutline } from "../src/core/outline.ts";
import { outsideEffects } from "../src/core/outside.ts";
import { partName } from "../src/core/part-name.ts";
import { isSameLook } from "../src/core/plan-poll.ts";
import { isOneEffect } from "../src/core/repeat-safety.ts";
import { undoName, undoRequest } from "../src/core/undo.ts";
import { factsOf } from "../src/define/facts.ts";
import { REVOKED, sendOutline, stepsIn, undoneName, type CaseShape } from "./case-shape.ts";
import { checkCanceling } from "./cancel-rules.ts";
import { numberIn } from "./case-type.ts";
import type { Effect } from "./destination.ts";
import type { LostAttempts } from "./failover.ts";
import { EPOCH_MS } from "./process.ts";
import { contentOf, isLarge } from "./send-step.ts";

/** A broken invariant. */
export interface Violation {
  readonly rule: string;
  readonly what: string;
}

/** Where an entry was written. */
export interface EntrySite {
  readonly shape: CaseShape;
  /** Of this case, at every destination. */
  readonly effects: readonly Effect[];
  readonly journal: readonly JournalEntry[];
  readonly lostAttempts: LostAttempts;
  /** Right before the entry. */
  readonly state: CaseState;
}

/** How far a worker's notion of the database's clock may be behind it, in ms. */
const CLOCK_MS = 5_000;

/** Notes a broken rule. */
export type Violate = (rule: string, what: string) => void;
type Of<Kind extends Entry["kind"]> = Extract<Entry, { kind: Kind }>;

/** Judges one entry. */
export function checkEntry(site: EntrySite, { entry, at, commitId }: JournalEntry): readonly Violation[] {
  const { state } = site;
  const violations: Violation[] = [];
  const violate: Violate = (rule, what) => void violations.push({ rule, what: `${state.caseId}: ${what}` });
  if (at < state.changedAt) violate("time", `an entry at ${at} follows one at ${state.changedAt}`);
  if (entry.kind === "intentOpened") checkIntent(site, entry, violate);
  if (entry.kind === "attemptOpened") checkAttempt(site, entry, violate);
  if (entry.kind === "attemptOpened" && at + CLOCK_MS < state.beginsAt)
    violate("begin", `${entry.step} is sent at ${at}, before ${state.beginsAt}`);
  if (entry.kind === "intentOpened" || entry.kind === "attemptOpened") checkCanceling(site, entry, violate);
  if (entry.kind === "attemptFailed") checkOutcome(site, entry, entry.attempt, violate);
  if (entry.kind === "stepConfirmed" && entry.by.how === "response")
    checkOutcome(site, entry, entry.by.attempt, violate);
  if (entry.kind === "checkAnswered") checkProof(site, entry, violate);
  if (entry.kind === "lookAnswered") checkLook(site, entry, { at, commitId }, violate);
  if (entry.kind === "accessRefreshed") checkRefresh(site, entry, violate);
  if (entry.kind === "stepConfirmed") checkConfirmation(site, entry, at, violate);
  if (entry.kind === "eachStarted") checkStart(site, entry, violate);
  if (entry.kind === "stepLapsed") checkLapse(site, entry, violate);
  if (entry.kind === "stepUndone" && sendOutline(site.shape, entry.step) !== null)
    checkUndone(site, entry, violate);
  if (entry.kind === "eventReceived" || entry.kind === "eventAttached") checkOrder(site, entry, violate);
  if (entry.kind === "lateReport") checkSight(site, entry, commitId, violate);
  return violations;
}

/** A new effect is wanted only once nothing of the one before can happen any more, and what it did may be done again. */
function checkIntent({ shape, state }: EntrySite, entry: Of<"intentOpened">, violate: Violate): void {
  const { step, intentVersion } = entry;
  const { intent, confirmation, lapse } = stepOf(state, step);
  const outline = sendOutline(shape, step);
  if (outline === null) return;
  const isOpen = intent !== null && confirmation?.intentVersion !== intent.version && !intent.isUndone;
  if (isOpen && intent.attempts.some((one) => !isProved(one)))
    violate("settled", `${step} got intent ${intentVersion} over an unsettled one`);
  const isRedone =
    lapse?.kind === "ordered" || (outline.onLapse === "redo" && entry.basis !== confirmation?.basis);
  if (confirmation !== null && !isNotNeeded(confirmation) && !(lapse !== null && isRedone))
    violate("standing", `${step} was confirmed and is to be done again`);
  if (basisOf(outline, state, digest) !== entry.basis)
    violate("revision", `${step} got an intent for an input or result that had changed before`);
  if (outline.when.length > 0 && !isLarge(state.input))
    violate("when", `${step} is not needed and got an intent`);
  const approvedAt = stepOf(state, "step1").confirmation?.revision ?? Infinity;
  const isRevoked = state.events.some((one) => one.eventType === REVOKED && one.revision > approvedAt);
  if (shape.guarded.has(step) && isRevoked)
    violate("revision", `${step} got an intent after its approval was revoked`);
  checkUndoIntent({ shape, state }, entry, violate);
}

/** What is taken back is what stands confirmed and has lapsed, and it is taken back once. */
function checkUndoIntent(
  { shape, state }: Pick<EntrySite, "shape" | "state">,
  { step, request }: Of<"intentOpened">,
  violate: Violate,
): void {
  const undone = undoneName(step) === step ? null : sendOutline(shape, undoneName(step));
  if (undone === null) return;
  const { confirmation, lapse } = stepOf(state, undone.name);
  if (confirmation === null || (lapse === null && state.cancelRequest === null)) {
    violate("undo", `${undone.name} is taken back although it stands, or was never confirmed`);
    return;
  }
  if (request !== canonicalJson(undoRequest(undone.name, confirmation)))
    violate("undo", `the undo of ${undone.name} is of another confirmation`);
  const before = stepOf(state, step);
  if (before.confirmation !== null || (before.intent?.request === request && before.intent.isUndone))
    violate("undo", `${undone.name} is taken back a second time`);
}

/**
 * A look that found what the one before found is not written down, unless something else is with it, or the next one is made
 * at once: how the case goes on then rests on it.
 */
function checkLook(
  { state, journal }: EntrySite,
  entry: Of<"lookAnswered">,
  { at, commitId }: Pick<JournalEntry, "at" | "commitId">,
  violate: Violate,
): void {
  const { step, askedAt, nextLookAt } = entry;
  if (nextLookAt <= at) return;
  const waits = state.rest.kind === "waiting" ? state.rest.waits : [];
  const isInTime = waits.some((one) => one.kind === "poll" && one.step === step && askedAt < one.untilAt);
  const own = journal.filter((one) => one.commitId === commitId).map((one) => one.entry.kind);
  // Where it does not rest after that, something else is asked at once.
  const isAlone = own.length === 2 && own.includes("lookAnswered") && own.includes("parked");
  if (isInTime && isAlone && isSameLook(state, entry))
    violate("polls", `${step} writes down once more that ${entry.answer.why}`);
}

function checkAttempt(site: EntrySite, entry: Of<"attemptOpened">, violate: Violate): void {
  const { shape, state } = site;
  const { step } = entry;
  const known = stepOf(state, step);
  const outline = sendOutline(shape, step);
  if (outline === null) return;
  if (known.confirmation !== null && !isNotNeeded(known.confirmation))
    violate("standing", `${step} was confirmed and is sent again`);
  if (known.round.attempts >= outline.destination.retry.maxAttempts)
    violate("bounded", `${step} is tried too often`);
  if (known.intent !== null && known.rejected.includes(known.intent.fingerprint)) {
    violate("rejected", `${step} sends a rejected request again`);
  }
  const { lastFailure, refresh } = known;
  const isDenied = lastFailure?.failure.kind === "denied" && lastFailure.round === known.round.number;
  if (isDenied && !(refresh?.failure === null && refresh.attempt === lastFailure.attempt))
    violate("denied", `${step} is sent again although its access was refused and nobody restored it`);
  checkQuota(step, known, violate);
  if (entry.fencingToken <= highestToken(site))
    violate("tokens", `${step} is sent with a token that did not rise`);
  const undo = outline.undo === null ? null : stepOf(state, outline.undo.name).intent;
  if (undo !== null && !undo.isUndone && undo.attempts.some((one) => !isProved(one)))
    violate("undo", `${step} is sent while what it did is being taken back`);
  checkAtOnce(site, outline, entry, violate);
  checkKeyOrder(site, step, violate);
  const unproved = known.intent?.attempts.filter((one) => !isProved(one)) ?? [];
  checkRepeat(outline, unproved, entry, violate);
  checkConditions(site, outline, { isRepeat: unproved.length > 0 }, violate);
}

/** What a holder stores of an attempt is stored once, while that attempt is open. */
function checkOutcome(
  { state }: EntrySite,
  { step, intentVersion }: Pick<Of<"attemptFailed">, "step" | "intentVersion">,
  attempt: number,
  violate: Violate,
): void {
  const { intent } = stepOf(state, step);
  const known = intent?.version === intentVersion ? intent.attempts : [];
  if (known.find(({ number }) => number === attempt)?.outcome.kind !== "open")
    violate("outcome", `an outcome of attempt ${attempt} of ${step} is stored, which is not open`);
}

/** After a refusal for want of quota it is tried once by itself, and only where a reset was named. */
function checkQuota(
  step: string,
  { intent, lastFailure, round }: ReturnType<typeof stepOf>,
  violate: Violate,
): void {
  if (lastFailure?.failure.kind !== "quota" || lastFailure.round !== round.number) return;
  const tried = intent?.attempts.slice(-(round.attempts + round.throttles)) ?? [];
  const refused = tried.filter(
    ({ outcome }) => outcome.kind === "failed" && outcome.failure.kind === "quota",
  );
  if (lastFailure.failure.instruction?.kind !== "retryAfter")
    violate("quota", `${step} is tried again although its quota is used up and no reset was named`);
  if (refused.length > 1) violate("quota", `${step} is tried more than once after its quota was used up`);
}

/** An access is refreshed because it was refused, and not again for the very next attempt. */
function checkRefresh({ state }: EntrySite, entry: Of<"accessRefreshed">, violate: Violate): void {
  const { step, attempt, intentVersion } = entry;
  const { lastFailure, refresh } = stepOf(state, step);
  if (lastFailure?.failure.kind !== "denied" || lastFailure.attempt !== attempt)
    violate("refresh", `the access of ${step} is refreshed although attempt ${attempt} was not refused`);
  if (refresh?.failure !== null || refresh.intentVersion !== intentVersion) return;
  if (refresh.attempt === attempt || refresh.attempt === attempt - 1)
    violate("refresh", `the access of ${step} is refreshed twice in a row`);
}

/** Every token that the journal knows of, whoever told it. */
function highestToken({ journal, state }: EntrySite): number {
  const tokens = journal.slice(0, state.revision).map(({ entry }) => {
    if (entry.kind === "attemptOpened") return entry.fencingToken;
    if (entry.kind === "checkAnswered") return entry.raisedTo ?? 0;
    const isTold = entry.kind === "attemptFailed" && entry.failure.instruction?.kind === "newerToken";
    return isTold && entry.failure.instruction.kind === "newerToken" ? entry.failure.instruction.seen : 0;
  });
  return Math.max(0, ...tokens);
}

/** What may be sent while it is not known whether an earlier attempt happened. */
function checkRepeat(
  { name, destination }: SendStepOutline,
  unproved: readonly Attempt[],
  { version }: Of<"attemptOpened">,
  violate: Violate,
): void {
  const last = unproved.at(-1);
  if (last === undefined) return;
  switch (destination.repeatSafety.by) {
    case "key":
    case "unique":
      return;
    case "if-match":
      if ((version ?? null) === last.version) return;
      return violate("unknown", `${name} is repeated with another version while its outcome is unknown`);
    case "transaction":
    case "fence":
    case "lookup":
    case "none":
      return violate("unknown", `${name} is resent to ${destination.name} while its outcome is unknown`);
  }
}

/** Before a first send all that was asked holds; before a repeat nothing that must still hold is known to be broken. */
function checkConditions(
  { state }: EntrySite,
  { name, before, requires }: SendStepOutline,
  { isRepeat }: { readonly isRepeat: boolean },
  violate: Violate,
): void {
  for (const condition of isRepeat ? requires : [...before, ...requires]) {
    if (condition.kind !== "probe") continue;
    const answer = recordedAnswer(state, name, condition.name)?.answer.kind ?? "none";
    if (answer !== "holds") violate("conditions", `${name} is sent while "${condition.name}" is ${answer}`);
  }
}

/** "It did not happen" is proved by a raised fence, or by a second look past the last possible arrival. */
function checkProof({ shape, state }: EntrySite, entry: Of<"checkAnswered">, violate: Violate): void {
  const { step, proves, raisedTo, askedAt } = entry;
  const outline = sendOutline(shape, step);
  if (!proves || outline === null) return;
  const { intent, firstNotFoundAt } = stepOf(state, step);
  const unproved = intent?.attempts.filter((one) => !isProved(one)) ?? [];
  const { repeatSafety, requestAgeMs } = outline.destination;
  // Without a confirmation in its own transaction it was rolled back.
  if (repeatSafety.by === "transaction") return;
  if (repeatSafety.by === "fence") {
    if (unproved.some(({ fencingToken }) => raisedTo === undefined || raisedTo <= fencingToken))
      violate("proof", `${step} is held not to have happened, and its fence was not raised above it`);
    return;
  }
  const arrivesAt = Math.max(0, ...unproved.map(({ sendDeadlineAt }) => sendDeadlineAt + requestAgeMs));
  if (firstNotFoundAt === null || askedAt < arrivesAt)
    violate("proof", `${step} is held not to have happened after one look, or while it can still arrive`);
}

/** What is confirmed for the present input is there, with what that input asks for. */
function checkConfirmation(
  site: EntrySite,
  { step, basis, by, intentVersion }: Of<"stepConfirmed">,
  at: number,
  violate: Violate,
): void {
  const { shape, effects, state } = site;
  const outline = sendOutline(shape, step);
  if (by.how === "notNeeded") return checkPassedOver(site, step, violate);
  const undoOutline = outline?.undo ?? null;
  const undo = undoOutline === null ? null : stepOf(state, undoOutline.name).intent;
  if (by.how === "check" && undo !== null && !undo.isUndone && undo.attempts.some((one) => !isProved(one)))
    violate("undo", `${step} is confirmed by a check while what it did is being taken back`);
  if (by.how === "skip") return checkLeftOut(site, step, violate);
  if (outline === null || by.how === "person") return;
  const mine = effects.filter(
    ({ request, ...effect }) => request.step === step && EPOCH_MS + effect.at <= at + CLOCK_MS,
  );
  if (undoneName(step) !== step) {
    if (!mine.some(({ request }) => request.intentVersion === intentVersion))
      violate("confirmed", `${step} is confirmed, and nothing was taken back`);
    return;
  }
  if (basisOf(outline, state, digest) !== basis) return;
  const wanted = canonicalJson(contentOf(outline, factsOf(state)));
  if (!mine.some(({ request }) => request.content === wanted))
    violate("confirmed", `${step} is confirmed by ${by.how}, and what is wanted is not there`);
}

/** No more keys are under way at once than the `each` says. */
function checkAtOnce(
  { state }: EntrySite,
  { part, name }: SendStepOutline,
  { claimId }: Of<"attemptOpened">,
  violate: Violate,
): void {
  if (part === undefined) return;
  const open = (state.each[part.of] ?? []).filter((key) => {
    const steps = [partName(part.of, key), undoName(partName(part.of, key))];
    return steps.some((step) =>
      stepOf(state, step).intent?.attempts.some(
        (one) => one.claimId === claimId && one.outcome.kind === "open",
      ),
    );
  });
  if (open.length >= part.atOnce)
    violate("each", `${name} is sent while ${open.length} of ${part.of} are under way`);
}

/** Where the keys of an `each` have an order, none is sent before those ahead stand, or undone before those behind are. */
function checkKeyOrder({ shape, state }: EntrySite, step: string, violate: Violate): void {
  const part = sendOutline(shape, undoneName(step))?.part;
  if (part?.inOrder !== true) return;
  const keys = state.each[part.of] ?? [];
  const place = keys.indexOf(part.key);
  if (undoneName(step) === step) {
    const open = keys.slice(0, place).find((key) => {
      const { confirmation, lapse } = stepOf(state, partName(part.of, key));
      return confirmation === null || lapse !== null;
    });
    if (open !== undefined) violate("each", `${step} is sent before key ${open} stands`);
  } else if (state.cancelRequest !== null && stepOf(state, step).intent?.attempts.length === 0) {
    const outside = new Set(outsideEffects(state).map((one) => one.step));
    const later = keys.slice(place + 1).find((key) => outside.has(partName(part.of, key)));
    if (later !== undefined) violate("each", `${step} takes back what key ${later} still follows`);
  }
}

/** The keys of an `each` are fixed once, when what it follows stands and it is needed. */
function checkStart({ shape, state }: EntrySite, { step, keys }: Of<"eachStarted">, violate: Violate): void {
  const outline = shape.steps.find(({ name }) => name === step);
  const isReached = outline?.after.every((name) => stepOf(state, name).confirmation !== null) === true;
  if (!isReached || Object.hasOwn(state.each, step)) violate("each", `${step} is begun too early, or twice`);
  if (keys.join() !== shape.keys.join()) violate("each", `${step} is begun for ${keys.join()}`);
  if (outline !== undefined && outline.when.length > 0 && !isLarge(state.input))
    violate("when", `${step} is not needed and is begun`);
}

/** Only what nothing of is outside, or can be, is passed over. */
function checkPassedOver({ shape, state }: EntrySite, step: string, violate: Violate): void {
  const outline = shape.steps.find(({ name }) => name === step);
  const { confirmation, intent } = stepOf(state, step);
  if (outline === undefined || outline.when.length === 0 || isLarge(state.input))
    violate("when", `${step} is needed and is passed over`);
  const isDone = outline?.kind === "step" && confirmation !== null && !isNotNeeded(confirmation);
  const isOpen = intent !== null && !intent.isUndone && intent.attempts.some((one) => !isProved(one));
  if (isDone || isOpen) violate("when", `${step} is passed over, and what it did is there or may be`);
}

/** Only that of which nothing can be outside is left out. */
function checkLeftOut({ state }: EntrySite, step: string, violate: Violate): void {
  const { confirmation, intent } = stepOf(state, step);
  const isOpen = intent !== null && !intent.isUndone && intent.attempts.some((one) => !isProved(one));
  if (isOpen && confirmation?.intentVersion !== intent.version)
    violate("skip", `${step} is left out, and it is not known whether it happened`);
  if (confirmation !== null && hasEffect(confirmation))
    violate("skip", `${step} is left out, and what it did is there`);
}

/** Only what is broken or changed lapses (R13, R14). */
function checkLapse(
  { shape, state }: EntrySite,
  { step, because }: Of<"stepLapsed">,
  violate: Violate,
): void {
  const outline = stepsIn(shape, state).find(({ name }) => name === step);
  const { confirmation } = stepOf(state, step);
  if (outline === undefined || confirmation === null) return;
  if (because.kind === "basis" && confirmation.basis === basisOf(outline, state, digest))
    violate("lapse", `${step} lapsed although nothing that it rests on changed`);
  const condition = outline.requires.find(({ name, kind }) => kind === "probe" && name === describe(because));
  if (condition === undefined) return;
  const answer = recordedAnswer(state, step, condition.name)?.answer.kind ?? "none";
  if (answer !== "broken") violate("lapse", `${step} lapsed although "${condition.name}" is ${answer}`);
}

function describe(because: Of<"stepLapsed">["because"]): string | null {
  return because.kind === "prerequisite" ? because.name : null;
}

/** What an attempt did that a failover lost, nobody can know to take back. */
function checkUndone(
  { effects, lostAttempts, state }: EntrySite,
  { step }: Of<"stepUndone">,
  violate: Violate,
): void {
  if (lostAttempts.has(`${state.caseId} ${step}`)) return;
  const { confirmation } = stepOf(state, undoName(step));
  const { intent } = stepOf(state, step);
  const isThere = effects.some(
    ({ request, isUndone }) =>
      request.step === step && request.intentVersion === intent?.version && !isUndone,
  );
  if (confirmation === null || isThere)
    violate("undo", `${step} is held to be taken back, and what it did is still there`);
}

/** Of versioned events only the newest count. */
function checkOrder(
  { shape, state }: EntrySite,
  entry: Of<"eventReceived"> | Of<"eventAttached">,
  violate: Violate,
): void {
  const isCounted = entry.kind === "eventAttached" || entry.ignored === null;
  if (!shape.isVersioned || !isCounted) return;
  const { eventType, payload } = entry;
  const known = [...state.events, ...(state.repair?.attached ?? [])];
  const newer = known.find(
    (one) => one.eventType === eventType && numberIn(one.payload) >= numberIn(payload),
  );
  if (newer !== undefined)
    violate("order", `${eventType} ${numberIn(payload)} counts after ${numberIn(newer.payload)}`);
}

/** An effect that no attempt of the journal accounts for is in sight as soon as its sender tells of it. */
function checkSight(
  { shape, journal, state }: EntrySite,
  entry: Of<"lateReport">,
  commitId: string,
  violate: Violate,
): void {
  if (entry.outcome.kind !== "succeeded") return;
  const outline = sendOutline(shape, entry.step);
  const isKnown = stepOf(state, entry.step).intent?.attempts.some(({ claimId }) => claimId === entry.claimId);
  const isInSight = journal.some((one) => one.commitId === commitId && one.entry.kind === "reviewOpened");
  const isSafe = outline !== null && isOneEffect(outline.destination.repeatSafety);
  if (isSafe || isKnown === true || isInSight) return;
  violate("sight", `${entry.step} took effect in an attempt that no journal has, and nobody is told`);
}

function isProved({ outcome }: Attempt): boolean {
  return (
    outcome.kind === "provedNotExecuted" || (outcome.kind === "failed" && outcome.failure.executed === "no")
  );
}

/** As every process digests. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
