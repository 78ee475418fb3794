/** What the API tells of cases. */

import { z } from "zod";
import type { Assignee, EntryKind, Review, ReviewReason, StepResult } from "../../../core/journal.ts";
import type { Wait } from "../../../core/waits.ts";
import type { StoredState } from "../../../core/row.ts";
import type { SlotRef } from "../../../core/schedule.ts";
import type { SearchValue } from "../../../core/search-values.ts";
import type { Reading, ReadableState } from "../../../core/state.ts";
import type { WireFindingCode } from "../../../core/wire-evidence.ts";
import type {
  AttemptView,
  CaseLine,
  CaseView,
  HistoryEntry,
  RepairView,
  RequestsView,
  StepView,
  WaitView,
} from "../../../desk/case-view.ts";
import type { ConfirmedAction } from "../../../desk/confirmed-actions.ts";
import type { ChildView, ParentView } from "../../../desk/children-view.ts";
import type { JsonChange } from "../../../core/json-diff.ts";
import type { LayersView } from "../../../desk/attempt-layers.ts";
import type {
  ArrivedEvent,
  CorrectionView,
  ErrorInWords,
  NextCheck,
  ReviewPacket,
  ReviewView,
} from "../../../desk/packet.ts";
import type { DefinitionStanding } from "../../../desk/definition.ts";
import type { ListPage } from "../../../desk/desk.ts";
import type { Holding } from "../../../desk/holding.ts";
import { MOVE_NAMES } from "../../../core/move-names.ts";
import { VERBS } from "../../../core/rights.ts";
import type { MoveView } from "../../../desk/moves-view.ts";
import type { CaseCount } from "../types.ts";
import { actor } from "./actor-schema.ts";
import { errorCode, executed, failure } from "./failure-schemas.ts";
import { planView, prerequisiteView, standingKind } from "./plan-schemas.ts";
import { second } from "./second-schemas.ts";
import { count, json, list, named, oneOf, text, textOrNone, time, timeOrNone } from "./schema.ts";

/** Stored states. */
export const storedState: z.ZodType<StoredState> = oneOf<StoredState>({
  ready: true,
  claimed: true,
  waiting: true,
  paused: true,
  in_review: true,
  done: true,
  canceled: true,
});

/** States as people read them. */
export const readableState: z.ZodType<ReadableState> = oneOf<ReadableState>({
  Running: true,
  "Will retry": true,
  "Waiting for event": true,
  "Waiting for child": true,
  "Waiting for approval": true,
  "Waiting until": true,
  "Held back": true,
  Paused: true,
  "Worker lost": true,
  "Outcome unknown": true,
  "Needs correction": true,
  "Needs access": true,
  "Needs review": true,
  "Being repaired": true,
  Undoing: true,
  Done: true,
  "Done after repair": true,
  Canceled: true,
});

const reading = named<Reading>("Reading")(
  z.strictObject({ state: readableState, sentence: text, actsNext: text, byAt: timeOrNone }),
);

/** Who holds a case. */
export const holding: z.ZodType<Holding> = named<Holding>("Holding")(
  z.strictObject({
    holderId: text,
    name: textOrNone,
    host: textOrNone,
    build: textOrNone,
    kind: oneOf<"worker" | "page">({ worker: true, page: true }).nullable(),
    claimedAt: time,
    untilAt: time,
    isAlive: z.boolean(),
    freedBy: z.literal("the sweep"),
    sentence: text,
  }),
);

const assignee = named<Assignee>("Assignee")(z.strictObject({ id: text, label: text }));

const slotRef = named<SlotRef>("SlotRef")(z.strictObject({ schedule: text, at: time }));
const parentView = named<ParentView>("ParentCase")(z.strictObject({ caseId: text, step: text }));

const childView = named<ChildView>("ChildCase")(
  z.strictObject({
    step: text,
    caseId: text,
    caseType: text,
    standing: oneOf<ChildView["standing"]>({ running: true, inReview: true, done: true, canceled: true }),
    sentence: text,
  }),
);

const searchValue = named<SearchValue>("SearchValue")(
  z.strictObject({
    name: text,
    type: oneOf<SearchValue["type"]>({ text: true, number: true, time: true, boolean: true, tag: true }),
    value: text,
    number: z.number().exactOptional(),
  }),
);

const lineFields = {
  caseId: text,
  tenant: text,
  caseType: text,
  businessKey: textOrNone,
  startedAt: time,
  definitionVersion: count,
  revision: count,
  storedState,
  reading,
  sinceAt: time,
  dueAt: timeOrNone,
  holding: holding.nullable(),
  isDefinitionLoaded: z.boolean(),
  confirmedSteps: count,
  openReviews: count,
  assignee: assignee.nullable(),
  parent: parentView.nullable(),
  search: list(searchValue),
};

const caseLine = named<CaseLine>("CaseLine")(z.strictObject(lineFields));

