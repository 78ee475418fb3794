/** What the filters of a list mean, within what whoever asks may see. */

import { FootholdError } from "../../core/errors.ts";
import { reachedBy, sendsOf } from "../../core/sends.ts";
import type { CaseCriteria, StepOfType } from "../../core/case-criteria.ts";
import type { CaseOutline, DestinationOutline, StepOutline } from "../../core/outline.ts";
import { mayDoForType, visibleCases } from "../../core/rights.ts";
import type { Registry } from "../../define/registry.ts";
import { soughtValues } from "../../define/sought-values.ts";
import { dueAfterMsOf } from "../../notices/notice-desk.ts";
import type { ApiParts } from "./call.ts";
import type { CasesQuery } from "./case-queries.ts";
import type { Identity } from "./identity.ts";

/** The criteria that a query asks for, within what whoever asks may see. */
export function criteriaOf(
  query: CasesQuery,
  { registry, notices }: Pick<ApiParts, "registry" | "notices">,
  who: Identity,
): CaseCriteria {
  const { grants } = who;
  const { type, state, review, second, tenant, businessKey, reading, owner, kind, text, find } = query;
  const visible = visibleCases(grants, "see");
  return {
    ...(type === undefined ? {} : { caseType: type }),
    ...(state === undefined ? {} : { states: state }),
    ...(review === undefined ? {} : { withReview: review }),
    ...(second === undefined ? {} : { awaitsSecond: second }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(businessKey === undefined ? {} : { businessKey }),
    ...(query.parent === undefined ? {} : { parentId: query.parent }),
    ...(reading === undefined ? {} : { readable: reading }),
    ...(owner === undefined ? {} : { owner }),
    ...atSteps(query, registry),
    ...(kind === undefined ? {} : { failureKind: kind }),
    ...(query.unchangedSince === undefined ? {} : { unchangedSinceAt: query.unchangedSince }),
    ...(text === undefined ? {} : { text }),
    ...(query.assignee === undefined ? {} : { assignees: assigneesOf(query.assignee, who) }),
    ...(query.open === undefined ? {} : { isOpen: query.open }),
    ...(query.needsPeople === undefined ? {} : { needsPeople: query.needsPeople }),
    ...(query.overdue === true ? { overdueAfterMs: dueAfterMsOf(notices?.book ?? null) } : {}),
    ...(find === undefined
      ? {}
      : { search: soughtValues(visibleTypes(registry, grants), find, type ?? null) }),
    ...(visible === null ? {} : { visible }),
  };
}

/** The loaded case types of which whoever has these grants may see a case. */
export function visibleTypes({ all }: Registry, grants: Identity["grants"]): readonly CaseOutline[] {
  return all
    .map(({ outline }) => outline)
    .filter(({ name }) => mayDoForType(grants, "see", { caseType: name, tenants: "any" }));
}

/** What stands for whoever asks, and for nobody. */
const ME = "me";
const NOBODY = "-";

/** A case is given to a person by their name, as the console does, or by their id, as programs may. */
function assigneesOf(assignee: string, { name, person }: Identity): readonly (string | null)[] {
  if (assignee === NOBODY) return [null];
  if (assignee !== ME) return [assignee];
  return person === null ? [name] : [person.name, person.personId];
}

/** What stands for a case that stands at no step: no step can be called so. */
const NO_STEP = "-";

/** Throws `INVALID_REQUEST` for a step without its case type. */
function atSteps(
  { type, step, destination }: CasesQuery,
  registry: Registry,
): Pick<CaseCriteria, "atSteps"> | null {
  const sending = destination === undefined ? null : stepsAt(destination, registry);
  if (step === undefined) return sending === null ? null : { atSteps: sending };
  if (type === undefined) {
    throw new FootholdError("INVALID_REQUEST", "A step is one of a case type: name the type too.", {
      details: { fields: [{ path: "type", message: "is missing" }] },
    });
  }
  const wanted = { caseType: type, step: step === NO_STEP ? null : step };
  const isSending = sending?.some((one) => one.caseType === type && one.step === wanted.step) ?? true;
  return { atSteps: isSending ? [wanted] : [] };
}

/** The steps of loaded case types that send to a destination or ask it. */
function stepsAt(destination: string, { all }: Registry): readonly StepOfType[] {
  return all.flatMap(({ outline }) =>
    outline.steps
      .filter((step) => reachedBy(step).some(({ name }) => name === destination))
      .flatMap((step) => namesOf(step).map((name) => ({ caseType: outline.name, step: name }))),
  );
}

/** A step and its undo, which is named by itself. */
function namesOf(step: StepOutline): readonly string[] {
  return [...new Set([step.name, ...sendsOf(step).map(({ name }) => name)])];
}

/** The destinations that a step sends to or asks, each once. */
export function eachReachedBy(step: StepOutline): readonly DestinationOutline[] {
  const all = reachedBy(step);
  return all.filter((one, index) => all.findIndex((other) => isSame(one, other)) === index);
}

function isSame(one: DestinationOutline, other: DestinationOutline): boolean {
  return one.name === other.name && one.credentialId === other.credentialId;
}
