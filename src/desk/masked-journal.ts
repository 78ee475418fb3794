/** A journal as everybody may keep it: with marks, and without the words that repeat what is masked. */

import type { Entry, JournalEntry, StepResult } from "../core/journal.ts";
import { canonicalJson, type Json } from "../core/json.ts";
import { maskData, type MaskedPath } from "../core/masked-values.ts";
import type { CaseType } from "../define/case-type.ts";
import { formPaths } from "../define/masking.ts";
import { maskOf, withoutTexts, type CaseMask } from "./masked-views.ts";

/** The journal with marks; null = nothing of it is masked. */
export function maskJournal(
  caseType: CaseType | null,
  journal: readonly JournalEntry[],
): readonly JournalEntry[] | null {
  const mask = maskOf(caseType, journal);
  if (mask === null) return null;
  const form = (step: string): readonly MaskedPath[] =>
    caseType === null ? mask.result(step) : formPaths(caseType, step);
  return journal.map((one) => ({ ...one, entry: withoutTexts(maskEntry(one.entry, mask, form), mask) }));
}

const WHOLE: readonly MaskedPath[] = [[]];

function maskEntry(entry: Entry, mask: CaseMask, form: (step: string) => readonly MaskedPath[]): Entry {
  const data = (value: Json, paths: readonly MaskedPath[]): Json => maskData(value, paths, mask.texts);
  switch (entry.kind) {
    case "caseStarted":
    case "inputCorrected":
      return { ...entry, input: data(entry.input, mask.input) };
    case "intentOpened": {
      if (entry.request === null) return entry;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the journal holds canonical JSON that core wrote
      const request = data(JSON.parse(entry.request) as Json, mask.sent(entry.step));
      return { ...entry, request: canonicalJson(request) };
    }
    case "stepConfirmed":
    case "outcomeRuledOut":
    case "checkAnswered":
    case "lateReport":
      return maskEvidence(entry, data, mask);
    case "eventReceived":
    case "eventAttached":
      return { ...entry, payload: data(entry.payload, mask.event(entry.eventType)) };
    case "approvalAnswered":
      return { ...entry, form: data(entry.form, form(entry.step)) };
    // What a case gives is made of whatever it has: nothing says which parts of it repeat what is masked.
    case "caseDone":
      return entry.result === undefined ? entry : { ...entry, result: data(entry.result, WHOLE) };
    case "childTold": {
      const { standing, step } = entry;
      if (standing.kind !== "done" || mask.result(step).length === 0) return entry;
      return { ...entry, standing: { ...standing, result: data(standing.result, WHOLE) } };
    }
    case "accessRefreshed":
    case "assigned":
    case "attemptFailed":
    case "attemptOpened":
    case "cancelRequested":
    case "canceled":
    case "checkOrdered":
    case "claimLost":
    case "conditionAnswered":
    case "eachStarted":
    case "childStarted":
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
      return entry;
  }
}

function maskEvidence(
  entry: Extract<Entry, { kind: "stepConfirmed" | "outcomeRuledOut" | "checkAnswered" | "lateReport" }>,
  data: (value: Json, paths: readonly MaskedPath[]) => Json,
  mask: CaseMask,
): Entry {
  const result = (given: StepResult, step: string): StepResult =>
    given.kind === "value" ? { kind: "value", value: data(given.value, mask.result(step)) } : given;
  switch (entry.kind) {
    case "stepConfirmed": {
      const evidence = data(entry.evidence, mask.sent(entry.step));
      return { ...entry, result: result(entry.result, entry.step), evidence };
    }
    case "outcomeRuledOut":
      return { ...entry, evidence: data(entry.evidence, mask.sent(entry.step)) };
    case "checkAnswered": {
      if (entry.answer.kind !== "differs") return entry;
      const evidence = data(entry.answer.evidence, mask.sent(entry.step));
      return { ...entry, answer: { ...entry.answer, evidence } };
    }
    case "lateReport": {
      if (entry.outcome.kind !== "succeeded") return entry;
      const evidence = data(entry.outcome.evidence, mask.sent(entry.step));
      return {
        ...entry,
        outcome: { ...entry.outcome, result: result(entry.outcome.result, entry.step), evidence },
      };
    }
  }
}
