/** What the plan is made of at the desk: facts answered anew, and of probes the recorded answers only. */

import { stepOf, type CaseState } from "../core/case-state.ts";
import { fingerprintOf } from "../core/decide.ts";
import type { SendStepOutline } from "../core/outline.ts";
import type { PlanInput } from "../core/planning.ts";
import type { Ports } from "../core/ports.ts";
import { adoptNames } from "../core/renames.ts";
import { withAttached } from "../core/repair.ts";
import type { CaseType } from "../define/case-type.ts";
import { answerFacts } from "../define/facts.ts";
import { makeRequest } from "../define/make-request.ts";
import type { StoredRow } from "../store/port.ts";
import type { MakesRequest } from "./send-preview.ts";

/** The plan's input from recorded answers only: the desk asks nothing outside. */
export function planFrom(
  { digest }: Pick<Ports, "digest">,
  caseType: CaseType,
  view: { readonly row: StoredRow; readonly state: CaseState; readonly now: number },
): PlanInput {
  const { outline } = caseType;
  const state = adoptNames(outline, view.state);
  return {
    outline,
    state,
    answers: answerFacts(caseType, state, view.now),
    busy: busySteps({ row: view.row, state }),
    now: view.now,
    digest,
  };
}

/** The plan's input now, and as it will be once what is attached to the open repair is applied (R22). */
export interface PlanInputs {
  readonly now: PlanInput;
  /** The same as `now` where nothing is attached. */
  readonly ahead: PlanInput;
}

/** Both inputs of a state. */
export function inputsOf(state: CaseState, inputFor: (state: CaseState) => PlanInput): PlanInputs {
  const now = inputFor(state);
  const applied = withAttached(state);
  return { now, ahead: applied === state ? now : inputFor(applied) };
}

/** Steps with an attempt under way under the present claim: the plan leaves them alone. */
function busySteps({
  row,
  state,
}: {
  readonly row: StoredRow;
  readonly state: CaseState;
}): ReadonlySet<string> {
  const { claim } = row;
  if (claim === null) return new Set();
  const names = Object.keys(state.steps).filter((name) =>
    stepOf(state, name).intent?.attempts.some(
      ({ claimId, outcome }) => claimId === claim.claimId && outcome.kind === "open",
    ),
  );
  return new Set(names);
}

/** Tells what a step would send now, by its fingerprint; null where its `request` cannot be made. */
export function fingerprintNow(
  caseType: CaseType,
  { outline, state, digest }: PlanInput,
): (step: SendStepOutline) => string | null {
  return (step) => {
    const made = makeRequest(caseType, state, step);
    // What the author's function throws is told when the engine calls it; here it only leaves the question open.
    if (made.kind === "failed") return null;
    return fingerprintOf({ outline, step, state, request: made.value, digest });
  };
}

/** Makes what a step would send; without the definition nothing can be made. */
export function requestMaker(caseType: CaseType | null): MakesRequest {
  return ({ state }, step) =>
    caseType === null
      ? { kind: "failed", why: "its definition is not loaded here" }
      : makeRequest(caseType, state, step);
}
