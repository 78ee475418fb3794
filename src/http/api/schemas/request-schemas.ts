/**
 * What the API takes. Texts have the bounds of the desk, which checks them again with its own words; here the shape is
 * held, and a field that nobody knows is refused: a typo must not change what an act does.
 */

import { z } from "zod";
import type { Assignee } from "../../../core/journal.ts";
import type { Priority } from "../../../core/starting.ts";
import { DURATION_MS_MAX } from "../../../define/duration.ts";
import { FINDS_MAX } from "../../../define/sought-values.ts";
import { PASSWORD_CHARS_MAX } from "../../../people/password.ts";
import {
  BUSINESS_KEY_CHARS_MAX,
  NOTE_CHARS_MAX,
  REASON_CHARS_MAX,
  SOURCE_ID_CHARS_MAX,
  TENANT_CHARS_MAX,
} from "../../../desk/requests.ts";
import { EVENT_LIST_MAX } from "../../../store/inbox-port.ts";
import { LIST_LIMIT_MAX } from "../../../store/port.ts";
import type {
  AccessBody,
  ApprovalBody,
  AssignBody,
  CasePageQuery,
  CaseParams,
  CasesQuery,
  CheckBody,
  ConfirmationBody,
  CorrectionBody,
  HandOverBody,
  EventBody,
  EventsQuery,
  Nothing,
  PauseBody,
  PreviewBody,
  RedoBody,
  RepairParams,
  ReplayBody,
  ResumeBody,
  SessionBody,
  SkipBody,
  StartBody,
  TakeOverBody,
  VouchBody,
} from "../types.ts";
import type { IgnoreBody, RevealBody } from "../inbox-types.ts";
import { readableState, storedState } from "./case-schemas.ts";
import { failureKind } from "./failure-schemas.ts";
import { standing, workState } from "./inbox-schemas.ts";
import { previewedMove } from "./preview-schemas.ts";
import { json, list, named, oneOf, time, typed } from "./schema.ts";

/** Longest name of a type, step, destination, source or id. */
const NAME_CHARS_MAX = 200;
/** Longest cursor. */
const CURSOR_CHARS_MAX = 500;
/** How long a request waits for the case that tries a restored access, in ms: less than a connection may take. */
export const ACCESS_WAIT_MS_MAX = 20_000;
/** Values of one repeated parameter. */
const REPEATS_MAX = 20;

