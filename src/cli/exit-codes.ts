/** What the exit code of a command means. Scripts branch on it; `foothold help` lists it. */

import { isFootholdError, type ErrorCode } from "../core/errors.ts";

/** The closed list. */
export const EXIT_CODES = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  database: 5,
  invalid: 6,
  findings: 7,
  warnings: 8,
} as const;

/** One of {@link EXIT_CODES}. */
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** Each code in words, in order. */
export const EXIT_CODE_WORDS: readonly (readonly [ExitCode, string])[] = [
  [EXIT_CODES.ok, "done"],
  [
    EXIT_CODES.unexpected,
    "something unexpected happened, the port is in use, a rehearsed step is unsafe, or new definitions change cases",
  ],
  [EXIT_CODES.usage, "the command line is wrong, or a configuration file is missing"],
  [EXIT_CODES.notFound, "there is no such case, case type, person, token or key"],
  [EXIT_CODES.refused, "the case or your rights do not allow it now; the code on stderr says why"],
  [EXIT_CODES.database, "the database or the server does not answer, or the schema does not fit"],
  [EXIT_CODES.invalid, "an input, event, form, definition or configuration is invalid"],
  [
    EXIT_CODES.findings,
    "the doctor found an error, the audit is not as it was sealed, or an older key is still needed",
  ],
  [EXIT_CODES.warnings, "the doctor found warnings, and --strict was asked for"],
];

/** The exit code for an error. */
export function exitCodeOf(error: unknown): ExitCode {
  return isFootholdError(error) ? FOR_CODE[error.code] : EXIT_CODES.unexpected;
}

/** The exit code of each error code. */
const FOR_CODE: Readonly<Record<ErrorCode, ExitCode>> = {
  USAGE: EXIT_CODES.usage,
  CONFIG_NOT_FOUND: EXIT_CODES.usage,
  NOT_LOOPBACK: EXIT_CODES.usage,
  CASE_NOT_FOUND: EXIT_CODES.notFound,
  SCHEDULE_NOT_FOUND: EXIT_CODES.notFound,
  BULK_NOT_FOUND: EXIT_CODES.notFound,
  SECOND_NOT_FOUND: EXIT_CODES.notFound,
  UNKNOWN_CASE_TYPE: EXIT_CODES.notFound,
  PERSON_NOT_FOUND: EXIT_CODES.notFound,
  TOKEN_NOT_FOUND: EXIT_CODES.notFound,
  CASE_CLAIMED: EXIT_CODES.refused,
  CASE_ENDED: EXIT_CODES.refused,
  CASE_ERASED: EXIT_CODES.refused,
  ERASE_REFUSED: EXIT_CODES.refused,
  REPAIR_OVER: EXIT_CODES.refused,
  NOTHING_TO_TAKE_OVER: EXIT_CODES.refused,
  NOTHING_TO_RESUME: EXIT_CODES.refused,
  RESUME_BLOCKED: EXIT_CODES.refused,
  NOTHING_TO_CONFIRM: EXIT_CODES.refused,
  NOTHING_TO_RULE_OUT: EXIT_CODES.refused,
  RULE_OUT_TOO_EARLY: EXIT_CODES.refused,
  NOTHING_TO_REDO: EXIT_CODES.refused,
  NOTHING_TO_SKIP: EXIT_CODES.refused,
  NOTHING_TO_UNDO: EXIT_CODES.refused,
  NOTHING_TO_CHECK: EXIT_CODES.refused,
  ACCESS_NOT_RESTORED: EXIT_CODES.refused,
  CONFIRM_BLOCKED: EXIT_CODES.refused,
  NOT_WAITING_FOR_APPROVAL: EXIT_CODES.refused,
  ALREADY_ANSWERED: EXIT_CODES.refused,
  APPROVER_REFUSED: EXIT_CODES.refused,
  NOTHING_TO_LEAVE: EXIT_CODES.refused,
  NOTHING_TO_IGNORE: EXIT_CODES.refused,
  PLAN_CHANGED: EXIT_CODES.refused,
  BULK_EMPTY: EXIT_CODES.refused,
  BULK_REFUSED: EXIT_CODES.refused,
  SECOND_NEEDED: EXIT_CODES.refused,
  SECOND_REFUSED: EXIT_CODES.refused,
  SECOND_OVER: EXIT_CODES.refused,
  WORK_PROTOCOL_UNKNOWN: EXIT_CODES.refused,
  PLAN_NEEDED: EXIT_CODES.refused,
  NOT_SIGNED_IN: EXIT_CODES.refused,
  NOT_ALLOWED: EXIT_CODES.refused,
  TOO_MANY_REQUESTS: EXIT_CODES.refused,
  PERSON_EXISTS: EXIT_CODES.refused,
  DATABASE_URL_INVALID: EXIT_CODES.database,
  DATABASE_UNAVAILABLE: EXIT_CODES.database,
  SERVER_UNREACHABLE: EXIT_CODES.database,
  DATABASE_VERSION_UNSUPPORTED: EXIT_CODES.database,
  SCHEMA_MISSING: EXIT_CODES.database,
  SCHEMA_TOO_NEW: EXIT_CODES.database,
  MIGRATION_FAILED: EXIT_CODES.database,
  EMBEDDED_NOT_INSTALLED: EXIT_CODES.database,
  EMBEDDED_UNSUPPORTED_PLATFORM: EXIT_CODES.database,
  EMBEDDED_START_FAILED: EXIT_CODES.database,
  EMBEDDED_STOP_FAILED: EXIT_CODES.database,
  EMBEDDED_VERSION_MISMATCH: EXIT_CODES.database,
  EMBEDDED_FOLDER_UNUSABLE: EXIT_CODES.database,
  EMBEDDED_LOCKED: EXIT_CODES.database,
  INVALID_INPUT: EXIT_CODES.invalid,
  INVALID_EVENT: EXIT_CODES.invalid,
  INVALID_APPROVAL: EXIT_CODES.invalid,
  INVALID_REQUEST: EXIT_CODES.invalid,
  INVALID_DEFINITION: EXIT_CODES.invalid,
  CONFIG_INVALID: EXIT_CODES.invalid,
  REQUEST_REFUSED: EXIT_CODES.unexpected,

  PORT_IN_USE: EXIT_CODES.unexpected,
  CORRUPT_JOURNAL: EXIT_CODES.unexpected,
  PAYLOAD_KEY_MISSING: EXIT_CODES.database,
  PAYLOAD_DAMAGED: EXIT_CODES.unexpected,
  ENGINE_TOO_OLD: EXIT_CODES.unexpected,
  NO_STRONG_ETAG: EXIT_CODES.unexpected,
  INVARIANT_BROKEN: EXIT_CODES.unexpected,
};
