/** What the API tells of case types, destinations, workers and everything at a glance. */

import { z } from "zod";
import type {
  CaseOutline,
  ConditionOutline,
  FactOutline,
  DestinationOutline,
  RepeatSafety,
  SendStepOutline,
  StepOutline,
} from "../../../core/outline.ts";
import type {
  HolderView,
  NoWorkerNotice,
  Overview,
  ScheduleNotice,
  TypeOverview,
} from "../../../desk/overview.ts";
import { VERBS } from "../../../core/rights.ts";
import type { ConcurrencyOutline, PlaceFreedBy } from "../../../core/concurrency-outline.ts";
import type { AttributeType, SearchOutline } from "../../../core/search-outline.ts";
import type { ApiTypes, ClaimView, DestinationView, Me, WorkerView } from "../types.ts";
import { holding } from "./case-schemas.ts";
import { count, list, named, oneOf, text, textOrNone, time, timeOrNone, typed } from "./schema.ts";

/** A right. */
const verb = z.enum(VERBS);

/** Who is signed in. */
export const me: z.ZodType<Me> = named<Me>("Me")(
  z.strictObject({
    name: text,
    signedInBy: oneOf<Me["signedInBy"]>({ dev: true, session: true, token: true }),
    verbs: list(verb),
  }),
);

const typeOverview = named<TypeOverview>("TypeOverview")(
  z.strictObject({
    caseType: text,
    isLoaded: z.boolean(),
    total: count,
    states: z.strictObject({
      ready: count.exactOptional(),
      claimed: count.exactOptional(),
      waiting: count.exactOptional(),
      paused: count.exactOptional(),
      in_review: count.exactOptional(),
      done: count.exactOptional(),
      canceled: count.exactOptional(),
    }),
    due: count,
    oldestDueAt: timeOrNone,
    withReview: count,
    workers: count,
  }),
);

const noWorker = named<NoWorkerNotice>("NoWorkerNotice")(
  z.strictObject({
    kind: z.literal("noWorker"),
    caseType: text,
    sinceAt: timeOrNone,
    waiting: count,
    lost: z.int(),
    neededVersion: z.int().nullable(),
    sentence: text,
  }),
);

const holderFields = {
  holderId: text,
  kind: oneOf<HolderView["kind"]>({ worker: true, page: true }),
  name: text,
  host: text,
  build: text,
  startedAt: time,
  beatAt: time,
  isAlive: z.boolean(),
  caseTypes: list(z.strictObject({ name: text, version: count })),
};

const scheduleNotice = named<ScheduleNotice>("ScheduleNotice")(
  z.strictObject({
    schedule: text,
    caseType: text,
    tenant: text,
    overdueSinceAt: timeOrNone,
    needs: count,
    sentence: text,
  }),
);

/** Everything at a glance. */
export const overview: z.ZodType<Overview> = named<Overview>("Overview")(
  z.strictObject({
    now: time,
    types: list(typeOverview),
    notices: list(noWorker),
    schedules: list(scheduleNotice),
    undelivered: count,
    holders: list(named<HolderView>("Holder")(z.strictObject(holderFields))),
  }),
);

const repeatSafety = named<RepeatSafety>("RepeatSafety")(
  z.union([
    z.strictObject({ by: z.literal("key"), windowMs: z.number() }),
    z.strictObject({ by: z.literal("unique") }),
    z.strictObject({ by: z.literal("if-match") }),
    z.strictObject({ by: z.literal("fence") }),
    z.strictObject({ by: z.literal("transaction") }),
    z.strictObject({ by: z.literal("lookup") }),
    z.strictObject({ by: z.literal("none") }),
  ]),
);

const destinationOutline = named<DestinationOutline>("Destination")(
  z.strictObject({
    name: text,
    repeatSafety,
    credentialId: text,
    canRefresh: z.boolean(),
    owners: z.strictObject({ access: textOrNone, input: textOrNone, outage: textOrNone }),
    retry: z.strictObject({
      maxAttempts: count,
      maxRequests: count,
      maxThrottles: count,
      giveUpAfterMs: z.number(),
      firstDelayMs: z.number(),
      maxDelayMs: z.number(),
    }),
    inFlight: z.strictObject({ start: count, max: count }),
    readLagMs: z.number(),
    requestAgeMs: z.number(),
  }),
);

const fact = named<FactOutline>("Fact")(z.strictObject({ kind: z.literal("fact"), name: text }));

const condition = named<ConditionOutline>("Condition")(
  z.union([
    fact,
    z.strictObject({
      kind: z.literal("probe"),
      name: text,
      destination: destinationOutline,
      deadlineMs: z.number(),
      freshForMs: z.number(),
    }),
  ]),
);

