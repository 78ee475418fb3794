/** What the API tells of moves before they are made, and of the forms that they need. */

import { z } from "zod";
import type { JsonChange } from "../../../core/json-diff.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { JsonSchemaReading } from "../../../define/json-schema.ts";
import type { FormsView } from "../../../desk/preview.ts";
import type { LapsePreview, MovePreview } from "../../../desk/move-preview.ts";
import { errorCode } from "./failure-schemas.ts";
import { planView } from "./plan-schemas.ts";
import { count, json, list, named, oneOf, text, textOrNone } from "./schema.ts";

/** A move that can be looked at first. */
export const previewedMove: z.ZodType<MovePreview["move"]> = oneOf<MovePreview["move"]>({
  resume: true,
  correct: true,
  confirm: true,
  skip: true,
  check: true,
  ruleOut: true,
  redo: true,
  undo: true,
  leaveOutside: true,
  cancel: true,
});

const lapse = named<LapsePreview>("LapsePreview")(z.strictObject({ step: text, because: text, next: text }));

const change = named<JsonChange>("JsonChange")(
  z.strictObject({
    path: text,
    kind: oneOf<JsonChange["kind"]>({ added: true, removed: true, changed: true }),
    from: json,
    to: json,
  }),
);

/** What a move would do. */
export const movePreview: z.ZodType<MovePreview> = named<MovePreview>("MovePreview")(
  z.strictObject({
    move: previewedMove,
    isAllowed: z.boolean(),
    code: errorCode.nullable(),
    why: textOrNone,
    plan: text,
    before: planView,
    after: planView.nullable(),
    lapses: list(lapse),
    inputChanges: list(change),
  }),
);

const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json);

const reading = named<JsonSchemaReading>("FormSchema")(
  z.union([
    z.strictObject({ kind: z.literal("schema"), schema: jsonObject }),
    z.strictObject({ kind: z.literal("none"), why: text }),
  ]),
);

const readings: z.ZodType<{ readonly [name: string]: JsonSchemaReading }> = z.record(z.string(), reading);

/** The forms of a case type. */
export const forms: z.ZodType<FormsView> = named<FormsView>("Forms")(
  z.strictObject({
    caseType: text,
    version: count,
    input: reading,
    approvals: readings,
    results: readings,
    events: readings,
  }),
);
