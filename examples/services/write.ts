import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { FieldError } from "./body-fields.ts";
import type { ServedFault } from "./faults.ts";
import { faultAtSight, retryAfterSeconds } from "./faults.ts";
import type { JsonObject, SeenRequest, StepOfCase, StoredAnswer } from "./ledger-entries.ts";
import type { Ledger } from "./ledger.ts";
import type { Switches } from "./switches.ts";

/** What a service says to the body of a write, before anything is executed. */
export type CheckedBody =
  | {
      readonly kind: "valid";
      readonly step: StepOfCase;
      /** The new id is this and a running number, such as `R` for `R-17`. */
      readonly idPrefix: string;
      /** The body of the answer, once the effect has its id. */
      readonly answer: (id: string) => JsonObject;
    }
  | { readonly kind: "invalid"; readonly errors: readonly FieldError[] }
  | { readonly kind: "missing"; readonly message: string };

/**
 * One path that takes writes: looks at the body and says what executing it would mean. Must not change
 * anything.
 */
export type WriteRoute = (body: JsonObject) => CheckedBody;

/** An answer ready to be sent. */
export interface Answer extends StoredAnswer {
  readonly headers: Readonly<Record<string, string>>;
}

/** What the ledger notes of a request before its outcome is known. */
export type Arrived = Pick<
  SeenRequest,
  "service" | "method" | "path" | "key" | "fencingToken" | "arrivedAt" | "bodyHash"
>;

/** A request whose body has arrived, and the world that it meets. */
export interface Write {
  readonly arrived: Arrived;
  readonly rawBody: Buffer;
  readonly route: WriteRoute;
  readonly ledger: Ledger;
  readonly switches: Switches;
}

/** SHA-256 of a raw body, in hex. */
export function hashBody(rawBody: Buffer): string {
  return createHash("sha256").update(rawBody).digest("hex");
}

/**
 * Takes one write in one turn of the event loop, from the decision about faults to the last ledger entry, so
 * no other request can come between. `dropped` means that the effect stands and the socket is to be
 * destroyed.
 *
 * A key is executed once: a repeat gets the stored first answer, marked `idempotent-replayed: true`; the same
 * key with another path or body gets 422 and no effect. Without a key each request is executed.
 */
export function takeWrite(write: Write): Answer | "dropped" {
  const body = parseObject(write.rawBody);
  if (typeof body === "string") return refuse(write, errorAnswer(400, "bad_body", body));
  const checked = write.route(body);
  switch (checked.kind) {
    case "missing":
      return refuse(write, errorAnswer(404, "not_found", checked.message));
    case "invalid":
      return refuse(write, jsonAnswer(422, { errors: checked.errors.map((error) => ({ ...error })) }));
    case "valid":
      return takeValidWrite(write, checked);
  }
}

/** An error answer in the one shape of these services: `{"error":{"code":…,"message":…}}`. */
export function errorAnswer(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { ...jsonAnswer(status, { error: { code, message } }), headers };
}

/** A JSON answer without headers of its own. */
export function jsonAnswer(status: number, body: JsonObject): Answer {
  return { status, headers: {}, body: JSON.stringify(body) };
}

function takeValidWrite(write: Write, valid: CheckedBody & { readonly kind: "valid" }): Answer | "dropped" {
  const { ledger, arrived } = write;
  const fault = faultFor(write, valid.step);
  const seen = { ...arrived, step: valid.step, fault, executedId: null, replayed: false };
  if (fault !== null && fault !== "answerLost") {
    const answer = faultAnswer(fault);
    ledger.appendRequest({ ...seen, ended: answer.status });
    return answer;
  }
  const first = arrived.key === null ? undefined : ledger.effectOfKey(arrived.service, arrived.key);
  if (first !== undefined && (first.bodyHash !== arrived.bodyHash || first.path !== arrived.path)) {
    const message = `the key was first used at ${first.path} with another body; nothing was executed`;
    ledger.appendRequest({ ...seen, ended: 422, fault: null });
    return errorAnswer(422, "key_reused", message);
  }
  const effect = first ?? execute(write, valid);
  const replayed = first !== undefined;
  const dropped = fault === "answerLost";
  ledger.appendRequest({
    ...seen,
    ended: dropped ? "dropped" : effect.answer.status,
    executedId: replayed ? null : effect.id,
    replayed,
  });
  if (dropped) return "dropped";
  return { ...effect.answer, headers: replayed ? { "idempotent-replayed": "true" } : {} };
}

function execute(
  write: Write,
  valid: CheckedBody & { readonly kind: "valid" },
): ReturnType<Ledger["appendEffect"]> {
  const { service, path, key, fencingToken } = write.arrived;
  const bodyHash = write.arrived.bodyHash ?? hashBody(write.rawBody);
  const id = `${valid.idPrefix}-${write.ledger.effectCountAt(service, path) + 1}`;
  const answer = { status: 201, body: JSON.stringify(valid.answer(id)) };
  return write.ledger.appendEffect({
    service,
    id,
    path,
    key,
    fencingToken,
    bodyHash,
    step: valid.step,
    answer,
  });
}

function faultFor(write: Write, step: StepOfCase): ServedFault | null {
  const { arrived, ledger, switches } = write;
  const sight = ledger.sightCount(step);
  const failed = arrived.key === null ? sight : ledger.requestCountOfKey(arrived.service, arrived.key);
  if (failed < switches.failFirstPerKey) return "unavailable";
  return switches.plan === null ? null : faultAtSight({ plan: switches.plan, step, sight });
}

function faultAnswer(fault: Exclude<ServedFault, "answerLost">): Answer {
  const retryAfter = { "retry-after": String(retryAfterSeconds) };
  switch (fault) {
    case "unavailable":
      return errorAnswer(503, "unavailable", "the service is down for a moment; nothing was executed");
    case "unavailableRetryAfter":
      return errorAnswer(
        503,
        "unavailable",
        "the service is down for a moment; nothing was executed",
        retryAfter,
      );
    case "throttled":
      return errorAnswer(429, "too_many_requests", "too many requests; nothing was executed", retryAfter);
  }
}

function refuse(write: Write, answer: Answer): Answer {
  const unknown = { step: null, fault: null, executedId: null, replayed: false };
  write.ledger.appendRequest({ ...write.arrived, ...unknown, ended: answer.status });
  return answer;
}

/** The JSON object that the bytes hold, or why they hold none. */
function parseObject(rawBody: Buffer): JsonObject | string {
  if (!isUtf8(rawBody)) return "the body is not UTF-8";
  let value: unknown;
  try {
    value = JSON.parse(rawBody.toString("utf8"));
  } catch {
    return "the body is not JSON";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return "the body is not a JSON object";
  // JSON.parse gives nothing but JSON values, and arrays and scalars are out.
  return value as JsonObject;
}
