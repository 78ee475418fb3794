/** What the package `foothold` offers. */

export {
  FootholdError,
  isFootholdError,
  type ErrorCode,
  type ErrorDetails,
  type FieldFault,
} from "./core/errors.ts";
export type { ConditionAnswer } from "./core/journal.ts";
export type {
  DeniedAccess,
  Executed,
  Failure,
  FailureCause,
  FailureKind,
  FailureOwner,
  FailureScope,
  Instruction,
} from "./core/failure.ts";
export type { Json, JsonObject } from "./core/json.ts";
export type { Transaction } from "./core/ports.ts";
export type { OwnSorting, SeenError, SeenFailure, SeenResponse, Sorter } from "./core/seen-failure.ts";
export {
  broken,
  cannotTell,
  didNotHappen,
  differs,
  found,
  happened,
  holds,
  notYet,
  type CannotTell,
  type CheckReply,
  type DidNotHappen,
  type Differs,
  type Found,
  type Happened,
  type NotYet,
} from "./define/answers.ts";
export { defineCase, type CaseOptions, type NoEvents } from "./define/builder.ts";
export type {
  CaseType,
  CheckContext,
  ConditionReply,
  EventsView,
  EventView,
  Facts,
  ProbeContext,
  RunContext,
  UndoneEffect,
} from "./define/case-type.ts";
export { defineConfig, type ConfiguredSource, type FootholdConfig } from "./define/config.ts";
export type {
  ChannelOptions,
  NoticeOptions,
  OwnerOptions,
  RotaContext,
  TellOptions,
} from "./define/notices.ts";
export type { ConcurrencyOption } from "./define/concurrency.ts";
export type { CaseDefinition } from "./define/definition.ts";
export type { CallContext, StepDispatcher } from "./define/destination-calls.ts";
export {
  defineDestination,
  type CredentialOptions,
  type Destination,
  type DestinationOptions,
  type Idempotency,
  type RetryOptions,
} from "./define/destination.ts";
export { defineEvent, type EventDefinition, type EventOptions } from "./define/event.ts";
export { parseDuration, type Duration } from "./define/duration.ts";
export type { Jsonify, NoFields } from "./define/jsonify.ts";
export { elsewhere, type RunElsewhere } from "./define/elsewhere.ts";
export { probe, type Probe, type ProbeOptions } from "./define/probe.ts";
export type { AttributeOption } from "./define/read-search.ts";
export { registryOf, type Registry } from "./define/registry.ts";
export {
  defineSchedule,
  scheduleBookOf,
  type Schedule,
  type ScheduleBook,
  type ScheduleOptions,
  type Slot,
} from "./define/schedule.ts";
// Named so that the declarations of a package that exports a case type can be written.
export type { CasePartsOf, NoSteps, WithStep } from "./define/shape.ts";
export type { Approved, ResultsByKey, UndoCheckContext, UndoContext } from "./define/step-options.ts";
export { expectOk, ResponseError, type ResponseLike } from "./triage/response.ts";

// What a program of one's own is composed of: a worker, a sweep and a desk over one store.
export { ENGINE_VERSION } from "./engine/version.ts";
export { FAILPOINTS, type Failpoint, type FailpointPlace, type OnFailpoint } from "./engine/failpoints.ts";
export type { OnReport, Report } from "./engine/report.ts";
export { createSweep, type Sweep, type SweepOptions, type SweepReport } from "./engine/sweep.ts";
export { systemPorts } from "./engine/system.ts";
export type { TracedEnd, TracedFacts, TracedSubject, TracedWork, Tracing } from "./core/tracing.ts";
export type { CounterLabels, CounterName, HistogramLabels, HistogramName } from "./core/figures.ts";
export type { Measuring } from "./core/measuring.ts";
export type { LogEntry, LogEvent, LogFacts, LoggedError, LogLevel } from "./telemetry/log-events.ts";
export {
  createLog,
  type LogFields,
  type Logger,
  type ProcessLog,
  type ProcessLogOptions,
} from "./telemetry/logger.ts";
export { openTelemetryMeasuring } from "./telemetry/open-telemetry-figures.ts";
export { openTelemetryTracing } from "./telemetry/open-telemetry.ts";
export { createWorker, type Worker, type WorkerOptions } from "./engine/worker.ts";
export type { AttemptMeter } from "./wire/meter.ts";
export { unmetered } from "./wire/unmetered.ts";
export { createDesk, type Desk, type DeskOptions, type ListFilter, type ListPage } from "./desk/desk.ts";
export type {
  ApprovalRequest,
  CancelRequest,
  CorrectionRequest,
  EventRequest,
  NoteRequest,
  PauseRequest,
  PersonRequest,
  PlannedRequest,
  ResumeRequest,
} from "./desk/acts.ts";
export type { AccessProbe, AccessReply, AccessRequest } from "./desk/access.ts";
export type { ConfirmRequest, RedoRequest, RuleOutRequest } from "./desk/vouching.ts";
export type {
  AttemptView,
  CaseLine,
  CaseView,
  HistoryEntry,
  LastErrorView,
  RepairView,
  RequestsView,
  StepView,
  WaitView,
} from "./desk/case-view.ts";
export type { ConfirmedAction } from "./desk/confirmed-actions.ts";
export type { AssignRequest, HandOverRequest } from "./desk/assigning.ts";
export type { LayersView } from "./desk/attempt-layers.ts";
export type { ActReply } from "./desk/change.ts";
export type {
  ArrivedEvent,
  CorrectionView,
  ErrorInWords,
  NextCheck,
  PrerequisiteView,
  ReviewPacket,
  ReviewView,
} from "./desk/packet.ts";
export type { BulkFilter, BulkMove, BulkOrder, BulkPreview, BulkRequest, BulkView } from "./desk/bulk.ts";
export type { BulkRunner } from "./desk/bulk-run.ts";
export type { MarkRequest, ProblemFilter, ProblemsView, ProblemView } from "./desk/problems.ts";
export type { BulkAct, BulkItem } from "./store/bulk-port.ts";
export type { FormsView } from "./desk/preview.ts";
export type { LapsePreview, MovePreview, PreviewRequest } from "./desk/move-preview.ts";
export type { Person, Who } from "./desk/requests.ts";
export type { SendPreview } from "./desk/send-preview.ts";
export type { CheckRequest, SkipRequest } from "./desk/step-orders.ts";
export { MOVE_NAMES, MOVES, type MoveName, type MoveRule } from "./core/move-names.ts";
export type { JsonChange } from "./core/json-diff.ts";
export type { JsonSchemaReading } from "./define/json-schema.ts";
export type { DefinitionStanding } from "./desk/definition.ts";
export type { Holding } from "./desk/holding.ts";
export type { HasRight, MoveView } from "./desk/moves-view.ts";
export type { HolderView, NoWorkerNotice, Overview, TypeOverview } from "./desk/overview.ts";
export type { ConditionView, PlannedStepView, PlanView } from "./desk/plan-view.ts";
export type { OpenedRepair, OpenRequest, RepairLife, TakeOverRequest } from "./desk/repairs.ts";
export type { StartedCase, StartOptions } from "./desk/start.ts";
export type { Ports } from "./core/ports.ts";
export type { Store, StoredCase } from "./store/port.ts";
export type { Entry, JournalEntry } from "./core/journal.ts";
