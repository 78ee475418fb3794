/** Errors as `application/problem+json` (RFC 9457), with our stable code. */

import type { Context } from "hono";
import { FootholdError, isFootholdError, type ErrorCode, type ErrorDetails } from "../core/errors.ts";
import { OPENAPI_PATH } from "./api/routes.ts";
import type { Problem } from "./api/types.ts";

/** Statuses that the API answers with when something is wrong. */
export type ProblemStatus = 400 | 401 | 403 | 404 | 405 | 409 | 412 | 413 | 415 | 428 | 429 | 500 | 503;

/** Seconds after which a client may try again when the database does not answer. */
const RETRY_AFTER_S = 5;

/** What an error is told as. Of an error that is not ours nothing is told but that it happened. */
export function problemOf(error: unknown): Problem & { readonly status: ProblemStatus } {
  if (!isFootholdError(error)) {
    const detail = "Something unexpected happened in the server; its log tells more.";
    return { title: "Unexpected error", status: 500, code: "INVARIANT_BROKEN", detail };
  }
  const { code, message, details } = error;
  const [title, status] = TOLD[code];
  return { title, status, code, detail: message, ...toldOf(details) };
}

/** Answers a request with what an error is told as; `status` takes the place of the code's own. */
export function answerProblem(c: Context, error: unknown, status?: ProblemStatus): Response {
  const problem = problemOf(error);
  const answered = { ...problem, status: status ?? problem.status };
  if (answered.status === 503) c.header("Retry-After", String(RETRY_AFTER_S));
  return c.body(`${JSON.stringify(answered, null, 2)}\n`, answered.status, {
    "Content-Type": "application/problem+json; charset=utf-8",
  });
}

/** What a request for an address is answered with that has nothing. */
export function noRoute({ req }: Context): FootholdError {
  const path = JSON.stringify(req.path.slice(0, 100));
  return new FootholdError(
    "INVALID_REQUEST",
    `There is nothing at ${path}. There are /, /healthz, /metrics and what ${OPENAPI_PATH} describes.`,
  );
}

/** Of what an error carries only what is meant for whoever asked. */
function toldOf({
  fields,
  caseId,
  changes,
  plan,
}: ErrorDetails): Pick<Problem, "fields" | "caseId" | "changes" | "plan"> {
  const texts = Array.isArray(changes) ? changes.filter((one) => typeof one === "string") : null;
  return {
    ...(fields === undefined ? {} : { fields }),
    ...(caseId === undefined ? {} : { caseId }),
    ...(texts === null ? {} : { changes: texts }),
    ...(typeof plan === "string" ? { plan } : {}),
  };
}

/** The title and status of each code. */
const TOLD: Readonly<Record<ErrorCode, readonly [title: string, status: ProblemStatus]>> = {
  PERSON_NOT_FOUND: ["Not found", 404],
  TOKEN_NOT_FOUND: ["Not found", 404],
  UNKNOWN_CASE_TYPE: ["Not found", 404],
  CASE_NOT_FOUND: ["Not found", 404],
  SCHEDULE_NOT_FOUND: ["Not found", 404],
  BULK_NOT_FOUND: ["Not found", 404],
  BULK_EMPTY: ["Refused", 409],
  BULK_REFUSED: ["Refused", 409],
  SECOND_NEEDED: ["Refused", 409],
  SECOND_NOT_FOUND: ["Not found", 404],
  SECOND_REFUSED: ["Refused", 409],
  SECOND_OVER: ["Refused", 409],
  INVALID_INPUT: ["Invalid request", 400],
  INVALID_EVENT: ["Invalid request", 400],
  INVALID_APPROVAL: ["Invalid request", 400],
  INVALID_REQUEST: ["Invalid request", 400],
  INVALID_DEFINITION: ["Invalid request", 400],
  USAGE: ["Invalid request", 400],
  CASE_CLAIMED: ["Refused", 409],
  CASE_ENDED: ["Refused", 409],
  CASE_ERASED: ["Refused", 409],
  ERASE_REFUSED: ["Refused", 409],
  REPAIR_OVER: ["Refused", 409],
  NOTHING_TO_TAKE_OVER: ["Refused", 409],
  NOTHING_TO_RESUME: ["Refused", 409],
  RESUME_BLOCKED: ["Refused", 409],
  NOTHING_TO_CONFIRM: ["Refused", 409],
  NOTHING_TO_RULE_OUT: ["Refused", 409],
  RULE_OUT_TOO_EARLY: ["Refused", 409],
  NOTHING_TO_REDO: ["Refused", 409],
  NOTHING_TO_SKIP: ["Refused", 409],
  NOTHING_TO_UNDO: ["Refused", 409],
  NOTHING_TO_CHECK: ["Refused", 409],
  ACCESS_NOT_RESTORED: ["Refused", 409],
  CONFIRM_BLOCKED: ["Refused", 409],
  NOT_WAITING_FOR_APPROVAL: ["Refused", 409],
  ALREADY_ANSWERED: ["Refused", 409],
  NOTHING_TO_LEAVE: ["Refused", 409],
  NOTHING_TO_IGNORE: ["Refused", 409],
  PERSON_EXISTS: ["Refused", 409],
  PLAN_CHANGED: ["The plan changed", 412],
  WORK_PROTOCOL_UNKNOWN: ["The worker speaks another version of the protocol", 409],
  PLAN_NEEDED: ["The plan version is missing", 428],
  NOT_SIGNED_IN: ["Not signed in", 401],
  NOT_ALLOWED: ["Not allowed", 403],
  APPROVER_REFUSED: ["Not allowed", 403],
  TOO_MANY_REQUESTS: ["Too many requests", 429],
  NOT_LOOPBACK: ["Only this machine", 403],
  DATABASE_URL_INVALID: ["The database cannot be used", 503],
  DATABASE_UNAVAILABLE: ["The database cannot be used", 503],
  DATABASE_VERSION_UNSUPPORTED: ["The database cannot be used", 503],
  SCHEMA_MISSING: ["The database cannot be used", 503],
  SCHEMA_TOO_NEW: ["The database cannot be used", 503],
  MIGRATION_FAILED: ["The database cannot be used", 503],
  EMBEDDED_NOT_INSTALLED: ["The database cannot be used", 503],
  EMBEDDED_UNSUPPORTED_PLATFORM: ["The database cannot be used", 503],
  EMBEDDED_START_FAILED: ["The database cannot be used", 503],
  EMBEDDED_STOP_FAILED: ["The database cannot be used", 503],
  EMBEDDED_VERSION_MISMATCH: ["The database cannot be used", 503],
  EMBEDDED_FOLDER_UNUSABLE: ["The database cannot be used", 503],
  EMBEDDED_LOCKED: ["The database cannot be used", 503],
  CORRUPT_JOURNAL: ["The case cannot be read", 500],
  PAYLOAD_KEY_MISSING: ["The database cannot be used", 503],
  PAYLOAD_DAMAGED: ["Unexpected error", 500],
  ENGINE_TOO_OLD: ["The case cannot be read", 500],
  REQUEST_REFUSED: ["Unexpected error", 500],
  SERVER_UNREACHABLE: ["Unexpected error", 500],
  CONFIG_NOT_FOUND: ["Unexpected error", 500],
  CONFIG_INVALID: ["Unexpected error", 500],
  PORT_IN_USE: ["Unexpected error", 500],
  NO_STRONG_ETAG: ["Unexpected error", 500],
  INVARIANT_BROKEN: ["Unexpected error", 500],
};
