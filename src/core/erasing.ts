/**
 * Erasing what a case holds of people, while its journal keeps its shape: who did what to which step, when, and how that
 * ended. Whatever came from outside, was typed, or follows from either is replaced. The fold goes through what is left, and
 * says that it was erased. Pure.
 */

import { idempotencyKey } from "./decide.ts";
import { ERASED, erasedKey, erasedSource, type Erasure } from "./erasure.ts";
import type { Failure, Instruction } from "./failure.ts";
import type {
  CheckAnswer,
  ConditionAnswer,
  ConfirmedBy,
  Entry,
  JournalEntry,
  LapseReason,
  LateOutcome,
  StepResult,
} from "./journal.ts";
import type { ChildStanding } from "./child-standing.ts";
import { partName, readPartName } from "./part-name.ts";
import type { Wait } from "./waits.ts";
import type { WireSummary } from "./wire-evidence.ts";

type Of<K extends Entry["kind"]> = Extract<Entry, { kind: K }>;

/** The journal of a case without what it holds of people. Erased again it is the same, with the later erasure. */
export function eraseJournal(
  caseId: string,
  journal: readonly JournalEntry[],
  erasure: Erasure,
): readonly JournalEntry[] {
  const names = namesIn(journal);
  const erasing: Erasing = { caseId, erasure, ...names };
  return journal.map((one) => ({ ...one, entry: eraseEntry(erasing, one) }));
}

/** A step's name as it is in the erased journal: the keys of an `each` may name people too. */
export function erasedStepName(journal: readonly JournalEntry[], name: string): string {
  return namesIn(journal).step(name);
}

interface Names {
  readonly step: (name: string) => string;
  readonly key: (key: string) => string;
  readonly source: (sourceId: string) => string;
}

interface Erasing extends Names {
  readonly caseId: string;
  readonly erasure: Erasure;
}

function namesIn(journal: readonly JournalEntry[]): Names {
  const keys = new Map<string, string>();
  const sources = new Map<string, string>();
  for (const { entry, revision } of journal) {
    if (entry.kind === "eachStarted") {
      for (const key of entry.keys) if (!keys.has(key)) keys.set(key, `erased-${keys.size + 1}`);
    }
    if ("sourceId" in entry && !sources.has(entry.sourceId)) {
      sources.set(entry.sourceId, erasedSource(revision));
    }
  }
  const key = (one: string): string => keys.get(one) ?? "erased";
  const step = (name: string): string => {
    const part = readPartName(name);
    return part === null ? name : `${partName(part.step, key(part.key))}${part.rest}`;
  };
  return { key, step, source: (sourceId) => sources.get(sourceId) ?? ERASED };
}

function eraseEntry(erasing: Erasing, { entry, revision }: JournalEntry): Entry {
  const erased = withActor(eraseContents(erasing, entry));
  if ("sourceId" in erased) return withStep(erasing, { ...erased, sourceId: erasedSource(revision) });
  return withStep(erasing, erased);
}

/** The engine acts in the name of a step, and the key of an `each` is in that. */
function withActor(entry: Entry): Entry {
  if (entry.kind === "stepConfirmed" || !("by" in entry) || entry.by.kind !== "engine") return entry;
  return { ...entry, by: { kind: "engine", name: entry.by.name.replace(/\[[^\]]*\]/, "[erased]") } };
}

function withStep({ step }: Names, entry: Entry): Entry {
  if (!("step" in entry) || entry.step === null) return entry;
  return { ...entry, step: step(entry.step) };
}

