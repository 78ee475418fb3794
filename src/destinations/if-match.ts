/** Writes on condition that nothing has changed (RFC 9110, section 13), for destinations with `{ by: "if-match" }`. */

import { FootholdError } from "../core/errors.ts";
import { fetchOk, type RequestContext, type RequestOptions } from "./requests.ts";

/** What a conditional write needs of the context of `run`. */
export interface ConditionalContext extends RequestContext {
  /** What the step's `version` gave. */
  readonly version: string;
}

/** A strong entity tag: quotes, and between them anything but quotes, spaces and control characters. */
const STRONG_TAG = /^"[\x21\x23-\x7e\x80-\xff]*"$/;
/** Characters of an ETag that a message shows. */
const TAG_CHARS_SHOWN = 100;
/** Asks for the thing as it is now: a cache may have an old tag, and a server weakens that of what it compresses. */
const AS_IT_IS = [
  ["accept-encoding", "identity"],
  ["cache-control", "no-cache"],
] as const;

/**
 * Reads the ETag of a thing, for a step's `version`: a GET unless `init` says another method. Throws a `ResponseError`
 * for an answer outside 2xx, and `NO_STRONG_ETAG` where the answer has no ETag or a weak one (`W/"…"`): a weak one stays
 * the same through changes that do not seem to matter, so `If-Match` never matches it.
 */
export async function readEtag(
  context: RequestContext,
  url: string | URL,
  init: RequestOptions = {},
): Promise<string> {
  const headers = new Headers(init.headers);
  for (const [name, value] of AS_IT_IS) if (!headers.has(name)) headers.set(name, value);
  const response = await fetchOk(context, url, { ...init, headers });
  await response.body?.cancel();
  const tag = response.headers.get("etag");
  if (tag !== null && STRONG_TAG.test(tag)) return tag;
  const { origin, pathname } = new URL(url);
  const said =
    tag === null ? "no ETag" : `the ETag ${tag.slice(0, TAG_CHARS_SHOWN)}, which is not a strong one`;
  throw new FootholdError(
    "NO_STRONG_ETAG",
    `${origin}${pathname} answered with ${said}: nothing can be written there on condition that it has not changed. ` +
      `Read another version in \`version\`, or treat the destination as one that can only be asked (lookup).`,
    { details: { etag: tag } },
  );
}

/**
 * Writes with `If-Match: version`; a PUT unless `init` says another method. Gives a 2xx answer back, and throws a
 * `ResponseError` for any other: 412 where the thing has changed. Throws `INVALID_DEFINITION`, with nothing sent, where
 * the step has no version: without a condition a late request would overwrite what came after it.
 */
export async function writeIfMatch(
  context: ConditionalContext,
  url: string | URL,
  init: RequestOptions = {},
): Promise<Response> {
  if (context.version === "") {
    throw new FootholdError(
      "INVALID_DEFINITION",
      'This write has no version to be conditional on: send the step to a destination with idempotency: { by: "if-match" }, ' +
        "and give it a `version`. Nothing was sent.",
    );
  }
  const headers = new Headers(init.headers);
  headers.set("if-match", context.version);
  return fetchOk(context, url, { method: "PUT", ...init, headers });
}