const commonFields = {
  name: text,
  after: list(text),
  formerly: list(text),
  closure: list(text),
  when: list(fact),
  requires: list(condition),
  uses: list(text).nullable(),
};

const sendStep: z.ZodType<SendStepOutline> = named<SendStepOutline>("SendStep")(
  z.strictObject({
    ...commonFields,
    kind: z.literal("step"),
    destination: destinationOutline,
    before: list(condition),
    hasRequest: z.boolean(),
    hasCheck: z.boolean(),
    deadlineMs: z.number(),
    versionCondition: textOrNone,
    onLapse: oneOf<SendStepOutline["onLapse"]>({ recheck: true, redo: true, undo: true, review: true }),
    undo: z.lazy((): z.ZodType<SendStepOutline> => sendStep).nullable(),
    part: z
      .strictObject({ of: text, key: text, atOnce: count, inOrder: z.literal(true).exactOptional() })
      .exactOptional(),
    runBy: text.exactOptional(),
  }),
);

const step = named<StepOutline>("Step")(
  z.union([
    sendStep,
    z.strictObject({
      ...commonFields,
      kind: z.literal("each"),
      item: sendStep,
      atOnce: count,
      inOrder: z.literal(true).exactOptional(),
      keys: list(text).nullable(),
    }),
    z.strictObject({
      ...commonFields,
      kind: z.literal("approval"),
      by: text,
      expiresMs: z.number().nullable(),
      remindMs: z.number().exactOptional(),
      escalate: z.strictObject({ to: text, afterMs: z.number() }).exactOptional(),
    }),
    z.strictObject({
      ...commonFields,
      kind: z.literal("waitForEvent"),
      eventType: text,
      orTypes: list(text).exactOptional(),
      timeoutMs: z.number(),
    }),
    z.strictObject({
      ...commonFields,
      kind: z.literal("poll"),
      destination: destinationOutline,
      everyMs: z.number(),
      deadlineMs: z.number(),
      timeoutMs: z.number(),
    }),
    z.strictObject({ ...commonFields, kind: z.literal("sleep"), forMs: z.number() }),
  ]),
);

const paths = list(list(text));
const searchOutline = named<SearchOutline>("SearchOutline")(
  z.strictObject({
    attributes: list(
      z.strictObject({
        name: text,
        type: oneOf<AttributeType>({ text: true, number: true, time: true, boolean: true }),
        step: textOrNone,
        path: list(text),
      }),
    ),
    tags: paths,
    masked: z.strictObject({ input: paths, results: z.record(text, paths) }),
  }),
);

const concurrencyOutline = named<ConcurrencyOutline>("Concurrency")(
  z.strictObject({ limit: count, freedBy: oneOf<PlaceFreedBy>({ rest: true, end: true }) }),
);

/** A case type as data. */
export const caseOutline: z.ZodType<CaseOutline> = named<CaseOutline>("CaseType")(
  z.strictObject({
    name: text,
    version: count,
    owner: text,
    steps: list(step),
    removed: list(text),
    events: list(text),
    keyFreedBy: oneOf<NonNullable<CaseOutline["keyFreedBy"]>>({ canceled: true, end: true }).exactOptional(),
    search: searchOutline.exactOptional(),
    runBy: text.exactOptional(),
    concurrency: concurrencyOutline.exactOptional(),
  }),
);

/** The loaded case types. */
export const caseTypes: z.ZodType<ApiTypes["listCaseTypes"]["reply"]> = typed<
  ApiTypes["listCaseTypes"]["reply"]
>()(z.strictObject({ caseTypes: list(caseOutline) }));

const destinationView = named<DestinationView>("DestinationView")(
  z.strictObject({
    destination: destinationOutline,
    usedBy: list(z.strictObject({ caseType: text, step: text })),
  }),
);

/** Outside systems. */
export const destinations: z.ZodType<ApiTypes["listDestinations"]["reply"]> = typed<
  ApiTypes["listDestinations"]["reply"]
>()(z.strictObject({ destinations: list(destinationView) }));

const workerView = named<WorkerView>("Worker")(z.strictObject({ ...holderFields, claims: count }));

/** Workers and pages. */
export const workers: z.ZodType<ApiTypes["listWorkers"]["reply"]> = typed<ApiTypes["listWorkers"]["reply"]>()(
  z.strictObject({ now: time, workers: list(workerView) }),
);

const claimView = named<ClaimView>("Claim")(z.strictObject({ caseId: text, holding }));

/** Claims. */
export const claims: z.ZodType<ApiTypes["listClaims"]["reply"]> = typed<ApiTypes["listClaims"]["reply"]>()(
  z.strictObject({ now: time, claims: list(claimView) }),
);
