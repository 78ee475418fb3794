/** The options of each kind of step, as authors write them. Types only; read-steps.ts reads them. */

import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { CannotTell, CheckReply, Found, NotYet } from "./answers.ts";
import type { ChildCanceledPolicy } from "../core/outline.ts";
import type {
  CaseType,
  CheckContext,
  ConditionReply,
  Facts,
  ProbeContext,
  RunContext,
  Scope,
  UndoneEffect,
} from "./case-type.ts";
import type { Destination } from "./destination.ts";
import type { Duration } from "./duration.ts";
import type { RunElsewhere } from "./elsewhere.ts";
import type { Jsonify } from "./jsonify.ts";
import type { Probe } from "./probe.ts";
import type { CaseParts, EventType, InputField, ProbeScope, StepParts, StepScope } from "./shape.ts";

/** A condition decided from the journal: a pure, synchronous function. */
type FactCondition<Seen extends Scope> = (facts: Facts<Seen>) => ConditionReply;

/** Conditions by name. The name is what people read: "approval still stands". */
interface Conditions<
  Parts extends CaseParts,
  Steps extends StepParts,
  Name extends string,
  After extends string,
> {
  readonly [condition: string]:
    FactCondition<StepScope<Parts, Steps, Name, After>> | Probe<ProbeScope<Parts, Steps, Name>>;
}

/** What later steps see of a step's result: nothing, where conditions of `when` may have passed it over. */
export type MaybeResult<Condition extends string, Result> = [Condition] extends [never]
  ? Result
  : Result | undefined;

/** What every kind of step takes. */
interface CommonOptions<
  Parts extends CaseParts,
  Steps extends StepParts,
  Name extends string,
  After extends string,
  When extends string,
> {
  /**
   * The names that the step had before, in earlier definitions: what a case did under one of them stands for this step. Keep
   * them as long as there are open cases from before. Default: none.
   */
  readonly formerly?: readonly string[];
  /** Steps that must stand before this one goes on. Default: the step before; the first follows none. */
  readonly after?: readonly After[];
  /**
   * What makes the step needed, by name. They are decided once the step could begin: where one does not hold, the step is
   * passed over with that name as the reason on record, and those that follow go on without a result of it. Where a
   * correction makes it needed, it is done then. Default: always.
   */
  readonly when?: { readonly [Condition in When]: FactCondition<StepScope<Parts, Steps, Name, After>> };
  /** Conditions that must hold before it goes on, and must still hold for its confirmation to stand. */
  readonly requires?: Conditions<Parts, Steps, Name, After>;
  /** The input fields it rests on: a correction of others does not lapse it. Default: the whole input. */
  readonly uses?: readonly InputField<Parts>[];
}

/** A step that sends to a destination. Write `request` before `run`, so that `run` knows the request's type. */
export interface SendOptions<
  Parts extends CaseParts,
  Steps extends StepParts,
  Name extends string,
  After extends string,
  Request,
  Returned,
  Output,
  When extends string,
> extends CommonOptions<Parts, Steps, Name, After, When> {
  /** Where it sends to. */
  readonly to: Destination;
  /** Conditions asked once, before sending. */
  readonly before?: Conditions<Parts, Steps, Name, After>;
  /** What to send: pure and synchronous. Journaled, and given to every attempt as it was the first time. */
  readonly request?: (facts: Facts<StepScope<Parts, Steps, Name, After>>) => Request;
  /** Sends. What it returns is the step's result; what it throws is sorted into why it failed and whether it happened. */
  readonly run: (
    context: RunContext<StepScope<Parts, Steps, Name, After>, Requested<Request>>,
  ) => Promise<Returned> | Returned;
  /** Asks the destination whether it happened. The result it found is what `run` would have returned. */
  readonly check?:
    | ((
        context: CheckContext<StepScope<Parts, Steps, Name, After>, Requested<Request>>,
      ) => Promise<CheckReply<NoInfer<Returned>>> | CheckReply<NoInfer<Returned>>)
    | RunElsewhere;
  /**
   * Reads the version (an ETag) that the write is conditional on; for destinations with `{ by: "if-match" }`. It must
   * change nothing outside; what it throws counts as "cannot tell", and is asked again.
   */
  readonly version?: (
    context: ProbeContext<StepScope<Parts, Steps, Name, After>>,
  ) => Promise<string> | string;
  /**
   * What is done when a correction or another result of an earlier step makes the confirmation lapse: `recheck` asks
   * `check` whether what is there is what is wanted now; `redo` sends again, as a new effect; `undo` takes the effect back
   * first; `review` leaves it to a person. Default `review`.
   */
  readonly onLapse?: "recheck" | "redo" | "undo" | "review";
  /** Takes the step's effect back. */
  readonly undo?: UndoOptions<
    StepScope<Parts, Steps, Name, After>,
    Requested<Request>,
    Jsonify<NoInfer<Returned>>
  >;
  /** What the result must match; the schema's output is the result. A mismatch goes to review and is never sent again. */
  readonly result?: StandardSchemaV1<unknown, Output>;
  /** Paths of the result that people see as a mark until one of them reveals it. Default: none. */
  readonly masked?: readonly string[];
  /** How long one send may take: at most 10 min. Default 30 s. */
  readonly deadline?: Duration;
}

