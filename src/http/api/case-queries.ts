/** What lists of cases are asked with. */

import type { FailureKind } from "../../core/failure.ts";
import type { StoredState } from "../../core/row.ts";
import type { ReadableState } from "../../core/state.ts";

/** Filters of a list of cases. */
export interface CasesQuery {
  readonly type?: string;
  readonly state?: readonly StoredState[];
  readonly review?: boolean;
  /** Cases with a move that waits for a second person. */
  readonly second?: boolean;
  readonly tenant?: string;
  readonly businessKey?: string;
  /** Cases that this one started. */
  readonly parent?: string;
  /** States as people read them. */
  readonly reading?: readonly ReadableState[];
  /** Who has to act on a review or to answer an approval. */
  readonly owner?: string;
  /** Cases that stand at a step which sends to it or asks it. */
  readonly destination?: string;
  /** Cases that stand at this step of the type, which is named too; `-` = at none. */
  readonly step?: string;
  /** Kind of the last failure. */
  readonly kind?: FailureKind;
  /** Nothing was written to the case since, epoch ms: an age, frozen. */
  readonly unchangedSince?: number;
  /** Values of search attributes and tags, such as `orderNo:A-7`, `amount:100..250` or `tag:vip`: all of these. */
  readonly find?: readonly string[];
  /** Whose it is: the id that it was given to, `me`, or `-` for nobody in particular. */
  readonly assignee?: string;
  /** Cases that have not ended, or have an open review all the same. */
  readonly open?: boolean;
  /** Cases with an open review, or a wait for an approval or for access. */
  readonly needsPeople?: boolean;
  /** Cases that a person was due to deal with, and nobody does: after `overdueAfter` of the notices, a day where nothing is said. */
  readonly overdue?: boolean;
  /** Part of the case id, the business key or a sentence. */
  readonly text?: string;
}

/** The same, by pages. */
export interface CasePageQuery extends CasesQuery {
  readonly limit?: number;
  readonly cursor?: string;
}
