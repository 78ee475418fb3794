/**
 * The client of the API: a function for each route, typed by the very table that the server answers from. It needs `fetch`
 * and nothing else, so that it runs in browsers too.
 */

import { FootholdError, isErrorCode } from "../../core/errors.ts";
import { API_BASE, API_ROUTES, type RouteHead } from "../api/routes.ts";
import type { ApiTypes, PlannedRoute, Problem, RouteId } from "../api/types.ts";

/** Where the server is, and who asks. */
export interface ClientOptions {
  /** Such as `https://foothold.example.com`; where the page itself comes from when left out, in a browser. */
  readonly baseUrl?: string;
  /** An API token; left out = the cookie of the browser's session, or nobody. */
  readonly token?: string;
  /** How long one request may take, in ms. Default 30,000. */
  readonly timeoutMs?: number;
  /** Default: the built-in one. */
  readonly fetch?: typeof globalThis.fetch;
}

/** What a call may carry beside what it says. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** The same for an act that binds to a plan. */
export interface PlannedCallOptions extends CallOptions {
  /** The version of the plan that the person saw; `*` = whatever it is now. */
  readonly plan: string;
}

/** What a route takes, whether it travels in the path, the query or the body. */
export type CallInput<Id extends RouteId> = ApiTypes[Id]["params"] &
  ApiTypes[Id]["query"] &
  (ApiTypes[Id]["body"] extends null ? unknown : ApiTypes[Id]["body"]);

/** The arguments of one call. */
export type CallArguments<Id extends RouteId> = Id extends PlannedRoute
  ? readonly [input: CallInput<Id>, options: PlannedCallOptions]
  : object extends CallInput<Id>
    ? readonly [input?: CallInput<Id>, options?: CallOptions]
    : readonly [input: CallInput<Id>, options?: CallOptions];

/**
 * A function for each route. Each throws a `FootholdError` with the code that the server answered, its `fields`, `changes`
 * and `plan` in `details`; and `SERVER_UNREACHABLE` where it did not answer in time, or not as Foothold does. An act of
 * which no answer came may have been done.
 */
export type Client = {
  readonly [Id in RouteId]: (...call: CallArguments<Id>) => Promise<ApiTypes[Id]["reply"]>;
};

const TIMEOUT_MS_DEFAULT = 30_000;

/** Makes a client. It connects with the first call. */
export function createClient(options: ClientOptions = {}): Client {
  const entries = Object.entries(API_ROUTES).map(([id, head]) => [
    id,
    (input: Readonly<Record<string, unknown>> = {}, call: Partial<PlannedCallOptions> = {}) =>
      send(options, head, input, call),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of the table that the types are made of
  return Object.fromEntries(entries) as Client;
}

async function send(
  options: ClientOptions,
  head: RouteHead,
  input: Readonly<Record<string, unknown>>,
  call: Partial<PlannedCallOptions>,
): Promise<unknown> {
  const { token, timeoutMs = TIMEOUT_MS_DEFAULT, fetch = globalThis.fetch } = options;
  const { url, rest } = urlOf(options.baseUrl ?? "", head, input);
  const signals = [AbortSignal.timeout(timeoutMs), ...(call.signal === undefined ? [] : [call.signal])];
  const { plan } = call;
  const request: RequestInit = {
    method: head.method,
    signal: AbortSignal.any(signals),
    redirect: "error",
    headers: {
      accept: "application/json",
      ...(head.method === "GET" ? {} : { "content-type": "application/json" }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(plan === undefined ? {} : { "if-match": plan === "*" ? "*" : `"${plan}"` }),
    },
    ...(head.method === "GET" ? {} : { body: JSON.stringify(rest) }),
  };
  let answer: { readonly status: number; readonly isOk: boolean; readonly value: unknown };
  try {
    const response = await fetch(url, request);
    answer = { status: response.status, isOk: response.ok, value: await response.json() };
  } catch (error) {
    call.signal?.throwIfAborted();
    throw unreachableServer(`${head.method} ${url} had no answer that can be read`, error);
  }
  if (answer.isOk) return answer.value;
  throw problemError(`${head.method} ${url}`, answer.status, answer.value);
}

/** The parameters of the path go there; of what is left a GET makes a query, and anything else a body. */
function urlOf(
  baseUrl: string,
  { method, path }: RouteHead,
  input: Readonly<Record<string, unknown>>,
): { readonly url: string; readonly rest: Readonly<Record<string, unknown>> } {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  const query = new URLSearchParams();
  if (method === "GET") {
    for (const [name, value] of rest) {
      for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
    }
  }
  const told = query.size === 0 ? "" : `?${query.toString()}`;
  return {
    url: `${baseUrl.replace(/\/+$/, "")}${API_BASE}${filled}${told}`,
    rest: Object.fromEntries(rest),
  };
}

/** What the server refused, or that it is no server of ours. */
export function problemError(what: string, status: number, value: unknown): FootholdError {
  if (!isProblem(value)) {
    return unreachableServer(`${what} was answered ${status}, and not as Foothold answers`, null);
  }
  const { code, detail, title: _, ...details } = value;
  return new FootholdError(code, detail, { details });
}

function isProblem(value: unknown): value is Problem {
  return (
    typeof value === "object" &&
    value !== null &&
    "code" in value &&
    isErrorCode(value.code) &&
    "detail" in value &&
    typeof value.detail === "string"
  );
}

function unreachableServer(what: string, cause: unknown): FootholdError {
  return new FootholdError(
    "SERVER_UNREACHABLE",
    `${what}. Check the address, and that the server runs; an act may have been done all the same.`,
    cause === null ? {} : { cause },
  );
}
