/** Compares what triage said with a label. */

import { namedWaitMs, type Failure } from "../../../src/core/failure.ts";
import { sortFailure, type SortInput } from "../../../src/triage/sort.ts";
import type { Expected } from "./label.ts";

/** Dates in headers have whole seconds, and a test takes its time: a wait may be off by that much, in s. */
const SLACK_S = 2;

/**
 * What of a client's error is not sorted as its label says, as it was thrown, and as the cause of an error that an author
 * made of it; empty = all as labeled.
 */
export function misjudged(thrown: unknown, input: SortInput, expected: Expected): readonly string[] {
  const wrapped = new Error("the order could not be created", { cause: thrown });
  return [
    ...differences(sortFailure(thrown, input), expected),
    ...differences(sortFailure(wrapped, input), expected).map((line) => `as a cause: ${line}`),
  ];
}

/** What of a failure is not as its label says, one line each, with what was seen behind them; empty = all as labeled. */
export function differences(failure: Failure, { wait, ...expected }: Expected): readonly string[] {
  const named = Object.entries(expected).flatMap(([name, wanted]) => {
    const got: unknown = Reflect.get(failure, name);
    return got === wanted ? [] : [`${name} is ${String(got)}, not ${wanted}`];
  });
  const found = [...named, ...(wait === undefined ? [] : waitDifference(failure, wait))];
  return found.length === 0 ? [] : [...found, failure.rule, JSON.stringify(failure.raw, null, 1)];
}

function waitDifference({ instruction }: Failure, wait: string): readonly string[] {
  if (wait === "never") return instruction?.kind === "doNotRetry" ? [] : ["it may be sent again"];
  const seconds = (namedWaitMs(instruction) ?? 0) / 1_000;
  const slack = Number(wait) < 10 ? 0.01 : SLACK_S;
  return Math.abs(seconds - Number(wait)) <= slack ? [] : [`the wait is ${seconds} s, not ${wait} s`];
}
