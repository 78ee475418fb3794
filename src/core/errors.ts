/**
 * Every error Foothold raises on purpose. A code is stable: programs branch on it, people look it up in
 * docs/reference/errors.md (a test keeps that page and this list equal). Message texts may change, codes do not.
 */

/** The closed list of codes. */
export const ERROR_CODES = [
  // what a caller asked for
  "UNKNOWN_CASE_TYPE",
  "INVALID_INPUT",
  "INVALID_EVENT",
  "INVALID_APPROVAL",
  "INVALID_REQUEST",
  "INVALID_DEFINITION",
  "CASE_NOT_FOUND",
  "CASE_CLAIMED",
  "CASE_ENDED",
  "CASE_ERASED",
  "ERASE_REFUSED",
  "REPAIR_OVER",
  "NOTHING_TO_TAKE_OVER",
  "NOTHING_TO_RESUME",
  "RESUME_BLOCKED",
  "NOTHING_TO_CONFIRM",
  "CONFIRM_BLOCKED",
  "NOTHING_TO_RULE_OUT",
  "RULE_OUT_TOO_EARLY",
  "NOTHING_TO_REDO",
  "NOTHING_TO_SKIP",
  "NOTHING_TO_UNDO",
  "NOTHING_TO_CHECK",
  "ACCESS_NOT_RESTORED",
  "NOT_WAITING_FOR_APPROVAL",
  "ALREADY_ANSWERED",
  "APPROVER_REFUSED",
  "NOTHING_TO_LEAVE",
  "NOTHING_TO_IGNORE",
  "PLAN_CHANGED",
  "SCHEDULE_NOT_FOUND",
  "BULK_NOT_FOUND",
  "BULK_EMPTY",
  "BULK_REFUSED",
  "SECOND_NEEDED",
  "SECOND_NOT_FOUND",
  "SECOND_REFUSED",
  "SECOND_OVER",
  "PLAN_NEEDED",
  "WORK_PROTOCOL_UNKNOWN",
  // who asked
  "NOT_SIGNED_IN",
  "NOT_ALLOWED",
  "TOO_MANY_REQUESTS",
  "PERSON_NOT_FOUND",
  "PERSON_EXISTS",
  "TOKEN_NOT_FOUND",
  // what a destination answered
  "NO_STRONG_ETAG",
  // how it was set up
  "USAGE",
  "CONFIG_NOT_FOUND",
  "CONFIG_INVALID",
  "DATABASE_URL_INVALID",
  "DATABASE_UNAVAILABLE",
  "DATABASE_VERSION_UNSUPPORTED",
  "SCHEMA_MISSING",
  "SCHEMA_TOO_NEW",
  "MIGRATION_FAILED",
  "EMBEDDED_NOT_INSTALLED",
  "EMBEDDED_UNSUPPORTED_PLATFORM",
  "EMBEDDED_START_FAILED",
  "EMBEDDED_STOP_FAILED",
  "EMBEDDED_VERSION_MISMATCH",
  "EMBEDDED_FOLDER_UNUSABLE",
  "EMBEDDED_LOCKED",
  "PORT_IN_USE",
  "NOT_LOOPBACK",
  "SERVER_UNREACHABLE",
  // what a step was about to send
  "REQUEST_REFUSED",
  // what was found in the store
  "CORRUPT_JOURNAL",
  "PAYLOAD_KEY_MISSING",
  "PAYLOAD_DAMAGED",
  "ENGINE_TOO_OLD",
  // a bug in Foothold
  "INVARIANT_BROKEN",
] as const;

/** One of {@link ERROR_CODES}. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** One fault of one field of something a caller gave us. `path` is dotted, empty for the whole value. */
export interface FieldFault {
  readonly path: string;
  readonly message: string;
}

/** What an error may carry beside its message. */
export interface ErrorDetails {
  readonly caseId?: string;
  readonly step?: string;
  readonly fields?: readonly FieldFault[];
  readonly [name: string]: unknown;
}

/** The one error class. `message` says what happened, to which case and step, and what to do about it. */
export class FootholdError extends Error {
  override readonly name = "FootholdError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: ErrorDetails } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** True for our own errors, also from another copy of the package (checked by shape, never by class). */
export function isFootholdError(error: unknown): error is FootholdError {
  return (
    typeof error === "object" &&
    error !== null &&
    "name" in error &&
    error.name === "FootholdError" &&
    "code" in error &&
    isErrorCode(error.code)
  );
}

/** True for one of {@link ERROR_CODES}. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return ERROR_CODES.some((code) => code === value);
}

/** Throws `INVARIANT_BROKEN` unless `condition` holds; stays on in production. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition)
    throw new FootholdError("INVARIANT_BROKEN", `${message} (this is a bug in Foothold: please report it)`);
}

/** Marks the end of an exhaustive switch; reaching it means that a value came from outside the type. */
export function unreachable(value: never, what: string): never {
  throw new FootholdError("INVARIANT_BROKEN", `unknown ${what}: ${JSON.stringify(value)}`);
}
