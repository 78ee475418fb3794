/** What the API takes and tells of milestones. */

import { z } from "zod";
import type { MilestonesView, MilestoneView } from "../../../desk/milestones.ts";
import { MILESTONE_KINDS, MILESTONES_MAX } from "../../../store/milestone-port.ts";
import type { MilestonesQuery } from "../milestone-types.ts";
import { actor } from "./actor-schema.ts";
import { name } from "./request-schemas.ts";
import { count, list, named, text, textOrNone, time, typed } from "./schema.ts";

const kind = z.enum(MILESTONE_KINDS);

/** Filters of a list of milestones. */
export const milestonesQuery: z.ZodType<MilestonesQuery> = typed<MilestonesQuery>()(
  z.strictObject({
    kind: list(kind, MILESTONE_KINDS.length).exactOptional(),
    until: time.exactOptional(),
    limit: z.int().min(1).max(MILESTONES_MAX).exactOptional(),
    cursor: name.exactOptional(),
  }),
);

const milestone = named<MilestoneView>("Milestone")(
  z.strictObject({
    caseId: text,
    caseType: text,
    tenant: text,
    businessKey: textOrNone,
    revision: count,
    at: time,
    kind,
    sentence: text,
    by: actor.nullable(),
  }),
);

/** One page of milestones. */
export const milestones: z.ZodType<MilestonesView> = named<MilestonesView>("MilestonePage")(
  z.strictObject({ milestones: list(milestone), next: textOrNone }),
);
