import type { FaultedStep, ServedFault } from "./faults.ts";

/** A value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [field: string]: Json;
}

/**
 * The step of a case that a request or an effect is about; `position` is its 1-based place in the case, if
 * told.
 */
export interface StepOfCase extends FaultedStep {
  readonly position: number | null;
}

/** The answer that a service gave: the status and the exact JSON text of the body. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * How a request ended: an HTTP status, `dropped` (the service destroyed the socket on purpose, after
 * executing) or `aborted` (the client went away, or the service was stopped, before anything was executed). A
 * status says what was written to the socket; whether the client read it, no server can know.
 */
type RequestEnd = number | "dropped" | "aborted";

/** One effect: something that really happened at the service, once. */
export interface Effect {
  readonly kind: "effect";
  /**
   * Rises by one with every entry of the ledger, over all services that share it: the true order of effects.
   */
  readonly sequence: number;
  /** Epoch milliseconds, read in the same turn in which the sequence was given. */
  readonly executedAt: number;
  readonly service: string;
  /** The service's own id of what was made, such as `R-17`. */
  readonly id: string;
  readonly path: string;
  /** The idempotency key, unique per service; null when the request had none. */
  readonly key: string | null;
  readonly fencingToken: string | null;
  /** SHA-256 of the raw body, in hex. */
  readonly bodyHash: string;
  /** The case, the step (activity and occurrence) and its position. */
  readonly step: StepOfCase;
  /** The first answer, given again for every repeat of the key. */
  readonly answer: StoredAnswer;
}

/** One request that arrived, whatever became of it. */
export interface SeenRequest {
  readonly kind: "request";
  readonly sequence: number;
  /** Epoch milliseconds when its headers had arrived. */
  readonly arrivedAt: number;
  readonly service: string;
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly fencingToken: string | null;
  /** SHA-256 of the raw body, in hex; null when there was no whole body within the limit. */
  readonly bodyHash: string | null;
  /** Null when the request was refused before its step was known. */
  readonly step: StepOfCase | null;
  readonly ended: RequestEnd;
  /** The fault that the plan (or `failFirstPerKey`) put on it; null is none. */
  readonly fault: ServedFault | null;
  /** The effect that this very request executed; null when it executed none. */
  readonly executedId: string | null;
  /** True when the stored first answer of its key was taken instead of executing again. */
  readonly replayed: boolean;
}

/** Everything a ledger holds, in sequence order. */
export type LedgerEntry = Effect | SeenRequest;

/** Counts over the whole ledger. */
export interface LedgerTotals {
  readonly effects: number;
  readonly requests: number;
  /** Requests whose key had an effect already and the same body. */
  readonly replayed: number;
  /** Requests that were not answered because the plan lost the answer. */
  readonly dropped: number;
  /** Requests per end: each status met, `dropped`, `aborted`. */
  readonly byEnd: { readonly [end: string]: number };
  /** Requests per fault that the plan put on them. */
  readonly byFault: { readonly [fault: string]: number };
  /** Requests turned away with 507 because the ledger was full; they are not entries. */
  readonly turnedAway: number;
}

/** Some entries in sequence order. `nextAfter` is what to ask with next; null when there was no more. */
export interface LedgerPage {
  readonly totals: LedgerTotals;
  readonly effects: readonly Effect[];
  readonly requests: readonly SeenRequest[];
  readonly nextAfter: number | null;
}

/** A ledger file that cannot be read: names the file and, where it is one, the line. */
export class LedgerFileError extends Error {
  readonly code = "LEDGER_FILE_INVALID";
  readonly file: string;
  /** 1-based; null when the trouble is not with one line. */
  readonly line: number | null;

  constructor(trouble: { file: string; line: number | null; why: string; cause?: unknown }) {
    const where = trouble.line === null ? trouble.file : `${trouble.file}, line ${trouble.line}`;
    super(`the ledger file ${where}: ${trouble.why}`, { cause: trouble.cause });
    this.name = "LedgerFileError";
    this.file = trouble.file;
    this.line = trouble.line;
  }
}

/**
 * Reads the bytes of a ledger file: one JSON entry a line, sequences 1, 2, 3, ... without a gap.
 *
 * A last line without its line end was being written when the process died: it is not an entry, and
 * `wholeBytes` says where the whole lines end. Throws {@link LedgerFileError} for any other line that is not
 * an entry.
 */
export function parseLedgerBytes(
  file: string,
  bytes: Buffer,
): { readonly entries: readonly LedgerEntry[]; readonly wholeBytes: number } {
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const entries: LedgerEntry[] = [];
  for (let start = 0; start < wholeBytes;) {
    const end = bytes.indexOf(0x0a, start);
    const line = entries.length + 1;
    const entry = parseEntry({ file, line, text: bytes.toString("utf8", start, end) });
    if (entry.sequence !== line) {
      const why = `sequence ${entry.sequence} stands where ${line} belongs (two writers on one file?)`;
      throw new LedgerFileError({ file, line, why });
    }
    entries.push(entry);
    start = end + 1;
  }
  return { entries, wholeBytes };
}

function parseEntry(source: { file: string; line: number; text: string }): LedgerEntry {
  let value: unknown;
  try {
    value = JSON.parse(source.text);
  } catch (cause) {
    throw new LedgerFileError({ ...source, why: "not JSON", cause });
  }
  const isEntry =
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    (value.kind === "effect" || value.kind === "request") &&
    "sequence" in value &&
    typeof value.sequence === "number" &&
    "service" in value &&
    typeof value.service === "string";
  if (!isEntry) throw new LedgerFileError({ ...source, why: "not a ledger entry" });
  // The one writer of these lines is Ledger, which writes whole entries; the fields above tell it from other
  // files.
  return value as LedgerEntry;
}
