/** What the API takes and tells of moves that wait for a second person. */

import { z } from "zod";
import type { SecondMove, SecondState } from "../../../core/second-person.ts";
import { REASON_CHARS_MAX } from "../../../desk/requests.ts";
import type { SecondView } from "../../../desk/second-view.ts";
import type { SecondAnswerBody, SecondParams, SecondsQuery } from "../second-types.ts";
import { actor } from "./actor-schema.ts";
import { json, list, named, oneOf, text, textOrNone, time, typed } from "./schema.ts";

const ID_CHARS_MAX = 60;
const id = z.string().min(1).max(ID_CHARS_MAX);

/** Which requests. */
export const secondsQuery: z.ZodType<SecondsQuery> = typed<SecondsQuery>()(
  z.strictObject({ caseId: id.exactOptional() }),
);

/** Names a request. */
export const secondParams: z.ZodType<SecondParams> = typed<SecondParams>()(z.strictObject({ requestId: id }));

/** An answer to a request. */
export const secondAnswerBody: z.ZodType<SecondAnswerBody> = named<SecondAnswerBody>("SecondAnswerRequest")(
  z.strictObject({
    approved: z.boolean(),
    reason: z.string().max(REASON_CHARS_MAX).nullable().exactOptional(),
  }),
);

const move = oneOf<SecondMove>({
  resume: true,
  force: true,
  correct: true,
  confirm: true,
  ruleOut: true,
  skip: true,
  redo: true,
  undo: true,
  leaveOutside: true,
  cancel: true,
});

/** A request. */
export const second: z.ZodType<SecondView> = named<SecondView>("Second")(
  z.strictObject({
    requestId: text,
    caseId: text,
    move,
    step: textOrNone,
    request: json,
    plan: text,
    reason: textOrNone,
    askedBy: actor,
    askedAt: time,
    endsAt: time,
    state: oneOf<SecondState>({ open: true, approved: true, declined: true, void: true }),
    answeredBy: actor.nullable(),
    answeredAt: time.nullable(),
    why: textOrNone,
    sentence: text,
  }),
);

/** Requests. */
export const seconds: z.ZodType<{ readonly requests: readonly SecondView[] }> = z.strictObject({
  requests: list(second),
});
