/** What became of cases, in sentences, newest first: reviews that were opened, ends, and lost workers. */

import type { Actor } from "../core/journal.ts";
import type { MilestoneFilter, MilestoneKind } from "../store/milestone-port.ts";
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

/** Reads a page. Throws `INVALID_REQUEST`, `CORRUPT_JOURNAL`. */
export async function readMilestones(
  { store, formatTime }: Pick<DeskParts, "store" | "formatTime">,
  filter: MilestoneFilter,
): Promise<MilestonesView> {
  const { milestones, next } = await store.milestones.list(filter);
  const views = milestones.flatMap(
    ({ entry: { entry, at, revision }, ...named }): readonly MilestoneView[] => {
      const kind = MILESTONE_KINDS.find((one) => one === entry.kind);
      if (kind === undefined) return [];
      return [{ ...named, revision, at, kind, sentence: sayEntry(entry, formatTime), by: actorOf(entry) }];
    },
  );
  return { milestones: views, next };
}
