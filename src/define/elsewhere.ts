/**
 * Steps that are run by workers in other places, in whatever language: the worker is given the step's request over HTTP, sends,
 * and reports. What is written here in place of a function is a mark; nothing of this process is called.
 */

import { FootholdError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";

/** Stands for a function that workers in another place have. */
export interface RunElsewhere {
  /** The name under which they ask for work. */
  readonly runsElsewhereBy: string;
}

/**
 * Stands for a function that workers in another place have: for `run` and `check` of a step and of its undo. `runBy` names
 * those workers, such as `python`: they ask for work under that name.
 */
export function elsewhere<Returned = Json>(runBy: string): (() => Promise<Returned>) & RunElsewhere {
  const refuse = (): Promise<Returned> =>
    Promise.reject(
      new FootholdError(
        "INVALID_DEFINITION",
        `This is run elsewhere, by ${runBy}: no worker of this process runs it, and nothing was sent.`,
      ),
    );
  return Object.assign(refuse, { runsElsewhereBy: runBy });
}

/** What {@link elsewhere} was told; undefined for anything that it did not make. */
export function runByOf(written: unknown): unknown {
  return typeof written === "function" && "runsElsewhereBy" in written ? written.runsElsewhereBy : undefined;
}