function eraseContents(erasing: Erasing, entry: Entry): Entry {
  switch (entry.kind) {
    case "caseStarted":
      return eraseStart(erasing, entry);
    case "definitionChanged": {
      const { kind, version, renamed, by } = entry;
      return { kind, version, renamed, by };
    }
    case "eachStarted":
      return { ...entry, keys: entry.keys.map(erasing.key) };
    case "intentOpened":
      return eraseIntent(erasing, entry);
    case "attemptOpened":
      return entry.version === undefined ? entry : { ...entry, version: ERASED };
    case "childTold":
      return { ...entry, standing: eraseStanding(entry.standing) };
    case "attemptFailed":
      return { ...entry, failure: eraseFailure(entry.failure), ...wireOf(entry) };
    case "checkAnswered":
    case "accessRefreshed":
    case "conditionAnswered":
    case "lookAnswered":
      return eraseAnswer(entry);
    case "stepConfirmed":
    case "stepLapsed":
    case "outcomeRuledOut":
    case "lateReport":
      return eraseEffect(erasing, entry);
    case "reviewOpened":
      return {
        ...entry,
        review: { ...entry.review, step: erasing.step(entry.review.step), sentence: ERASED },
      };
    case "parked":
      return { ...entry, waits: entry.waits.map((wait) => eraseWait(erasing, wait)) };
    case "claimLost":
      return {
        ...entry,
        openAttempts: entry.openAttempts.map((one) => ({ ...one, step: erasing.step(one.step) })),
      };
    case "eventReceived":
    case "eventAttached":
    case "approvalAnswered":
    case "noteAdded":
    case "inputCorrected":
    case "caseDone":
      return eraseTold(entry);
    case "redoOrdered":
    case "undoOrdered":
    case "leftOutside":
    case "checkOrdered":
    case "assigned":
    case "resumed":
    case "cancelRequested":
    case "canceled":
    case "pauseRequested":
    case "paused":
    case "repairTakenOver":
      return entry.reason === null ? entry : { ...entry, reason: ERASED };
    case "repairEnded":
    case "repairOpened":
    case "restored":
    case "childStarted":
    case "stepRestored":
    case "stepUndone":
      return entry;
  }
}

function eraseStart({ caseId, erasure, step }: Erasing, entry: Of<"caseStarted">): Entry {
  const { search: _search, concurrencyKey: _key, parent, ...kept } = entry;
  return {
    ...kept,
    businessKey: entry.businessKey === null ? null : erasedKey(caseId),
    input: ERASED,
    ...(parent === undefined ? {} : { parent: { ...parent, step: step(parent.step) } }),
    erased: erasure,
  };
}

/** A digest of something short can be guessed. A key names the step of one key of an `each`. */
function eraseIntent({ caseId, step }: Erasing, entry: Of<"intentOpened">): Entry {
  const { request, intentVersion } = entry;
  return {
    ...entry,
    idempotencyKey: idempotencyKey(caseId, step(entry.step), intentVersion),
    basis: ERASED,
    fingerprint: ERASED,
    request: request === null ? null : JSON.stringify(ERASED),
  };
}

function eraseAnswer(
  entry: Of<"checkAnswered" | "accessRefreshed" | "conditionAnswered" | "lookAnswered">,
): Entry {
  switch (entry.kind) {
    case "checkAnswered":
      return { ...entry, answer: eraseCheck(entry.answer), ...wireOf(entry) };
    case "accessRefreshed": {
      const { answer } = entry;
      const told = answer.kind === "failed" ? { ...answer, failure: eraseFailure(answer.failure) } : answer;
      return { ...entry, answer: told, ...wireOf(entry) };
    }
    case "conditionAnswered":
      return { ...entry, answer: eraseCondition(entry.answer), ...wireOf(entry) };
    case "lookAnswered":
      return { ...entry, answer: { ...entry.answer, why: ERASED }, ...wireOf(entry) };
  }
}

function eraseCheck(
  answer: Exclude<CheckAnswer, { kind: "happened" }>,
): Exclude<CheckAnswer, { kind: "happened" }> {
  switch (answer.kind) {
    case "differs":
      return { kind: "differs", why: ERASED, evidence: ERASED };
    case "cannotTell":
      return { kind: "cannotTell", why: ERASED };
    case "didNotHappen":
      return answer;
  }
}

function eraseCondition(answer: ConditionAnswer): ConditionAnswer {
  if (answer.kind === "holds") return { kind: "holds" };
  return { kind: answer.kind, why: ERASED };
}