/** The results of an `each` by key. An alias, so that it is plain JSON. */
export type ResultsByKey<Result> = { readonly [key: string]: Result };

/** One of the items, as JSON. */
interface Itemed<Item> {
  readonly item: Jsonify<Item>;
  /** What `key` gave for it. */
  readonly key: string;
}

/** A step for every item of a list. Write `items` first, so that the others know what an item is. */
export interface EachOptions<
  Parts extends CaseParts,
  Steps extends StepParts,
  Name extends string,
  After extends string,
  Item,
  Request,
  Returned,
  Output,
  When extends string,
> extends CommonOptions<Parts, Steps, Name, After, When> {
  /** The items: pure and synchronous, at most 500. Their keys are fixed when the step begins. */
  readonly items: (facts: Facts<StepScope<Parts, Steps, Name, After>>) => readonly Item[];
  /** Names an item, each differently: 1 to 40 letters, digits, `_`, `-`, `.` or `:`. It is part of the idempotency key. */
  readonly key: (item: Jsonify<NoInfer<Item>>) => string;
  /** How many are under way at once, 1 to 100. Default 10. */
  readonly atOnce?: number;
  /** True = a key begins only once every one ahead of it stands. Default: they begin side by side. Not with `atOnce`. */
  readonly inOrder?: boolean;
  /** Where it sends to. */
  readonly to: Destination;
  /** What to send for one item: pure and synchronous. Journaled, and given to every attempt as it was the first time. */
  readonly request?: (facts: Facts<StepScope<Parts, Steps, Name, After>> & Itemed<NoInfer<Item>>) => Request;
  /** Sends for one item. What it returns is the result of that key. */
  readonly run: (
    context: RunContext<StepScope<Parts, Steps, Name, After>, Requested<Request>> & Itemed<NoInfer<Item>>,
  ) => Promise<Returned> | Returned;
  /** Asks the destination whether it happened for one item. */
  readonly check?:
    | ((
        context: CheckContext<StepScope<Parts, Steps, Name, After>, Requested<Request>> &
          Itemed<NoInfer<Item>>,
      ) => Promise<CheckReply<NoInfer<Returned>>> | CheckReply<NoInfer<Returned>>)
    | RunElsewhere;
  /** Reads the version that the write of one item is conditional on, as for a step. */
  readonly version?: (
    context: ProbeContext<StepScope<Parts, Steps, Name, After>> & Itemed<NoInfer<Item>>,
  ) => Promise<string> | string;
  /** As for a step, for each key. Default `review`. */
  readonly onLapse?: "recheck" | "redo" | "undo" | "review";
  /** Takes the effect of one key back. */
  readonly undo?: UndoOptions<
    StepScope<Parts, Steps, Name, After>,
    Requested<Request>,
    Jsonify<NoInfer<Returned>>
  >;
  /** What the result of one key must match. */
  readonly result?: StandardSchemaV1<unknown, Output>;
  /** Paths of the result of one key that people see as a mark until one of them reveals it. Default: none. */
  readonly masked?: readonly string[];
  /** How long one send may take: at most 10 min. Default 30 s. */
  readonly deadline?: Duration;
}

