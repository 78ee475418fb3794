/** Compares what triage said with a label. */

import type { Failure } from "../../../src/core/failure.ts";
import { namedWaitMs } from "../../../src/core/failure.ts";
import { expect } from "vitest";
import type { Expected } from "./label.ts";

/** Dates in headers have whole seconds, and a test takes its time: a wait may be off by that much, in s. */
const SLACK_S = 2;

/** Judges a failure by a label; what differs is shown. */
export function expectLabel({ raw, ...failure }: Failure, { wait, ...expected }: Expected): void {
  expect(failure, JSON.stringify(raw, null, 1)).toMatchObject(expected);
  if (wait === undefined) return;
  if (wait === "never") {
    expect(failure.instruction?.kind).toBe("doNotRetry");
    return;
  }
  const seconds = (namedWaitMs(failure.instruction) ?? 0) / 1_000;
  expect(Math.abs(seconds - Number(wait)), `waits ${seconds} s`).toBeLessThanOrEqual(
    Number(wait) < 10 ? 0.01 : SLACK_S,
  );
}
