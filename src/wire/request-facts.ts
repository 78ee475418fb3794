/** What a request tells of itself before it is sent: how it is told from others, its key, and who sends it. */

import { clientOf } from "./clients.ts";

/** Reads a header by its lower-case name; null = not there. */
export type HeaderReader = (name: string) => string | null;

/** How often a client says that it has tried this call. */
export interface ClientTry {
  /** 1 for the first. */
  readonly number: number;
  /** How often it would try at most; null where it does not say. */
  readonly max: number | null;
}

/** A request that is about to be sent. */
export interface RequestFacts {
  readonly method: string;
  /** Scheme, host and port; null where the client does not tell. */
  readonly origin: string | null;
  /** Without its query, which may hold secrets. */
  readonly path: string;
  /** Length of the body as announced, in bytes; null where it is not. */
  readonly bodyBytes: number | null;
  /** Its idempotency key; held in memory only, for as long as the attempt runs. */
  readonly key: string | null;
  /** The client by name; null = not recognized. */
  readonly client: string | null;
  readonly clientTry: ClientTry | null;
}

/** What makes facts. */
export interface RequestInput {
  readonly method: string;
  readonly origin: string | null;
  /** With or without a query. */
  readonly path: string;
  readonly header: HeaderReader;
}

/** Headers that carry an idempotency key, in the order in which they count. */
const KEY_HEADERS = ["idempotency-key", "x-idempotency-key", "x-idempotence-key", "paypal-request-id"];

/** Reads the facts. */
export function requestFacts({ method, origin, path, header }: RequestInput): RequestFacts {
  const queryAt = path.indexOf("?");
  return {
    method: method.toUpperCase(),
    origin,
    path: queryAt === -1 ? path : path.slice(0, queryAt),
    bodyBytes: lengthOf(header("content-length")),
    key: keyOf(header),
    client: clientOf(header),
    clientTry: clientTryOf(header),
  };
}

/** Equal for requests that are tries of one another: same method, place and announced length. */
export function sameness({ method, origin, path, bodyBytes }: RequestFacts): string {
  return `${method} ${origin ?? ""}${path} ${bodyBytes ?? ""}`;
}

/** True for a method that is not safe to repeat by its own meaning. */
export function isUnsafeMethod(method: string): boolean {
  return method === "POST" || method === "PATCH";
}

/** True for a key that its client makes anew for every call. */
export function isAutomaticKey(key: string): boolean {
  return key.startsWith("stripe-node-retry-");
}

function keyOf(header: HeaderReader): string | null {
  for (const name of KEY_HEADERS) {
    const key = header(name);
    if (key !== null && key !== "") return key;
  }
  return null;
}

/** What SDKs say of their tries in headers: AWS, OpenAI and Anthropic, gRPC, Google. */
function clientTryOf(header: HeaderReader): ClientTry | null {
  const aws = header("amz-sdk-request");
  if (aws !== null) {
    const number = wholeNumber(/attempt=(\d{1,4})/.exec(aws)?.[1] ?? null);
    const max = wholeNumber(/max=(\d{1,4})/.exec(aws)?.[1] ?? null);
    return number === null ? null : { number, max };
  }
  const retries =
    wholeNumber(header("x-stainless-retry-count")) ?? wholeNumber(header("grpc-previous-rpc-attempts"));
  if (retries !== null) return { number: retries + 1, max: null };
  const google = wholeNumber(
    /gccl-attempt-count\/(\d{1,4})/.exec(header("x-goog-api-client") ?? "")?.[1] ?? null,
  );
  return google === null ? null : { number: google, max: null };
}

/** A client and fetch may both have named it: "12, 12". */
function lengthOf(text: string | null): number | null {
  return text === null ? null : wholeNumber(text.replace(/,.*$/, ""));
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
