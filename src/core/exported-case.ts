/** A case as a file: its journal, whole, and what it was of. Read again, it is folded by the engine that reads it. */

import { FootholdError } from "./errors.ts";
import type { JournalEntry } from "./journal.ts";

/** The format; another one gets another name. */
export const EXPORT_FORMAT = "foothold-case-1";

/** An exported case. Times are epoch ms. */
export interface ExportedCase {
  readonly format: typeof EXPORT_FORMAT;
  readonly caseId: string;
  readonly exportedAt: number;
  /** True where marks stand for what is masked; it can be read, and not replayed. Left out where it is as it was. */
  readonly isMasked?: boolean;
  /** Oldest first, from revision 1 on without gaps. */
  readonly entries: readonly JournalEntry[];
}

/** Reads what was exported. Throws `INVALID_REQUEST` that says what it is instead; what the entries hold is judged by the fold. */
export function readExportedCase(value: unknown): ExportedCase {
  if (!isObject(value)) throw unreadable("it is no JSON object");
  const { format, caseId, exportedAt, entries } = value;
  if (format !== EXPORT_FORMAT) {
    throw unreadable(
      `its format is ${JSON.stringify(format ?? null)}, and this engine reads ${EXPORT_FORMAT}`,
    );
  }
  if (typeof caseId !== "string" || typeof exportedAt !== "number") {
    throw unreadable("it lacks `caseId` or `exportedAt`");
  }
  if (value["isMasked"] === true) {
    throw new FootholdError(
      "INVALID_REQUEST",
      "This exported case holds marks in the place of what is masked, so that it would be planned otherwise than it was. " +
        "Export it with --reveal and a reason.",
    );
  }
  if (!isEntryList(entries)) throw unreadable("its `entries` are no list of journal entries");
  return { format, caseId, exportedAt, entries };
}

function isObject(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** By shape: an entry of an unknown kind, or one that does not fit, is named by the fold with its revision. */
function isEntryList(value: unknown): value is readonly JournalEntry[] {
  return (
    Array.isArray(value) &&
    value.every(
      (one: unknown) =>
        isObject(one) &&
        typeof one["revision"] === "number" &&
        typeof one["at"] === "number" &&
        typeof one["commitId"] === "string" &&
        isObject(one["entry"]) &&
        typeof one["entry"]["kind"] === "string",
    )
  );
}

function unreadable(what: string): FootholdError {
  return new FootholdError(
    "INVALID_REQUEST",
    `This is no exported case: ${what}. \`foothold cases export CASE\` makes one.`,
  );
}
