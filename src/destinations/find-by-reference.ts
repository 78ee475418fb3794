/**
 * A `check` that looks a thing up by our reference (the key, the fingerprint, or its natural name) and tells whether it is
 * what was wanted: a name alone can stand for the effect of an older input, or of somebody else.
 */

import { canonicalJson, readJson } from "../core/json.ts";
import { storableText, thrownText } from "../core/storable-text.ts";
import { cannotTell, differs, didNotHappen, happened, type CheckReply } from "../define/answers.ts";
import { VALUE_CHARS_MAX } from "../define/schema.ts";
import { snapshotOf } from "../triage/snapshot.ts";

/** Fields by name: what is there, and what was wanted. */
export interface ComparedFields {
  readonly [field: string]: readonly [found: unknown, wanted: unknown];
}

/** How a thing is found and what is made of it. */
interface LookUp<Context, Found, Result> {
  /**
   * Looks it up by a reference that only this effect has; changes nothing. Null or an empty list = it is not there, and so
   * is an answer 404. It is given the context of `check`, with its `request`, `idempotencyKey`, `fingerprint`, `signal`.
   */
  readonly find: (context: Context) => MaybePromise<Found | readonly Found[] | null | undefined>;
  /** The step's result, as `run` would have returned it. */
  readonly result: (found: Found) => Result;
  /** What proves it to people, any JSON. Default: what was found. */
  readonly evidence?: (found: Found) => unknown;
}

/** The fingerprint that the destination kept with the thing; nothing = it kept none. */
type KeptFingerprint<Found> = (found: Found) => string | null | undefined;
/** What must be the same, where the reference may stand for another effect. No fields = the reference alone tells. */
type Comparison<Context, Found> = (found: Found, context: Context) => ComparedFields;

/** How a thing is found, and what tells that it was made for this request: its `fingerprint`, or fields in `same`. */
export type FindByReference<Context, Found, Result> = LookUp<Context, Found, Result> &
  (
    | { readonly fingerprint: KeptFingerprint<Found>; readonly same?: Comparison<Context, Found> }
    | { readonly fingerprint?: undefined; readonly same: Comparison<Context, Found> }
  );

type MaybePromise<Value> = Promise<Value> | Value;

/** Characters of a value, and of a reason, that are shown. */
const VALUE_CHARS_SHOWN = 80;
const WHY_CHARS_SHOWN = 300;
/** Of several things that carry our reference, how many are kept as evidence. */
const FOUND_KEPT_MAX = 10;

/**
 * Makes a `check`. It answers `happened` with the one thing that was found, and with the fingerprint that the destination
 * kept, which the engine compares; `differs` where a field in `same` is not as wanted, where no fingerprint was kept and
 * nothing else is compared, or where several things carry the reference; `didNotHappen` where there is none; `cannotTell`
 * where the look-up fails in any other way than with a status 404.
 */
export function findByReference<Context, Found, Result>(
  options: FindByReference<Context, Found, Result>,
): (context: Context) => Promise<CheckReply<Result>> {
  return async (context) => {
    const looked = await lookUp(options.find, context);
    if (looked.kind === "failed") return cannotTell(`the look-up failed: ${looked.why}`);
    const [found, ...others] = looked.found;
    if (found === undefined) return didNotHappen();
    if (others.length > 0) {
      const { length } = looked.found;
      return differs(`${length} things carry our reference`, looked.found.slice(0, FOUND_KEPT_MAX));
    }
    return judge(options, found, context);
  };
}

type Looked<Found> =
  | { readonly kind: "found"; readonly found: readonly Found[] }
  | { readonly kind: "failed"; readonly why: string };

async function lookUp<Context, Found>(
  find: LookUp<Context, Found, unknown>["find"],
  context: Context,
): Promise<Looked<Found>> {
  try {
    const found = await find(context);
    if (found === null || found === undefined) return { kind: "found", found: [] };
    return { kind: "found", found: isList(found) ? found : [found] };
  } catch (error) {
    // Read as triage reads it, so that the errors of any client count.
    if (snapshotOf(error).found?.answer.status === 404) return { kind: "found", found: [] };
    return { kind: "failed", why: thrownText(error, WHY_CHARS_SHOWN) };
  }
}

/** `Array.isArray` does not know read-only lists. */
function isList<Found>(found: Found | readonly Found[]): found is readonly Found[] {
  return Array.isArray(found);
}

function judge<Context, Found, Result>(
  options: FindByReference<Context, Found, Result>,
  found: Found,
  context: Context,
): CheckReply<Result> {
  const evidence = options.evidence === undefined ? found : options.evidence(found);
  const fields = options.same?.(found, context);
  const other = Object.entries(fields ?? {}).filter(([, [there, wanted]]) => !isSame(there, wanted));
  if (other.length > 0) return differs(other.map(sayField).join("; "), evidence);
  const fingerprint = options.fingerprint?.(found) ?? null;
  if (fingerprint !== null) return happened(options.result(found), evidence, { fingerprint });
  if (fields === undefined) {
    return differs("it carries no fingerprint, so nothing tells what request it was made for", evidence);
  }
  return happened(options.result(found), evidence);
}

/** As JSON, in which both come and go; what is none is the same as nothing. */
function isSame(there: unknown, wanted: unknown): boolean {
  const [one, other] = [textOf(there), textOf(wanted)];
  return one !== null && one === other;
}

function sayField([name, [there, wanted]]: [string, ComparedFields[string]]): string {
  return `${name} is ${shown(there)}, and ${shown(wanted)} was wanted`;
}

function shown(value: unknown): string {
  return storableText(textOf(value) ?? "unreadable", VALUE_CHARS_SHOWN);
}

function textOf(value: unknown): string | null {
  const read = readJson(value, VALUE_CHARS_MAX);
  return read.kind === "json" ? canonicalJson(read.value) : null;
}
