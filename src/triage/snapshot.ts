/**
 * A thrown value, read once into plain data: what sorters look at and what people are shown. Whatever it is (getters
 * and proxies that throw, cycles, texts that a database cannot hold), it is read without throwing and within bounds.
 */

import { isKeptHeader } from "../core/answer-headers.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { SeenError } from "../core/seen-failure.ts";
import { storableText, thrownText } from "../core/storable-text.ts";
import type { Headers } from "./instruction.ts";
import { attempt, clip, field, plainBody, text, TEXT_CHARS_MAX } from "./plain-data.ts";
import { rpcDetails } from "./rpc-details.ts";
import { answerOf, type FoundAnswer } from "./seen-answer.ts";

/** Errors behind an error that are looked at. */
const CHAIN_MAX = 8;
/** Errors that failed side by side that are judged, each for itself. */
const MEMBERS_MAX = 16;
/** Levels of them. */
const MEMBERS_DEPTH_MAX = 2;
/** Characters of a stack. */
const STACK_CHARS_MAX = 2_000;
/** Headers of one answer that are kept. */
const HEADERS_KEPT_MAX = 30;

/** Fields in which clients keep the error that was the reason. */
const CAUSES = ["original", "originalError", "lastError", "detail", "error"];
/** Fields in which they keep several. */
const LISTS = ["errors", "rejectedErrors"];

/** Fields that sorters read from errors of clients, and that people are shown. None of them can hold a secret of ours. */
const FACTS: readonly string[] = [
  "code errno status type reason domain data extensions",
  // AWS, Azure, Twilio, Slack, Salesforce, Shopify, got, axios
  "$fault $metadata $retryable CancellationReasons",
  "moreInfo retryAfter errorCode event isAxiosError graphQLErrors networkStatusCode",
  // mail servers
  "command responseCode timeoutType",
  // databases and brokers
  "severity constraint sqlState fatal codeName errorLabels errorResponse retriable retryCount",
  "insertedCount modifiedCount deletedCount upsertedCount",
  // a destination's fence
  "seen",
  // gRPC
  "details statusDetails",
].flatMap((names) => names.split(" "));

/** Everything read from a thrown value. */
export interface Snapshot {
  /** The error first, then what caused it; errors of an AggregateError behind their parent. */
  readonly chain: readonly SeenError[];
  /** The answer that each of them carries. */
  readonly answers: readonly (FoundAnswer | null)[];
  /** The first of these. */
  readonly found: FoundAnswer | null;
  /** Each of them where it is no error, but an answer's own body that an author threw; else null. */
  readonly bodies: readonly Json[];
  /**
   * Errors that failed side by side, such as those of an AggregateError, each with what caused it: what one of them
   * proves says nothing of the others. One of nothing stands for all that were not read.
   */
  readonly members: readonly Snapshot[];
  /** False where more errors were caused by one another than are looked at. */
  readonly isWhole: boolean;
}

/** Reads a thrown value. Never throws. */
export function snapshotOf(thrown: unknown): Snapshot {
  return snapshotAt(thrown, 0);
}

function snapshotAt(thrown: unknown, depth: number): Snapshot {
  const { links, isWhole } = linksOf(thrown);
  return {
    chain: links.map(seenError),
    ...withFirst(links.map(answerOf)),
    bodies: links.map((one) => (isErrorLike(one) ? null : plainBody(one))),
    members: depth === MEMBERS_DEPTH_MAX ? [] : membersOf(links, depth + 1),
    isWhole,
  };
}

function withFirst(answers: Snapshot["answers"]): Pick<Snapshot, "answers" | "found"> {
  return { answers, found: answers.find((one) => one !== null) ?? null };
}

/** The snapshot as it is, and then as it would be if only what caused it had been thrown, one by one. */
export function fromEachOf(snapshot: Snapshot): readonly Snapshot[] {
  return snapshot.chain.map((_, index) => ({
    ...snapshot,
    chain: snapshot.chain.slice(index),
    ...withFirst(snapshot.answers.slice(index)),
    bodies: snapshot.bodies.slice(index),
  }));
}

/** Whatever stands in lists of errors. A list without any error is no such list, but says which fields are wrong. */
function membersOf(links: readonly unknown[], depth: number): readonly Snapshot[] {
  const items = links.flatMap((one) => LISTS.flatMap((name) => errorListIn(one, name)));
  const errors = items.filter(isErrorLike).slice(0, MEMBERS_MAX);
  const members = errors.map((one) => snapshotAt(one, depth));
  return errors.length === items.length ? members : [...members, snapshotAt(undefined, MEMBERS_DEPTH_MAX)];
}

/** What is kept of an error for people. The first stack names the author's own line; those behind it are a library's. */
export function keptErrors(chain: readonly SeenError[]): Json {
  return chain.map(({ name, message, code, syscall, stack, facts }, index) => ({
    name,
    message,
    code,
    syscall,
    stack: index === 0 ? stack : null,
    ...facts,
  }));
}

