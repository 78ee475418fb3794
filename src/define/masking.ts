/**
 * What a case type keeps from people until it is revealed: the masked places of what a case holds, by the paths that its case
 * type, its steps, events and destinations declare; and its texts without what stands there.
 */

import type { CaseState } from "../core/case-state.ts";
import type { Failure } from "../core/failure.ts";
import type { CheckAnswer, ConditionAnswer, JournalEntry, LookAnswer, StepResult } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import {
  maskedPlaces,
  MASKED_PATHS_MAX,
  maskTexts,
  maskTextsIn,
  readMaskedPath,
  textsOf,
  type MaskedPath,
} from "../core/masked-values.ts";
import { awaitedTypes, type CaseOutline, type StepOutline } from "../core/outline.ts";
import { readPartName } from "../core/part-name.ts";
import { findStep } from "../core/undo.ts";
import type { CaseType } from "./case-type.ts";
import { decodeRequest } from "./decode-request.ts";
import type { OptionReader } from "./option-reader.ts";

/** A value of a case of which something may be masked. */
export interface MaskedPart {
  readonly part: "input" | "originalInput" | "result" | "evidence" | "request" | "event";
  /** The step or the event type; null for inputs. */
  readonly name: string | null;
  readonly value: Json;
  readonly paths: readonly MaskedPath[];
}

/** The whole value. */
export const EVERYTHING: readonly MaskedPath[] = [["**"]];

/** Reads the paths of an option `masked`; none where it was left out. */
export function readMasked(options: OptionReader): readonly MaskedPath[] {
  const written = options.optionalNames("masked") ?? [];
  if (written.length > MASKED_PATHS_MAX) {
    options.fault("masked", `has ${written.length} paths, at most ${MASKED_PATHS_MAX} are allowed`);
  }
  return written.flatMap((text) => {
    const path = readMaskedPath(text);
    if (path === null) {
      options.fault(
        "masked",
        `${JSON.stringify(text)} is no path: give dotted names, such as "customer.iban"`,
      );
    }
    return path === null ? [] : [path];
  });
}

/** True where a case of this type may hold something that is masked. */
export function hasMasks({ masks, destinations }: CaseType): boolean {
  const { input, results, events } = masks;
  const all = [input, ...Object.values(results), ...Object.values(events)];
  return [...all, ...Object.values(destinations).map(({ masked }) => masked)].some(
    (paths) => paths.length > 0,
  );
}

/** What is masked of what is sent for a step, and of the evidence that it happened. */
export function sentPaths({ outline, destinations }: CaseType, name: string): readonly MaskedPath[] {
  const step = stepNamed(outline, readPartName(name)?.step ?? name);
  const sends = step?.kind === "each" ? step.item : step;
  return sends?.kind === "step" ? (destinations[sends.destination.name]?.masked ?? []) : [];
}

/** What is masked of a step's result. */
export function resultPaths(caseType: CaseType, name: string): readonly MaskedPath[] {
  const { outline, masks, destinations } = caseType;
  const part = readPartName(name);
  const step = stepNamed(outline, part?.step ?? name);
  const own = Object.hasOwn(masks.results, part?.step ?? name)
    ? masks.results[part?.step ?? name]
    : undefined;
  const declared = own ?? [];
  switch (step?.kind) {
    case "approval":
      return declared.map((path) => ["form", ...path]);
    case "waitForEvent": {
      const paths = awaitedTypes(step).flatMap((eventType) => eventPaths(caseType, eventType));
      // The first of several is told with its type beside it.
      return step.orTypes === undefined ? paths : paths.map((path) => ["payload", ...path]);
    }
    case "each": {
      const ofOne = [...declared, ...sentPaths(caseType, name)];
      return part === null ? ofOne.map((path) => ["*", ...path]) : ofOne;
    }
    case "poll":
      return [...declared, ...(destinations[step.destination.name]?.masked ?? [])];
    case "step":
    case "sleep":
    case undefined:
      return [...declared, ...sentPaths(caseType, name)];
  }
}

/** Also by a name that it had formerly: a journal keeps that. */
function stepNamed(outline: CaseOutline, name: string): StepOutline | null {
  return findStep(outline, name) ?? outline.steps.find(({ formerly }) => formerly.includes(name)) ?? null;
}

/** What is masked of the form of an approval. */
export function formPaths({ masks }: CaseType, step: string): readonly MaskedPath[] {
  return Object.hasOwn(masks.results, step) ? (masks.results[step] ?? []) : [];
}

/** What is masked of an event's payload. */
export function eventPaths({ masks }: CaseType, eventType: string): readonly MaskedPath[] {
  return Object.hasOwn(masks.events, eventType) ? (masks.events[eventType] ?? []) : [];
}