/** What a step with a child says of it, whether it has one or one for every key. */
interface ChildCommon<Given, Gives, OnCanceled extends ChildCanceledPolicy> {
  /** The case type, or its name. It must be loaded wherever this one is. */
  readonly of: CaseType<Given, Gives> | string;
  /**
   * What becomes of this case where somebody else canceled the child: `review` leaves it to a person, who resumes it with
   * another child, leaves it out or cancels; `cancel` cancels this case too; `result` goes on, and the result is
   * `{ outcome: "done", result }` or `{ outcome: "canceled", reason }`. Default `review`.
   */
  readonly onCanceled?: OnCanceled;
  /**
   * What is done when a correction or another result of an earlier step changes what the child was started for: `undo`
   * cancels it, whether it runs or is done, and starts another; `redo` starts another once it is done; `review` leaves a
   * done one to a person. Default `review`.
   */
  readonly onLapse?: "review" | "redo" | "undo";
  /** Paths of the result that people see as a mark until one of them reveals it. Default: none. */
  readonly masked?: readonly string[];
}

/** A step that starts a case of another type, and waits for its end. */
export interface ChildOptions<
  Parts extends CaseParts,
  Steps extends StepParts,
  Name extends string,
  After extends string,
  Given,
  Gives,
  OnCanceled extends ChildCanceledPolicy,
  When extends string,
>
  extends CommonOptions<Parts, Steps, Name, After, When>, ChildCommon<Given, Gives, OnCanceled> {
  /** What the child starts with: pure and synchronous. */
  readonly input: (facts: Facts<StepScope<Parts, Steps, Name, After>>) => NoInfer<Given>;
}

/** A case of another type for every item of a list. Write `items` first, so that the others know what an item is. */
export interface EachChildOptions<
  Parts extends CaseParts,
  Steps extends StepParts,
  Name extends string,
  After extends string,
  Item,
  Given,
  Gives,
  OnCanceled extends ChildCanceledPolicy,
  When extends string,
>
  extends CommonOptions<Parts, Steps, Name, After, When>, ChildCommon<Given, Gives, OnCanceled> {
  /** The items: pure and synchronous, at most 2,000. Their keys are fixed when the step begins. */
  readonly items: (facts: Facts<StepScope<Parts, Steps, Name, After>>) => readonly Item[];
  /** Names an item, each differently: 1 to 40 letters, digits, `_`, `-`, `.` or `:`. It is part of the idempotency key. */
  readonly key: (item: Jsonify<NoInfer<Item>>) => string;
  /** How many children are there at once that have not ended, 1 to 100. Default 10. */
  readonly atOnce?: number;
  /** True = a child is started only once the step of every one ahead of it stands. Not with `atOnce`. */
  readonly inOrder?: boolean;
  /** What the child of one item starts with: pure and synchronous. */
  readonly input: (
    facts: Facts<StepScope<Parts, Steps, Name, After>> & Itemed<NoInfer<Item>>,
  ) => NoInfer<Given>;
}

/** What a step with a child gives. An alias, so that it is plain JSON. */
export type ChildResult<Gives, OnCanceled extends ChildCanceledPolicy> = OnCanceled extends "result"
  ? | { readonly outcome: "done"; readonly result: Gives }
    | { readonly outcome: "canceled"; readonly reason: string | null }
  : Gives;

/** How a step's effect is taken back: sent with the same care as the step itself. */
interface UndoOptions<Seen extends Scope, Request, Result> {
  readonly run: (context: UndoContext<Seen, Request, Result>) => unknown;
  /** Asks the destination whether the effect was taken back. */
  readonly check?:
    | ((context: UndoCheckContext<Seen, Request, Result>) => Promise<CheckReply<null>> | CheckReply<null>)
    | RunElsewhere;
  /** How long one send may take: at most 10 min. Default: as long as the step's own. */
  readonly deadline?: Duration;
}

/** What an undo is given. */
export type UndoContext<Seen extends Scope, Request, Result> = Omit<RunContext<Seen>, "request"> &
  UndoneEffect<Request, Result>;

/** What the check of an undo is given. */
export type UndoCheckContext<Seen extends Scope, Request, Result> = Omit<CheckContext<Seen>, "request"> &
  UndoneEffect<Request, Result>;

/** Stands for the request of a step that has none. */
export interface NoRequest {
  readonly " no request": never;
}

