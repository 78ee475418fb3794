/** Milestones over the API. */

import { mayDo } from "../../core/rights.ts";
import type { Handler } from "./call.ts";
import type { MilestoneApiTypes } from "./milestone-types.ts";

/** Milestones in one answer where nothing else is asked for. */
const LIST_LIMIT = 100;

/** Every route's. */
export const MILESTONE_HANDLERS: { readonly [Id in keyof MilestoneApiTypes]: Handler<Id> } = {
  listMilestones: async ({ parts, query: { kind, until, limit, cursor }, who }) => {
    const filter = {
      limit: limit ?? LIST_LIMIT,
      ...(kind === undefined ? {} : { kinds: kind }),
      ...(until === undefined ? {} : { untilAt: until }),
      ...(cursor === undefined ? {} : { after: cursor }),
    };
    return { reply: await parts.desk.milestones(filter, (one) => mayDo(who.grants, "see", one)) };
  },
};
