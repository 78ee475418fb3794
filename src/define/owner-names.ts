/** The names of owners that case types and sources of events use, and for what. */

import type { CaseOutline } from "../core/outline.ts";
import { reachedBy } from "../core/sends.ts";

/** Each name with what it is used for, such as `access to erp`; each use once, in the order of the definitions. */
export function ownerNames(
  caseTypes: readonly CaseOutline[],
  sources: readonly { readonly name: string; readonly owner: string }[] = [],
): ReadonlyMap<string, readonly string[]> {
  const uses = new Map<string, Set<string>>();
  const note = (name: string | null, use: string): void => {
    if (name !== null) uses.set(name, (uses.get(name) ?? new Set()).add(use));
  };
  for (const { name, owner, steps } of caseTypes) {
    note(owner, `cases of ${name}`);
    for (const step of steps) {
      if (step.kind === "approval") note(step.by, `${step.name} of ${name}`);
      for (const { name: destination, owners } of reachedBy(step)) {
        note(owners.access, `access to ${destination}`);
        note(owners.input, `input for ${destination}`);
        note(owners.outage, `outages of ${destination}`);
      }
    }
  }
  for (const { name, owner } of sources) note(owner, `events of ${name}`);
  return new Map([...uses].map(([name, of]) => [name, [...of]]));
}
