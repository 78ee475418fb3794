import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Effect, JsonObject } from "./ledger-entries.ts";
import type { Ledger } from "./ledger.ts";
import { ledgerPageEntriesMax } from "./ledger.ts";
import { bodyBytesMax, readBody } from "./request-body.ts";
import type { Switches } from "./switches.ts";
import { readSwitches } from "./switches.ts";
import type { Answer, Arrived, WriteRoute } from "./write.ts";
import { errorAnswer, hashBody, jsonAnswer, takeWrite } from "./write.ts";

/** What makes one service out of the shared base. */
export interface ServiceDefinition {
  /** Its name in the ledger, such as `erp`. */
  readonly name: string;
  /** The path under which its things live, such as `/records`. */
  readonly collection: string;
  /** The route of a POST path; undefined when there is none. */
  readonly writeRouteAt: (path: string, ledger: Ledger) => WriteRoute | undefined;
  /** How a thing that was made is shown when it is asked for. */
  readonly view: (effect: Effect, ledger: Ledger) => JsonObject;
}

/** A service and its state, as the shared base holds it. */
export interface Service {
  readonly definition: ServiceDefinition;
  readonly ledger: Ledger;
  switches: Switches;
  /** Aborted when the service stops. */
  readonly stopping: AbortController;
}

/** Longest path, idempotency key and fencing token, in characters. */
const pathCharsMax = 512;
const keyCharsMax = 255;
const tokenCharsMax = 64;

/**
 * Answers one request and records it in the ledger (control paths, a path that is too long and a full ledger
 * are not recorded). `dropped` means that the socket is to be destroyed without an answer. Rejects only when
 * the ledger's file cannot be written.
 */
export async function answerTo(service: Service, request: IncomingMessage): Promise<Answer | "dropped"> {
  const target = request.url ?? "/";
  const queryAt = target.indexOf("?");
  const path = queryAt === -1 ? target : target.slice(0, queryAt);
  if (path.length > pathCharsMax) return closing(errorAnswer(414, "path_too_long", "the path is too long"));
  switch (path) {
    case "/healthz":
      return jsonAnswer(200, { status: "ok" });
    case "/ledger":
      return answerLedger(service.ledger, new URL(target, "http://localhost").searchParams);
    case "/faults":
      return answerSwitches(service, request);
    default:
      return answerBusiness(service, request, path);
  }
}

async function answerBusiness(
  service: Service,
  request: IncomingMessage,
  path: string,
): Promise<Answer | "dropped"> {
  const arrivedAt = service.ledger.now();
  const body = await readBody(request);
  // All that follows the wait happens in one turn, so the ledger cannot fill up in between.
  const isStopped = request.method === "POST" && !(await waited(service));
  if (service.ledger.isFull) {
    service.ledger.countTurnedAway();
    return closing(errorAnswer(507, "ledger_full", "the ledger is full; nothing was executed"));
  }
  const key = headerOf(request, "idempotency-key");
  const fencingToken = headerOf(request, "fencing-token");
  const arrived: Arrived = {
    service: service.definition.name,
    method: request.method ?? "GET",
    path,
    key: key === null ? null : key.slice(0, keyCharsMax),
    fencingToken: fencingToken === null ? null : fencingToken.slice(0, tokenCharsMax),
    arrivedAt,
    bodyHash: body.kind === "whole" && request.method !== "GET" ? hashBody(body.bytes) : null,
  };
  if (body.kind === "aborted" || isStopped) return noteRefusal(service, arrived, "aborted");
  const refusal = refusalOf({ service, request, body: body.kind, key, fencingToken });
  if (refusal !== null) return noteRefusal(service, arrived, refusal);
  if (request.method === "GET") return noteRefusal(service, arrived, lookUp(service, path));
  const route = service.definition.writeRouteAt(path, service.ledger);
  if (body.kind !== "whole" || route === undefined) {
    return noteRefusal(service, arrived, errorAnswer(404, "not_found", `there is nothing at POST ${path}`));
  }
  const { ledger, switches } = service;
  return takeWrite({ arrived, rawBody: body.bytes, route, ledger, switches });
}

