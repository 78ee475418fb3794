/** Requests under the step's idempotency key, for destinations with `{ by: "key" }`. */

import { FootholdError } from "../core/errors.ts";
import { fetchOk, type RequestContext, type RequestOptions } from "./requests.ts";

/** What such a request needs of the context of `run`. */
export interface KeyedContext extends RequestContext {
  readonly idempotencyKey: string;
}

/** How the destination takes the key. */
export interface KeyedOptions {
  /** The header that the key goes in. Default `Idempotency-Key`. */
  readonly header?: string;
}

/**
 * Sends a request with the step's idempotency key, the same at every attempt; a POST unless `init` says another method.
 * Gives a 2xx answer back, and throws a `ResponseError` for any other, a redirect too. Throws `INVALID_DEFINITION`, with
 * nothing sent, where the headers carry a key already: another one would make a second effect of a repeat.
 */
export async function keyedFetch(
  context: KeyedContext,
  url: string | URL,
  init: RequestOptions = {},
  { header = "Idempotency-Key" }: KeyedOptions = {},
): Promise<Response> {
  const headers = new Headers(init.headers);
  if (headers.has(header)) {
    throw new FootholdError(
      "INVALID_DEFINITION",
      `The headers of this request have a ${header} already: leave it out, the step's own key is sent. Nothing was sent.`,
    );
  }
  headers.set(header, context.idempotencyKey);
  return fetchOk(context, url, { method: "POST", ...init, headers });
}