/** What is kept of an answer's headers. */
export function keptHeaders(headers: Headers): Headers {
  const kept = Object.entries(headers).filter(([name]) => isKeptHeader(name));
  return Object.fromEntries(kept.slice(0, HEADERS_KEPT_MAX).map(([name, value]) => [name, clip(value)]));
}

interface Links {
  readonly links: readonly unknown[];
  readonly isWhole: boolean;
}

/** The thrown value, and what stands behind it in causes and in lists. */
function linksOf(thrown: unknown): Links {
  const links: unknown[] = [];
  const listed = new Set<unknown>();
  const queue: unknown[] = [thrown];
  while (queue.length > 0 && links.length < CHAIN_MAX) {
    const one = queue.shift();
    if (one === undefined || one === null || links.includes(one)) continue;
    links.push(one);
    const errors = LISTS.flatMap((name) => errorListIn(one, name))
      .filter(isErrorLike)
      .slice(0, CHAIN_MAX);
    errors.forEach((error) => listed.add(error));
    queue.push(...errors);
    queue.push(field(one, "cause"), ...CAUSES.map((name) => field(one, name)).filter(isErrorLike));
  }
  // What stands in a list is judged for itself.
  const rest = queue.filter((one) => isErrorLike(one) && !links.includes(one) && !listed.has(one));
  return { links, isWhole: rest.length === 0 };
}

/** A list with an error in it, and a little more of it than is judged; empty where there is none. */
function errorListIn(holder: unknown, name: string): readonly unknown[] {
  const list = field(holder, name);
  const items = attempt((): readonly unknown[] =>
    Array.isArray(list) ? list.slice(0, MEMBERS_MAX + 1) : [],
  );
  return items?.some(isErrorLike) === true ? items : [];
}

/** By shape: errors of another realm or another copy of a class are errors too. */
function isErrorLike(value: unknown): boolean {
  return typeof field(value, "stack") === "string";
}

function seenError(thrown: unknown): SeenError {
  if (typeof thrown !== "object" || thrown === null) {
    const message = thrownText(thrown, TEXT_CHARS_MAX);
    return { ...NOTHING, name: typeof thrown, message };
  }
  const code = field(thrown, "code");
  const stack = field(thrown, "stack");
  return {
    name: text(field(thrown, "name")) ?? "object",
    message: text(field(thrown, "message")) ?? "",
    code: typeof code === "string" || typeof code === "number" ? clip(String(code)) : null,
    syscall: text(field(thrown, "syscall")),
    stack: typeof stack === "string" ? storableText(stack, STACK_CHARS_MAX) : null,
    isAggregate: errorListIn(thrown, "errors").length > 0,
    facts: factsOf(thrown),
  };
}

const NOTHING = { code: null, syscall: null, stack: null, isAggregate: false, facts: {} } as const;

function factsOf(thrown: object): JsonObject {
  const facts: Record<string, Json> = {};
  for (const name of FACTS) {
    const fact = factOf(field(thrown, name));
    if (fact !== undefined) facts[name] = fact;
  }
  // Elsewhere it is a whole answer; of a mail server it is one line.
  const reply = text(field(thrown, "response"));
  if (reply !== null) facts["response"] = reply;
  return { ...facts, ...rpcFactsOf(field(thrown, "metadata"), facts) };
}

function factOf(value: unknown): Json | undefined {
  switch (typeof value) {
    case "string":
      return clip(value);
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : undefined;
    case "object":
      return plainBody(value) ?? undefined;
    case "bigint":
    case "function":
    case "symbol":
    case "undefined":
      return undefined;
  }
}

/**
 * Of the metadata of a gRPC call only the wait and the details of its status are read, these where no client has decoded
 * them: the rest is the application's own.
 */
function rpcFactsOf(metadata: unknown, { statusDetails }: JsonObject): JsonObject {
  const get = field(metadata, "get");
  if (typeof get !== "function") return {};
  const first = (name: string): unknown => {
    const values = attempt((): unknown => Reflect.apply(get, metadata, [name]));
    return Array.isArray(values) ? values[0] : values;
  };
  const pushback = first("grpc-retry-pushback-ms");
  const trailer = statusDetails === undefined ? first("grpc-status-details-bin") : undefined;
  const details = trailer instanceof Uint8Array ? rpcDetails(trailer) : null;
  return {
    ...(typeof pushback === "string" ? { pushback: clip(pushback) } : {}),
    ...(details === null ? {} : { statusDetails: plainBody(details) }),
  };
}

/** An object within facts; empty where there is none. */
export function factObject(facts: JsonObject, name: string): JsonObject {
  const found = facts[name];
  return found !== undefined && isJsonObject(found) ? found : {};
}
