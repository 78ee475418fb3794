/**
 * Steps that were given another name. A case knows its steps by the names that they had when they were done; the definition
 * says which names a step had `formerly`. What was done under such a name stands for the step under its new one, and
 * whatever rests on it goes on resting on it.
 */

import type { CaseState, StepState } from "./case-state.ts";
import type { Entry, Rename } from "./journal.ts";
import type { Wait } from "./waits.ts";
import type { CaseOutline } from "./outline.ts";

/**
 * The steps of a case that have another name in this definition: one that the definition says they had formerly, or one that
 * they had in this very case before (the definition was rolled back). A step that has both names in the case stays as it is:
 * whatever it did then has vanished from the definition, and that comes into sight.
 */
export function renamesFor(outline: CaseOutline, state: CaseState): readonly Rename[] {
  const defined = new Set(outline.steps.map(({ name }) => name));
  const strangers = ownNames(state).filter((name) => !defined.has(name));
  if (strangers.length === 0) return [];
  const known = new Set(ownNames(state));
  return outline.steps.flatMap(({ name: to, formerly }): readonly Rename[] => {
    if (known.has(to)) return [];
    const from =
      formerly.find((name) => strangers.includes(name)) ??
      strangers.find((name) => namesOf(state, name).includes(to));
    return from === undefined ? [] : [{ from, to }];
  });
}

/** The state as it is once these steps have their new names. */
export function renameSteps(state: CaseState, renames: readonly Rename[]): CaseState {
  return renames.reduce(renameStep, state);
}

/** The state as a definition sees it; the same where none of its steps has another name there. */
export function adoptNames(outline: CaseOutline, state: CaseState): CaseState {
  return renameSteps(state, renamesFor(outline, state));
}

/** The name that a step has in this definition, which may have had another one when the case did it. */
export function nameIn({ steps }: CaseOutline, name: string): string {
  const own = ownName(name);
  if (steps.some((step) => step.name === own)) return name;
  const heir = steps.find(({ formerly }) => formerly.includes(own));
  return heir === undefined ? name : `${heir.name}${name.slice(own.length)}`;
}

/** Entries that speak of steps by their new names, as the journal of a case knows them that has not taken those up yet. */
export function inFormerNames(entries: readonly Entry[], renames: readonly Rename[]): readonly Entry[] {
  if (renames.length === 0) return entries;
  const back = renames.map(({ from, to }) => ({ from: to, to: from }));
  return entries.map((entry) => renameEntry(entry, back));
}

/**
 * What a step is called in what rests on it and in its idempotency keys: its first name in this case, so that another name
 * makes no confirmation lapse. A name that another step gave up is told apart, so that no key is used twice.
 */
export function originName(state: CaseState, name: string): string {
  // Asked for every step of every plan, and hardly any case has a renamed one.
  if (Object.keys(state.names).length === 0) return name;
  const own = ownName(name);
  return `${originOf(state, own)}${name.slice(own.length)}`;
}

function originOf({ names }: CaseState, name: string): string {
  const [first] = allNames(names, name);
  if (first !== undefined) return first;
  const others = Object.values(names).filter((all) => all.includes(name));
  return others.length === 0 ? name : `${name}~${others.length + 1}`;
}

/** A step may be named "constructor". */
function allNames(names: CaseState["names"], name: string): readonly string[] {
  return (Object.hasOwn(names, name) ? names[name] : undefined) ?? [];
}

/** The step of a case that has this name, or had it when a worker began what it reports now. */
export function stepFormerlyNamed(state: CaseState, name: string): string {
  const own = ownName(name);
  if (ownNames(state).includes(own)) return name;
  const now = Object.entries(state.names).find(([, all]) => all.includes(own))?.[0];
  return now === undefined ? name : `${now}${name.slice(own.length)}`;
}

/** All names that a step had in this case, the first one first. */
function namesOf(state: CaseState, name: string): readonly string[] {
  const all = allNames(state.names, name);
  return all.length === 0 ? [originOf(state, name), name] : all;
}

/** Steps that the case knows, by the names that an author gave: without keys and undo. */
function ownNames({ steps, each }: CaseState): readonly string[] {
  const known = [...Object.keys(steps), ...Object.keys(each)];
  return [...new Set(known.map(ownName))];
}

/** A step's name without the key or undo that it ends with: an author's name has neither bracket nor dot. */
function ownName(name: string): string {
  const endsAt = name.search(/[[.]/);
  return endsAt === -1 ? name : name.slice(0, endsAt);
}

function renameStep(state: CaseState, rename: Rename): CaseState {
  const { from, to } = rename;
  const others = Object.entries(state.names).filter(([name]) => name !== from);
  const names = { ...Object.fromEntries(others), [to]: [...new Set([...namesOf(state, from), to])] };
  const { rest } = state;
  return {
    ...state,
    names,
    steps: renameKeys(state.steps, rename, (step) => renameReview(step, rename)),
    each: renameKeys(state.each, rename, (keys) => keys),
    restored:
      state.restored === null
        ? null
        : { ...state.restored, begun: state.restored.begun.map((name) => renamed(name, rename)) },
    rest:
      rest.kind === "waiting"
        ? { ...rest, waits: rest.waits.map((wait): Wait => ({ ...wait, step: renamed(wait.step, rename) })) }
        : rest,
  };
}

function renameReview(step: StepState, rename: Rename): StepState {
  const { review } = step;
  return review === null ? step : { ...step, review: { ...review, step: renamed(review.step, rename) } };
}

function renameKeys<Value>(
  record: { readonly [name: string]: Value },
  rename: Rename,
  change: (value: Value) => Value,
): { readonly [name: string]: Value } {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const now = renamed(name, rename);
      return [now, now === name ? value : change(value)];
    }),
  );
}

/** A name with this step in it: its own, of one of its keys, or of its undo. */
function renamed(name: string, { from, to }: Rename): string {
  return ownName(name) === from ? `${to}${name.slice(from.length)}` : name;
}

function renameEntry(entry: Entry, renames: readonly Rename[]): Entry {
  const renameIn = (name: string): string => {
    const found = renames.find(({ from }) => from === ownName(name));
    return found === undefined ? name : renamed(name, found);
  };
  if (entry.kind === "reviewOpened") {
    return { ...entry, review: { ...entry.review, step: renameIn(entry.review.step) } };
  }
  if (!("step" in entry) || entry.step === null) return entry;
  return { ...entry, step: renameIn(entry.step) };
}
