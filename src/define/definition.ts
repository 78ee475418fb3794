/** A case type while it is written, as authors see it. Types only; builder.ts makes the values. */

import type { ChildCanceledPolicy } from "../core/outline.ts";
import type { CaseType, Facts } from "./case-type.ts";
import type { Jsonify } from "./jsonify.ts";
import type {
  CaseParts,
  EventType,
  FreeName,
  LastStep,
  NoSteps,
  StepName,
  StepParts,
  StepScope,
  WithStep,
} from "./shape.ts";
import type {
  ApprovalOptions,
  Approved,
  AwaitedEvent,
  ChildOptions,
  ChildResult,
  EachChildOptions,
  EachOptions,
  NoRequest,
  MaybeResult,
  PollOptions,
  ResultsByKey,
  SendOptions,
  SleepOptions,
  WaitForEventOptions,
} from "./step-options.ts";

/**
 * A case type, and the way to its next step. It is immutable: each method gives a new case type with one step more.
 * `Last` is the step before, which the next one follows unless its `after` says otherwise. It is checked when it is
 * loaded or its `outline` is first read: a faulty one throws `INVALID_DEFINITION` with all its faults.
 */
export interface CaseDefinition<
  Parts extends CaseParts,
  Steps extends StepParts = NoSteps,
  Last extends string = never,
> extends CaseType<Parts["start"], null> {
  /** Adds a step that sends to a destination. */
  step<
    const Name extends string,
    Returned,
    Output = Returned,
    Request = NoRequest,
    After extends StepName<Steps> = LastStep<Steps, Last>,
    When extends string = never,
  >(
    name: FreeName<Steps, Name>,
    options: SendOptions<Parts, Steps, Name, After, Request, Returned, Output, When>,
  ): CaseDefinition<Parts, WithStep<Steps, Name, MaybeResult<When, Jsonify<Output>>, NoInfer<After>>, Name>;

  /**
   * Adds a step for every item of a list, some of them side by side. Its result has theirs by key. Each is a step of its own,
   * such as `lines[7]`; one that goes to review leaves the others alone.
   */
  each<
    const Name extends string,
    Item,
    Returned,
    Output = Returned,
    Request = NoRequest,
    After extends StepName<Steps> = LastStep<Steps, Last>,
    When extends string = never,
  >(
    name: FreeName<Steps, Name>,
    options: EachOptions<Parts, Steps, Name, After, Item, Request, Returned, Output, When>,
  ): CaseDefinition<
    Parts,
    WithStep<Steps, Name, MaybeResult<When, ResultsByKey<Jsonify<Output>>>, NoInfer<After>>,
    Name
  >;

  /**
   * Adds a step that starts a case of another type and waits for its end. Its result is what that case gives. It is started
   * once, whatever crashes meanwhile; canceling this case cancels it first.
   */
  child<
    const Name extends string,
    Given,
    Gives,
    OnCanceled extends ChildCanceledPolicy = "review",
    After extends StepName<Steps> = LastStep<Steps, Last>,
    When extends string = never,
  >(
    name: FreeName<Steps, Name>,
    options: ChildOptions<Parts, Steps, Name, After, Given, Gives, OnCanceled, When>,
  ): CaseDefinition<
    Parts,
    WithStep<Steps, Name, MaybeResult<When, ChildResult<Gives, OnCanceled>>, NoInfer<After>>,
    Name
  >;

  /** Adds a step that starts a case of another type for every item of a list, some of them side by side, as `each` does. */
  eachChild<
    const Name extends string,
    Item,
    Given,
    Gives,
    OnCanceled extends ChildCanceledPolicy = "review",
    After extends StepName<Steps> = LastStep<Steps, Last>,
    When extends string = never,
  >(
    name: FreeName<Steps, Name>,
    options: EachChildOptions<Parts, Steps, Name, After, Item, Given, Gives, OnCanceled, When>,
  ): CaseDefinition<
    Parts,
    WithStep<Steps, Name, MaybeResult<When, ResultsByKey<ChildResult<Gives, OnCanceled>>>, NoInfer<After>>,
    Name
  >;

  /**
   * Says what a case gives whoever started it, once every step stands: pure and synchronous. It ends the definition.
   * Default: null.
   */
  result<Given>(
    give: (facts: Facts<StepScope<Parts, Steps, never, StepName<Steps>>>) => Given,
  ): CaseType<Parts["start"], Jsonify<Given>>;

  /** Adds a step that a person answers. */
  approval<
    const Name extends string,
    Form = null,
    After extends StepName<Steps> = LastStep<Steps, Last>,
    When extends string = never,
  >(
    name: FreeName<Steps, Name>,
    options: ApprovalOptions<Parts, Steps, Name, After, Form, When>,
  ): CaseDefinition<
    Parts,
    WithStep<Steps, Name, MaybeResult<When, Approved<Jsonify<Form>>>, NoInfer<After>>,
    Name
  >;

  /**
   * Adds a step that waits for an event. Its result is the event's payload; where it waits for the first of several, it is
   * `{ event, payload }`.
   */
  waitForEvent<
    const Name extends string,
    const Awaited extends EventType<Parts> | readonly EventType<Parts>[],
    After extends StepName<Steps> = LastStep<Steps, Last>,
    When extends string = never,
  >(
    name: FreeName<Steps, Name>,
    options: WaitForEventOptions<Parts, Steps, Name, After, Awaited, When>,
  ): CaseDefinition<
    Parts,
    WithStep<Steps, Name, MaybeResult<When, AwaitedEvent<Parts, Awaited>>, NoInfer<After>>,
    Name
  >;

  /**
   * Adds a step that looks again and again whether a destination has something, until it has. Its result is what was found.
   * It spends no attempts, and nothing holds the case from one look to the next.
   */
  poll<
    const Name extends string,
    Result,
    Output = Result,
    After extends StepName<Steps> = LastStep<Steps, Last>,
    When extends string = never,
  >(
    name: FreeName<Steps, Name>,
    options: PollOptions<Parts, Steps, Name, After, Result, Output, When>,
  ): CaseDefinition<Parts, WithStep<Steps, Name, MaybeResult<When, Jsonify<Output>>, NoInfer<After>>, Name>;

  /** Adds a step that waits for time to pass. Its result is null. */
  sleep<
    const Name extends string,
    After extends StepName<Steps> = LastStep<Steps, Last>,
    When extends string = never,
  >(
    name: FreeName<Steps, Name>,
    options: SleepOptions<Parts, Steps, Name, After, When>,
  ): CaseDefinition<Parts, WithStep<Steps, Name, MaybeResult<When, null>, NoInfer<After>>, Name>;
}
