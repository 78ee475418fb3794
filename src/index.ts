/** What the package `foothold` offers. */

export {
  FootholdError,
  isFootholdError,
  type ErrorCode,
  type ErrorDetails,
  type FieldFault,
} from "./core/errors.ts";
export type { ConditionAnswer } from "./core/journal.ts";
export type { Json, JsonObject } from "./core/json.ts";
export {
  broken,
  cannotTell,
  didNotHappen,
  happened,
  holds,
  type CannotTell,
  type CheckReply,
  type DidNotHappen,
  type Happened,
} from "./define/answers.ts";
export { defineCase, type CaseOptions } from "./define/builder.ts";
export type {
  CaseType,
  CheckContext,
  ConditionReply,
  EventsView,
  EventView,
  Facts,
  ProbeContext,
  RunContext,
} from "./define/case-type.ts";
export type { CaseDefinition } from "./define/definition.ts";
export {
  defineDestination,
  type Destination,
  type DestinationOptions,
  type Idempotency,
  type RetryOptions,
} from "./define/destination.ts";
export { parseDuration, type Duration } from "./define/duration.ts";
export type { Jsonify } from "./define/jsonify.ts";
export { probe, type Probe, type ProbeOptions } from "./define/probe.ts";
export { registryOf, type Registry } from "./define/registry.ts";
export { expectOk, ResponseError, type ResponseLike } from "./triage/response.ts";
