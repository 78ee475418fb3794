/** The cases that a case started, as far as they told it of themselves, and the one that started it. Pure. */

import type { CaseState, ChildState } from "../core/case-state.ts";
import type { ChildStanding } from "../core/child-standing.ts";
import { unreachable } from "../core/errors.ts";

/** Children that a view holds: of more, those that have not ended first. */
const CHILDREN_MAX = 200;

/** A case that a step started. */
export interface ChildView {
  readonly step: string;
  readonly caseId: string;
  readonly caseType: string;
  readonly standing: ChildStanding["kind"];
  readonly sentence: string;
}

/** The step that started a case. */
export interface ParentView {
  readonly caseId: string;
  readonly step: string;
}

/** The children of the present intents, those that wait for people first. Earlier ones are in the list of cases by parent. */
export function viewChildren({ steps }: CaseState): readonly ChildView[] {
  return Object.entries(steps)
    .flatMap(([step, { child }]): readonly ChildView[] => (child === null ? [] : [viewChild(step, child)]))
    .toSorted((one, other) => ORDER[one.standing] - ORDER[other.standing])
    .slice(0, CHILDREN_MAX);
}

const ORDER: Readonly<Record<ChildStanding["kind"], number>> = {
  inReview: 0,
  running: 1,
  canceled: 2,
  done: 3,
};

function viewChild(step: string, { caseId, caseType, standing }: ChildState): ChildView {
  const sentence = `${step}: ${caseType} case ${caseId} ${sayStanding(standing)}.`;
  return { step, caseId, caseType, standing: standing.kind, sentence };
}

function sayStanding(standing: ChildStanding): string {
  switch (standing.kind) {
    case "running":
      return "goes on";
    case "inReview":
      return "waits for people";
    case "done":
      return "is done";
    case "canceled":
      return `was canceled by ${standing.by}${standing.reason === null ? "" : ` (${standing.reason})`}`;
    default:
      return unreachable(standing, "child");
  }
}
