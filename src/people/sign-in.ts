/** Signing in and out with a password, held back by account and by address; and what sessions and tokens are good for. */

import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import { FootholdError } from "../core/errors.ts";
import type { Ids } from "../core/ports.ts";
import { auditLine, houseHead, noteDone, noteRefusal } from "../desk/audited.ts";
import type { StoredPerson } from "../store/people-port.ts";
import type { Store } from "../store/port.ts";
import { isPassword, PASSWORD_CHARS_MAX } from "./password.ts";
import { newSecret, secretHash, SESSION_PREFIX } from "./secrets.ts";

/** How long a session may be unused, in ms. */
export const SESSION_IDLE_MS: number = 30 * 60_000;
/** How long it lasts at most, in ms. */
export const SESSION_LASTS_MS: number = 12 * 3_600_000;

/** Failed tries of one account from one place within a window, before it is held back there. */
const ACCOUNT_THERE_FAILURES_MAX = 10;
/** The same from everywhere: more, so that one stranger does not lock out whoever has the account. */
const ACCOUNT_FAILURES_MAX = 100;
/** The same for one place, whatever the account: several people may come from one. */
const PLACE_FAILURES_MAX = 100;
const WINDOW_MS = 15 * 60_000;

/** Who wants in. */
export interface SignInTry {
  readonly name: string;
  readonly password: string;
  /** Where they come from; null = nobody knows. */
  readonly address: string | null;
}

/** What signing in and out works with. */
export interface SignInParts {
  readonly store: Pick<Store, "people" | "audit">;
  readonly ids: Ids;
}

/** Somebody who is in. */
export interface SignedIn {
  readonly person: StoredPerson;
  /** For the cookie; kept nowhere else. */
  readonly sessionToken: string;
}

/**
 * Opens a session. Throws `NOT_SIGNED_IN`, with the same words whatever was wrong and after the same work, and
 * `TOO_MANY_REQUESTS` where too many tries failed: then not even the right password is taken until the window ends.
 */
export async function signIn(parts: SignInParts, { name, password, address }: SignInTry): Promise<SignedIn> {
  const { people } = parts.store;
  const { place, there, account } = boundsOf(name, address);
  const person = await people.findPerson(name);
  await countTry(parts, place, person);
  // Only then: whoever is held back would leave a row for every name that they think of.
  await countTry(parts, [...there, ...account], person);
  const isRight = await isPassword(password.slice(0, PASSWORD_CHARS_MAX * 2), person?.passwordHash ?? null);
  if (person === null || !isRight || person.disabledAt !== null) {
    const refusal = wrong();
    await noteFailed(parts, person, refusal);
    throw refusal;
  }
  await Promise.all(there.map(({ key }) => people.clearFailures(key)));
  // Only this try was no failure: a right password must not cover for tries at others, or from elsewhere.
  await Promise.all([...place, ...account].map(({ key }) => people.takeBackFailure(key)));
  return { person, sessionToken: await openSession(parts, person, "password") };
}

/** What a try is counted under, and how many may fail. */
interface Bound {
  readonly key: string;
  readonly max: number;
}

/** The bounds of the place, of the account there, and of the account. Where nobody knows the place, all comes from one. */
function boundsOf(
  name: string,
  address: string | null,
): { readonly [Of in "place" | "there" | "account"]: readonly Bound[] } {
  if (address === null) {
    return {
      place: [],
      there: [{ key: throttleKey("account", name), max: ACCOUNT_THERE_FAILURES_MAX }],
      account: [],
    };
  }
  const place = placeOf(address);
  return {
    place: [{ key: throttleKey("place", place), max: PLACE_FAILURES_MAX }],
    there: [{ key: throttleKey("account", name, place), max: ACCOUNT_THERE_FAILURES_MAX }],
    account: [{ key: throttleKey("account", name), max: ACCOUNT_FAILURES_MAX }],
  };
}

/** Counts before anything is judged: tries that come at the same time must not all see a low count. */
async function countTry(
  parts: SignInParts,
  bounds: readonly Bound[],
  person: StoredPerson | null,
): Promise<void> {
  const { people } = parts.store;
  const counts = await Promise.all(
    bounds.map(async ({ key, max }) => ({ max, ...(await people.noteFailure(key, WINDOW_MS)) })),
  );
  const over = counts.filter(({ failures, max }) => failures > max);
  if (over.length === 0) return;
  const refusal = heldBack(Math.max(...over.map(({ endsAt }) => endsAt)));
  // Told once for each window, or whoever tries on would fill the audit.
  if (over.some(({ failures, max }) => failures === max + 1)) await noteFailed(parts, person, refusal);
  throw refusal;
}

/** Of a name that nobody has no more is kept than that somebody tried: people type passwords where names belong. */
async function noteFailed(
  { store, ids }: SignInParts,
  person: StoredPerson | null,
  refusal: FootholdError,
): Promise<void> {
  const head = { ...houseHead("signIn", {}), about: person?.name ?? "a name that nobody has" };
  await noteRefusal({ store, ids, lookup: null }, head, refusal);
}

/** A session for somebody who proved who they are: always a new one, so that none can be planted. */
export async function openSession(
  { store: { people }, ids }: SignInParts,
  { personId, name, roles }: StoredPerson,
  how: "password" | "provider",
): Promise<string> {
  const sessionToken = newSecret(SESSION_PREFIX);
  const sessionHash = secretHash(sessionToken, SESSION_PREFIX) ?? "";
  const head = { ...houseHead("signIn", { by: { id: personId, label: name, roles } }), about: name };
  await people.openSession(
    { sessionHash, personId, idleMs: SESSION_IDLE_MS, lastsMs: SESSION_LASTS_MS },
    auditLine(ids, head, { outcome: "done", code: null, sentence: null, before: null, after: { how } }),
  );
  return sessionToken;
}

/** Ends a session; nothing where there is none. */
export async function signOut({ store, ids }: SignInParts, sessionToken: string): Promise<void> {
  const hash = secretHash(sessionToken, SESSION_PREFIX);
  if (hash === null) return;
  const person = await store.people.useSession(hash, false);
  await store.people.endSession(hash);
  if (person === null) return;
  const { personId: id, name: label, roles } = person;
  const head = { ...houseHead("signOut", { by: { id, label, roles } }), about: label };
  await noteDone({ store, ids }, head, null);
}

/** What failures are counted under; hashed, since people type passwords where names belong. */
export function throttleKey(kind: "account" | "place", ...values: readonly string[]): string {
  return createHash("sha256")
    .update(JSON.stringify([kind, ...values]))
    .digest("hex");
}

/** An address, or the network of one of IPv6: whoever has one address of its last 64 bits has them all. */
export function placeOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = new URL(`http://[${address.replace(/%.*$/, "")}]/`).hostname
    .slice(1, -1)
    .split("::");
  const groups = head === "" ? [] : head.split(":");
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length);
  const all = [...groups, ...Array.from({ length: missing }, () => "0"), ...(tail ?? "").split(":")];
  return `${all.slice(0, 4).join(":")}::/64`;
}

function wrong(): FootholdError {
  return new FootholdError(
    "NOT_SIGNED_IN",
    "The name or the password is not right, or the account is disabled.",
  );
}

function heldBack(untilAt: number): FootholdError {
  return new FootholdError(
    "TOO_MANY_REQUESTS",
    `Too many tries to sign in failed. Try again after ${new Date(untilAt).toISOString()}.`,
  );
}
