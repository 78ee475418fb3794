/** A small bridge from `fetch` to triage: fetch throws nothing for a bad status, so a step has to look. */

/** Characters of a body kept as evidence. */
const BODY_CHARS_MAX = 2_000;

/** The parts of a fetch Response that are read. */
export interface ResponseLike {
  readonly ok: boolean;
  readonly status: number;
  readonly url: string;
  readonly headers: { forEach(visit: (value: string, name: string) => void): void };
  text(): Promise<string>;
}

/** A destination's answer outside 2xx, in the shape that triage sorts. */
export class ResponseError extends Error {
  override readonly name = "ResponseError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Start of the body, at most 2,000 characters. */
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
  const body = await readStart(response);
  throw new ResponseError(response.status, response.url, headers, body);
}

/** The status is evidence enough: a body that cannot be read must not hide it. */
async function readStart(response: ResponseLike): Promise<string> {
  try {
    return (await response.text()).slice(0, BODY_CHARS_MAX);
  } catch (error) {
    return `(the body could not be read: ${String(error)})`;
  }
}

/** Query strings carry secrets. */
function withoutQuery(url: string): string {
  const start = url.indexOf("?");
  return start === -1 ? url : url.slice(0, start);
}
