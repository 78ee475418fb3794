/** The route of milestones, as data. */

import type { MilestoneApiTypes } from "./milestone-types.ts";
import type { RouteHead } from "./route-head.ts";

/** By the name of its operation. */
export const MILESTONE_ROUTES: {
  readonly [Id in keyof MilestoneApiTypes]: RouteHead & { readonly plan: "none" };
} = {
  listMilestones: {
    method: "GET",
    path: "/milestones",
    verb: "see",
    on: "visible",
    plan: "none",
    tag: "Cases",
    summary: "Reviews that were opened, ends and lost workers of all cases, newest first",
  },
};
