/** What the API takes and tells of problems and bulk acts. */

import { z } from "zod";
import { REASON_CHARS_MAX } from "../../../desk/requests.ts";
import type { BulkPreview } from "../../../desk/bulk.ts";
import type { ProblemsView, ProblemView } from "../../../desk/problems.ts";
import { BULK_CASES_MAX, type BulkItem, type ProblemMark } from "../../../store/bulk-port.ts";
import type {
  BulkActView,
  BulkApiTypes,
  BulkBody,
  BulkItemsQuery,
  BulkItemView,
  BulkOrderBody,
  BulkPage,
  BulkParams,
  BulkPreviewBody,
  MarkBody,
  ProblemsQuery,
} from "../bulk-types.ts";
import { reviewReason } from "./case-schemas.ts";
import { errorCode } from "./failure-schemas.ts";
import { assignee, casesQuery, id, name, reason, tenant } from "./request-schemas.ts";
import { count, json, list, named, oneOf, text, textOrNone, time, timeOrNone, typed } from "./schema.ts";

/** Which problems. */
export const problemsQuery: z.ZodType<ProblemsQuery> = typed<ProblemsQuery>()(
  z.strictObject({ type: name.exactOptional(), tenant: tenant.exactOptional() }),
);

const mark = named<ProblemMark>("ProblemMark")(
  z.strictObject({ problemId: text, note: textOrNone, owner: textOrNone, by: text, at: time }),
);

const problem = named<ProblemView>("ProblemGroup")(
  z.strictObject({
    problemId: text,
    caseType: text,
    step: text,
    kind: reviewReason,
    destination: textOrNone,
    cause: text,
    count,
    firstSinceAt: time,
    lastSinceAt: time,
    came: z.strictObject({ hour: count, day: count, week: count }),
    cameByHour: list(count),
    isGrowing: z.boolean(),
    isNew: z.boolean(),
    owners: list(text),
    example: text,
    exampleCaseId: text,
    mark: mark.nullable(),
    newBuild: z.strictObject({ build: text, sinceAt: time }).nullable(),
  }),
);

/** Problems. */
export const problems: z.ZodType<ProblemsView> = named<ProblemsView>("Problems")(
  z.strictObject({ now: time, problems: list(problem), cases: count, isCapped: z.boolean() }),
);

/** Names a group of problems. */
export const problemParams: z.ZodType<{ problemId: string }> = z.strictObject({ problemId: id });

/** What is said of a group. */
export const markBody: z.ZodType<MarkBody> = named<MarkBody>("MarkRequest")(
  z.strictObject({ owner: name.nullable().exactOptional(), note: reason }),
);

const move = typed<BulkPreviewBody["move"]>()(
  z.discriminatedUnion("move", [
    z.strictObject({ move: z.literal("resume"), step: name.exactOptional() }),
    z.strictObject({ move: z.literal("check"), step: name }),
    z.strictObject({ move: z.literal("skip"), step: name, result: json.exactOptional() }),
    z.strictObject({ move: z.literal("pause"), untilAt: z.int().nullable().exactOptional() }),
    z.strictObject({ move: z.literal("cancel") }),
    z.strictObject({ move: z.literal("assign"), to: assignee.nullable() }),
    z.strictObject({ move: z.literal("note"), text: z.string().min(1).max(REASON_CHARS_MAX) }),
  ]),
);

const filter = typed<BulkPreviewBody["filter"]>()(
  z.discriminatedUnion("by", [
    z.strictObject({ by: z.literal("problem"), problemId: id }),
    z.strictObject({ by: z.literal("cases"), caseIds: list(id, BULK_CASES_MAX) }),
    z.strictObject({ by: z.literal("query"), query: casesQuery }),
  ]),
);

/** A bulk act to be looked at first. */
export const bulkPreviewBody: z.ZodType<BulkPreviewBody> = named<BulkPreviewBody>("BulkPreviewRequest")(
  z.strictObject({ move, filter }),
);

/** A bulk act to be made. */
export const bulkBody: z.ZodType<BulkBody> = named<BulkBody>("BulkRequest")(
  z.strictObject({ move, filter, reason, tryFirst: z.boolean().exactOptional() }),
);

/** What a bulk act would do. */
export const bulkPreview: z.ZodType<BulkPreview> = named<BulkPreview>("BulkPreview")(
  z.strictObject({
    cases: count,
    withoutRight: count,
    looked: count,
    allowed: count,
    refused: list(z.strictObject({ code: errorCode.nullable(), count, example: text, exampleCaseId: text })),
    sends: list(
      z.strictObject({
        destination: text,
        effect: oneOf<BulkPreview["sends"][number]["effect"]>({ first: true, repeat: true, further: true }),
        count,
      }),
    ),
  }),
);

/** A bulk act. */
export const bulkAct: z.ZodType<BulkActView> = named<BulkActView>("BulkAct")(
  z.strictObject({
    bulkId: text,
    move: text,
    request: json,
    filter: json,
    by: text,
    reason: textOrNone,
    state: oneOf<BulkActView["state"]>({
      trying: true,
      running: true,
      paused: true,
      stopped: true,
      done: true,
    }),
    why: textOrNone,
    isTried: z.boolean(),
    createdAt: time,
    changedAt: time,
    counts: z.strictObject({ total: count, open: count, done: count, refused: count }),
  }),
);

/** Bulk acts. */
export const bulkActs: z.ZodType<BulkApiTypes["listBulkActs"]["reply"]> = typed<
  BulkApiTypes["listBulkActs"]["reply"]
>()(z.strictObject({ acts: list(bulkAct) }));

const itemState = oneOf<BulkItem["state"]>({ open: true, claimed: true, done: true, refused: true });

const item = named<BulkItemView>("BulkItem")(
  z.strictObject({
    caseId: text,
    place: count,
    state: itemState,
    code: textOrNone,
    sentence: textOrNone,
    endedAt: timeOrNone,
  }),
);

/** A bulk act with a page of its cases. */
export const bulkPage: z.ZodType<BulkPage> = named<BulkPage>("BulkPage")(
  z.strictObject({ act: bulkAct, items: list(item), next: count.nullable() }),
);

/** Names a bulk act. */
export const bulkParams: z.ZodType<BulkParams> = z.strictObject({ bulkId: id });

/** Which of its cases. */
export const bulkItemsQuery: z.ZodType<BulkItemsQuery> = typed<BulkItemsQuery>()(
  z.strictObject({ after: z.int().min(-1).exactOptional(), state: itemState.exactOptional() }),
);

/** What people do to it. */
export const bulkOrderBody: z.ZodType<BulkOrderBody> = named<BulkOrderBody>("BulkOrderRequest")(
  z.strictObject({
    order: oneOf<BulkOrderBody["order"]>({ pause: true, resume: true, stop: true }),
    reason,
  }),
);
