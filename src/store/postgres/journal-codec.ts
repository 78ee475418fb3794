/**
 * Entries as bytes: canonical JSON in UTF-8. The statements store its SHA-256 beside it and compare the two on reading, so
 * that a damaged row is found.
 */

import { FootholdError } from "../../core/errors.ts";
import type { Entry, EntryKind, JournalEntry } from "../../core/journal.ts";
import { canonicalJson, type Json } from "../../core/json.ts";

/** The one codec there is. */
const JSON_CODEC = "json";

/** The columns of a stored entry. */
export interface EntryColumns {
  readonly entry_revision: number;
  readonly at: number;
  readonly commit_id: string;
  readonly codec: string;
  readonly body: Buffer;
  /** Whether the body has the hash that was stored with it. */
  readonly is_intact: boolean;
}

/** An entry ready to be stored. */
export interface EncodedEntry {
  readonly kind: EntryKind;
  readonly step: string | null;
  readonly credentialId: string | null;
  readonly body: Buffer;
}

/** Encodes an entry. Throws a TypeError when something in it is no JSON value. */
export function encodeEntry(entry: Entry): EncodedEntry {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON only, by types without index signature
  const body = Buffer.from(canonicalJson(entry as unknown as Json));
  return {
    kind: entry.kind,
    step: stepOfEntry(entry),
    credentialId: "credentialId" in entry ? entry.credentialId : null,
    body,
  };
}

/** Decodes a stored entry. Throws `CORRUPT_JOURNAL` naming case and revision. */
export function decodeEntry(caseId: string, columns: EntryColumns): JournalEntry {
  const { entry_revision: revision, at, commit_id: commitId, codec, body } = columns;
  if (codec !== JSON_CODEC) throw corrupt(caseId, revision, `its codec ${codec} is unknown`);
  if (!columns.is_intact) throw corrupt(caseId, revision, "its body does not match its hash");
  return { revision, at, commitId, entry: parseEntry(caseId, revision, body) };
}

function parseEntry(caseId: string, revision: number, body: Buffer): Entry {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch (error) {
    throw corrupt(caseId, revision, "its body is no JSON", error);
  }
  const kind = typeof value === "object" && value !== null && "kind" in value ? value.kind : undefined;
  if (typeof kind !== "string" || !Object.hasOwn(KINDS, kind)) {
    throw corrupt(caseId, revision, `its kind ${JSON.stringify(kind)} is unknown to this version`);
  }
  // The hash says that these are the bytes which encodeEntry wrote, so the fields of this kind are there.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return value as Entry;
}

function stepOfEntry(entry: Entry): string | null {
  if ("step" in entry) return entry.step;
  return entry.kind === "reviewOpened" ? entry.review.step : null;
}

function corrupt(caseId: string, revision: number, what: string, cause?: unknown): FootholdError {
  return new FootholdError(
    "CORRUPT_JOURNAL",
    `The journal of case ${caseId} cannot be read at revision ${revision}: ${what}. ` +
      `Nothing of the case was changed; restore its journal rows from a backup.`,
    { cause, details: { caseId, revision } },
  );
}

/** Every kind there is; the type keeps the list whole. */
const KINDS: Readonly<Record<EntryKind, true>> = {
  caseStarted: true,
  intentOpened: true,
  attemptOpened: true,
  attemptFailed: true,
  checkAnswered: true,
  accessRefreshed: true,
  stepConfirmed: true,
  stepLapsed: true,
  stepRestored: true,
  stepUndone: true,
  redoOrdered: true,
  undoOrdered: true,
  leftOutside: true,
  checkOrdered: true,
  assigned: true,
  outcomeRuledOut: true,
  conditionAnswered: true,
  lookAnswered: true,
  definitionChanged: true,
  restored: true,
  eachStarted: true,
  childStarted: true,
  childTold: true,
  reviewOpened: true,
  parked: true,
  eventReceived: true,
  eventAttached: true,
  approvalAnswered: true,
  noteAdded: true,
  repairOpened: true,
  repairTakenOver: true,
  repairEnded: true,
  resumed: true,
  inputCorrected: true,
  cancelRequested: true,
  canceled: true,
  pauseRequested: true,
  paused: true,
  claimLost: true,
  lateReport: true,
  caseDone: true,
};
