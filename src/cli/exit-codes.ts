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
  [EXIT_CODES.notFound, "there is no such case, case type, person or token"],
  [EXIT_CODES.refused, "the case does not allow it now; the code on stderr says why"],
  [EXIT_CODES.database, "the database cannot be used: it does not answer, or its schema does not fit"],
  [EXIT_CODES.invalid, "an input, event, form, definition or configuration is invalid"],
  [EXIT_CODES.findings, "the doctor found an error, or the audit is not as it was sealed"],
  [EXIT_CODES.warnings, "the doctor found warnings, and --strict was asked for"],
];

/** The exit code for an error. */
export function exitCodeOf(error: unknown): ExitCode {
  return isFootholdError(error) ? exitCodeFor(error.code) : EXIT_CODES.unexpected;
}

function exitCodeFor(code: ErrorCode): ExitCode {
  switch (code) {
    case "USAGE":
    case "CONFIG_NOT_FOUND":
    case "NOT_LOOPBACK":
      return EXIT_CODES.usage;
    case "CASE_NOT_FOUND":
    case "BULK_NOT_FOUND":
    case "SECOND_NOT_FOUND":
    case "UNKNOWN_CASE_TYPE":
    case "PERSON_NOT_FOUND":
    case "TOKEN_NOT_FOUND":
      return EXIT_CODES.notFound;
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
    case "NOTHING_TO_LEAVE":
    case "PLAN_CHANGED":
    case "BULK_EMPTY":
    case "BULK_REFUSED":
    case "SECOND_NEEDED":
    case "SECOND_REFUSED":
    case "SECOND_OVER":
    case "PLAN_NEEDED":
    case "NOT_SIGNED_IN":
    case "NOT_ALLOWED":
    case "TOO_MANY_REQUESTS":
    case "PERSON_EXISTS":
      return EXIT_CODES.refused;
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
      return EXIT_CODES.database;
    case "INVALID_INPUT":
    case "INVALID_EVENT":
    case "INVALID_APPROVAL":
    case "INVALID_REQUEST":
    case "INVALID_DEFINITION":
    case "CONFIG_INVALID":
      return EXIT_CODES.invalid;
    case "REQUEST_REFUSED":
    case "SERVER_UNREACHABLE":
    case "PORT_IN_USE":
    case "CORRUPT_JOURNAL":
    case "ENGINE_TOO_OLD":
    case "NO_STRONG_ETAG":
    case "INVARIANT_BROKEN":
      return EXIT_CODES.unexpected;
  }
}