/** What `run` gets of what `request` gave; undefined where there is no `request`. */
type Requested<Request> = [Request] extends [NoRequest] ? undefined : Jsonify<Request>;

/** A step that a person answers. */
export interface ApprovalOptions<
  Parts extends CaseParts,
  Steps extends StepParts,
  Name extends string,
  After extends string,
  Form,
  When extends string,
> extends CommonOptions<Parts, Steps, Name, After, When> {
  /** The owner that it is asked of: its people may answer. */
  readonly by: string;
  /** What the answer must carry. Default: nothing. */
  readonly form?: StandardSchemaV1<unknown, Form>;
  /** Paths of the form that people see as a mark until one of them reveals it. Default: none. */
  readonly masked?: readonly string[];
  /** How long the question stands before it goes to review. Default: no limit. */
  readonly expires?: Duration;
  /** How often its owner is told again while nobody answers: at least 1 min, less than `expires`, 10 times at most. Default: never. */
  readonly remind?: Duration;
  /** Who is asked too, and may answer as well, and how long after it was asked first: less than `expires`. Default: nobody. */
  readonly escalate?: { readonly to: string; readonly after: Duration };
}

/** The result of an approval: who answered, and what the form carried. An alias, so that it is plain JSON. */
export type Approved<Form> = { readonly by: string; readonly form: Form };

/** A step that waits for an event; one that came before the wait is seen too. */
export interface WaitForEventOptions<
  Parts extends CaseParts,
  Steps extends StepParts,
  Name extends string,
  After extends string,
  Awaited extends EventType<Parts> | readonly EventType<Parts>[],
  When extends string,
> extends CommonOptions<Parts, Steps, Name, After, When> {
  /** One of the case type's `events`, or a list of 2 to 20: the first event of any of them ends the wait. */
  readonly event: Awaited;
  /** How long it waits before it goes to review. */
  readonly timeout: Duration;
}

/** The result of a wait: the payload of its event; of several, which of them came, and its payload. */
export type AwaitedEvent<
  Parts extends CaseParts,
  Awaited extends EventType<Parts> | readonly EventType<Parts>[],
> = Awaited extends readonly EventType<Parts>[]
  ? FirstOf<Parts, Awaited[number]>
  : Parts["events"][Awaited & keyof Parts["events"]];

/** One for each type, so that `event` tells which payload it is. Aliases, so that it is plain JSON. */
type FirstOf<Parts extends CaseParts, Type extends string> = Type extends keyof Parts["events"]
  ? { readonly event: Type; readonly payload: Parts["events"][Type] }
  : never;

/** A step that looks again and again whether a destination has something. */
export interface PollOptions<
  Parts extends CaseParts,
  Steps extends StepParts,
  Name extends string,
  After extends string,
  Result,
  Output,
  When extends string,
> extends CommonOptions<Parts, Steps, Name, After, When> {
  /** The system that is looked at: its retry policy bounds how often it may not be able to tell. */
  readonly of: Destination;
  /** Looks, and changes nothing outside: `found(result)`, `notYet(why)` or `cannotTell(why)`. What it throws is the last. */
  readonly look: (
    context: ProbeContext<StepScope<Parts, Steps, Name, After>>,
  ) => Promise<LookReply<Result>> | LookReply<Result>;
  /** From one look to the next: at least 1 s. Default 1 min. */
  readonly every?: Duration;
  /** How long it looks, from the moment it is reached, before it goes to review. */
  readonly timeout: Duration;
  /** How long one look may take: at most 10 min. Default 30 s. */
  readonly deadline?: Duration;
  /** What it finds must match; the schema's output is the result. */
  readonly result?: StandardSchemaV1<unknown, Output>;
  /** Paths of the result that people see as a mark until one of them reveals it. Default: none. */
  readonly masked?: readonly string[];
}

/** What `look` answers. */
type LookReply<Result> = Found<Result> | NotYet | CannotTell;

/** A step that waits for time to pass. */
export interface SleepOptions<
  Parts extends CaseParts,
  Steps extends StepParts,
  Name extends string,
  After extends string,
  When extends string,
> extends CommonOptions<Parts, Steps, Name, After, When> {
  /** How long, from the moment at which the last step it follows was confirmed. */
  readonly for: Duration;
}
