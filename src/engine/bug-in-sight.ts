/** What is written of a case on which the engine itself failed: it goes to people, and neither in circles nor unseen. */

import { stepOf, type CaseState } from "../core/case-state.ts";
import type { Entry } from "../core/journal.ts";
import { maskTexts } from "../core/masked-values.ts";
import { reviewFor } from "../core/review.ts";
import { thrownText } from "../core/storable-text.ts";
import type { CaseType } from "../define/case-type.ts";
import { maskedTexts } from "../define/masking.ts";

/** Characters of an error that a review shows. */
const ERROR_CHARS_MAX = 300;

/** The entries: a review of the first step that is not confirmed. Null where the case type has no step at all. */
export function putInSight(caseType: CaseType, state: CaseState, error: unknown): readonly Entry[] | null {
  const { outline } = caseType;
  const step =
    outline.steps.find(({ name }) => stepOf(state, name).confirmation === null) ?? outline.steps[0];
  if (step === undefined) return null;
  const sentence =
    `The engine itself failed while it worked on this case: ${sayBug(caseType, state, error)}. ` +
    `Nothing is lost; resume the case to try again.`;
  return [
    { kind: "reviewOpened", review: reviewFor(outline, step, "bug", sentence) },
    { kind: "parked", waits: [], dueAt: null },
  ];
}

/** What failed may be the definition: then nobody can say what of the error is masked, and the worker's report alone has it. */
function sayBug(caseType: CaseType, state: CaseState, error: unknown): string {
  let masked: readonly string[];
  try {
    masked = maskedTexts(caseType, state);
  } catch {
    return "the report of its worker says how";
  }
  return maskTexts(thrownText(error, ERROR_CHARS_MAX), masked);
}
