/**
 * Undo: taking back what a step did. It is a step of its own, named after the one it undoes, with intents, attempts,
 * checks and reviews like any other; a definition's `steps` do not list it.
 */

import { stepOf, type CaseState, type Confirmation } from "./case-state.ts";
import type { JsonObject } from "./json.ts";
import { partOutline } from "./part-outline.ts";
import { readPartName } from "./part-name.ts";
import type { CaseOutline, SendStepOutline, StepOutline } from "./outline.ts";
import { hasNoEffect } from "./settled.ts";

/** The name of the step that undoes `step`. No author can give it: their names have no dot. */
export function undoName(step: string): string {
  return `${step}${UNDO}`;
}

const UNDO = ".undo";

/** The name of the step that the undo step `name` takes back; of any other step, its own name. */
export function undoneName(name: string): string {
  return name.endsWith(UNDO) ? name.slice(0, -UNDO.length) : name;
}

/** What an undo sends: another effect to take back is another request, and so another key. */
export function undoRequest(step: string, { revision, intentVersion }: Confirmation): JsonObject {
  return { undoes: step, intentVersion, confirmedAtRevision: revision };
}

/** True while an undo was begun and what it undoes may be gone already. */
export function isBeingUndone(state: CaseState, { undo }: SendStepOutline): boolean {
  if (undo === null) return false;
  const { intent } = stepOf(state, undo.name);
  return intent !== null && !hasNoEffect(intent);
}

/** The step that the undo step `name` takes back; null when it is no undo step. */
export function undoneStep(outline: CaseOutline, name: string): SendStepOutline | null {
  const undone = undoneName(name);
  const found = undone === name ? null : findStep(outline, undone);
  return found?.kind === "step" && found.undo !== null ? found : null;
}

/** The outline of a step by name, undo steps and those of one key included; null when the definition has none. */
export function findStep(outline: CaseOutline, name: string): StepOutline | null {
  const found = namesIn(outline).get(name);
  if (found !== undefined) return found;
  const part = readPartName(name);
  const each = part === null ? undefined : namesIn(outline).get(part.step);
  if (part === null || each?.kind !== "each") return null;
  const one = partOutline(each, part.key);
  return name === one.name ? one : name === one.undo?.name ? one.undo : null;
}

/** Every plan looks for every step that its journal knows: the names of an outline are gathered once. */
const names = new WeakMap<CaseOutline, ReadonlyMap<string, StepOutline>>();

function namesIn(outline: CaseOutline): ReadonlyMap<string, StepOutline> {
  const known = names.get(outline) ?? new Map(outline.steps.flatMap(namesOf));
  names.set(outline, known);
  return known;
}

function namesOf(step: StepOutline): readonly (readonly [string, StepOutline])[] {
  const undo = step.kind === "step" ? step.undo : null;
  return undo === null
    ? [[step.name, step]]
    : [
        [step.name, step],
        [undo.name, undo],
      ];
}
