/** An error as a line of the log tells it. */

import { isFootholdError } from "../core/errors.ts";
import { maskSecrets } from "../core/masked-text.ts";
import type { LoggedError } from "./log-events.ts";

/** Characters that are kept. */
const MESSAGE_CHARS_MAX = 1_000;
const STACK_CHARS_MAX = 8_000;
/** Causes of causes that are told. */
const CAUSES_MAX = 5;

/** What is thrown, with its secrets masked; the stack and its causes only where a fault is to be found. */
export function loggedError(error: unknown, withStack: boolean): LoggedError {
  const type = error instanceof Error ? error.name : "thrown";
  const message = maskSecrets(errorMessage(error)).slice(0, MESSAGE_CHARS_MAX);
  return {
    type,
    ...(isFootholdError(error) ? { code: error.code } : {}),
    message,
    ...(withStack && error instanceof Error
      ? { stack: maskSecrets(stacksOf(error)).slice(0, STACK_CHARS_MAX) }
      : {}),
  };
}

/** Its message, whatever was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function stacksOf(error: Error): string {
  const stacks: string[] = [];
  let one: unknown = error;
  for (let depth = 0; depth < CAUSES_MAX && one instanceof Error; depth += 1) {
    stacks.push(one.stack ?? one.message);
    one = one.cause;
  }
  return stacks.join("\ncaused by ");
}