/** What a step did, or is said to have done. */
function eraseEffect(
  erasing: Erasing,
  entry: Of<"stepConfirmed" | "stepLapsed" | "outcomeRuledOut" | "lateReport">,
): Entry {
  switch (entry.kind) {
    case "stepConfirmed":
      return {
        ...entry,
        basis: ERASED,
        result: eraseResult(entry.result),
        evidence: ERASED,
        by: eraseConfirmedBy(erasing, entry.by),
        ...wireOf(entry),
      };
    case "stepLapsed":
      return { ...entry, because: eraseLapse(erasing, entry.because) };
    case "outcomeRuledOut":
      return { ...entry, evidence: ERASED, reason: ERASED };
    case "lateReport":
      return { ...entry, outcome: eraseOutcome(entry.outcome) };
  }
}

function eraseResult(result: StepResult): StepResult {
  return result.kind === "value" ? { kind: "value", value: ERASED } : { kind: "unreadable", why: ERASED };
}

function eraseOutcome(outcome: LateOutcome): LateOutcome {
  if (outcome.kind === "failed") {
    return { kind: "failed", failure: eraseFailure(outcome.failure), ...wireOf(outcome) };
  }
  return {
    kind: "succeeded",
    result: eraseResult(outcome.result),
    evidence: ERASED,
    ...wireOf(outcome),
  };
}

function eraseConfirmedBy({ source }: Names, by: ConfirmedBy): ConfirmedBy {
  switch (by.how) {
    case "approval":
    case "event":
      return { ...by, sourceId: source(by.sourceId) };
    case "notNeeded":
      return { ...by, why: ERASED };
    case "person":
    case "skip":
      return { ...by, reason: ERASED };
    case "response":
    case "check":
    case "lateReport":
    case "timer":
    case "poll":
    case "each":
    case "child":
      return by;
  }
}

function eraseLapse({ step }: Names, because: LapseReason): LapseReason {
  switch (because.kind) {
    case "prerequisite":
      return { ...because, why: ERASED };
    case "follows":
      return { ...because, step: step(because.step) };
    case "ordered":
    case "undo":
      return { ...because, reason: ERASED };
    case "basis":
      return because;
  }
}

function eraseFailure(failure: Failure): Failure {
  return {
    ...failure,
    sentence: ERASED,
    instruction: failure.instruction === null ? null : eraseInstruction(failure.instruction),
    fields: [],
    raw: null,
  };
}

function eraseInstruction(instruction: Instruction): Instruction {
  return { ...instruction, source: ERASED };
}

function eraseStanding(standing: ChildStanding): ChildStanding {
  switch (standing.kind) {
    case "done":
      return { kind: "done", result: ERASED };
    case "canceled":
      return standing.reason === null ? standing : { ...standing, reason: ERASED };
    case "running":
    case "inReview":
      return standing;
  }
}

function eraseWait({ step }: Names, wait: Wait): Wait {
  const named = { ...wait, step: step(wait.step) };
  return named.kind === "probe" || named.kind === "poll" ? { ...named, why: ERASED } : named;
}

/** What came from people and from outside. */
function eraseTold(
  entry: Of<
    "eventReceived" | "eventAttached" | "approvalAnswered" | "noteAdded" | "inputCorrected" | "caseDone"
  >,
): Entry {
  switch (entry.kind) {
    case "eventReceived":
    case "eventAttached":
      return { ...entry, payload: ERASED };
    case "approvalAnswered":
      return { ...entry, form: ERASED, note: entry.note === null ? null : ERASED };
    case "noteAdded":
      return { ...entry, text: ERASED };
    case "inputCorrected":
      return { ...entry, input: ERASED, reason: ERASED };
    case "caseDone":
      return entry.result === undefined ? entry : { ...entry, result: ERASED };
  }
}

/** Counts stay; digests of keys that others made do not. */
function wireOf({ wire }: { readonly wire?: WireSummary }): { readonly wire?: WireSummary } {
  if (wire === undefined) return {};
  const { foreignKey: _foreignKey, ...counts } = wire;
  return { wire: counts };
}
