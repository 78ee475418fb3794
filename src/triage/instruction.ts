/**
 * What a destination says about trying again: one parser for all that it may say it with. Junk, zero and the past are no
 * instruction, so that our own delay holds: never "at once". Nobody waits in process for any of it.
 */

import type { Instruction } from "../core/failure.ts";
import { isJsonObject, type Json } from "../core/json.ts";
import {
  BODY_SOURCES,
  HEADER_SOURCES,
  KEPT_MS_MAX,
  STOP_HEADERS,
  type HeaderSource,
} from "./instruction-sources.ts";
import { dateAt, EPOCH_SECONDS_MIN, waitMs } from "./moment.ts";

/** Headers by lower-case name. */
export type Headers = Readonly<Record<string, string>>;

/** The last answer, as far as it matters here. */
export interface InstructionInput {
  readonly headers: Headers;
  readonly body: Json;
  /** True where the answer itself is a request to slow down: then a reset counts also where nothing says what is left. */
  readonly isSlowDown: boolean;
}

/** An instruction, and what was odd about it. */
export interface InstructionReading {
  readonly instruction: Instruction | null;
  /** `clock_skew`, `unit_suspect`, `capped`: for people, never for code. */
  readonly notes: readonly string[];
}

const DAY_SECONDS = 86_400;
/** Clocks that differ by more are worth a note, in ms. */
const SKEW_MS_MAX = 60_000;

interface Hint {
  readonly delayMs: number;
  readonly source: string;
  readonly rank: number;
  readonly isCapped: boolean;
}

/** Reads an answer. `now`: epoch ms by our clock, for dates. */
export function readInstruction(answer: InstructionInput, now: number): InstructionReading {
  const { headers, body } = answer;
  const stop = STOP_HEADERS.find((name) => headers[name]?.trim().toLowerCase() === "false");
  if (stop !== undefined) return { instruction: { kind: "doNotRetry", source: stop }, notes: [] };
  const pushback = headers["grpc-retry-pushback-ms"];
  if (pushback !== undefined) return { instruction: readPushback(pushback), notes: [] };
  const serverNow = dateAt(headers["date"]?.trim() ?? "") ?? now;
  const skew = Math.abs(serverNow - now) > SKEW_MS_MAX ? ["clock_skew"] : [];
  const hints = [
    ...HEADER_SOURCES.flatMap((one) => headerHint(one, answer, serverNow)),
    ...draftHints(headers),
  ];
  const found = hints.length > 0 ? hints : bodyHints(body);
  const { hint, isSuspect } = choose(found);
  if (hint === null) return { instruction: null, notes: [] };
  const odd = [...(isSuspect ? ["unit_suspect"] : []), ...(hint.isCapped ? ["capped"] : []), ...skew];
  return { instruction: retryAfter(hint.delayMs, hint.source), notes: odd };
}

/** Anything that is no wait means: do not retry (gRPC A6). Zero leaves it to us. */
function readPushback(text: string): Instruction | null {
  const source = "grpc-retry-pushback-ms";
  if (!/^\d{1,10}$/.test(text.trim())) return { kind: "doNotRetry", source };
  const delayMs = Number(text);
  return delayMs === 0 ? null : retryAfter(Math.min(delayMs, KEPT_MS_MAX), source);
}

function retryAfter(delayMs: number, source: string): Instruction {
  return { kind: "retryAfter", delayMs: Math.ceil(delayMs), source };
}

function headerHint(
  { header, rank, unitMs, capMs, leftIn, graceMs }: HeaderSource,
  { headers, isSlowDown }: InstructionInput,
  serverNow: number,
): readonly Hint[] {
  const text = headers[header];
  if (text === undefined) return [];
  const left = leftIn === null ? "0" : headers[leftIn];
  if (left === undefined ? !isSlowDown : Number(left) !== 0) return [];
  if (leftIn !== null && isNoCount(text, unitMs)) return [];
  const named = waitMs(text, unitMs, serverNow);
  // In the past it stays: a moment of grace does not make it a wait.
  return hintOf(named !== null && named > 0 ? named + graceMs : named, header, rank, capMs);
}

/** A limit that comes back in days is none: such a number is one of ms, which nothing says, and no moment either. */
function isNoCount(text: string, unitMs: number): boolean {
  return unitMs === 1_000 && Number(text) > DAY_SECONDS && Number(text) < EPOCH_SECONDS_MIN;
}

function hintOf(delayMs: number | null, source: string, rank: number, capMs: number): readonly Hint[] {
  if (delayMs === null || !Number.isFinite(delayMs) || delayMs <= 0) return [];
  return [{ delayMs: Math.min(delayMs, capMs), source, rank, isCapped: delayMs > capMs }];
}

/**
 * The header RateLimit of the IETF draft, in its newer form (`"policy";r=0;t=30`) and its older (`remaining=0, reset=30`).
 * Only a policy with nothing left says when to come back.
 */
function draftHints(headers: Headers): readonly Hint[] {
  const text = headers["ratelimit"];
  if (text === undefined) return [];
  const isOlder = /\bremaining=/.test(text);
  const policies = isOlder ? [text] : text.split(",");
  return policies.flatMap((policy) => {
    const left = /\b(?:r|remaining)=(\d+)/.exec(policy)?.[1];
    const seconds = /\b(?:t|reset)=(\d+)/.exec(policy)?.[1];
    if (left !== "0" || seconds === undefined) return [];
    return hintOf(Number(seconds) * 1_000, "ratelimit", 3, 24 * 3_600_000);
  });
}

function bodyHints(body: Json): readonly Hint[] {
  if (!isJsonObject(body)) return [];
  const read = BODY_SOURCES.flatMap(({ name, read: readBody, capMs }) =>
    hintOf(readBody(body), name, 5, capMs),
  );
  return read.slice(0, 1);
}

/** The highest rank, and in it the longest; but where two differ by a thousand, one of them is in the wrong unit. */
function choose(hints: readonly Hint[]): { readonly hint: Hint | null; readonly isSuspect: boolean } {
  const best = Math.min(...hints.map(({ rank }) => rank));
  const [longest = null] = hints
    .filter(({ rank }) => rank === best)
    .toSorted((a, b) => b.delayMs - a.delayMs);
  if (longest === null) return { hint: null, isSuspect: false };
  const suspect = hints.find(({ delayMs }) => isThousandfold(longest.delayMs, delayMs));
  if (suspect === undefined) return { hint: longest, isSuspect: false };
  const delayMs = Math.max(suspect.delayMs, longest.delayMs / 1_000);
  return { hint: { ...longest, delayMs }, isSuspect: true };
}

/** Within a tenth. */
function isThousandfold(long: number, short: number): boolean {
  return long / short >= 900 && long / short <= 1_100;
}
