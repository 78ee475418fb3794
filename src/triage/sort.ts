/**
 * The first sorting of an error: why it failed, and whether it happened. It looks at structure (status, code, syscall),
 * never at message texts. What proves that nothing was sent is `executed: "no"`; everything else may have happened.
 */

import type { FieldFault } from "../core/errors.ts";
import {
  failureOf,
  type Executed,
  type Failure,
  type FailureCause,
  type Instruction,
} from "../core/failure.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { instructionOf } from "./instruction.ts";
import { rawOf, snapshotOf, type SeenError, type SeenResponse, type Snapshot } from "./snapshot.ts";
import { meaningOf, type StatusMeaning } from "./statuses.ts";

/** Why we stopped a send ourselves. */
export type StopCause = "deadline" | "lease" | "shutdown";

/** What sorting needs beside the error. */
export interface SortInput {
  /** The destination, for the sentence. */
  readonly destination: string;
  /** Set when the attempt's own signal had aborted before it failed. */
  readonly stopped: StopCause | null;
  /** Epoch ms, to read dates in headers. */
  readonly now: number;
}

/** Fields of one answer that are shown. */
const FIELDS_MAX = 20;

/** Sorts a thrown value. Never throws. */
export function sortFailure(thrown: unknown, input: SortInput): Failure {
  const snapshot = snapshotOf(thrown);
  if (snapshot.response !== null) return fromResponse(snapshot, snapshot.response, input);
  if (isUnsent(snapshot)) return fromUnsent(snapshot, input);
  if (input.stopped !== null) return fromStop(snapshot, input, input.stopped);
  return fromUnclear(snapshot, input);
}

function fromResponse(snapshot: Snapshot, response: SeenResponse, input: SortInput): Failure {
  const instruction = instructionOf(response.headers, input.now);
  const { cause, executed } = refine(response, meaningOf(response.status), instruction);
  const said = sentenceOf(response.body);
  return failure(snapshot, {
    cause,
    executed,
    rule: `http.${response.status}`,
    sentence: `${input.destination} answered ${response.status}${said === null ? "" : `: ${said}`}.`,
    instruction,
    fields: fieldsOf(response.body),
  });
}

/** Where a status alone misleads, its headers decide. */
function refine(
  response: SeenResponse,
  meaning: StatusMeaning,
  instruction: Instruction | null,
): StatusMeaning {
  const slowDown = instruction?.kind === "retryAfter";
  const isUsedUp = response.headers["x-ratelimit-remaining"] === "0";
  if (response.status === 403 && (slowDown || isUsedUp)) return { cause: "throttled", executed: "no" };
  // A server that turned the request away and says when to come back did not begin to work on it.
  if (response.status === 503 && slowDown) return { cause: "transient", executed: "no" };
  if (response.status === 413 && slowDown) return { cause: "throttled", executed: "no" };
  return meaning;
}

const CONNECT_SYSCALLS = ["connect", "getaddrinfo"];
/** Of the connect phase alone, whatever else is known. */
const CONNECT_CODES = ["UND_ERR_CONNECT_TIMEOUT", "ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED"];
/** Raised while the connection is secured, before anything is sent over it. */
const TLS_CODES = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|HOSTNAME_MISMATCH)/;

/**
 * True when every error that says anything proves that the request never left. Nothing else is a proof: what looks like
 * a mistake in a call (ERR_INVALID_URL, ERR_INVALID_ARG_TYPE) or a lack of this machine (EMFILE) may as well come from
 * what the author's code did after the send.
 */
function isUnsent({ chain }: Snapshot): boolean {
  const telling = chain.filter(({ code, isAggregate }) => code !== null && !isAggregate);
  return telling.length > 0 && telling.every(provesUnsent);
}

function provesUnsent({ code, syscall }: SeenError): boolean {
  if (code === null) return false;
  if (syscall !== null) return CONNECT_SYSCALLS.includes(syscall);
  return CONNECT_CODES.includes(code) || TLS_CODES.test(code);
}

function fromUnsent(snapshot: Snapshot, { destination }: SortInput): Failure {
  const code = snapshot.chain.find((one) => one.code !== null)?.code ?? "";
  return failure(snapshot, {
    cause: TLS_CODES.test(code) ? "bug" : "transient",
    executed: "no",
    rule: `unsent.${code}`,
    sentence: `${destination} was not reached (${code}); nothing was sent.`,
  });
}

