/** The names of owners that case types and sources of events use, and for what. */

import type { ApprovalStepOutline, CaseOutline } from "../core/outline.ts";
import { reachedBy } from "../core/sends.ts";
import type { NoticeBook } from "./notice-book.ts";

/** The owners whom an approval is asked of, at one time or another. */
export function ownersOfApproval({ by, escalate }: ApprovalStepOutline): readonly string[] {
  return escalate === undefined ? [by] : [by, escalate.to];
}

/** The names of the accounts that an owner stands for: its own, and those of a team's people. Whoever is on duty is not known. */
export function accountNamesOf(owners: NoticeBook["owners"], owner: string): readonly string[] {
  const setup = owners.get(owner);
  return [...new Set([owner, ...(setup?.kind === "people" ? setup.people : [])])];
}

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
      const asked = step.kind === "approval" ? ownersOfApproval(step) : [];
      for (const whom of asked) note(whom, `${step.name} of ${name}`);
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