/** Everything of a case as it stands of which something may be masked. */
export function maskedParts(caseType: CaseType, state: CaseState): readonly MaskedPart[] {
  const { input: paths } = caseType.masks;
  const inputs = [
    { part: "input", name: null, value: state.input, paths },
    { part: "originalInput", name: null, value: state.originalInput, paths },
  ] as const;
  const steps = Object.entries(state.steps).flatMap(
    ([name, { confirmation, intent }]): readonly MaskedPart[] => [
      ...(confirmation === null ? [] : resultParts(caseType, name, confirmation)),
      ...(intent === null ? [] : requestParts(caseType, name, intent)),
    ],
  );
  const events = [...state.events, ...(state.repair?.attached ?? [])].map((event) =>
    eventPart(caseType, event),
  );
  return [...inputs, ...steps, ...events];
}

/** Everything that a journal holds of which something may be masked: also what was replaced since. */
export function maskedPartsIn(caseType: CaseType, journal: readonly JournalEntry[]): readonly MaskedPart[] {
  const { input: paths } = caseType.masks;
  return journal.flatMap(({ entry }): readonly MaskedPart[] => {
    switch (entry.kind) {
      case "caseStarted":
      case "inputCorrected":
        return [{ part: "input", name: null, value: entry.input, paths }];
      case "stepConfirmed":
        return resultParts(caseType, entry.step, entry);
      case "intentOpened":
        return requestParts(caseType, entry.step, entry);
      case "eventReceived":
      case "eventAttached":
        return [eventPart(caseType, entry)];
      case "approvalAnswered": {
        const { step: name, form: value } = entry;
        return [{ part: "result", name, value, paths: formPaths(caseType, name) }];
      }
      case "lateReport":
        return entry.outcome.kind === "succeeded" ? resultParts(caseType, entry.step, entry.outcome) : [];
      case "accessRefreshed":
      case "assigned":
      case "attemptFailed":
      case "attemptOpened":
      case "cancelRequested":
      case "canceled":
      case "caseDone":
      case "checkOrdered":
      case "claimLost":
      case "conditionAnswered":
      case "eachStarted":
      case "childStarted":
      case "childTold":
      case "leftOutside":
      case "definitionChanged":
      case "restored":
      case "lookAnswered":
      case "noteAdded":
      case "parked":
      case "pauseRequested":
      case "paused":
      case "redoOrdered":
      case "repairEnded":
      case "repairOpened":
      case "repairTakenOver":
      case "resumed":
      case "reviewOpened":
      case "stepLapsed":
      case "stepRestored":
      case "stepUndone":
      case "undoOrdered":
      case "checkAnswered":
      case "outcomeRuledOut":
        return [];
    }
  });
}

function resultParts(
  caseType: CaseType,
  name: string,
  { result, evidence }: { readonly result: StepResult; readonly evidence: Json },
): readonly MaskedPart[] {
  const of = { part: "evidence", name, value: evidence, paths: sentPaths(caseType, name) } as const;
  if (result.kind !== "value") return [of];
  return [{ part: "result", name, value: result.value, paths: resultPaths(caseType, name) }, of];
}

function requestParts(
  caseType: CaseType,
  name: string,
  intent: { readonly request: string | null },
): readonly MaskedPart[] {
  const paths = sentPaths(caseType, name);
  if (paths.length === 0) return [];
  return [{ part: "request", name, value: decodeRequest(intent) ?? null, paths }];
}

function eventPart(
  caseType: CaseType,
  { eventType: name, payload: value }: { readonly eventType: string; readonly payload: Json },
): MaskedPart {
  return { part: "event", name, value, paths: eventPaths(caseType, name) };
}

/** The texts that must not be repeated of these. */
export function textsOfParts(parts: readonly MaskedPart[]): readonly string[] {
  return textsOf(parts.flatMap(({ value, paths }) => maskedPlaces(value, paths)));
}

/** The texts that must not be repeated of a case as it stands. */
export function maskedTexts(caseType: CaseType, state: CaseState): readonly string[] {
  return hasMasks(caseType) ? textsOfParts(maskedParts(caseType, state)) : [];
}

/** A failure whose words repeat nothing that is masked. */
export function maskFailure(failure: Failure, texts: readonly string[]): Failure {
  if (texts.length === 0) return failure;
  const { sentence, fields, raw } = failure;
  return {
    ...failure,
    sentence: maskTexts(sentence, texts),
    fields: maskTextsIn(fields, texts, PATH),
    raw: maskTextsIn(raw, texts, NOTHING),
  };
}

const NOTHING: ReadonlySet<string> = new Set();
const PATH: ReadonlySet<string> = new Set(["path"]);

/** An answer whose reason repeats nothing that is masked. */
export function maskAnswer<Answer extends ConditionAnswer | CheckAnswer | LookAnswer>(
  answer: Answer,
  texts: readonly string[],
): Answer {
  return "why" in answer ? { ...answer, why: maskTexts(answer.why, texts) } : answer;
}
