/** A small bridge from `fetch` to triage: fetch throws nothing for a bad status, so a step has to look. */

import { thrownText } from "../core/storable-text.ts";

/** Bytes of a body that are read as evidence; the rest is not waited for. */
const BODY_BYTES_MAX = 64_000;
/** Characters of a reason that are kept. */
const WHY_CHARS_MAX = 200;

/** The parts of a fetch Response that are read. */
export interface ResponseLike {
  readonly ok: boolean;
  readonly status: number;
  readonly url: string;
  readonly headers: { forEach(visit: (value: string, name: string) => void): void };
  /** Null or left out: there is none. */
  readonly body?: AsyncIterable<unknown> | null;
}

/** A destination's answer outside 2xx, in the shape that triage sorts. */
export class ResponseError extends Error {
  override readonly name = "ResponseError";
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Start of the body, at most 64,000 bytes of it. */
  readonly body: string;

  constructor(status: number, url: string, headers: Readonly<Record<string, string>>, body: string) {
    super(`${withoutQuery(url)} answered ${status}`);
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** Gives the response back if its status is 2xx, else throws a {@link ResponseError} with what it said. */
export async function expectOk<R extends ResponseLike>(response: R): Promise<R> {
  if (response.ok) return response;
  const headers: Record<string, string> = {};
  response.headers.forEach((value, name) => {
    headers[name.toLowerCase()] = value;
  });
  throw new ResponseError(response.status, response.url, headers, await readStart(response.body ?? null));
}

/** The status is evidence enough: a body that cannot be read, or never ends, must not hide it. */
async function readStart(body: AsyncIterable<unknown> | null): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytesLeft = BODY_BYTES_MAX;
  try {
    for await (const chunk of body) {
      if (!(chunk instanceof Uint8Array)) break;
      text += decoder.decode(chunk.subarray(0, bytesLeft), { stream: true });
      bytesLeft -= chunk.length;
      if (bytesLeft <= 0) break;
    }
    return text + decoder.decode();
  } catch (error) {
    return `${text}(the rest could not be read: ${thrownText(error, WHY_CHARS_MAX)})`;
  }
}

/** Query strings carry secrets. */
function withoutQuery(url: string): string {
  const start = url.indexOf("?");
  return start === -1 ? url : url.slice(0, start);
}
