/**
 * Entries as bytes: canonical JSON in UTF-8, sealed where the store has a codec. The statements store the SHA-256 of what is
 * stored beside it and compare the two on reading, so that a damaged row is found, with or without the key.
 */

import { FootholdError } from "../../core/errors.ts";
import type { Entry, EntryKind, JournalEntry } from "../../core/journal.ts";
import { canonicalJson, type JsonObject } from "../../core/json.ts";
import { payloadPlace, snapshotPlace } from "./payload-places.ts";
import { REMEDIES, type FoundPayload, type PayloadFault, type Payloads } from "./payloads.ts";
import type { SnapshotColumns } from "./snapshots.ts";
import { drawSalt } from "./system.ts";

/** The mark of bodies that are not sealed. */
const JSON_CODEC = "json";
/** The field of a body that is no part of its entry. */
const SALT = "salt";

/** The columns of a stored entry. */
export interface EntryColumns {
  readonly entry_revision: number;
  readonly at: number;
  readonly commit_id: string;
  readonly codec: string;
  readonly body: Buffer;
  /** Whether the body has the hash that was stored with it. */
  readonly is_intact: boolean;
  /** Why its body cannot be opened; only `openEntries` says so. */
  readonly fault?: PayloadFault;
}

/** An entry ready to be stored. */
export interface EncodedEntry {
  readonly kind: EntryKind;
  readonly step: string | null;
  readonly credentialId: string | null;
  /** How the body is written. */
  readonly codec: string;
  readonly body: Buffer;
}

/** Encodes an entry. Throws a TypeError when something in it is no JSON value. */
export function encodeEntry(entry: Entry): EncodedEntry {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON only, by types without index signature
  const json = entry as unknown as JsonObject;
  // Nobody can guess what was erased from its hash: the salt is gone with it.
  const body = Buffer.from(canonicalJson({ ...json, [SALT]: drawSalt() }));
  return {
    kind: entry.kind,
    step: stepOfEntry(entry),
    credentialId: "credentialId" in entry ? entry.credentialId : null,
    codec: JSON_CODEC,
    body,
  };
}

/** Entries that follow `revision` in the journal of a case. */
export interface EntriesOfCase {
  readonly caseId: string;
  readonly revision: number;
  readonly entries: readonly EncodedEntry[];
}

/** Seals the entries of several cases at once, where the store seals. Gives them case by case, in order. */
export async function sealEntries(
  payloads: Payloads,
  cases: readonly EntriesOfCase[],
): Promise<readonly (readonly EncodedEntry[])[]> {
  if (payloads.sealing === null) return cases.map(({ entries }) => entries);
  const plain = cases.flatMap(({ caseId, revision, entries }) =>
    entries.map(({ body }, index) => ({
      place: payloadPlace("journal", caseId, revision + index + 1),
      bytes: body,
    })),
  );
  const sealed = await payloads.seal(plain, JSON_CODEC);
  let at = 0;
  return cases.map(({ entries }) =>
    entries.map((entry) => {
      const stored = sealed[at];
      at += 1;
      return stored === undefined ? entry : { ...entry, ...stored };
    }),
  );
}

/** Rows of entries, with or without a snapshot before them. */
type OpenableRow = (EntryColumns | { readonly entry_revision: null }) | (SnapshotColumns & EntryColumns);

/**
 * Rows as they would be were nothing sealed. An entry that cannot be opened says why by its `fault`; a snapshot that cannot
 * is none, so that the whole journal is read.
 */
export async function openEntries<Row extends OpenableRow>(
  payloads: Payloads,
  rows: readonly Row[],
  caseIdOf: (row: Row) => string,
): Promise<readonly Row[]> {
  const found: (FoundPayload & { readonly index: number; readonly what: "entry" | "snapshot" })[] = [];
  for (const [index, row] of rows.entries()) {
    const caseId = caseIdOf(row);
    if (row.entry_revision !== null && row.is_intact && row.codec !== JSON_CODEC) {
      const place = payloadPlace("journal", caseId, row.entry_revision);
      found.push({ index, what: "entry", place, codec: row.codec, body: row.body });
    }
    const snapshot = sealedSnapshot(row);
    if (snapshot !== null) {
      found.push({ index, what: "snapshot", place: snapshotPlace(caseId, snapshot.revision), ...snapshot });
    }
  }
  if (found.length === 0) return rows;
  const opened = [...rows];
  for (const [at, one] of (await payloads.open(found)).entries()) {
    const { index = -1, what = "entry", codec = "" } = found[at] ?? {};
    const row = opened[index];
    if (row === undefined) continue;
    const isRead = one.kind === "read";
    if (what === "snapshot") {
      opened[index] = { ...row, snapshot_codec: JSON_CODEC, snapshot_body: isRead ? one.body : null };
    } else if (!isRead) opened[index] = { ...row, fault: one.fault };
    // A mark that names no key is no codec of ours: it stays, and is told as such.
    else opened[index] = { ...row, codec: codec.includes(":") ? JSON_CODEC : codec, body: one.body };
  }
  return opened;
}

function sealedSnapshot(
  row: OpenableRow,
): { readonly revision: number; readonly codec: string; readonly body: Buffer } | null {
  if (!("snapshot_body" in row) || row.snapshot_is_intact !== true) return null;
  const { snapshot_revision: revision, snapshot_codec: codec, snapshot_body: body } = row;
  if (revision === null || codec === null || body === null || codec === JSON_CODEC) return null;
  return { revision, codec, body };
}

/**
 * Decodes a stored entry that was opened. Throws `CORRUPT_JOURNAL`, or `PAYLOAD_KEY_MISSING` where it is only its key that
 * is not here, naming case and revision.
 */
export function decodeEntry(caseId: string, columns: EntryColumns): JournalEntry {
  const { entry_revision: revision, at, commit_id: commitId, codec, body } = columns;
  if (columns.fault !== undefined) throw faultOf(caseId, revision, columns.fault);
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
  const fields = typeof value === "object" && value !== null ? value : {};
  const kind = "kind" in fields ? fields.kind : undefined;
  if (typeof kind !== "string" || !Object.hasOwn(KINDS, kind)) {
    throw corrupt(caseId, revision, `its kind ${JSON.stringify(kind)} is unknown to this version`);
  }
  Reflect.deleteProperty(fields, SALT);
  // The hash says that these are the bytes which encodeEntry wrote, so the fields of this kind are there.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return value as Entry;
}

function faultOf(caseId: string, revision: number, { code, what, keyId }: PayloadFault): FootholdError {
  if (code === "PAYLOAD_DAMAGED") return corrupt(caseId, revision, what);
  return new FootholdError(
    code,
    `The journal of case ${caseId} cannot be read at revision ${revision}: ${what}. ${REMEDIES[code]}`,
    { details: { caseId, revision, keyId } },
  );
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
