/**
 * What the compiler knows of a case type while it is written: its given parts, and the steps so far, to which every
 * step adds its name, its result and the steps it follows. Types only.
 */

import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Scope } from "./case-type.ts";
import type { EventDefinition } from "./event.ts";
import type { Jsonify } from "./jsonify.ts";

/** The parts of a case type that no step changes. */
export interface CaseParts {
  /** What a start takes. */
  readonly start: unknown;
  /** The input as it comes back from storage. */
  readonly input: unknown;
  /** Payloads by event type, as they come back from storage. */
  readonly events: object;
}

/** What is known of one step. */
interface StepPart {
  /** Its result as it comes back from storage. */
  readonly result: unknown;
  /** Names of all steps it follows, directly or through others. */
  readonly follows: string;
}

/** The steps so far, by name. */
export interface StepParts {
  readonly [step: string]: StepPart;
}

/** No step yet. */
export type NoSteps = { readonly [Step in never]: StepPart };

/** The steps so far and one more. */
export type WithStep<Steps extends StepParts, Name extends string, Result, After extends string> = Steps & {
  readonly [Step in Name]: { readonly result: Result; readonly follows: Followed<Steps, After> };
};

/** Schemas of events by type, some with more said of them. */
export interface EventSchemas {
  readonly [eventType: string]: StandardSchemaV1 | EventDefinition;
}

/** The schema of an event as given. */
type SchemaOf<Event> =
  Event extends EventDefinition<infer Schema> ? Schema : Event extends StandardSchemaV1 ? Event : never;

/** What a schema's output is after it was stored and read back. */
type Stored<Schema extends StandardSchemaV1> = Jsonify<StandardSchemaV1.InferOutput<Schema>>;

/** The parts of a case type with these schemas. */
export interface CasePartsOf<Input extends StandardSchemaV1, Events extends EventSchemas> extends CaseParts {
  readonly start: StandardSchemaV1.InferInput<Input>;
  readonly input: Stored<Input>;
  readonly events: { readonly [Type in keyof Events]: Stored<SchemaOf<Events[Type]>> };
}

/** The names of the steps so far. */
export type StepName<Steps extends StepParts> = Extract<keyof Steps, string>;

/** What `after` means where it is left out: the step before. */
export type LastStep<Steps extends StepParts, Last extends string> = Extract<Last, StepName<Steps>>;

/** All steps that a step with this `after` follows, directly or through others. */
type Followed<Steps extends StepParts, After extends string> = After | Steps[After]["follows"];

/** The names of the input's top-level fields. */
export type InputField<Parts extends CaseParts> = FieldName<Parts["input"]>;

/** Distributes over unions: a field of any member may be named. */
type FieldName<Input> = Input extends unknown ? Extract<keyof Input, string> : never;

/** The event types of the case type. */
export type EventType<Parts extends CaseParts> = Extract<keyof Parts["events"], string>;

/** A name that no step has yet; any other is a compile error that says so. Names known only at run time pass. */
export type FreeName<Steps extends StepParts, Name extends string> = string extends Name | keyof Steps
  ? Name
  : Name extends keyof Steps
    ? `"${Name}" is the name of an earlier step: give each step its own`
    : Name;

/** What the functions of a step see: the results of the steps it follows. */
export interface StepScope<
  Parts extends CaseParts,
  Steps extends StepParts,
  Name extends string,
  After extends string,
> extends Scope {
  readonly input: Parts["input"];
  readonly results: { readonly [Step in Followed<Steps, After>]: Steps[Step]["result"] };
  readonly events: Parts["events"];
  readonly confirmed: Followed<Steps, After> | Name;
}

/**
 * What a probe sees: all steps before, also where `after` names fewer, because the compiler types a call inside an
 * options object before it knows `after`. Reading the result of a step that is not followed throws and says so.
 */
export interface ProbeScope<
  Parts extends CaseParts,
  Steps extends StepParts,
  Name extends string,
> extends Scope {
  readonly input: Parts["input"];
  readonly results: { readonly [Step in StepName<Steps>]: Steps[Step]["result"] };
  readonly events: Parts["events"];
  readonly confirmed: StepName<Steps> | Name;
}
