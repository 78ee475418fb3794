/**
 * What `defineCase` makes and the engine runs: the pure outline, and the author's functions by step. Functions take
 * and give JSON values; the builder's types (builder.ts) sit in front of them.
 */

import type { CheckAnswer, ConditionAnswer } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import type { FieldFault } from "../core/errors.ts";
import type {
  ApprovalStepOutline,
  CaseOutline,
  SendStepOutline,
  SleepStepOutline,
  WaitForEventStepOutline,
} from "../core/outline.ts";

/** Checks a value against a schema. */
export type Validation =
  | { readonly kind: "valid"; readonly value: Json }
  | { readonly kind: "invalid"; readonly faults: readonly FieldFault[] };

/** A schema, from any Standard Schema. Never throws for a bad value; `value` is what the schema's output is as JSON. */
export type Validate = (value: unknown) => Promise<Validation>;

/** The events of a case as its conditions see them: only applied ones, oldest first. */
export interface EventsView {
  /** The newest event of a type; with `after`, only one later than that step's current confirmation. Null when there is none. */
  latest(eventType: string, options?: { readonly after?: string }): EventView | null;
  all(eventType: string): readonly EventView[];
}

/** One event. */
export interface EventView {
  readonly payload: Json;
  readonly sourceId: string;
  readonly receivedAt: number;
}

/** The facts that pure functions of a definition see. */
export interface Facts {
  readonly caseId: string;
  readonly input: Json;
  /** Results of confirmed steps by name; a step that is not confirmed is absent. */
  readonly results: { readonly [step: string]: Json };
  readonly events: EventsView;
}

/** What a probe is given. */
export interface ProbeContext extends Facts {
  readonly signal: AbortSignal;
}

/** What `run` is given. */
export interface RunContext extends Facts {
  /** What `request` gave, decoded from the journal; undefined where the step has no `request`. */
  readonly request: Json | undefined;
  readonly idempotencyKey: string;
  readonly fencingToken: number;
  readonly attempt: number;
  /** Aborts at the send's deadline, when the claim can no longer be trusted, and on a forced stop. */
  readonly signal: AbortSignal;
}

/** What `check` is given. */
export interface CheckContext extends Facts {
  readonly request: Json | undefined;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

/** A condition's function. `true` or undefined = holds, `false` = broken; or a full answer. */
export type ConditionReply = boolean | ConditionAnswer | undefined;

/** A condition of a step, with its function. A fact is called with facts only and is synchronous. */
export type RuntimeCondition =
  | { readonly kind: "fact"; readonly name: string; readonly holds: (facts: Facts) => ConditionReply }
  | {
      readonly kind: "probe";
      readonly name: string;
      readonly ask: (context: ProbeContext) => Promise<ConditionReply>;
    };

interface RuntimeStepCommon {
  readonly requires: readonly RuntimeCondition[];
}

/** A step that sends, with its functions. */
export interface RuntimeSendStep extends RuntimeStepCommon {
  readonly kind: "step";
  readonly outline: SendStepOutline;
  readonly before: readonly RuntimeCondition[];
  readonly request: ((facts: Facts) => Json) | null;
  /** What it returns is the step's result. */
  readonly run: (context: RunContext) => Promise<unknown>;
  readonly check: ((context: CheckContext) => Promise<CheckAnswer>) | null;
}

/** An approval, with its form. */
export interface RuntimeApprovalStep extends RuntimeStepCommon {
  readonly kind: "approval";
  readonly outline: ApprovalStepOutline;
  /** Null = the answer carries no form. */
  readonly form: Validate | null;
}

/** A wait for an event. */
export interface RuntimeWaitForEventStep extends RuntimeStepCommon {
  readonly kind: "waitForEvent";
  readonly outline: WaitForEventStepOutline;
}

/** A sleep. */
export interface RuntimeSleepStep extends RuntimeStepCommon {
  readonly kind: "sleep";
  readonly outline: SleepStepOutline;
}

/** A step with its functions. */
export type RuntimeStep = RuntimeSendStep | RuntimeApprovalStep | RuntimeWaitForEventStep | RuntimeSleepStep;

/** A loaded case type. `Input` is what a start takes (a type only, never a value). */
export interface CaseType<Input = never> {
  readonly outline: CaseOutline;
  readonly input: Validate;
  readonly events: { readonly [eventType: string]: Validate };
  readonly steps: { readonly [step: string]: RuntimeStep };
  /** Type only. */
  readonly __input?: Input;
}
