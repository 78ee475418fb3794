/** Which case types start which: what is not loaded, or would start itself again and again, is refused. */

import { CHILD_DEPTH_MAX } from "../core/child-telling.ts";
import type { CaseOutline } from "../core/outline.ts";
import { sendsOf } from "../core/sends.ts";
import type { FaultyCase } from "./faulty-definition.ts";

/** A step that starts cases, and of which type. */
interface ChildStep {
  readonly step: string;
  readonly of: string;
}

/** The steps of a case type that start cases. */
export function childStepsOf({ steps }: CaseOutline): readonly ChildStep[] {
  return steps.flatMap((step) => {
    const child = sendsOf(step)[0]?.child;
    return child?.act === "start" ? [{ step: step.name, of: child.caseType }] : [];
  });
}

/** Case types by name, with those that each starts. */
type Starts = ReadonlyMap<string, readonly string[]>;

/** What is wrong with who starts whom. */
export function faultyChildren(outlines: readonly CaseOutline[]): readonly FaultyCase[] {
  const starts: Starts = new Map(
    outlines.map((one) => [one.name, [...new Set(childStepsOf(one).map(({ of }) => of))]]),
  );
  return outlines.flatMap((outline) =>
    childStepsOf(outline).flatMap(({ step, of }) => {
      const message = faultOf(starts, outline.name, of);
      return message === null
        ? []
        : [{ name: outline.name, faults: [{ path: `steps.${step}.of`, message }] }];
    }),
  );
}

function faultOf(starts: Starts, name: string, of: string): string | null {
  if (!starts.has(of))
    return `there is no case type ${of} loaded here. Loaded: ${[...starts.keys()].join(", ")}`;
  const back = lineTo(starts, of, name);
  if (back !== null)
    return `${[name, ...back].join(" starts ")}: such a case would start further ones without end`;
  const line = [name, ...longestLine(starts, of)];
  return line.length - 1 > CHILD_DEPTH_MAX
    ? `${line.join(" starts ")}: cases stand at most ${CHILD_DEPTH_MAX} deep below each other`
    : null;
}

/** The shortest line of case types that start each other, from one to another; null = there is none. */
function lineTo(starts: Starts, from: string, to: string): readonly string[] | null {
  const lines: (readonly string[])[] = [[from]];
  const seen = new Set([from]);
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const last = line.at(-1) ?? "";
    if (last === to) return line;
    for (const next of starts.get(last) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      lines.push([...line, next]);
    }
  }
  return null;
}

/** The longest line from one on; where one comes back, it ends there: that is told elsewhere. */
function longestLine(starts: Starts, from: string): readonly string[] {
  const known = new Map<string, readonly string[]>();
  const longest = (name: string): readonly string[] => {
    const found = known.get(name);
    if (found !== undefined) return found;
    known.set(name, [name]);
    const below = (starts.get(name) ?? []).map(longest);
    const deepest = below.reduce((one, other) => (other.length > one.length ? other : one), []);
    const line = [name, ...deepest];
    known.set(name, line);
    return line;
  };
  return longest(from);
}
