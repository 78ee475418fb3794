/** A case type whose functions are the user's own, called so that the world knows what is under way. */

import { FootholdError } from "../core/errors.ts";
import type {
  CaseType,
  ProbeContext,
  RuntimeCondition,
  RuntimeSendStep,
  RuntimeStep,
} from "../define/case-type.ts";
import type { DestinationCalls } from "../define/destination-calls.ts";
import type { UserCall } from "./current-call.ts";

/** Makes a call of the user's code. */
export type MakeCall = <T>(call: UserCall, work: () => Promise<T>) => Promise<T>;

/** The same case type, each function called through `makeCall`. */
export function watchCaseType(caseType: CaseType, makeCall: MakeCall): CaseType {
  const { outline, input, events, eventRules, keys, concurrencyKey, masks, resultOf } = caseType;
  if (outline.runBy !== undefined) throw runElsewhere(outline.name, outline.runBy);
  const steps = Object.entries(caseType.steps).map(([name, step]): readonly [string, RuntimeStep] => [
    name,
    watchStep(step, makeCall),
  ]);
  const destinations = Object.entries(caseType.destinations).map(
    ([name, calls]): readonly [string, DestinationCalls] => [name, watchCalls(name, calls, makeCall)],
  );
  return {
    outline,
    input,
    events,
    eventRules,
    keys,
    concurrencyKey,
    masks,
    resultOf,
    steps: Object.fromEntries(steps),
    destinations: Object.fromEntries(destinations),
  };
}

/** A world would wait for its worker for ever. */
function runElsewhere(name: string, runBy: string): FootholdError {
  return new FootholdError(
    "INVALID_DEFINITION",
    `The case type ${name} is run elsewhere, by ${runBy}, and a test world has no worker there. Give the world a case type ` +
      `of the same name whose steps have functions.`,
  );
}

/** A refresh is made for whoever uses the credential: it is no call of one case. */
function watchCalls(destination: string, calls: DestinationCalls, makeCall: MakeCall): DestinationCalls {
  const { refresh } = calls;
  if (refresh === null) return calls;
  const call: UserCall = { kind: "refresh", caseId: "", step: destination, idempotencyKey: null, attempt: 0 };
  return { ...calls, refresh: (context) => makeCall(call, async () => refresh(context)) };
}

function watchStep(step: RuntimeStep, makeCall: MakeCall): RuntimeStep {
  const requires = step.requires.map((one) => watchCondition(one, step.outline.name, makeCall));
  switch (step.kind) {
    case "approval":
    case "waitForEvent":
    case "sleep":
      return { ...step, requires };
    case "poll":
      return { ...step, requires, look: watchQuestion(step.look, step.outline.name, makeCall) };
    case "each":
      return { ...step, requires, part: (key) => watchSend(step.part(key), makeCall) };
    case "step":
      return { ...watchSend(step, makeCall), requires };
  }
}

function watchSend(send: RuntimeSendStep, makeCall: MakeCall): RuntimeSendStep {
  const step = send.outline.name;
  const { check, run, undo } = send;
  return {
    ...send,
    // Stand-ins in this process take what never was on any wire.
    isHttpAlone: false,
    before: send.before.map((one) => watchCondition(one, step, makeCall)),
    undo: undo === null ? null : watchSend(undo, makeCall),
    run: (context, undone) => {
      const { caseId, idempotencyKey, attempt } = context;
      return makeCall({ kind: "run", caseId, step, idempotencyKey, attempt }, async () =>
        run(context, undone),
      );
    },
    check:
      check === null
        ? null
        : (context, undone) => {
            const { caseId, idempotencyKey } = context;
            const call: UserCall = { kind: "check", caseId, step, idempotencyKey, attempt: 0 };
            return makeCall(call, async () => check(context, undone));
          },
  };
}

function watchCondition(condition: RuntimeCondition, step: string, makeCall: MakeCall): RuntimeCondition {
  if (condition.kind === "fact") return condition;
  return { ...condition, ask: watchQuestion(condition.ask, step, makeCall) };
}

function watchQuestion<Answer>(
  ask: (context: ProbeContext) => Promise<Answer>,
  step: string,
  makeCall: MakeCall,
): (context: ProbeContext) => Promise<Answer> {
  return (context) => {
    const { caseId } = context;
    const call: UserCall = { kind: "probe", caseId, step, idempotencyKey: null, attempt: 0 };
    return makeCall(call, async () => ask(context));
  };
}
