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

/**
 * Canceled means that each effect is taken back, or that somebody said that it stays. What a step did before it was done
 * again, by its policy or by order, is what the author or that person lets stand beside; and of what a failover lost no journal
 * knows.
 */
export function checkCanceled(
  {
    shape,
    effects,
    lostAttempts,
  }: {
    readonly shape: CaseShape;
    /** Of this case. */
    readonly effects: readonly Effect[];
    readonly lostAttempts: LostAttempts;
  },
  { row, journal }: StoredCase,
): readonly Violation[] {
  if (row.state !== "canceled") return [];
  const state = foldJournal(row.caseId, journal);
  return effects.flatMap(({ id, request: { step, intentVersion }, isUndone }): readonly Violation[] => {
    if (isUndone || step !== undoneName(step) || stepOf(state, step).leftOutside !== null) return [];
    if ([step, undoName(step)].some((one) => lostAttempts.has(`${row.caseId} ${one}`))) return [];
    const isOrdered = journal.some(({ entry }) => entry.kind === "redoOrdered" && entry.step === step);
    const isRedone =
      (isOrdered || sendOutline(shape, step)?.onLapse === "redo") &&
      journal.some(
        ({ entry }) =>
          entry.kind === "stepConfirmed" && entry.step === step && entry.intentVersion > intentVersion,
      );
    // An effect that its worker told of too late, or that is one too many, is in sight.
    const isInSight = stepOf(state, step).review?.reason === "mayExistTwice";
    if (isRedone || isInSight) return [];
    return [
      { rule: "canceled", what: `${row.caseId} is canceled, and ${id} of ${step} is there without a word` },
    ];
  });
}
