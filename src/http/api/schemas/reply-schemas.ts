/** What acts are answered with. */

import { z } from "zod";
import type { AccessProbe, AccessReply } from "../../../desk/access.ts";
import type { ActReply } from "../../../desk/change.ts";
import type { OpenedRepair, RepairLife } from "../../../desk/repairs.ts";
import type { StartedCase } from "../../../desk/start.ts";
import type { Problem } from "../types.ts";
import { receivedEvents } from "./case-schemas.ts";
import { errorCode, fieldFault } from "./failure-schemas.ts";
import { count, list, named, oneOf, text, time } from "./schema.ts";

/** What became of an act. */
export const actReply: z.ZodType<ActReply> = named<ActReply>("ActReply")(
  z.strictObject({
    caseId: text,
    outcome: oneOf<ActReply["outcome"]>({ done: true, requested: true, repeated: true }),
    sentence: text,
    ignored: text.exactOptional(),
  }),
);

/** One sentence. */
export const told: z.ZodType<{ readonly sentence: string }> = z.strictObject({ sentence: text });

/** A started case. */
export const startedCase: z.ZodType<StartedCase> = named<StartedCase>("StartedCase")(
  z.strictObject({ caseId: text, isNew: z.boolean() }),
);

/** A repair that is open. */
export const openedRepair: z.ZodType<OpenedRepair> = named<OpenedRepair>("OpenedRepair")(
  z.strictObject({
    caseId: text,
    repairId: text,
    holderId: text,
    untilAt: time,
    beatEveryMs: z.number(),
    sentence: text,
  }),
);

/** Whether a repair is open still. */
export const repairLife: z.ZodType<RepairLife> = named<RepairLife>("RepairLife")(
  z.union([
    z.strictObject({ kind: z.literal("open"), untilAt: time, attached: receivedEvents, sentence: text }),
    z.strictObject({ kind: z.literal("over"), sentence: text }),
  ]),
);

const probe = named<AccessProbe>("AccessProbe")(
  z.union([
    z.strictObject({ kind: z.literal("nothingWaits") }),
    z.strictObject({ kind: z.literal("works"), caseId: text }),
    z.strictObject({ kind: z.literal("stillDenied"), caseId: text, why: text }),
    z.strictObject({ kind: z.literal("cannotTell"), caseId: text, why: text }),
  ]),
);

/** What became of a restored access. */
export const accessReply: z.ZodType<AccessReply> = named<AccessReply>("AccessReply")(
  z.strictObject({
    destination: text,
    credentialId: text,
    probe,
    released: count,
    waiting: count,
    refused: list(z.strictObject({ caseId: text, code: errorCode, sentence: text })),
  }),
);

/** A failed request. */
export const problem: z.ZodType<Problem> = named<Problem>("Problem")(
  z.strictObject({
    title: text,
    status: z.int(),
    code: errorCode,
    detail: text,
    fields: list(fieldFault).exactOptional(),
    caseId: text.exactOptional(),
    changes: list(text).exactOptional(),
    plan: text.exactOptional(),
  }),
);
