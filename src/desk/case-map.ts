/** The map of a case type: its steps, and how many open cases stand at each, in which state. */

import { FootholdError } from "../core/errors.ts";
import type { ReadableState } from "../core/state.ts";
import type { Registry } from "../define/registry.ts";
import type { TypeCount } from "../store/port.ts";
import type { StepCounts } from "../store/sample-port.ts";

/** Cases in one state as people read it. */
export interface ReadingCount {
  readonly reading: ReadableState;
  readonly cases: number;
  /** Since when the first of them stands so, epoch ms. */
  readonly oldestAt: number;
}

/** A step of the map. */
export interface MapStep {
  readonly name: string;
  readonly after: readonly string[];
  /** The most cases first. A case with branches side by side counts at each step that it stands at. */
  readonly counts: readonly ReadingCount[];
}

/** The map. */
export interface CaseMap {
  readonly now: number;
  readonly caseType: string;
  /** False where the definition is not loaded: then only steps at which cases stand are known, and no order. */
  readonly isLoaded: boolean;
  /** False where there are more cases than were counted: then there are at least so many. */
  readonly isWhole: boolean;
  /** In the order of the definition; then others at which cases stand, such as undos. */
  readonly steps: readonly MapStep[];
  /** Open cases that stand at no step: under way between two, due, or paused. */
  readonly betweenSteps: readonly ReadingCount[];
  readonly ended: { readonly done: number; readonly canceled: number };
}

/** What the map is made of. */
export interface MapInput {
  readonly registry: Registry;
  readonly caseType: string;
  readonly steps: StepCounts;
  readonly types: readonly TypeCount[];
}

/** Draws it. Throws `UNKNOWN_CASE_TYPE` for a type that is neither loaded nor has cases. */
export function viewCaseMap({ registry, caseType, steps, types }: MapInput): CaseMap {
  const outline = registry.find(caseType)?.outline ?? null;
  const ended = types.find((one) => one.caseType === caseType)?.states;
  if (outline === null && ended === undefined) {
    throw new FootholdError(
      "UNKNOWN_CASE_TYPE",
      `No case type ${JSON.stringify(caseType)} is loaded here, and none of its cases is stored.`,
    );
  }
  const own = steps.counts.filter((one) => one.caseType === caseType);
  const at = (step: string | null): readonly ReadingCount[] =>
    own
      .filter((one) => one.step === step)
      .map(({ reading, cases, oldestAt }) => ({ reading, cases, oldestAt }))
      .toSorted((one, other) => other.cases - one.cases);
  const outlined = outline?.steps ?? [];
  const known = new Set(outlined.map(({ name }) => name));
  const others = new Set(own.flatMap(({ step }) => (step === null || known.has(step) ? [] : [step])));
  return {
    now: steps.now,
    caseType,
    isLoaded: outline !== null,
    isWhole: steps.isWhole,
    steps: [
      ...outlined.map(({ name, after }) => ({ name, after, counts: at(name) })),
      ...[...others].map((name) => ({ name, after: [], counts: at(name) })),
    ],
    betweenSteps: at(null),
    ended: { done: ended?.done ?? 0, canceled: ended?.canceled ?? 0 },
  };
}
