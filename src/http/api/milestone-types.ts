/** What the route of milestones takes and gives. */

import type { MilestonesView } from "../../desk/milestones.ts";
import type { MilestoneKind } from "../../store/milestone-port.ts";

/** Filters of a list of milestones. */
export interface MilestonesQuery {
  readonly kind?: readonly MilestoneKind[];
  /** Epoch ms: before then. */
  readonly until?: number;
  readonly limit?: number;
  readonly cursor?: string;
}

/** What each route takes and gives. */
export interface MilestoneApiTypes {
  readonly listMilestones: { params: object; query: MilestonesQuery; body: null; reply: MilestonesView };
}
