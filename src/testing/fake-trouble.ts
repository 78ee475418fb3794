/** What is to go wrong at a fake destination, in the order in which requests meet it. */

import type { Json } from "../core/json.ts";
import { parseDuration, type Duration } from "../define/duration.ts";
import { ResponseError } from "../triage/response.ts";
import { currentCall } from "./current-call.ts";

/** An answer that is none. */
export interface AnswerOptions {
  readonly times?: number;
  /** For 429 and 503: the header `retry-after`. */
  readonly retryAfter?: Duration;
  /** Any JSON, such as `{ errors: [{ field: "amount", message: "too big" }] }`. */
  readonly body?: Json;
}

/** What one request meets. */
export type Trouble =
  | { readonly kind: "loseAnswer" }
  | { readonly kind: "refuse" }
  | { readonly kind: "answer"; readonly error: (url: string) => ResponseError }
  | { readonly kind: "slow"; readonly delayMs: number }
  /** The connection breaks at once, and the request arrives all the same. */
  | { readonly kind: "late"; readonly delayMs: number };

/** Reads what a status is to be answered with. */
export function answerTrouble(status: number, { retryAfter, body }: AnswerOptions): Trouble {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { "retry-after": String(Math.ceil(parseDuration(retryAfter) / 1_000)) };
  const text = body === undefined ? "" : JSON.stringify(body);
  return { kind: "answer", error: (url) => new ResponseError(status, url, headers, text) };
}

/** Lets virtual time pass in a test world; elsewhere nothing is slow. Rejects when the signal aborts first. */
export async function pass(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  const current = currentCall();
  if (current === null) return;
  await current.inTime.idle(
    () =>
      new Promise<void>((resolve, reject) => {
        const takeBack = current.time.after(delayMs, () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        });
        const onAbort = (): void => {
          takeBack();
          reject(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
        };
        signal?.addEventListener("abort", onAbort, { once: true });
      }),
  );
}

/** A connection that broke: while it was made, so that nothing was sent, or while the answer was waited for. */
export function brokenConnection(syscall: "connect" | "read"): Error {
  const code = syscall === "connect" ? "ECONNREFUSED" : "ECONNRESET";
  return Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
}
