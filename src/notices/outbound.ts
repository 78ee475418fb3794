/**
 * The one way out for webhooks. The name is resolved, every address that it has is judged, and the connection goes to an
 * address that was judged: nothing can change in between. No redirect is followed and no proxy asked, and what comes back
 * is read up to a bound.
 */

import { lookup as systemLookup, type LookupAddress } from "node:dns";
import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { mayReach, type Reach } from "./addresses.ts";
import { within } from "./within.ts";

/** Bytes of a body that is sent. */
export const SENT_BYTES_MAX = 262_144;
/** Bytes of an answer that are read; the rest is not waited for. */
const ANSWER_BYTES_MAX = 8_000;

/** Finds every address of a name; the system's when nothing else is given. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** What is posted where. */
export interface Outbound {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly reach: Reach;
  readonly signal: AbortSignal;
  readonly resolve?: Resolve;
}

/** What came back. Header names are in lower case. */
export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Why nothing was sent: the address is none that may be reached. It never tells more of the address than its host. */
export class OutboundRefused extends Error {
  override readonly name = "OutboundRefused";
}

/** Posts JSON. Throws {@link OutboundRefused} before anything is sent, else what the connection throws. */
export async function postJson(outbound: Outbound): Promise<OutboundAnswer> {
  const url = checkUrl(outbound);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const address = await addressOf(host, outbound);
  return exchange(url, address, outbound);
}

function checkUrl({ url: text, reach, body }: Outbound): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw new OutboundRefused("it is no address");
  if (url.protocol !== "https:" && (url.protocol !== "http:" || reach === "public")) {
    throw new OutboundRefused("it is no https address");
  }
  if (url.username !== "" || url.password !== "")
    throw new OutboundRefused("it has a name or password in it");
  if (Buffer.byteLength(body) > SENT_BYTES_MAX) throw new OutboundRefused("the body is too long");
  return url;
}

/** One address that may be reached. All must: a name that has an inner address beside an outer one is nobody's friend. */
async function addressOf(
  host: string,
  { reach, signal, resolve = resolveAll }: Outbound,
): Promise<LookupAddress> {
  const family = isIP(host);
  const found = family === 0 ? await within(signal, resolve(host)) : [{ address: host, family }];
  const refused = found.find(({ address }) => !mayReach(address, reach));
  if (refused !== undefined) {
    throw new OutboundRefused(`${host} is at an address that is not on the internet`);
  }
  const [first] = found;
  if (first === undefined) throw new OutboundRefused(`${host} has no address`);
  return first;
}

function resolveAll(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(host, { all: true, verbatim: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });
}

/** The name is looked up no further: whoever connects is given the address that was judged. */
function pinned({ address, family }: LookupAddress): LookupFunction {
  return (_, options, callback) => {
    if (options.all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

function exchange(
  url: URL,
  address: LookupAddress,
  { headers, body, reach, signal }: Outbound,
): Promise<OutboundAnswer> {
  const isHttps = url.protocol === "https:";
  // An agent of its own: a connection that somebody else opened was judged by nobody.
  const agent = isHttps ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
  const options: RequestOptions = {
    method: "POST",
    agent,
    signal,
    lookup: pinned(address),
    headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
  };
  return new Promise((resolve, reject) => {
    const request = (isHttps ? httpsRequest : httpRequest)(url, options, (response) => {
      readAnswer(response).then(resolve, reject);
    });
    request.on("error", reject);
    request.on("socket", (socket) => {
      socket.once("connect", () => {
        const { remoteAddress = "" } = socket;
        if (!mayReach(remoteAddress, reach)) {
          request.destroy(new OutboundRefused(`${url.hostname} was connected to somewhere else`));
        }
      });
    });
    request.end(body);
  });
}

async function readAnswer(response: IncomingMessage): Promise<OutboundAnswer> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  const parts: Buffer[] = [];
  let bytesLeft = ANSWER_BYTES_MAX;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part.subarray(0, bytesLeft));
      bytesLeft -= part.length;
      if (bytesLeft <= 0) break;
    }
  } catch {
    // The status is what counts: an answer that breaks off behind it has been given.
  }
  response.destroy();
  return { status: response.statusCode ?? 0, headers, body: Buffer.concat(parts).toString("utf8") };
}
