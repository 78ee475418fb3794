/**
 * `each`: one step for every key of a list, side by side. Its keys are fixed when it starts; from then on each is a step like
 * any other, named after the `each` and its key, with intents, attempts, reviews and an undo of its own. The `each` itself
 * stands once all of them do.
 */

import { basisOf } from "./basis.ts";
import { stepOf, type CaseState } from "./case-state.ts";
import { actForConditions } from "./conditions.ts";
import type { Json, JsonObject } from "./json.ts";
import type { CaseOutline, EachStepOutline, FactOutline, StepOutline } from "./outline.ts";
import type { Act, PlanInput, PlannedStep } from "./planning.ts";
import { partName } from "./part-name.ts";
import { partOutline } from "./part-outline.ts";
import { undoName } from "./undo.ts";

/** Keys of one `each`: more are another case's. */
export const EACH_KEYS_MAX = 500;

/** The same where each has a child of its own. */
export const EACH_CHILDREN_MAX = 2_000;

/** Characters of a key. */
const EACH_KEY_CHARS_MAX = 40;

const KEY = /^[A-Za-z0-9][A-Za-z0-9_.:-]*$/;

/** A prerequisite of the whole: no item came after its start. */
export const NO_FURTHER_ITEM: FactOutline = { kind: "fact", name: "no item came after the start" };

/** Why these cannot be the keys of an `each`; null = they can. */
export function keysFault(keys: readonly string[], max: number = EACH_KEYS_MAX): string | null {
  if (keys.length > max) return `there are ${keys.length} items, at most ${max} are allowed`;
  const wrong = keys.find((key) => key.length > EACH_KEY_CHARS_MAX || !KEY.test(key));
  if (wrong !== undefined) {
    return (
      `${JSON.stringify(wrong.slice(0, 60))} is no key: one has 1 to ${EACH_KEY_CHARS_MAX} letters, digits, ` +
      `"_", "-", "." or ":", and begins with a letter or digit`
    );
  }
  const seen = new Set<string>();
  const twice = keys.find((key) => seen.size === seen.add(key).size);
  return twice === undefined ? null : `two items have the key ${twice}`;
}

/** The outline as the case knows it: an `each` that has started is followed out into a step for every key. */
export function expandOutline(outline: CaseOutline, { each }: Pick<CaseState, "each">): CaseOutline {
  const isStarted = outline.steps.some(
    (step) => step.kind === "each" && step.keys === null && Object.hasOwn(each, step.name),
  );
  if (!isStarted) return outline;
  const known = expanded.get(outline) ?? new WeakMap<object, CaseOutline>();
  expanded.set(outline, known);
  const out = known.get(each) ?? { ...outline, steps: expandSteps(outline, each) };
  known.set(each, out);
  return out;
}

/** Keys never change, and every plan asks for all of their steps: they are made once. */
const expanded = new WeakMap<CaseOutline, WeakMap<object, CaseOutline>>();

function expandSteps({ steps }: CaseOutline, each: CaseState["each"]): readonly StepOutline[] {
  return steps.flatMap((step): readonly StepOutline[] => {
    const keys = Object.hasOwn(each, step.name) ? each[step.name] : undefined;
    if (step.kind !== "each" || keys === undefined) return [step];
    return [...keys.map((key) => partOutline(step, key)), joined(step, keys)];
  });
}

/** What is left of the `each` itself: it follows all of its keys, and whether it is needed was decided at its start. */
function joined(each: EachStepOutline, keys: readonly string[]): EachStepOutline {
  const names = keys.map((key) => partName(each.name, key));
  return {
    ...each,
    keys,
    after: [...each.after, ...names],
    closure: [...each.closure, ...names],
    when: [],
    requires: [...each.requires, NO_FURTHER_ITEM],
  };
}

/** Plans an `each` whose `after` steps all stand: it is started, or all of its keys stand. */
export function planEach(input: PlanInput, step: EachStepOutline): Act {
  const { review } = stepOf(input.state, step.name);
  if (review !== null) return { kind: "review", review, isOpen: true };
  const blocked = actForConditions(input, step, step.requires);
  if (blocked !== null) return blocked;
  if (step.keys === null) return { kind: "fanOut" };
  return {
    kind: "confirm",
    entry: {
      kind: "stepConfirmed",
      step: step.name,
      intentVersion: 0,
      basis: basisOf(step, input.state, input.digest),
      result: { kind: "value", value: resultsOf(input.state, step.name, step.keys) },
      evidence: null,
      by: { how: "each", keys: step.keys.length },
    },
  };
}

function resultsOf(state: CaseState, step: string, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.map((key): [string, Json] => {
      const result = stepOf(state, partName(step, key)).confirmation?.result;
      return [key, result?.kind === "value" ? result.value : null];
    }),
  );
}

/** Lets no more keys of one `each` be under way at once than it says; the others wait for their turn. */
export function boundAtOnce(
  { busy }: Pick<PlanInput, "busy">,
  planned: readonly PlannedStep[],
): readonly PlannedStep[] {
  const free = new Map<string | undefined, number>();
  for (const { step, target, act } of planned) {
    if (step.kind !== "step" || step.part === undefined) continue;
    const { of, atOnce } = step.part;
    const isChildBusy = act.kind === "wait" && act.wait.kind === "child";
    const isBusy =
      isChildBusy || busy.has(target.name) || busy.has(step.name) || busy.has(undoName(step.name));
    free.set(of, (free.get(of) ?? atOnce) - (isBusy ? 1 : 0));
  }
  if (free.size === 0) return planned;
  return planned.map((one) => {
    const { step, act } = one;
    const of = step.kind === "step" && beginsSomething(act) ? step.part?.of : undefined;
    const left = free.get(of);
    if (left === undefined) return one;
    free.set(of, left - 1);
    return left > 0 ? one : { ...one, act: { kind: "nothing", why: "atOnce" } };
  });
}

/** True for what is under way then. */
export function beginsSomething({ kind }: Act): boolean {
  return kind === "send" || kind === "check" || kind === "ask" || kind === "look" || kind === "refresh";
}
