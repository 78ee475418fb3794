/**
 * What `defineCase` makes and the engine runs: the pure outline, and the author's functions by step. Functions take
 * and give JSON values; the types that authors see (definition.ts) sit in front of them.
 */

import type { CheckAnswer, ConditionAnswer, LookAnswer } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import type { FieldFault } from "../core/errors.ts";
import type { Transaction } from "../core/ports.ts";
import type { Sorter } from "../core/seen-failure.ts";
import type { DestinationCalls, StepDispatcher } from "./destination-calls.ts";
import type {
  ApprovalStepOutline,
  CaseOutline,
  EachStepOutline,
  PollStepOutline,
  SendStepOutline,
  SleepStepOutline,
  WaitForEventStepOutline,
} from "../core/outline.ts";
import type { JsonSchemaReading } from "./json-schema.ts";
import type { CaseMasks } from "./case-masks.ts";

/** What checking a value against a schema gave. */
export type Validation =
  /** What the schema made of it (defaults applied, values transformed), as JSON. */
  | { readonly kind: "valid"; readonly value: Json }
  /** `cause` is what the schema threw, where it threw instead of answering. */
  | { readonly kind: "invalid"; readonly faults: readonly FieldFault[]; readonly cause?: unknown };

/** A schema, from any Standard Schema. Never throws and never rejects, whatever the value and whatever the schema does. */
export interface Validate {
  (value: unknown): Promise<Validation>;
  /** What a form for such a value can be made of; left out where no schema stands behind it. */
  readonly jsonSchema?: () => JsonSchemaReading;
}

/**
 * What the functions of one step can see, as types. The builder fills it in from the schemas and from the steps before;
 * the engine knows only {@link JsonScope}.
 */
export interface Scope {
  /** The case's input as it comes back from storage. */
  readonly input: unknown;
  /** Results by step. */
  readonly results: object;
  /** Payloads by event type. */
  readonly events: object;
  /** Steps whose confirmation an event can be later than. */
  readonly confirmed: string;
}

/** A scope of which only JSON is known. */
export interface JsonScope extends Scope {
  readonly input: Json;
  readonly results: { readonly [step: string]: Json };
  readonly events: { readonly [eventType: string]: Json };
  readonly confirmed: string;
}

/** The events of a case as its conditions see them: only applied ones, oldest first. */
export interface EventsView<Seen extends Scope = JsonScope> {
  /** The newest event of a type; with `after`, only one later than that step's current confirmation. Null when there is none. */
  latest<Type extends keyof Seen["events"] & string>(
    eventType: Type,
    options?: { readonly after?: Seen["confirmed"] },
  ): EventView<Seen["events"][Type]> | null;
  /** Every event of a type, oldest first. */
  all<Type extends keyof Seen["events"] & string>(
    eventType: Type,
  ): readonly EventView<Seen["events"][Type]>[];
}

/** One event. */
export interface EventView<Payload = Json> {
  readonly payload: Payload;
  readonly sourceId: string;
  readonly receivedAt: number;
}

/** The facts that pure functions of a definition see. */
export interface Facts<Seen extends Scope = JsonScope> {
  readonly caseId: string;
  readonly input: Seen["input"];
  /** Results of confirmed steps by name; a step that is not confirmed is absent. */
  readonly results: Seen["results"];
  readonly events: EventsView<Seen>;
}

/** What a probe is given. */
export interface ProbeContext<Seen extends Scope = JsonScope> extends Facts<Seen> {
  /** Aborts at the probe's deadline, when the claim can no longer be trusted, and on a forced stop. */
  readonly signal: AbortSignal;
}

/** What `run` is given. */
export interface RunContext<Seen extends Scope = JsonScope, Request = Json | undefined> extends Facts<Seen> {
  /** What `request` gave, decoded from the journal; undefined where the step has no `request`. */
  readonly request: Request;
  readonly idempotencyKey: string;
  /** Rises with every send of the case; for a destination that compares it. */
  readonly fencingToken: number;
  /** Tells this request from any other one: keep it with the effect where the destination has room for it. */
  readonly fingerprint: string;
  /** What `version` gave, for the condition of the write; an empty text where the step has no `version`. */
  readonly version: string;
  /** Writes to the engine's own database, where the destination is `{ by: "transaction" }`; elsewhere it refuses. */
  readonly transaction: Transaction;
  readonly attempt: number;
  /** Aborts at the send's deadline, when the claim can no longer be trusted, and on a forced stop. */
  readonly signal: AbortSignal;
  /**
   * `fetch` for this attempt: what it sends is counted as the attempt's own, whatever queue it goes through, carries the
   * attempt's signal, and is refused (`REQUEST_REFUSED` as the cause of the rejection) where the same request may not
   * be sent again. Also for SDKs that take a fetch.
   */
  readonly fetch: typeof globalThis.fetch;
  /** The same for a dispatcher of undici: give what comes back to the client, or to RetryAgent around it. */
  readonly dispatcher: <Dispatcher extends StepDispatcher>(over: Dispatcher) => Dispatcher;
}

/** What `undo` is given, beside what `run` is: what it takes back. */
export interface UndoneEffect<Request = Json | undefined, Result = Json> {
  /** What was sent; undefined where the step has no `request`. */
  readonly request: Request;
  readonly result: Result;
  readonly evidence: Json;
}

/** What `check` is given. */
export interface CheckContext<
  Seen extends Scope = JsonScope,
  Request = Json | undefined,