/** A page of cases. */
export const listPage: z.ZodType<ListPage> = named<ListPage>("CasePage")(
  z.strictObject({ cases: list(caseLine), next: textOrNone, now: time }),
);

/** How many cases match. */
export const caseCount: z.ZodType<CaseCount> = named<CaseCount>("CaseCount")(
  z.strictObject({ count, isCapped: z.boolean() }),
);

/** Why a review was opened. */
export const reviewReason: z.ZodType<ReviewReason> = oneOf<ReviewReason>({
  rejected: true,
  denied: true,
  quota: true,
  unknown: true,
  limit: true,
  conflict: true,
  gone: true,
  bug: true,
  precondition: true,
  lapsed: true,
  unreadable: true,
  poison: true,
  refused: true,
  expired: true,
  mayExistTwice: true,
  staysOutside: true,
});

const reviewFields = {
  step: text,
  reason: reviewReason,
  sentence: text,
  owner: text,
  nextCheckAllowedAt: timeOrNone,
  window: z.strictObject({ dueAt: time, resendSafeUntilAt: time }).exactOptional(),
} as const;

const review = named<Review>("Review")(z.strictObject(reviewFields));

const stepResult = named<StepResult>("StepResult")(
  z.union([
    z.strictObject({ kind: z.literal("value"), value: json }),
    z.strictObject({ kind: z.literal("unreadable"), why: text }),
  ]),
);

const confirmedAction = named<ConfirmedAction>("ConfirmedAction")(
  z.strictObject({
    step: text,
    at: time,
    how: text,
    result: stepResult,
    evidence: json,
    idempotencyKey: textOrNone,
    standing: oneOf<ConfirmedAction["standing"]>({ stands: true, lapsed: true, uncertain: true }),
    lapsedBecause: textOrNone,
  }),
);

const stepView = named<StepView>("StepView")(
  z.strictObject({
    step: text,
    standing: standingKind,
    attemptsInRound: count,
    round: count,
    review: review.nullable(),
    nextCheckAllowedAt: timeOrNone,
  }),
);

const waitView = named<WaitView>("WaitView")(
  z.strictObject({
    step: text,
    kind: oneOf<Wait["kind"]>({
      retry: true,
      check: true,
      probe: true,
      approval: true,
      event: true,
      child: true,
      timer: true,
      poll: true,
      held: true,
      access: true,
    }),
    sentence: text,
    actsNext: text,
    dueAt: timeOrNone,
    mayAnswer: text.nullable(),
  }),
);

const requestsView = named<RequestsView>("RequestsView")(
  z.strictObject({
    sent: count,
    repeats: count,
    isAtLeast: z.boolean(),
    sentence: text,
    findings: list(
      z.strictObject({
        code: oneOf<WireFindingCode>({
          HIDDEN_RETRY: true,
          UNSAFE_HIDDEN_RETRY: true,
          AUTO_KEY_PER_CALL: true,
          MULTIPLIED: true,
          LATE_REQUEST: true,
          BLIND: true,
        }),
        sentence: text,
      }),
    ),
  }),
);

const attemptView = named<AttemptView>("AttemptView")(
  z.strictObject({
    step: text,
    attempt: count,
    intentVersion: count,
    idempotencyKey: text,
    fencingToken: z.number(),
    openedAt: time,
    sendDeadlineAt: time,
    by: text,
    outcome: oneOf<AttemptView["outcome"]>({
      open: true,
      failed: true,
      provedNotExecuted: true,
      reportedLate: true,
      confirmed: true,
      started: true,
    }),
    executed,
    sentence: text,
    requests: requestsView.nullable(),
  }),
);

const lastErrorFields = { step: text, attempt: count, at: time, failure } as const;

const receivedEvent = named<CaseView["events"][number]>("ReceivedEvent")(
  z.strictObject({ revision: count, at: time, eventType: text, sourceId: text, payload: json }),
);

/** Events, as a case has them. */
export const receivedEvents: z.ZodType<CaseView["events"]> = list(receivedEvent);

const repairView = named<RepairView>("RepairView")(
  z.strictObject({ by: actor, openedAt: time, attached: receivedEvents }),
);

const moveView = named<MoveView>("MoveView")(
  z.strictObject({
    move: z.enum(MOVE_NAMES),
    right: z.enum(VERBS),
    on: oneOf<MoveView["on"]>({ case: true, step: true, credential: true }),
    reason: oneOf<MoveView["reason"]>({ needed: true, optional: true, none: true }),
    isRisky: z.boolean(),
    isPlanned: z.boolean(),
    credential: z.strictObject({ destination: text, credentialId: text }).nullable(),
    isForbidden: z.boolean(),
    step: textOrNone,
    isAllowed: z.boolean(),
    code: errorCode.nullable(),
    why: textOrNone,
  }),
);

