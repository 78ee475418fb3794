/** Cursors of pages of milestones, and the bounds of a page: the same for every store. */

import { FootholdError } from "../core/errors.ts";
import { MILESTONES_MAX, type Milestone } from "./milestone-port.ts";

/** The place of a milestone among all. */
export interface MilestonePlace {
  readonly at: number;
  readonly caseId: string;
  readonly revision: number;
}

/** Throws `INVALID_REQUEST` for a cursor that no page gave. */
export function readMilestoneCursor(cursor: string | undefined): MilestonePlace | null {
  if (cursor === undefined) return null;
  const [, at, revision, caseId] = /^(\d{1,15})\.(\d{1,9})\.(.{1,100})$/.exec(cursor) ?? [];
  if (at !== undefined && revision !== undefined && caseId !== undefined) {
    return { at: Number(at), revision: Number(revision), caseId };
  }
  throw new FootholdError("INVALID_REQUEST", "The cursor is not one that a page of milestones gave.");
}

/** The cursor of the page after this milestone. */
export function milestoneCursor({ caseId, entry: { at, revision } }: Milestone): string {
  return `${at}.${revision}.${caseId}`;
}

/** A place among those of one moment that is before them all: no case id is greater. */
const BEFORE_ALL = "~";

/** The cursor of the page that begins with what was written at a time. */
export function cursorAtTime(at: number): string {
  return `${at}.0.${BEFORE_ALL}`;
}

/** Throws `INVALID_REQUEST` unless a page may hold so many. */
export function checkMilestoneLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MILESTONES_MAX) return;
  throw new FootholdError("INVALID_REQUEST", `A page has 1 to ${MILESTONES_MAX} milestones, not ${limit}.`);
}
