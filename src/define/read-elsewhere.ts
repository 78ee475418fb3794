/** Reads which steps are run elsewhere, and names what a worker there could not do. */

import type { ConditionOutline, DestinationOutline, StepOutline } from "../core/outline.ts";
import { runByOf } from "./elsewhere.ts";
import { nameFault } from "./names.ts";
import type { OptionReader } from "./option-reader.ts";

/** Who runs a step, and its faults where it is run elsewhere; null = this process does. */
export function readRunBy(options: OptionReader, destination: DestinationOutline | null): string | null {
  const written = runByOf(options.value("run"));
  if (written === undefined) {
    checkSame(options, "check", null);
    return null;
  }
  const wrong = nameFault(written);
  if (wrong !== null) options.fault("run", `names who runs it elsewhere: ${wrong}`);
  const runBy = typeof written === "string" ? written : "";
  checkSame(options, "check", runBy);
  for (const option of ["request", "result"] as const) {
    if (options.value(option) !== undefined) continue;
    const why = option === "request" ? "is all that the worker is given" : "is what its answer is held to";
    options.fault(option, `is missing: the step is run elsewhere, and its ${option} ${why}`);
  }
  const why = destination === null ? null : whyNotFrom(destination);
  if (why !== null) options.fault("to", `cannot be sent to from elsewhere: ${why}`);
  return runBy;
}

/** Notes where the undo of a step is run by others than the step itself. */
export function checkUndoRunBy(undo: OptionReader, runBy: string | null): void {
  checkSame(undo, "run", runBy);
  checkSame(undo, "check", runBy);
}

function checkSame(options: OptionReader, option: "run" | "check", runBy: string | null): void {
  const written = options.value(option);
  if (written === undefined || (runByOf(written) ?? null) === runBy) return;
  options.fault(
    option,
    runBy === null
      ? "is run elsewhere, and the step is not: whoever sends must be able to ask and to undo"
      : `must be elsewhere(${JSON.stringify(runBy)}), as run is: whoever sends must be able to ask and to undo`,
  );
}

/** A worker elsewhere has the request, and nothing of this process. */
function whyNotFrom({ name, repeatSafety, canRefresh }: DestinationOutline): string | null {
  if (repeatSafety.by === "transaction") return `${name} is the engine's own database`;
  if (repeatSafety.by === "if-match") return `the version at ${name} is read by this process`;
  return canRefresh ? `the token of ${name} is had anew by this process` : null;
}

/** What reading the steps of a case type together gave. */
export interface RunByReading {
  /** Null = its steps are run by workers of this process. */
  readonly runBy: string | null;
  /** By step. */
  readonly faults: readonly { readonly step: string; readonly option: string; readonly why: string }[];
}

/**
 * Who runs the steps of a case type: one claim covers a whole case, so it is either workers of this process or those of one name
 * elsewhere. What is asked of the outside, and other cases that are started, need this process.
 */
export function runByOfSteps(steps: readonly StepOutline[]): RunByReading {
  const named = steps.flatMap((step) => runByNamed(step) ?? []);
  const [runBy] = named;
  if (runBy === undefined) return { runBy: null, faults: [] };
  const faults = steps.flatMap((step): RunByReading["faults"] => {
    const { name: at } = step;
    const own = runByNamed(step);
    const sends = step.kind === "step" || step.kind === "each";
    const other = own === null ? "workers of this process" : own;
    const isOther = sends && own !== runBy;
    const why =
      `is run by ${other}, and others of this case type by ${runBy}: put those into a case type of their own, and start it ` +
      `with .child`;
    const probes = [...step.requires, ...(step.kind === "step" ? step.before : [])].filter(isProbe);
    return [
      ...(isOther ? [{ step: at, option: "run", why }] : []),
      ...(step.kind === "poll" ? [{ step: at, option: "look", why: NEEDS_THIS }] : []),
      ...probes.map(({ name }) => ({ step: at, option: `requires.${name}`, why: NEEDS_THIS })),
    ];
  });
  return { runBy, faults };
}

const NEEDS_THIS =
  "asks an outside system, which workers of this process do, and this case type is run elsewhere: ask in the case type that starts it";

function isProbe({ kind }: ConditionOutline): boolean {
  return kind === "probe";
}

function runByNamed(step: StepOutline): string | null {
  if (step.kind === "step") return step.runBy ?? null;
  return step.kind === "each" ? (step.item.runBy ?? null) : null;
}