/** What an entry of the journal says. */
export const entryKind: z.ZodType<EntryKind> = oneOf<EntryKind>({
  approvalAnswered: true,
  attemptFailed: true,
  attemptOpened: true,
  cancelRequested: true,
  canceled: true,
  caseDone: true,
  caseStarted: true,
  accessRefreshed: true,
  assigned: true,
  checkAnswered: true,
  checkOrdered: true,
  childStarted: true,
  childTold: true,
  claimLost: true,
  conditionAnswered: true,
  lookAnswered: true,
  definitionChanged: true,
  restored: true,
  eachStarted: true,
  eventAttached: true,
  eventReceived: true,
  inputCorrected: true,
  intentOpened: true,
  lateReport: true,
  noteAdded: true,
  outcomeRuledOut: true,
  parked: true,
  pauseRequested: true,
  paused: true,
  redoOrdered: true,
  repairEnded: true,
  repairOpened: true,
  repairTakenOver: true,
  resumed: true,
  reviewOpened: true,
  stepConfirmed: true,
  stepLapsed: true,
  stepRestored: true,
  stepUndone: true,
  undoOrdered: true,
  leftOutside: true,
});

const historyEntry = named<HistoryEntry>("HistoryEntry")(
  z.strictObject({ revision: count, at: time, kind: entryKind, by: actor.nullable(), sentence: text }),
);

const definitionStanding = named<DefinitionStanding>("DefinitionStanding")(
  z.strictObject({
    kind: oneOf<DefinitionStanding["kind"]>({ loaded: true, older: true, gone: true }),
    caseType: text,
    neededVersion: count,
    loadedVersion: count.nullable(),
    sentence: text,
  }),
);

const caseFields = {
  ...lineFields,
  now: time,
  beginsAt: time,
  priority: oneOf<CaseView["priority"]>({ high: true, normal: true, low: true }),
  startedBy: actor,
  definition: definitionStanding,
  input: json,
  originalInput: json,
  confirmed: list(confirmedAction),
  steps: list(stepView),
  foothold: list(text).nullable(),
  waits: list(waitView),
  children: list(childView),
  attempts: list(attemptView),
  events: receivedEvents,
  repair: repairView.nullable(),
  losses: count,
  requested: list(oneOf<CaseView["requested"][number]>({ cancel: true, pause: true })),
  plan: planView.nullable(),
  moves: list(moveView),
  history: list(historyEntry),
  historyLeftOut: count,
} as const;

const reviewView = named<ReviewView>("ReviewView")(
  z.strictObject({ ...reviewFields, openedAt: time, isOverdue: z.boolean() }),
);

const errorInWords = named<ErrorInWords>("LastError")(
  z.strictObject({ ...lastErrorFields, kindWords: text, instructionWords: textOrNone }),
);

const nextCheck = named<NextCheck>("NextCheck")(
  z.strictObject({ at: timeOrNone, step: textOrNone, sentence: text }),
);

const layers = named<LayersView>("AttemptLayers")(
  z.strictObject({
    step: text,
    round: count,
    attempts: count,
    attemptsMax: count.nullable(),
    requests: count,
    requestsMax: count.nullable(),
    repeats: count,
    slowDowns: count,
    slowDownsMax: count.nullable(),
    checks: count,
    attemptsInAll: count,
    claimsLost: count,
    failingSinceAt: timeOrNone,
    givesUpAt: timeOrNone,
    sentence: text,
  }),
);

const jsonChange = named<JsonChange>("JsonChange")(
  z.strictObject({
    path: text,
    kind: oneOf<JsonChange["kind"]>({ added: true, removed: true, changed: true }),
    from: json,
    to: json,
  }),
);

const correction = named<CorrectionView>("Correction")(
  z.strictObject({ revision: count, at: time, by: actor, reason: text, changes: list(jsonChange) }),
);

const arrivedEvent = named<ArrivedEvent>("ArrivedEvent")(
  z.strictObject({
    revision: count,
    at: time,
    eventType: text,
    sourceId: text,
    payload: json,
    became: oneOf<ArrivedEvent["became"]>({ applied: true, attached: true, ignored: true }),
    why: textOrNone,
  }),
);

/** Everything about one case. */
export const reviewPacket: z.ZodType<ReviewPacket> = named<ReviewPacket>("Case")(
  z.strictObject({
    ...caseFields,
    slot: slotRef.nullable(),
    headline: text,
    reviews: list(reviewView),
    lastError: errorInWords.nullable(),
    failures: list(errorInWords),
    prerequisites: list(prerequisiteView),
    nextCheck,
    ifResumed: planView.nullable(),
    resumeBlocked: textOrNone,
    attemptsByLayer: list(layers),
    inputChanges: list(jsonChange),
    corrections: list(correction),
    arrivedMeanwhile: list(arrivedEvent),
    seconds: list(second),
    pastSeconds: list(second),
    isMasked: z.boolean(),
    mayReveal: z.boolean(),
  }),
);
