/**
 * Errors that were built by hand in the shape that their client gives them, because no server of a test can make them
 * come: a network that is away, a limit of this machine, a phase of a timeout.
 */

import { label, type Label } from "./label.ts";

/** A label, with how the error is made. */
export interface Built {
  readonly label: Label;
  readonly make: () => unknown;
}

function built(client: string, situation: string, verdict: string, make: () => unknown): Built {
  const [only] = label(client, situation, "POST", "unseen", verdict);
  if (only === undefined) throw new Error(`no client in ${client}`);
  return { label: only, make };
}

function coded(code: string, syscall?: string): Error {
  return Object.assign(new Error("built by hand"), { code }, syscall === undefined ? {} : { syscall });
}

/** What fetch makes of it. */
function fetchFailed(cause: unknown): Error {
  return new TypeError("fetch failed", { cause });
}

const UNSENT = "transient no scope=destination";
const LOST = "unknown maybe cause=transient";
const TLS = "bug no owner=developer scope=destination";
const CALL = "unknown maybe cause=bug";

function gotTimeout(event: string): Error {
  return Object.assign(new Error("built by hand"), {
    name: "TimeoutError",
    code: "ETIMEDOUT",
    event,
    timings: {},
  });
}

/** The labels, with their errors. */
export const BUILT: readonly Built[] = [
  built("foothold", "a fence that was shown a newer token", "transient no owner=system", () =>
    Object.assign(coded("NEWER_TOKEN"), { seen: Date.now() }),
  ),
  built("foothold", "a fence that was shown a token of the far future", "bug no owner=developer", () =>
    Object.assign(coded("NEWER_TOKEN"), { seen: Number.MAX_SAFE_INTEGER }),
  ),
  built("foothold", "a fence that does not say what it was shown", LOST, () => coded("NEWER_TOKEN")),
  built("foothold", "an effect of another request", "conflict no owner=system", () =>
    coded("DIFFERENT_REQUEST"),
  ),
  [
    "EHOSTUNREACH",
    "ENETUNREACH",
    "EHOSTDOWN",
    "ENETDOWN",
    "EADDRNOTAVAIL",
    "ETIMEDOUT",
    "ECONNRESET",
  ].flatMap((code) => [
    built("node:http", `${code} of connect`, UNSENT, () => coded(code, "connect")),
    built("fetch", `${code} of connect`, UNSENT, () => fetchFailed(coded(code, "connect"))),
  ]),
  ["EAI_AGAIN", "EAI_FAIL", "ENOTFOUND"].flatMap((code) => [
    built("node:http", `${code} of getaddrinfo`, UNSENT, () => coded(code, "getaddrinfo")),
    built("fetch", `${code} of getaddrinfo`, UNSENT, () => fetchFailed(coded(code, "getaddrinfo"))),
  ]),
  built("fetch", "UND_ERR_CONNECT_TIMEOUT", UNSENT, () => fetchFailed(coded("UND_ERR_CONNECT_TIMEOUT"))),
  built("undici", "UND_ERR_CONNECT_TIMEOUT", UNSENT, () => coded("UND_ERR_CONNECT_TIMEOUT")),
  built("fetch", "both addresses refused", UNSENT, () =>
    fetchFailed(
      Object.assign(new AggregateError([coded("ECONNREFUSED", "connect"), coded("ENETUNREACH", "connect")]), {
        code: "ECONNREFUSED",
      }),
    ),
  ),
  built("fetch", "one address refused, the other cut", LOST, () =>
    fetchFailed(new AggregateError([coded("ECONNREFUSED", "connect"), coded("ECONNRESET", "read")])),
  ),
  ["CERT_HAS_EXPIRED", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "ERR_TLS_CERT_ALTNAME_INVALID"].flatMap((code) => [
    built("fetch", code, TLS, () => fetchFailed(coded(code))),
    built("node:http", code, TLS, () => coded(code)),
  ]),
  ["ECONNRESET", "EPIPE", "ETIMEDOUT"].flatMap((code) => [
    built("node:http", `${code} of write`, LOST, () => coded(code, "write")),
    built("node:http", `${code} of read`, LOST, () => coded(code, "read")),
    built("node:http", `${code} of nothing`, LOST, () => coded(code)),
    built("fetch", `${code} of read`, LOST, () => fetchFailed(coded(code, "read"))),
  ]),
  [
    "UND_ERR_SOCKET",
    "UND_ERR_HEADERS_TIMEOUT",
    "UND_ERR_BODY_TIMEOUT",
    "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  ].flatMap((code) => [
    built("undici", code, LOST, () => coded(code)),
    built("fetch", code, LOST, () => fetchFailed(coded(code))),
  ]),
  built("undici", "UND_ERR_ABORTED", LOST, () => coded("UND_ERR_ABORTED")),
  built("undici", "UND_ERR_DESTROYED", LOST, () => coded("UND_ERR_DESTROYED")),
  built("undici", "UND_ERR_INVALID_ARG", CALL, () => coded("UND_ERR_INVALID_ARG")),
  built("node:http", "ERR_INVALID_URL", CALL, () =>
    Object.assign(new TypeError("x"), { code: "ERR_INVALID_URL" }),
  ),
  built("node:http", "HPE_INVALID_CONSTANT", LOST, () => coded("HPE_INVALID_CONSTANT")),
  built("node:http", "ERR_STREAM_PREMATURE_CLOSE", LOST, () => coded("ERR_STREAM_PREMATURE_CLOSE")),
  built("node:http", "EMFILE of connect", "transient no owner=operator scope=case", () =>
    coded("EMFILE", "connect"),
  ),
  built("node:http", "EMFILE of open", LOST, () => coded("EMFILE", "open")),
  built("node:http", "stale connection", LOST, () => coded("ECONNRESET")),
  built("got", "timeout of lookup", UNSENT, () => gotTimeout("lookup")),
  built("got", "timeout of connect", UNSENT, () => gotTimeout("connect")),
  built("got", "timeout of secureConnect", UNSENT, () => gotTimeout("secureConnect")),
  built("got", "timeout of send", LOST, () => gotTimeout("send")),
  built("got", "timeout of response", LOST, () => gotTimeout("response")),
  built("got", "timeout of request", LOST, () => gotTimeout("request")),
  built("axios", "ERR_CANCELED", LOST, () =>
    Object.assign(new Error("canceled"), { name: "CanceledError", code: "ERR_CANCELED", isAxiosError: true }),
  ),
  built("axios", "ERR_FR_TOO_MANY_REDIRECTS", LOST, () =>
    Object.assign(new Error("x"), {
      name: "AxiosError",
      code: "ERR_FR_TOO_MANY_REDIRECTS",
      isAxiosError: true,
    }),
  ),
  built("aws", "credentials that could not be had", "denied no access=refreshable scope=credential", () =>
    Object.assign(new Error("x"), { name: "CredentialsProviderError", tryNextLink: false }),
  ),
  built("aws", "a reset under the name of a timeout", LOST, () =>
    Object.assign(new Error("x"), { name: "TimeoutError", code: "ECONNRESET", $metadata: { attempts: 3 } }),
  ),
  built("octokit", "500 without a response", LOST, () =>
    Object.assign(new Error("x"), {
      name: "HttpError",
      status: 500,
      request: { method: "POST", url: "/", headers: {} },
      cause: fetchFailed(coded("ECONNRESET", "read")),
    }),
  ),
  built("octokit", "500 without a response, never connected", UNSENT, () =>
    Object.assign(new Error("x"), {
      name: "HttpError",
      status: 500,
      request: { method: "POST", url: "/", headers: {} },
      cause: fetchFailed(coded("ECONNREFUSED", "connect")),
    }),
  ),
  built("code", "TypeError", CALL, () => new TypeError("x is undefined")),
  built("code", "SyntaxError", CALL, () => new SyntaxError("Unexpected token <")),
  built("code", "a text", LOST, () => "failed"),
  built("code", "nothing", LOST, () => undefined),
  built("code", "an object of no known shape", LOST, () => ({ what: 7 })),
].flat();
