/** What the API tells of cases. */

import { z } from "zod";
import type { FieldFault } from "../../../core/errors.ts";
import type { Failure, FailureCause, FailureKind, Instruction } from "../../../core/failure.ts";
import type { Actor, EntryKind, Review, ReviewReason, StepResult, Wait } from "../../../core/journal.ts";
import type { StoredState } from "../../../core/row.ts";
import type { Reading, ReadableState } from "../../../core/state.ts";
import type { WireFindingCode } from "../../../core/wire-evidence.ts";
import { ERROR_CODES, type ErrorCode } from "../../../core/errors.ts";
import type {
  AttemptView,
  CaseLine,
  CaseView,
  ConfirmedAction,
  HistoryEntry,
  LastErrorView,
  RepairView,
  RequestsView,
  StepView,
  WaitView,
} from "../../../desk/case-view.ts";
import type { DefinitionStanding } from "../../../desk/definition.ts";
import type { ListPage } from "../../../desk/desk.ts";
import type { Holding } from "../../../desk/holding.ts";
import type { MoveView } from "../../../desk/moves-view.ts";
import type { CaseCount } from "../types.ts";
import { planView, standingKind } from "./plan-schemas.ts";
import { count, json, list, named, oneOf, text, textOrNone, time, timeOrNone, typed } from "./schema.ts";

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
  "Waiting for approval": true,
  "Waiting until": true,
  Paused: true,
  "Worker lost": true,
  "Outcome unknown": true,
  "Needs correction": true,
  "Needs access": true,
  "Needs review": true,
  "Being repaired": true,
  Done: true,
  "Done after repair": true,
  Canceled: true,
});

/** A stable code of an error. */
export const errorCode: z.ZodType<ErrorCode> = z.enum(ERROR_CODES);

/** A fault of one field. */
export const fieldFault: z.ZodType<FieldFault> = named<FieldFault>("FieldFault")(
  z.strictObject({ path: text, message: text }),
);

/** Who did something. */
const actor = named<Actor>("Actor")(
  z.union([
    z.strictObject({ kind: z.literal("worker"), name: text, holderId: text }),
    z.strictObject({ kind: z.literal("person"), name: text }),
    z.strictObject({ kind: z.literal("engine"), name: text }),
  ]),
);

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

const reviewReason = oneOf<ReviewReason>({
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
});

const review = named<Review>("Review")(
  z.strictObject({
    step: text,
    reason: reviewReason,
    sentence: text,
    owner: text,
    nextCheckAllowedAt: timeOrNone,
    window: z.strictObject({ dueAt: time, resendSafeUntilAt: time }).exactOptional(),
  }),
);

const failureCauses = {
  transient: true,
  throttled: true,
  quota: true,
  rejected: true,
  denied: true,
  conflict: true,
  precondition: true,
  gone: true,
  bug: true,
  stopped: true,
} as const;

/** Why something failed. */
export const failureKind: z.ZodType<FailureKind> = oneOf<FailureKind>({ ...failureCauses, unknown: true });

const executed = oneOf<Failure["executed"]>({ no: true, maybe: true, yes: true, partial: true });

const instruction = typed<Instruction>()(
  z.union([
    z.strictObject({ kind: z.literal("retryAfter"), delayMs: z.number(), source: text }),
    z.strictObject({ kind: z.literal("pace"), firstMs: z.number(), maxMs: z.number(), source: text }),
    z.strictObject({ kind: z.literal("doNotRetry"), source: text }),
    z.strictObject({ kind: z.literal("newerToken"), seen: z.number(), source: text }),
  ]),
);

const failure = named<Failure>("Failure")(
  z.strictObject({
    kind: failureKind,
    cause: oneOf<FailureCause>(failureCauses),
    executed,
    owner: oneOf<Failure["owner"]>({
      system: true,
      input: true,
      access: true,
      operator: true,
      developer: true,
    }),
    scope: oneOf<Failure["scope"]>({ case: true, credential: true, destination: true }),
    access: oneOf<NonNullable<Failure["access"]>>({
      refreshable: true,
      revoked: true,
      scope: true,
      blocked: true,
    }).nullable(),
    confidence: oneOf<Failure["confidence"]>({ proved: true, declared: true, inferred: true, guessed: true }),
    rule: text,
    sentence: text,
    instruction: instruction.nullable(),
    fields: list(fieldFault),
    raw: json,
  }),
);

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
      timer: true,
    }),
    sentence: text,
    actsNext: text,
    dueAt: timeOrNone,
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
    }),
    executed,
    sentence: text,
    requests: requestsView.nullable(),
  }),
);

const lastError = named<LastErrorView>("LastError")(
  z.strictObject({ step: text, attempt: count, at: time, failure }),
);

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
    move: oneOf<MoveView["move"]>({
      open: true,
      takeOver: true,
      close: true,
      approve: true,
      confirm: true,
      ruleOut: true,
      redo: true,
      resume: true,
      cancel: true,
      pause: true,
      correct: true,
      note: true,
    }),
    step: textOrNone,
    isAllowed: z.boolean(),
    code: errorCode.nullable(),
    why: textOrNone,
  }),
);

const entryKind = oneOf<EntryKind>({
  approvalAnswered: true,
  attemptFailed: true,
  attemptOpened: true,
  cancelRequested: true,
  canceled: true,
  caseDone: true,
  caseStarted: true,
  accessRefreshed: true,
  checkAnswered: true,
  claimLost: true,
  conditionAnswered: true,
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

/** Everything about one case. */
export const caseView: z.ZodType<CaseView> = named<CaseView>("Case")(
  z.strictObject({
    ...lineFields,
    now: time,
    startedBy: actor,
    definition: definitionStanding,
    input: json,
    originalInput: json,
    confirmed: list(confirmedAction),
    steps: list(stepView),
    foothold: list(text).nullable(),
    waits: list(waitView),
    reviews: list(review),
    lastError: lastError.nullable(),
    attempts: list(attemptView),
    events: receivedEvents,
    repair: repairView.nullable(),
    losses: count,
    requested: list(oneOf<CaseView["requested"][number]>({ cancel: true, pause: true })),
    plan: planView.nullable(),
    moves: list(moveView),
    history: list(historyEntry),
    historyLeftOut: count,
  }),
);
