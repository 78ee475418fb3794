/** Milestones of a memory store. */

import {
  checkMilestoneLimit,
  milestoneCursor,
  readMilestoneCursor,
  type MilestonePlace,
} from "../milestone-cursor.ts";
import {
  MILESTONE_KINDS,
  type Milestone,
  type MilestoneFilter,
  type MilestonePage,
  type MilestoneStore,
} from "../milestone-port.ts";
import type { MemoryCase } from "./cases.ts";

/** Makes them over its cases. */
export function memoryMilestones(cases: ReadonlyMap<string, MemoryCase>): MilestoneStore {
  return { list: async (filter) => list(cases.values(), filter) };
}

function list(cases: Iterable<MemoryCase>, { kinds, untilAt, limit, after }: MilestoneFilter): MilestonePage {
  checkMilestoneLimit(limit);
  const place = readMilestoneCursor(after);
  const wanted = new Set<string>(kinds ?? MILESTONE_KINDS);
  const found = [...cases]
    .flatMap(milestonesOf)
    .filter(
      (one) =>
        wanted.has(one.entry.entry.kind) &&
        (untilAt === undefined || one.entry.at < untilAt) &&
        (place === null || newestFirst(placeOf(one), place) > 0),
    )
    .toSorted((one, other) => newestFirst(placeOf(one), placeOf(other)));
  const milestones = found.slice(0, limit);
  const last = milestones.at(-1);
  return { milestones, next: found.length > limit && last !== undefined ? milestoneCursor(last) : null };
}

function milestonesOf({ identity, journal }: MemoryCase): readonly Milestone[] {
  const { caseId, caseType, tenant, businessKey } = identity;
  return journal.map((entry) => ({ caseId, caseType, tenant, businessKey, entry }));
}

function placeOf({ caseId, entry: { at, revision } }: Milestone): MilestonePlace {
  return { at, caseId, revision };
}

function newestFirst(one: MilestonePlace, other: MilestonePlace): number {
  if (one.at !== other.at) return other.at - one.at;
  if (one.caseId !== other.caseId) return one.caseId < other.caseId ? 1 : -1;
  return other.revision - one.revision;
}
