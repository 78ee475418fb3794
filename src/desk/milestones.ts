/** What became of cases, in sentences, newest first: reviews that were opened, ends, and lost workers. */

import type { Actor } from "../core/journal.ts";
import { cursorAtTime, milestoneCursor } from "../store/milestone-cursor.ts";
import type {
  Milestone,
  MilestoneFilter,
  MilestoneKind,
  MilestonePage,
  MilestoneStore,
} from "../store/milestone-port.ts";
import { MILESTONE_KINDS } from "../store/milestone-port.ts";
import type { DeskParts } from "./desk-parts.ts";
import { actorOf, sayEntry } from "./entry-words.ts";

/** One of them. */
export interface MilestoneView {
  readonly caseId: string;
  readonly caseType: string;
  readonly tenant: string;
  readonly businessKey: string | null;
  /** Of the journal entry. */
  readonly revision: number;
  readonly at: number;
  readonly kind: MilestoneKind;
  readonly sentence: string;
  /** Who made it; null = the engine, while it worked on the case. */
  readonly by: Actor | null;
}

/** One page of them. */
export interface MilestonesView {
  readonly milestones: readonly MilestoneView[];
  /** Cursor of the next page; null = this is the last one. */
  readonly next: string | null;
}

/** Pages that are looked through for somebody who may see few of their cases. */
const PAGES_MAX = 10;

/** Tells whether whoever asks may see a case. */
export type SeesCase = (one: Pick<Milestone, "tenant" | "caseType">) => boolean;

/**
 * Reads a page of those that may be seen; it may hold less than was asked for, and still lead to the next one. Throws
 * `INVALID_REQUEST`, `CORRUPT_JOURNAL`.
 */
export async function readMilestones(
  { store, formatTime }: Pick<DeskParts, "store" | "formatTime">,
  filter: MilestoneFilter,
  sees: SeesCase,
): Promise<MilestonesView> {
  const page = await pageSeen(store.milestones, filter, sees);
  return { milestones: viewMilestones(page.milestones, formatTime), next: page.next };
}

/** A cursor tells of the milestone before it, so it is made of one that was seen, or of a time alone. */
async function pageSeen(
  milestones: MilestoneStore,
  filter: MilestoneFilter,
  sees: SeesCase,
): Promise<MilestonePage> {
  let after = filter.after;
  for (let left = PAGES_MAX; ; left -= 1) {
    const page = await milestones.list({ ...filter, ...(after === undefined ? {} : { after }) });
    const seen = page.milestones.filter(sees);
    const [last, lastSeen] = [page.milestones.at(-1), seen.at(-1)];
    if (page.next === null || last === undefined || last === lastSeen) {
      return { milestones: seen, next: page.next };
    }
    if (lastSeen !== undefined) return { milestones: seen, next: milestoneCursor(lastSeen) };
    if (left === 1) return { milestones: [], next: cursorAtTime(last.entry.at) };
    after = page.next;
  }
}

function viewMilestones(
  milestones: readonly Milestone[],
  formatTime: DeskParts["formatTime"],
): readonly MilestoneView[] {
  return milestones.flatMap(({ entry: { entry, at, revision }, ...named }): readonly MilestoneView[] => {
    const kind = MILESTONE_KINDS.find((one) => one === entry.kind);
    if (kind === undefined) return [];
    return [{ ...named, revision, at, kind, sentence: sayEntry(entry, formatTime), by: actorOf(entry) }];
  });
}