const STOP_SENTENCES: Readonly<Record<StopCause, string>> = {
  deadline: "gave no answer before the deadline",
  lease: "had not answered when this worker's lease ran out",
  shutdown: "had not answered when this worker was stopped",
};

function fromStop(snapshot: Snapshot, { destination }: SortInput, stopped: StopCause): Failure {
  return failure(snapshot, {
    cause: "stopped",
    executed: "maybe",
    rule: `stopped.${stopped}`,
    sentence: `${destination} ${STOP_SENTENCES[stopped]}.`,
  });
}

const BUG_NAMES = ["TypeError", "RangeError", "ReferenceError", "SyntaxError", "AssertionError"];
/** A call that its own library refused. */
const CALL_CODES = /^(ERR_INVALID_|UND_ERR_INVALID_ARG$|UND_ERR_NOT_SUPPORTED$)/;

/** Nothing proves that nothing was sent: it may have happened, whatever the error says. */
function fromUnclear(snapshot: Snapshot, { destination }: SortInput): Failure {
  const [first] = snapshot.chain;
  const isBug =
    snapshot.chain.some(({ code }) => code !== null && CALL_CODES.test(code)) ||
    (first !== undefined && BUG_NAMES.includes(first.name) && snapshot.chain.length === 1);
  // The deepest one with a code says more than "fetch failed".
  const telling = snapshot.chain.findLast(({ code, isAggregate }) => code !== null && !isAggregate) ?? first;
  const said = telling === undefined || telling.message === "" ? "" : `: ${telling.message}`;
  const name = telling === undefined ? "nothing" : nameOf(telling);
  return failure(snapshot, {
    cause: isBug ? "bug" : "transient",
    executed: "maybe",
    rule: isBug ? "code.threw" : "unclear",
    sentence: `The step failed with ${name}${said}; whether ${destination} did its part is not proved.`,
  });
}

/** A code that is a number (of a DOMException) says less than the name. */
function nameOf({ code, name }: SeenError): string {
  return code === null || /^\d+$/.test(code) ? name : code;
}

/** A failure that we made ourselves before anything could be sent. */
export function unsentFailure(cause: FailureCause, rule: string, sentence: string): Failure {
  return failureOf({ cause, executed: "no", confidence: "proved", rule, sentence });
}

interface Verdict {
  readonly cause: FailureCause;
  readonly executed: Executed;
  readonly rule: string;
  readonly sentence: string;
  readonly instruction?: Instruction | null;
  readonly fields?: readonly FieldFault[];
}

function failure(snapshot: Snapshot, verdict: Verdict): Failure {
  return failureOf({ ...verdict, raw: rawOf(snapshot) });
}

/** A short text from a problem document (RFC 9457) or a common error body. */
function sentenceOf(body: Json): string | null {
  if (!isJsonObject(body)) return null;
  const error = body["error"];
  const nested = error !== undefined && isJsonObject(error) ? error["message"] : error;
  const found = [body["detail"], body["title"], body["message"], nested].find(
    (one) => typeof one === "string",
  );
  return typeof found === "string" ? found.replace(/[.\s]+$/, "") : null;
}

/** Field errors as problem documents and common validators put them: a list, or messages by the name of the field. */
function fieldsOf(body: Json): readonly FieldFault[] {
  const errors = isJsonObject(body) ? body["errors"] : undefined;
  if (errors === undefined) return [];
  if (isJsonArray(errors)) return errors.filter(isJsonObject).slice(0, FIELDS_MAX).map(fieldOf);
  if (!isJsonObject(errors)) return [];
  return Object.entries(errors)
    .flatMap(([path, said]) => messagesOf(said).map((message) => ({ path, message })))
    .slice(0, FIELDS_MAX);
}

function messagesOf(said: Json | undefined): readonly string[] {
  const all = said !== undefined && isJsonArray(said) ? said : [said];
  return all.filter((one) => typeof one === "string");
}

function fieldOf(error: JsonObject): FieldFault {
  const named = [error["field"], error["path"], error["pointer"], error["param"]].find(
    (one) => typeof one === "string",
  );
  const said = [error["message"], error["detail"], error["code"]].find((one) => typeof one === "string");
  return {
    path: typeof named === "string" ? named : "",
    message: typeof said === "string" ? said : "is not accepted",
  };
}