const oneLine = new RegExp(String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`);

/** A text of one line: what would rewrite a terminal that shows it is refused. */
export function line(charsMax: number): z.ZodString {
  return z.string().min(1).max(charsMax).regex(oneLine, "has a control character");
}

/** The name of something, on one line. */
export const name: z.ZodString = line(NAME_CHARS_MAX);
/** Whatever it holds, the answer is that nothing is there. */
export const id: z.ZodString = z.string().min(1).max(NAME_CHARS_MAX);
const prose = z.string().min(1).max(REASON_CHARS_MAX);
/** Why; may be left out. */
export const reason: z.ZodExactOptional<z.ZodNullable<z.ZodString>> = prose.nullable().exactOptional();
/** A tenant. */
export const tenant: z.ZodString = line(TENANT_CHARS_MAX);
const underRepair = { repairId: name.exactOptional() };
const page = {
  limit: z.int().min(1).max(LIST_LIMIT_MAX).exactOptional(),
  cursor: line(CURSOR_CHARS_MAX).exactOptional(),
};

/** Takes nothing. */
export const nothing: z.ZodType<Nothing> = z.strictObject({});

/** Names a case. */
export const caseParams: z.ZodType<CaseParams> = typed<CaseParams>()(z.strictObject({ caseId: id }));
/** Names a repair. */
export const repairParams: z.ZodType<RepairParams> = typed<RepairParams>()(
  z.strictObject({ caseId: id, repairId: id }),
);
/** Names a case type. */
export const caseTypeParams: z.ZodType<{ caseType: string }> = z.strictObject({ caseType: name });
/** Names a destination. */
export const destinationParams: z.ZodType<{ destination: string }> = z.strictObject({ destination: name });
/** Names an event of the inbox. */
export const eventParams: z.ZodType<{ readonly eventId: string }> = z.strictObject({ eventId: name });

/** Names a source of events. */
export const sourceParams: z.ZodType<{ readonly source: string }> = z.strictObject({ source: name });

/** Work to be opened again. */
export const replayBody: z.ZodType<ReplayBody> = named<ReplayBody>("ReplayRequest")(
  z.strictObject({ reason: prose, consumer: name.exactOptional() }),
);

/** Work to be left undone. */
export const ignoreBody: z.ZodType<IgnoreBody> = named<IgnoreBody>("IgnoreRequest")(
  z.strictObject({ reason: prose, consumer: name.exactOptional() }),
);

/** Who wants in. */
export const sessionBody: z.ZodType<SessionBody> = named<SessionBody>("SessionRequest")(
  z.strictObject({
    name,
    password: z
      .string()
      .min(1)
      .max(PASSWORD_CHARS_MAX * 4),
  }),
);

/** How a case is shown. */
export const showQuery: z.ZodType<{ repairId?: string }> = z.strictObject(underRepair);
/** How many. */
export const limitQuery: z.ZodType<{ limit?: number }> = z.strictObject({ limit: page.limit });

/** The name of an attribute, and a value, in UTF-16 units. */
const FIND_CHARS_MAX = 300;

const caseFilters = {
  type: name.exactOptional(),
  state: list(storedState, REPEATS_MAX).exactOptional(),
  review: z.boolean().exactOptional(),
  second: z.boolean().exactOptional(),
  tenant: tenant.exactOptional(),
  businessKey: line(BUSINESS_KEY_CHARS_MAX).exactOptional(),
  parent: id.exactOptional(),
  reading: list(readableState, REPEATS_MAX).exactOptional(),
  owner: name.exactOptional(),
  destination: name.exactOptional(),
  step: name.exactOptional(),
  kind: failureKind.exactOptional(),
  unchangedSince: z.int().min(0).exactOptional(),
  find: list(line(FIND_CHARS_MAX), FINDS_MAX).exactOptional(),
  assignee: name.exactOptional(),
  open: z.boolean().exactOptional(),
  needsPeople: z.boolean().exactOptional(),
  overdue: z.boolean().exactOptional(),
  text: name.exactOptional(),
};

/** Filters of cases. */
export const casesQuery: z.ZodType<CasesQuery> = typed<CasesQuery>()(z.strictObject(caseFilters));

/** The same, by pages. */
export const casePageQuery: z.ZodType<CasePageQuery> = typed<CasePageQuery>()(
  z.strictObject({ ...caseFilters, ...page }),
);

/** Filters of events. */
export const eventsQuery: z.ZodType<EventsQuery> = typed<EventsQuery>()(
  z.strictObject({
    tenant: tenant.exactOptional(),
    source: name.exactOptional(),
    type: name.exactOptional(),
    standing: standing.exactOptional(),
    work: list(workState, REPEATS_MAX).exactOptional(),
    ...page,
    limit: z.int().min(1).max(EVENT_LIST_MAX).exactOptional(),
  }),
);

/** A case to start. */
export const startBody: z.ZodType<StartBody> = named<StartBody>("StartRequest")(
  z.strictObject({
    type: name,
    input: json,
    businessKey: line(BUSINESS_KEY_CHARS_MAX).exactOptional(),
    tenant: tenant.exactOptional(),
    startAt: time.exactOptional(),
    startAfterMs: z.int().min(0).max(DURATION_MS_MAX).exactOptional(),
    priority: oneOf<Priority>({ high: true, normal: true, low: true }).exactOptional(),
  }),
);

/** An answer to an approval. */
export const approvalBody: z.ZodType<ApprovalBody> = named<ApprovalBody>("ApprovalRequest")(
  z.strictObject({
    step: name,
    approved: z.boolean(),
    form: json.exactOptional(),
    note: reason,
    standIn: z.boolean().exactOptional(),
    sourceId: line(SOURCE_ID_CHARS_MAX).exactOptional(),
    ...underRepair,
  }),
);

/** A resume. */
export const resumeBody: z.ZodType<ResumeBody> = named<ResumeBody>("ResumeRequest")(
  z.strictObject({
    step: name.exactOptional(),
    reason,
    force: z.boolean().exactOptional(),
    ...underRepair,
  }),
);

/** A correction. */
export const correctionBody: z.ZodType<CorrectionBody> = named<CorrectionBody>("CorrectionRequest")(
  z.strictObject({ input: json, reason: prose, ...underRepair }),
);

const vouched = { step: name, reason: prose, evidence: reason, ...underRepair };

/** A confirmation by hand. */
export const confirmationBody: z.ZodType<ConfirmationBody> = named<ConfirmationBody>("ConfirmationRequest")(
  z.strictObject({ ...vouched, result: json.exactOptional() }),
);

/** A step ruled out by hand. */
export const rulingOutBody: z.ZodType<VouchBody> = named<VouchBody>("RulingOutRequest")(
  z.strictObject(vouched),
);

/** A step to be done again. */
export const redoBody: z.ZodType<RedoBody> = named<RedoBody>("RedoRequest")(
  z.strictObject({ step: name, reason: prose, ...underRepair }),
);

/** A step left out. */
export const skipBody: z.ZodType<SkipBody> = named<SkipBody>("SkipRequest")(
  z.strictObject({ step: name, reason: prose, result: json.exactOptional(), ...underRepair }),
);

/** A step to be asked about. */
export const checkBody: z.ZodType<CheckBody> = named<CheckBody>("CheckRequest")(
  z.strictObject({ step: name, reason, ...underRepair }),
);

/** Whose something becomes. */
export const assignee: z.ZodType<Assignee> = typed<Assignee>()(z.strictObject({ id: name, label: name }));

/** Whose a case becomes. */
export const assignBody: z.ZodType<AssignBody> = named<AssignBody>("AssignRequest")(
  z.strictObject({ to: assignee.nullable(), reason, ...underRepair }),
);

/** Who gets a case that is open for repair. */
export const handOverBody: z.ZodType<HandOverBody> = named<HandOverBody>("HandOverRequest")(
  z.strictObject({ to: assignee, reason: prose }),
);

/** A move to be looked at first. */
export const previewBody: z.ZodType<PreviewBody> = named<PreviewBody>("PreviewRequest")(
  z.strictObject({
    move: previewedMove,
    step: name.exactOptional(),
    force: z.boolean().exactOptional(),
    input: json.exactOptional(),
    result: json.exactOptional(),
    ...underRepair,
  }),
);

/** A cancel. */
export const cancelBody: z.ZodType<{ repairId?: string; reason?: string | null }> = typed<{
  repairId?: string;
  reason?: string | null;
}>()(z.strictObject({ reason, ...underRepair }));

/** A pause. */
export const pauseBody: z.ZodType<PauseBody> = named<PauseBody>("PauseRequest")(
  z.strictObject({ reason, untilAt: z.int().nullable().exactOptional(), ...underRepair }),
);

/** A note. */
export const noteBody: z.ZodType<{ readonly text: string }> = z.strictObject({
  text: z.string().min(1).max(NOTE_CHARS_MAX),
});

/** A wish to see what is masked. */
export const revealBody: z.ZodType<RevealBody> = named<RevealBody>("RevealRequest")(
  z.strictObject({ reason: prose }),
);

/** An event. */
export const eventBody: z.ZodType<EventBody> = named<EventBody>("EventRequest")(
  z.strictObject({
    eventType: name,
    payload: json.exactOptional(),
    sourceId: line(SOURCE_ID_CHARS_MAX).exactOptional(),
  }),
);

/** A repair to take over. */
export const takeOverBody: z.ZodType<TakeOverBody> = named<TakeOverBody>("TakeOverRequest")(
  z.strictObject({ reason: prose, from: name.exactOptional() }),
);

/** An access that works again. */
export const accessBody: z.ZodType<AccessBody> = named<AccessBody>("AccessRequest")(
  z.strictObject({
    credentialId: name.exactOptional(),
    reason,
    waitMs: z.int().min(0).max(ACCESS_WAIT_MS_MAX).exactOptional(),
  }),
);
