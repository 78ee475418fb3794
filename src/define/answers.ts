/** What conditions and checks answer: how authors make an answer, and how what a function gave is read. */

import type { CheckAnswer, ConditionAnswer, LookAnswer } from "../core/journal.ts";
import { readJson, type Json } from "../core/json.ts";
import { describeValue } from "./describe-value.ts";
import { readDuration, type Duration } from "./duration.ts";
import { VALUE_CHARS_MAX } from "./schema.ts";

/** It took effect: `result` is what `run` would have returned, `evidence` is kept for people. */
export interface Happened<Result = unknown> {
  readonly kind: "happened";
  readonly result: Result;
  readonly evidence: unknown;
  /** Of what really ran, where the destination kept it. */
  readonly fingerprint?: string;
}

/** Something is there under our key or name, and it is not what was wanted. A person looks at it. */
export interface Differs {
  readonly kind: "differs";
  readonly why: string;
  readonly evidence: unknown;
}

/** It is not there. Believed only after a second look, past the last moment at which it could still arrive. */
export interface DidNotHappen {
  readonly kind: "didNotHappen";
}

/** It cannot be told now; asked again later, within the destination's bounds. */
export interface CannotTell {
  readonly kind: "cannotTell";
  readonly why: string;
}

/** What a `check` answers. */
export type CheckReply<Result = unknown> = Happened<Result> | Differs | DidNotHappen | CannotTell;

/** Characters of a reason that are kept. */
const WHY_CHARS_MAX = 500;

/**
 * Answers a check: it took effect. `evidence` is what proves it, any JSON; null when left out. Where the destination
 * keeps the `fingerprint` that `run` was given, hand back what it has: of another request it counts as {@link differs}.
 */
export function happened<Result>(
  result: Result,
  evidence: unknown = null,
  ran: { readonly fingerprint?: string } = {},
): Happened<Result> {
  return { kind: "happened", result, evidence, ...ran };
}

/** Answers a check: something else is there, and why it is not what was wanted. `evidence`: any JSON; null when left out. */
export function differs(why: string, evidence: unknown = null): Differs {
  return { kind: "differs", why, evidence };
}

/** Answers a check: it is not there. */
export function didNotHappen(): DidNotHappen {
  return { kind: "didNotHappen" };
}

/** Answers a check or a condition: it cannot be told now. */
export function cannotTell(why: string): CannotTell {
  return { kind: "cannotTell", why };
}

/** What `look` answers: it is there. */
export interface Found<Result = unknown> {
  readonly kind: "found";
  readonly result: Result;
}

/** What `look` answers: it is not there yet. */
export interface NotYet {
  readonly kind: "notYet";
  readonly why: string;
  /** When to look again; left out = as the step says. */
  readonly again?: Duration;
}

/** Answers a look: what is waited for is there, and `result` is what the step gives. */
export function found<Result>(result: Result): Found<Result> {
  return { kind: "found", result };
}

/** Answers a look: not yet, look again in `again`, 1 s at least; left out, in as long as the step's `every` says. */
export function notYet(why: string, options: { readonly again?: Duration } = {}): NotYet {
  return { kind: "notYet", why, ...options };
}

/** Answers a condition: it holds. The same as `true`. */
export function holds(): Extract<ConditionAnswer, { kind: "holds" }> {
  return { kind: "holds" };
}

/** Answers a condition: it does not hold, and why. `false` says the same without a reason. */
export function broken(why: string): Extract<ConditionAnswer, { kind: "broken" }> {
  return { kind: "broken", why };
}

/**
 * What a check's function gave, as an answer that can be stored. Anything but an answer is `cannotTell`. A result or
 * evidence that is no JSON does not undo that it happened: the result is unreadable (R11), the evidence says why.
 */
export function readCheckReply(reply: unknown): CheckAnswer {
  switch (kindOf(reply)) {
    case "happened":
      return readHappened(reply);
    case "differs":
      return { kind: "differs", why: whyOf(reply), evidence: evidenceIn(reply) };
    case "didNotHappen":
      return didNotHappen();
    case "cannotTell":
      return cannotTell(whyOf(reply));
    default: {
      const wanted = "happened(…), differs(…), didNotHappen() or cannotTell(…)";
      return cannotTell(`the check gave ${describeValue(reply)} instead of ${wanted}`);
    }
  }
}

/** The shortest time from one look to the next, in ms. */
export const LOOK_AGAIN_MS_MIN = 1_000;

/** What a look's function gave, as an answer that can be stored. Anything but an answer is `cannotTell`. */
export function readLookReply(reply: unknown): LookAnswer {
  switch (kindOf(reply)) {
    case "found": {
      const result = readJson(fieldOf(reply, "result"), VALUE_CHARS_MAX);
      if (result.kind === "json") return { kind: "found", value: result.value };
      return cannotTell(`what it found cannot be stored: ${result.why}`);
    }
    case "notYet":
      return readNotYet(reply);
    case "cannotTell":
      return cannotTell(whyOf(reply));
    default:
      return cannotTell(
        `the look gave ${describeValue(reply)} instead of found(…), notYet(…) or cannotTell(…)`,
      );
  }
}

function readNotYet(reply: unknown): LookAnswer {
  const why = whyOf(reply);
  const again = fieldOf(reply, "again");
  if (again === undefined) return { kind: "notYet", why };
  const read = readDuration(again);
  if (read.kind === "faulty") return cannotTell(`it is not there yet, but when to look again: ${read.why}`);
  return { kind: "notYet", why, againMs: Math.max(LOOK_AGAIN_MS_MIN, read.ms) };
}

function readHappened(reply: unknown): CheckAnswer {
  const result = readJson(fieldOf(reply, "result"), VALUE_CHARS_MAX);
  const fingerprint = fieldOf(reply, "fingerprint");
  return {
    kind: "happened",
    result: result.kind === "json" ? { kind: "value", value: result.value } : result,
    evidence: evidenceIn(reply),
    ...(typeof fingerprint === "string" ? { fingerprint } : {}),
  };
}

function evidenceIn(reply: unknown): Json {
  const evidence = readJson(fieldOf(reply, "evidence"), VALUE_CHARS_MAX);
  return evidence.kind === "json" ? evidence.value : `unreadable: ${evidence.why}`;
}

/**
 * The value as it is. A promise where none may be is refused by whoever reads it; nobody awaits it then, and its
 * rejection must not end the process.
 */
export function disarmed(value: unknown): unknown {
  if (value instanceof Promise) value.catch(() => undefined);
  return value;
}

/** The `kind` of an answer; undefined when it is none. */
export function kindOf(reply: unknown): unknown {
  return fieldOf(reply, "kind");
}

/** The reason in an answer, cut to {@link WHY_CHARS_MAX} characters and without what a database cannot hold. */
export function whyOf(reply: unknown): string {
  const why = fieldOf(reply, "why");
  const text = typeof why === "string" && why !== "" ? why : "no reason was given";
  return text.slice(0, WHY_CHARS_MAX).replaceAll("\u0000", "\uFFFD").replaceAll(LONE_SURROGATE, "\uFFFD");
}

/** A cut in the middle of a character leaves half of its pair. */
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const field: unknown = Reflect.get(value, name);
  return field;
}
