import type { JsonObject } from "./ledger-entries.ts";

/** An answer of a service, read whole. */
export interface ReadAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

/**
 * What goes into a POST besides its address: a JSON body (or raw text), a key, a fencing token, other
 * headers.
 */
export interface PostParts {
  readonly body: JsonObject | string;
  readonly key?: string;
  readonly fencingToken?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Posts JSON to a service and reads the answer. Rejects, as `fetch` does, when there is none. */
export function post(url: string, parts: PostParts): Promise<ReadAnswer> {
  const headers = new Headers({ "content-type": "application/json", ...parts.headers });
  if (parts.key !== undefined) headers.set("idempotency-key", parts.key);
  if (parts.fencingToken !== undefined) headers.set("fencing-token", parts.fencingToken);
  const body = typeof parts.body === "string" ? parts.body : JSON.stringify(parts.body);
  return read(fetch(url, { method: "POST", headers, body }));
}

/** Gets something from a service. Rejects, as `fetch` does, when there is no answer. */
export function get(url: string): Promise<ReadAnswer> {
  return read(fetch(url));
}

async function read(answered: Promise<Response>): Promise<ReadAnswer> {
  const response = await answered;
  // Every answer of our services is a JSON object.
  const body = JSON.parse(await response.text()) as JsonObject;
  return { status: response.status, headers: response.headers, body };
}
