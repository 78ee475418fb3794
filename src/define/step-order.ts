/** The order of steps: which comes before which, directly and through others. */

/** A step and the steps it names in `after`. */
export interface Link {
  readonly name: string;
  readonly after: readonly string[];
}

/** An order in which every step comes after all it follows, or the reason why there is none. */
export type StepOrder =
  | {
      readonly kind: "ordered";
      /** As written wherever `after` allows it. */
      readonly names: readonly string[];
      /** By step: every step it follows, directly or through others, in this order. */
      readonly closures: ReadonlyMap<string, readonly string[]>;
    }
  /** Each follows the next, and the last the first. */
  | { readonly kind: "cycle"; readonly names: readonly string[] };

/** Orders steps with different names whose `after` names only steps in the list. */
export function orderSteps(links: readonly Link[]): StepOrder {
  const closures = new Map<string, readonly string[]>();
  let waiting = links;
  while (waiting.length > 0) {
    const next = waiting.find(({ after }) => after.every((name) => closures.has(name)));
    if (next === undefined) return { kind: "cycle", names: findCycle(waiting) };
    closures.set(next.name, closureOf(next, closures));
    waiting = waiting.filter((link) => link !== next);
  }
  return { kind: "ordered", names: [...closures.keys()], closures };
}

function closureOf({ after }: Link, closures: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const followed = new Set(after.flatMap((name) => [...(closures.get(name) ?? []), name]));
  return [...closures.keys()].filter((name) => followed.has(name));
}

/** Every waiting step follows a waiting one, so walking on from any of them comes round. */
function findCycle(waiting: readonly Link[]): readonly string[] {
  const names: string[] = [];
  let at = waiting[0];
  while (at !== undefined && !names.includes(at.name)) {
    names.push(at.name);
    const { after } = at;
    at = waiting.find(({ name }) => after.includes(name));
  }
  return at === undefined ? names : names.slice(names.indexOf(at.name));
}