/** What is wrong with a request before anyone looks at its body; null when nothing is. */
function refusalOf(asked: {
  readonly service: Service;
  readonly request: IncomingMessage;
  readonly body: "whole" | "tooLarge" | "endless";
  readonly key: string | null;
  readonly fencingToken: string | null;
}): Answer | null {
  const { service, request } = asked;
  if (asked.body === "endless" || asked.body === "tooLarge") {
    const answer = errorAnswer(413, "body_too_large", `the body is over ${bodyBytesMax} bytes`);
    return asked.body === "endless" ? closing(answer) : answer;
  }
  if (service.switches.access === "unauthorized") {
    const challenge = { "www-authenticate": 'Bearer error="invalid_token"' };
    return errorAnswer(401, "unauthorized", "the credential is revoked or has expired", challenge);
  }
  if (service.switches.access === "forbidden") {
    return errorAnswer(403, "forbidden", "the credential lacks the right to do this");
  }
  if (request.method === "GET") return null;
  if (request.method !== "POST") {
    return errorAnswer(405, "method_not_allowed", "use GET or POST", { allow: "GET, POST" });
  }
  if (!isJson(request)) return errorAnswer(415, "not_json", "send content-type: application/json");
  if (asked.key !== null && (asked.key === "" || asked.key.length > keyCharsMax)) {
    return errorAnswer(400, "bad_key", `Idempotency-Key must have 1 to ${keyCharsMax} characters`);
  }
  if (asked.fencingToken !== null && asked.fencingToken.length > tokenCharsMax) {
    return errorAnswer(400, "bad_token", `Fencing-Token must have at most ${tokenCharsMax} characters`);
  }
  return null;
}

/** Notes a request that executes nothing, and passes its answer on. */
function noteRefusal(service: Service, arrived: Arrived, answer: Answer | "aborted"): Answer | "dropped" {
  const ended = answer === "aborted" ? answer : answer.status;
  service.ledger.appendRequest({
    ...arrived,
    step: null,
    ended,
    fault: null,
    executedId: null,
    replayed: false,
  });
  return answer === "aborted" ? "dropped" : answer;
}

function lookUp(service: Service, path: string): Answer {
  const { definition, ledger } = service;
  const rest = path.startsWith(`${definition.collection}/`)
    ? path.slice(definition.collection.length + 1)
    : "";
  const named = decoded(rest.startsWith("by-key/") ? rest.slice("by-key/".length) : rest);
  const effect = rest.startsWith("by-key/")
    ? ledger.effectOfKey(definition.name, named)
    : ledger.effectOfId(definition.name, named);
  if (effect?.path === definition.collection) return jsonAnswer(200, definition.view(effect, ledger));
  return errorAnswer(404, "not_found", `there is nothing at GET ${path}`);
}

function answerLedger(ledger: Ledger, query: URLSearchParams): Answer {
  const after = Number(query.get("after") ?? "0");
  const limit = Number(query.get("limit") ?? String(ledgerPageEntriesMax));
  if (!Number.isSafeInteger(after) || after < 0 || !Number.isSafeInteger(limit) || limit < 1) {
    return errorAnswer(400, "bad_page", "after must be a whole number from 0, limit one from 1");
  }
  return { status: 200, headers: {}, body: JSON.stringify(ledger.page({ after, limit })) };
}

async function answerSwitches(service: Service, request: IncomingMessage): Promise<Answer> {
  const body = await readBody(request);
  if (request.method === "POST") {
    if (!isJson(request)) return errorAnswer(415, "not_json", "send content-type: application/json");
    if (body.kind !== "whole") return closing(errorAnswer(413, "body_too_large", "the body is too large"));
    const asked = readSwitches(body.bytes.toString("utf8"));
    if (asked.kind === "invalid")
      return jsonAnswer(422, { errors: asked.errors.map((error) => ({ ...error })) });
    service.switches = { ...service.switches, ...asked.switches };
  }
  return { status: 200, headers: {}, body: JSON.stringify(service.switches) };
}

/** Waits as long as the switch says; false when the service was stopped meanwhile. */
async function waited(service: Service): Promise<boolean> {
  if (service.switches.latencyMs === 0) return true;
  try {
    await delay(service.switches.latencyMs, undefined, { signal: service.stopping.signal });
    return true;
  } catch {
    return false;
  }
}

/** The same answer, after which the connection is closed. */
export function closing(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, connection: "close" } };
}

function isJson(request: IncomingMessage): boolean {
  const type = request.headers["content-type"] ?? "";
  return /^application\/json\s*(;|$)/i.test(type) && request.headers["content-encoding"] === undefined;
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === "string" ? value : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