> extends Facts<Seen> {
  readonly request: Request;
  readonly idempotencyKey: string;
  /** Of the request whose effect is looked for. */
  readonly fingerprint: string;
  /** At a `fence`: raise it to this token with the question, so that nothing still under way can be executed later. */
  readonly fencingToken: number;
  readonly signal: AbortSignal;
}

/** What a condition's function gives: true = holds, false = broken; or a full answer. */
export type ConditionReply = boolean | ConditionAnswer;

/** A condition of a step, with its function. A fact is called with facts only and is synchronous. */
export type RuntimeCondition =
  | { readonly kind: "fact"; readonly name: string; readonly holds: (facts: Facts) => ConditionReply }
  | {
      readonly kind: "probe";
      readonly name: string;
      readonly ask: (context: ProbeContext) => Promise<ConditionReply>;
    };

interface RuntimeStepCommon {
  readonly when: readonly RuntimeCondition[];
  readonly requires: readonly RuntimeCondition[];
}

/** A step that sends, with its functions. */
export interface RuntimeSendStep extends RuntimeStepCommon {
  readonly kind: "step";
  readonly outline: SendStepOutline;
  readonly before: readonly RuntimeCondition[];
  /** Pure. Throws what the author's function throws, and `INVALID_DEFINITION` when it gave something that is no JSON. */
  readonly request: ((facts: Facts) => Json) | null;
  /** What it returns, as JSON, is the step's result. */
  readonly run: (context: RunContext, undone?: UndoneEffect) => Promise<unknown>;
  /**
   * What the result must match, whether `run` returned it or `check` found it; it sees JSON. The engine validates,
   * because the effect happened by then: a mismatch makes the result unreadable (R11), never the attempt failed.
   * Null = any JSON.
   */
  readonly result: Validate | null;
  readonly check: ((context: CheckContext, undone?: UndoneEffect) => Promise<CheckAnswer>) | null;
  /** The step that takes its effect back. */
  readonly undo: RuntimeSendStep | null;
  /** The destination's own sorters for what it throws. */
  readonly sorters: readonly Sorter[];
  /** True where it sends over HTTP alone: an attempt that began no request sent nothing. */
  readonly isHttpAlone: boolean;
}

/** One item of an `each`, as JSON, with the key that names it. */
export interface EachItem {
  readonly item: Json;
  readonly key: string;
}

/** A step for every key, with its functions. */
export interface RuntimeEachStep extends RuntimeStepCommon {
  readonly kind: "each";
  readonly outline: EachStepOutline;
  /** The items now. Throws what the author's functions throw, and `INVALID_DEFINITION` for what are no items. */
  readonly items: (facts: Facts) => readonly EachItem[];
  /** The step of one key. */
  readonly part: (key: string) => RuntimeSendStep;
}

/** An approval, with its form. */
interface RuntimeApprovalStep extends RuntimeStepCommon {
  readonly kind: "approval";
  readonly outline: ApprovalStepOutline;
  /** Null = the answer carries no form. */
  readonly form: Validate | null;
}

/** A wait for an event. */
interface RuntimeWaitForEventStep extends RuntimeStepCommon {
  readonly kind: "waitForEvent";
  readonly outline: WaitForEventStepOutline;
}

/** A poll, with its functions. */
export interface RuntimePollStep extends RuntimeStepCommon {
  readonly kind: "poll";
  readonly outline: PollStepOutline;
  readonly look: (context: ProbeContext) => Promise<LookAnswer>;
  /** What it finds must match; null = any JSON. */
  readonly result: Validate | null;
}

/** A sleep. */
interface RuntimeSleepStep extends RuntimeStepCommon {
  readonly kind: "sleep";
  readonly outline: SleepStepOutline;
}

/** A step with its functions. */
export type RuntimeStep =
  | RuntimeSendStep
  | RuntimeEachStep
  | RuntimeApprovalStep
  | RuntimeWaitForEventStep
  | RuntimePollStep
  | RuntimeSleepStep;

/** What a case type says of an event beside its schema. Its functions throw for a payload that is not as they need it. */
export interface EventRule {
  /** The key of the case that an event belongs to; null = only the sender knows. */
  readonly correlate: ((payload: Json) => string | null) | null;
  readonly order:
    | { readonly by: "arrival" }
    | {
        readonly by: "version";
        readonly version: (payload: Json) => number | string;
        /** What is counted apart. */
        readonly of: (payload: Json) => string;
      }
    | { readonly by: "hold"; readonly after: string; readonly withinMs: number };
}

/** A loaded case type. `Input` is what a start takes, `Gives` what a case gives (types only, never values). */
export interface CaseType<Input = unknown, Gives = unknown> {
  readonly outline: CaseOutline;
  readonly input: Validate;
  readonly events: { readonly [eventType: string]: Validate };
  readonly eventRules: { readonly [eventType: string]: EventRule };
  /** Further keys by which events find a case, beside its business key; null = none. Pure. */
  readonly keys: ((facts: Facts) => readonly string[]) | null;
  /** What cases are worked on together by, from the input; null = nothing. As the author wrote it: it may throw or give anything. */
  readonly concurrencyKey: ((input: Json) => unknown) | null;
  /** What a case gives whoever started it, once every step stands; null = nothing. Pure. */
  readonly resultOf: ((facts: Facts) => Json) | null;
  readonly steps: { readonly [step: string]: RuntimeStep };
  /** What people see as a mark; destinations have theirs beside it. */
  readonly masks: CaseMasks;
  /** The functions of every destination that it sends to or asks, by name. */
  readonly destinations: { readonly [destination: string]: DestinationCalls };
  /** Type only. */
  readonly __input?: Input;
  /** Type only. */
  readonly __gives?: Gives;
}
