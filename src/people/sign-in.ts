/** Signing in and out with a password, held back by account and by address; and what sessions and tokens are good for. */

import { createHash } from "node:crypto";
import { FootholdError } from "../core/errors.ts";
import type { PeopleStore, StoredPerson } from "../store/people-port.ts";
import { isPassword, PASSWORD_CHARS_MAX } from "./password.ts";
import { newSecret, secretHash, SESSION_PREFIX } from "./secrets.ts";

/** How long a session may be unused, in ms. */
export const SESSION_IDLE_MS: number = 30 * 60_000;
/** How long it lasts at most, in ms. */
export const SESSION_LASTS_MS: number = 12 * 3_600_000;

/** Failed tries of one account within a window, before it is held back. */
const ACCOUNT_FAILURES_MAX = 10;
/** The same for one address: several people may come from one. */
const ADDRESS_FAILURES_MAX = 100;
const WINDOW_MS = 15 * 60_000;

/** Who wants in. */
export interface SignInTry {
  readonly name: string;
  readonly password: string;
  /** Where they come from; null = nobody knows. */
  readonly address: string | null;
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
export async function signIn(people: PeopleStore, { name, password, address }: SignInTry): Promise<SignedIn> {
  const keys = [
    { key: throttleKey("account", name), max: ACCOUNT_FAILURES_MAX },
    ...(address === null ? [] : [{ key: throttleKey("address", address), max: ADDRESS_FAILURES_MAX }]),
  ];
  // Counted before it is judged: tries that come at the same time must not all see a low count.
  const counts = await Promise.all(
    keys.map(async ({ key, max }) => ({ max, ...(await people.noteFailure(key, WINDOW_MS)) })),
  );
  const over = counts.filter(({ failures, max }) => failures > max);
  if (over.length > 0) throw heldBack(Math.max(...over.map(({ endsAt }) => endsAt)));
  const person = await people.findPerson(name);
  const isRight = await isPassword(password.slice(0, PASSWORD_CHARS_MAX * 2), person?.passwordHash ?? null);
  if (person === null || !isRight || person.disabledAt !== null) throw wrong();
  const [account, ...others] = keys.map(({ key }) => key);
  // Only this try was no failure of the address: a right password of somebody there must not cover for tries at others.
  await Promise.all(others.map((key) => people.takeBackFailure(key)));
  if (account !== undefined) await people.clearFailures(account);
  return { person, sessionToken: await openSession(people, person) };
}

/** A session for somebody who proved who they are: always a new one, so that none can be planted. */
export async function openSession(people: PeopleStore, { personId }: StoredPerson): Promise<string> {
  const sessionToken = newSecret(SESSION_PREFIX);
  const sessionHash = secretHash(sessionToken, SESSION_PREFIX) ?? "";
  await people.openSession({ sessionHash, personId, idleMs: SESSION_IDLE_MS, lastsMs: SESSION_LASTS_MS });
  return sessionToken;
}

/** Ends a session; nothing where there is none. */
export async function signOut(people: PeopleStore, sessionToken: string): Promise<void> {
  const hash = secretHash(sessionToken, SESSION_PREFIX);
  if (hash !== null) await people.endSession(hash);
}

/** What failures are counted under; hashed, since people type passwords where names belong. */
export function throttleKey(kind: "account" | "address", value: string): string {
  return createHash("sha256")
    .update(JSON.stringify([kind, value]))
    .digest("hex");
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
