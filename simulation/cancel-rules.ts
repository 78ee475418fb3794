/** What must hold of a case that is being canceled, and of one that is: nothing is left outside without a word. */

import { isAfter } from "../src/core/part-name.ts";
import {
  aliveChild,
  isNotNeeded,
  stepOf,
  type CaseState,
  type Confirmation,
} from "../src/core/case-state.ts";
import { foldJournal } from "../src/core/fold.ts";
import type { Entry } from "../src/core/journal.ts";
import { undoName } from "../src/core/undo.ts";
import type { StoredCase } from "../src/store/port.ts";
import { sendOutline, stepsIn, undoneName, type CaseShape } from "./case-shape.ts";
import type { Effect } from "./destination.ts";
import type { LostAttempts } from "./failover.ts";
import type { EntrySite, Violation } from "./journal-rules.ts";

type Opening = Extract<Entry, { kind: "intentOpened" | "attemptOpened" }>;

/** Once it is asked to cancel, nothing new is begun, and what follows is undone before what it follows. */
export function checkCanceling(
  { shape, state }: Pick<EntrySite, "shape" | "state">,
  entry: Opening,
  violate: (rule: string, what: string) => void,
): void {
  if (state.cancelRequest === null) return;
  const { step } = entry;
  const undone = undoneName(step);
  if (undone === step) {
    if (entry.kind === "intentOpened" || !isUnknown(state, step))
      violate("cancel", `${step} is begun while the case is being canceled`);
    return;
  }
  if (entry.kind !== "intentOpened") return;
  const steps = stepsIn(shape, state);
  for (const later of steps.filter((one) => isAfter(one, undone))) {
    if (isThere(state, later.name))
      violate("cancel", `${undone} is undone before ${later.name}, which follows it`);
  }
  for (const { name } of steps) {
    if (isUnknown(state, name) && stepOf(state, name).leftOutside === null)
      violate("cancel", `${undone} is undone while it is not known whether ${name} happened`);
  }
}

function isUnknown(state: CaseState, step: string): boolean {
  const { intent, confirmation } = stepOf(state, step);
  if (intent === null || intent.isUndone || confirmation?.intentVersion === intent.version) return false;
  return intent.attempts.some(
    ({ outcome }) =>
      outcome.kind === "open" || (outcome.kind === "failed" && outcome.failure.executed !== "no"),
  );
}

function isThere(state: CaseState, step: string): boolean {
  const known = stepOf(state, step);
  const { confirmation, intent, leftOutside } = known;
  if (aliveChild(known) !== null && leftOutside === null) return true;
  if (confirmation === null || leftOutside !== null || isNotNeeded(confirmation)) return false;
  return intent !== null && !intent.isUndone && isOfSend(confirmation);
}

function isOfSend({ by }: Confirmation): boolean {
  return by.how === "response" || by.how === "check" || by.how === "lateReport";
}

/** What is judged of a case that may be canceled. */
interface Canceled {
  readonly shape: CaseShape;
  /** Of this case. */
  readonly effects: readonly Effect[];
  readonly lostAttempts: LostAttempts;
}

/**
 * Canceled means that each effect is taken back, or that somebody said that it stays; of what a failover lost no journal
 * knows.
 */
export function checkCanceled(
  { shape, effects, lostAttempts }: Canceled,
  stored: StoredCase,
): readonly Violation[] {
  const { caseId, state } = stored.row;
  if (state !== "canceled") return [];
  return effects.flatMap((effect): readonly Violation[] => {
    const { step } = effect.request;
    if (effect.isUndone || step !== undoneName(step) || isSpokenOf(shape, stored, effect.request)) return [];
    if ([step, undoName(step)].some((one) => lostAttempts.has(`${caseId} ${one}`))) return [];
    const what = `${caseId} is canceled, and ${effect.id} of ${step} is there without a word`;
    return [{ rule: "canceled", what }];
  });
}

/**
 * True of what a step did that has its word in the record of its case: somebody said that it stays, or it may be one too many
 * and its review says so. What a step did before it was done again, by its policy or by order, is what the author or that
 * person lets stand beside.
 */
export function isSpokenOf(
  shape: CaseShape,
  { row, journal }: StoredCase,
  { step, intentVersion }: { readonly step: string; readonly intentVersion: number },
): boolean {
  const { leftOutside, review } = stepOf(foldJournal(row.caseId, journal), step);
  if (leftOutside !== null || review?.reason === "mayExistTwice") return true;
  const isOrdered = journal.some(({ entry }) => entry.kind === "redoOrdered" && entry.step === step);
  return (
    (isOrdered || sendOutline(shape, step)?.onLapse === "redo") &&
    journal.some(
      ({ entry }) =>
        entry.kind === "stepConfirmed" && entry.step === step && entry.intentVersion > intentVersion,
    )
  );
}
