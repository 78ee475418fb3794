/** Errors as `application/problem+json` (RFC 9457), with our stable code. */

import { isFootholdError, type ErrorCode, type ErrorDetails } from "../core/errors.ts";
import type { Problem } from "./api/types.ts";

/** Statuses that the API answers with when something is wrong. */
export type ProblemStatus = 400 | 401 | 403 | 404 | 405 | 409 | 412 | 413 | 415 | 428 | 429 | 500 | 503;

/** Seconds after which a client may try again when the database does not answer. */
export const RETRY_AFTER_S = 5;

/** What an error is told as. Of an error that is not ours nothing is told but that it happened. */
export function problemOf(error: unknown): Problem & { readonly status: ProblemStatus } {
  if (!isFootholdError(error)) {
    const detail = "Something unexpected happened in the server; its log tells more.";
    return { title: "Unexpected error", status: 500, code: "INVARIANT_BROKEN", detail };
  }
  const { code, message, details } = error;
  return { ...describeCode(code), code, detail: message, ...toldOf(details) };
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

/** The title and status of a code. */
function describeCode(code: ErrorCode): { readonly title: string; readonly status: ProblemStatus } {
  switch (code) {
    case "PERSON_NOT_FOUND":
    case "TOKEN_NOT_FOUND":
    case "UNKNOWN_CASE_TYPE":
    case "CASE_NOT_FOUND":
      return { title: "Not found", status: 404 };
    case "INVALID_INPUT":
    case "INVALID_EVENT":
    case "INVALID_APPROVAL":
    case "INVALID_REQUEST":
    case "INVALID_DEFINITION":
    case "USAGE":
      return { title: "Invalid request", status: 400 };
    case "CASE_CLAIMED":
    case "CASE_ENDED":
    case "REPAIR_OVER":
    case "NOTHING_TO_TAKE_OVER":
    case "NOTHING_TO_RESUME":
    case "RESUME_BLOCKED":
    case "NOTHING_TO_CONFIRM":
    case "NOTHING_TO_RULE_OUT":
    case "RULE_OUT_TOO_EARLY":
    case "NOTHING_TO_REDO":
    case "NOTHING_TO_SKIP":
    case "NOTHING_TO_UNDO":
    case "NOTHING_TO_CHECK":
    case "ACCESS_NOT_RESTORED":
    case "CONFIRM_BLOCKED":
    case "NOT_WAITING_FOR_APPROVAL":
    case "ALREADY_ANSWERED":
    case "CANCEL_NEEDS_UNDO":
    case "PERSON_EXISTS":
      return { title: "Refused", status: 409 };
    case "PLAN_CHANGED":
      return { title: "The plan changed", status: 412 };
    case "PLAN_NEEDED":
      return { title: "The plan version is missing", status: 428 };
    case "NOT_SIGNED_IN":
      return { title: "Not signed in", status: 401 };
    case "NOT_ALLOWED":
      return { title: "Not allowed", status: 403 };
    case "TOO_MANY_REQUESTS":
      return { title: "Too many requests", status: 429 };
    case "NOT_LOOPBACK":
      return { title: "Only this machine", status: 403 };
    case "DATABASE_URL_INVALID":
    case "DATABASE_UNAVAILABLE":
    case "DATABASE_VERSION_UNSUPPORTED":
    case "SCHEMA_MISSING":
    case "SCHEMA_TOO_NEW":
    case "MIGRATION_FAILED":
    case "EMBEDDED_NOT_INSTALLED":
    case "EMBEDDED_UNSUPPORTED_PLATFORM":
    case "EMBEDDED_START_FAILED":
    case "EMBEDDED_STOP_FAILED":
    case "EMBEDDED_VERSION_MISMATCH":
    case "EMBEDDED_FOLDER_UNUSABLE":
    case "EMBEDDED_LOCKED":
      return { title: "The database cannot be used", status: 503 };
    case "CORRUPT_JOURNAL":
    case "ENGINE_TOO_OLD":
      return { title: "The case cannot be read", status: 500 };
    case "REQUEST_REFUSED":
    case "SERVER_UNREACHABLE":
    case "CONFIG_NOT_FOUND":
    case "CONFIG_INVALID":
    case "PORT_IN_USE":
    case "NO_STRONG_ETAG":
    case "INVARIANT_BROKEN":
      return { title: "Unexpected error", status: 500 };
  }
}
