/**
 * What the functions of one step may see. Its basis covers the results of the steps it follows and nothing else, so
 * that is what it is shown: a result it could read without its basis knowing would make a stale confirmation stand.
 */

import { FootholdError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import type { EventView, Facts } from "./case-type.ts";

/** What one step sees. */
export interface Sight {
  readonly caseType: string;
  readonly step: string;
  /** All steps that it follows, directly or through others. */
  readonly closure: readonly string[];
  /** All other steps of the case type. */
  readonly others: readonly string[];
  readonly eventTypes: readonly string[];
}

/**
 * The context narrowed to what the step may see. Input, results and payloads are copies: a function that changes them
 * (an array sorted in place) changes nothing of the case. Reading the result of a step that is not followed, or events
 * of a type that the case type does not have, throws `INVALID_DEFINITION`, because its answer would always be the same.
 */
export function inSight<Context extends Facts>(context: Context, sight: Sight): Context {
  const { events } = context;
  return {
    ...context,
    input: structuredClone(context.input),
    results: resultsInSight(context, sight),
    events: {
      latest: (eventType: string, options?: { readonly after?: string }) => {
        checkEventType(sight, eventType);
        checkAfter(sight, options?.after);
        const latest = events.latest(eventType, options);
        return latest === null ? null : copyEvent(latest);
      },
      all: (eventType: string) => {
        checkEventType(sight, eventType);
        return events.all(eventType).map(copyEvent);
      },
    },
  };
}

function resultsInSight({ results }: Facts, sight: Sight): { readonly [step: string]: Json } {
  const seen: { [step: string]: Json } = {};
  for (const step of sight.closure) {
    const result = Object.hasOwn(results, step) ? results[step] : undefined;
    if (result !== undefined) seen[step] = structuredClone(result);
  }
  for (const step of sight.others) {
    // Not enumerable: looking at all results is no reading of this one.
    Object.defineProperty(seen, step, { get: () => refuse(sight, `reads the result of ${step}`, step) });
  }
  return seen;
}

function checkEventType(sight: Sight, eventType: string): void {
  if (sight.eventTypes.includes(eventType)) return;
  const known = sight.eventTypes.join(", ") || "none";
  throw new FootholdError(
    "INVALID_DEFINITION",
    `${sight.step} of case type ${sight.caseType} asks for events of the type ${eventType}, which the case type does ` +
      `not take. It takes: ${known}.`,
    { details: { step: sight.step } },
  );
}

function checkAfter(sight: Sight, after: string | undefined): void {
  if (after === undefined || after === sight.step || sight.closure.includes(after)) return;
  refuse(sight, `asks for events later than ${after}`, after);
}

function refuse({ caseType, step, closure }: Sight, what: string, other: string): never {
  throw new FootholdError(
    "INVALID_DEFINITION",
    `${step} of case type ${caseType} ${what}, which it does not follow. Name ${other} in its \`after\`. ` +
      `It follows: ${closure.join(", ") || "nothing"}.`,
    { details: { step } },
  );
}

function copyEvent(event: EventView): EventView {
  return { ...event, payload: structuredClone(event.payload) };
}
