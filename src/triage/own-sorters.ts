/** Sorters that an author wrote for one destination. A mistake in one must not cost the failure it was asked about. */

import {
  failureOf,
  type DeniedAccess,
  type Executed,
  type Failure,
  type FailureCause,
  type FailureOwner,
  type FailureScope,
  type Instruction,
} from "../core/failure.ts";
import { isJsonObject } from "../core/json.ts";
import type { OwnSorting, SeenFailure, Sorter } from "../core/seen-failure.ts";
import { storableText, thrownText } from "../core/storable-text.ts";

/** Characters of what a sorter says, or throws. */
const SAID_CHARS_MAX = 500;
/** Fields that it may name. */
const FIELDS_MAX = 20;

const CAUSES: readonly FailureCause[] = [
  ...(["transient", "throttled", "quota", "rejected", "denied", "conflict"] as const),
  ...(["precondition", "gone", "bug", "stopped"] as const),
];
const EXECUTED: readonly Executed[] = ["no", "maybe", "yes", "partial"];
const OWNERS: readonly FailureOwner[] = ["system", "input", "access", "operator", "developer"];
const SCOPES: readonly FailureScope[] = ["case", "credential", "destination"];
const ACCESS: readonly DeniedAccess[] = ["refreshable", "revoked", "scope", "blocked"];

/** Asks the sorters in turn; the first that says anything has the last word. `seen.sorted` is what stands without them. */
export function askOwnSorters(destination: string, sorters: readonly Sorter[], seen: SeenFailure): Failure {
  const faults: string[] = [];
  for (const [index, sorter] of sorters.entries()) {
    const rule = `${destination}.sort[${index}]`;
    try {
      const said: unknown = sorter(seen);
      if (said === null || said === undefined) continue;
      return withFaults(applied(seen.sorted, readSorting(said), rule), faults);
    } catch (error) {
      faults.push(`${rule} threw ${thrownText(error, SAID_CHARS_MAX)}`);
    }
  }
  return withFaults(seen.sorted, faults);
}

/** Throws with what is wrong: it came from code that the compiler may never have seen. */
function readSorting(said: unknown): OwnSorting {
  if (typeof said !== "object" || said === null) throw new TypeError("it must give an object, or null");
  // Every field is judged below before it is used.
  const sorting = said as OwnSorting;
  const { cause, executed, owner, scope, access, retryAfterMs, newerToken, sentence, fields } = sorting;
  const judged: readonly (readonly [string, boolean])[] = [
    ["cause", cause === undefined || CAUSES.includes(cause)],
    ["executed", executed === undefined || EXECUTED.includes(executed)],
    ["owner", owner === undefined || OWNERS.includes(owner)],
    ["scope", scope === undefined || SCOPES.includes(scope)],
    ["access", access === undefined || ACCESS.includes(access)],
    ["retryAfterMs", isWait(retryAfterMs)],
    ["newerToken", newerToken === undefined || Number.isSafeInteger(newerToken)],
    ["sentence", sentence === undefined || typeof sentence === "string"],
    ["fields", fields === undefined || Array.isArray(fields)],
  ];
  const wrong = judged.filter(([, isRight]) => !isRight).map(([name]) => name);
  if (wrong.length > 0) throw new TypeError(`no such value of ${wrong.join(", ")}`);
  if (Object.keys(said).every((name) => !judged.some(([known]) => known === name))) {
    throw new TypeError("it gives an object that says nothing (is it async?)");
  }
  return sorting;
}

function isWait(wait: unknown): boolean {
  return (
    wait === undefined || wait === "never" || (typeof wait === "number" && wait >= 0 && Number.isFinite(wait))
  );
}

function applied(sorted: Failure, own: OwnSorting, rule: string): Failure {
  const cause = own.cause ?? sorted.cause;
  // What was found out about another cause says nothing about this one.
  const { owner, scope, access, ...rest } = sorted;
  const kept = cause === sorted.cause ? { owner, scope, access } : {};
  return failureOf({
    ...rest,
    ...kept,
    cause,
    executed: own.executed ?? sorted.executed,
    ...(own.owner === undefined ? {} : { owner: own.owner }),
    ...(own.scope === undefined ? {} : { scope: own.scope }),
    ...(own.access === undefined ? {} : { access: own.access }),
    instruction: instructionOf(own, rule) ?? sorted.instruction,
    fields: own.fields === undefined ? sorted.fields : own.fields.slice(0, FIELDS_MAX).map(storableField),
    sentence: own.sentence === undefined ? sorted.sentence : storableText(own.sentence, SAID_CHARS_MAX),
    confidence: "declared",
    rule,
  });
}

/** Null = it says nothing about when. */
function instructionOf({ retryAfterMs, newerToken }: OwnSorting, source: string): Instruction | null {
  if (newerToken !== undefined) return { kind: "newerToken", seen: newerToken, source };
  if (retryAfterMs === undefined) return null;
  if (retryAfterMs === "never") return { kind: "doNotRetry", source };
  return { kind: "retryAfter", delayMs: Math.ceil(retryAfterMs), source };
}

function storableField({ path, message }: Failure["fields"][number]): Failure["fields"][number] {
  return {
    path: storableText(path, SAID_CHARS_MAX),
    message: storableText(message, SAID_CHARS_MAX),
  };
}

function withFaults(failure: Failure, faults: readonly string[]): Failure {
  if (faults.length === 0) return failure;
  const raw = isJsonObject(failure.raw) ? failure.raw : {};
  return { ...failure, raw: { ...raw, sorterFaults: faults } };
}
