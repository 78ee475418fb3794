/**
 * HTTP requests of a step: with its signal, never past a redirect, and with an error for every answer outside 2xx. This is
 * the one place in this folder that calls `fetch`.
 */

import { readJson, type Json } from "../core/json.ts";
import { expectOk } from "../triage/response.ts";

/** What a request needs of the context of `run`, `check`, `version` or a probe. */
export interface RequestContext {
  readonly signal: AbortSignal;
  /** The attempt's own `fetch`; where a context has none, the global one is called. */
  readonly fetch?: typeof globalThis.fetch;
}

/** What `fetch` takes, and JSON. */
export interface RequestOptions extends RequestInit {
  /** Sent as the body, with `content-type: application/json` unless the headers say another. Leave `body` out then. */
  readonly json?: unknown;
}

/** Bytes of an answer's body that are read. A result may be a quarter of that: what is cut here is no result anyway. */
const ANSWER_BYTES_MAX = 1_048_576;

/**
 * Sends a request with the step's signal and gives its answer back if it is 2xx; else throws a `ResponseError`, also for
 * a redirect: what was meant for one place is not sent to another. With a `signal` of your own, either one stops it.
 * Throws what `fetch` throws where there was no answer.
 */
export async function fetchOk(
  context: RequestContext,
  url: string | URL,
  { json, ...init }: RequestOptions = {},
): Promise<Response> {
  const send = context.fetch ?? globalThis.fetch;
  const response = await send(url, {
    // Followed by hand nowhere: `expectOk` takes a redirect for what it is, an answer that is no yes.
    redirect: "manual",
    ...init,
    ...(json === undefined ? {} : jsonBody(json, init.headers)),
    signal: eitherOf(context.signal, init.signal ?? null),
  });
  return expectOk(response);
}

function jsonBody(json: unknown, given: RequestInit["headers"]): Pick<RequestInit, "headers" | "body"> {
  const headers = new Headers(given);
  if (!headers.has("content-type")) headers.set("content-type", "application/json");
  return { headers, body: JSON.stringify(json) };
}

function eitherOf(own: AbortSignal, given: AbortSignal | null): AbortSignal {
  return given === null ? own : AbortSignal.any([own, given]);
}

/**
 * What a 2xx answer says: its JSON; its text where it is no JSON; null where there is nothing. It refuses no body: the
 * effect has happened by then, and `result` of the step says what it must look like. Reads at most 1 MiB. Throws only
 * where the body was cut off on its way.
 */
export async function readAnswer(response: Response): Promise<Json> {
  const text = await readText(response);
  if (text === "") return null;
  try {
    const said: unknown = JSON.parse(text);
    const read = readJson(said, ANSWER_BYTES_MAX);
    return read.kind === "json" ? read.value : text;
  } catch {
    return text;
  }
}

async function readText({ body }: Response): Promise<string> {
  if (body === null) return "";
  const chunks: AsyncIterable<Uint8Array> = body;
  const decoder = new TextDecoder();
  let text = "";
  let bytesLeft = ANSWER_BYTES_MAX;
  for await (const chunk of chunks) {
    text += decoder.decode(chunk.subarray(0, bytesLeft), { stream: true });
    bytesLeft -= chunk.length;
    if (bytesLeft <= 0) break;
  }
  return text + decoder.decode();
}
