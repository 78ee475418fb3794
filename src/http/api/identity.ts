/**
 * Who makes a request. Nobody is trusted for a name in a body or a header: it comes from what they signed in with, a session
 * in a cookie or a token in `Authorization`, and their rights are looked up anew with each request.
 *
 * A request that changes something and comes with a cookie must also say that a page of this very server made it. Browsers
 * tell that in `Sec-Fetch-Site` or `Origin`, and no page elsewhere can; besides, the cookie is `SameSite=Strict`, and bodies
 * are taken as JSON only, which no form can send. So there is no further token against forged requests.
 */

import { FootholdError } from "../../core/errors.ts";
import {
  grantsOf,
  narrowed,
  VERBS,
  type Grant,
  type Roles,
  type Some,
  type Verb,
} from "../../core/rights.ts";
import { secretHash, SESSION_PREFIX, TOKEN_PREFIX } from "../../people/secrets.ts";
import type { Who } from "../../desk/requests.ts";
import type { PeopleStore, StoredPerson } from "../../store/people-port.ts";

/** Somebody who is signed in. */
export interface Identity {
  readonly name: string;
  /** Null = nobody keeps people: whoever runs the server. */
  readonly person: Pick<StoredPerson, "personId" | "name" | "roles"> | null;
  readonly signedInBy: "dev" | "session" | "token";
  readonly grants: readonly Grant[];
}

/** What a sign-in looks at. */
interface SignInFacts {
  /** By lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** False for methods that change nothing. */
  readonly isWrite: boolean;
  /** True for a page that only waits: it keeps no session from ending. */
  readonly isWaiting?: boolean;
}

/** Tells who makes a request; null = nobody who is known. May throw a `FootholdError` for one that must not be answered. */
export type SignIn = (facts: SignInFacts) => Promise<Identity | null>;

/** Who acts, for the desk: the journal keeps the person's id, which outlives every name. */
export function actorOf({ name, person }: Identity): Who {
  return person === null ? name : { id: person.personId, label: name, roles: person.roles };
}

const everything: Grant = { verbs: "all", tenants: "all", caseTypes: "all" };

/** Everybody on this machine is this person and may do everything: `foothold dev`, on loopback only. */
export function devSignIn(name: string): SignIn {
  const identity: Identity = { name, person: null, signedInBy: "dev", grants: [everything] };
  return () => Promise.resolve(identity);
}

/** How the cookie of a session is called. */
export interface CookieRules {
  readonly name: string;
  /** True where it may travel over https only. */
  readonly isSecure: boolean;
}

/** The rules for a server that is reached over https, or on this machine alone. */
export function cookieRules(isHttps: boolean): CookieRules {
  // The prefix makes browsers refuse one that another host or an unsafe connection set.
  return isHttps ? { name: "__Host-foothold", isSecure: true } : { name: "foothold", isSecure: false };
}

/** A header that sets the cookie, or takes it away where there is no token. It ends with the browser's session. */
export function cookieHeader({ name, isSecure }: CookieRules, token: string | null): string {
  const common = `Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  return token === null ? `${name}=; Max-Age=0; ${common}` : `${name}=${token}; ${common}`;
}

/** The token in the session's cookie; null = there is none, or more than one, of which nobody knows which is ours. */
export function cookieToken({ name }: CookieRules, header: string | undefined): string | null {
  const found = (header ?? "")
    .split(";")
    .map((one) => one.trim())
    .filter((one) => one.startsWith(`${name}=`));
  const [only] = found;
  return only === undefined || found.length > 1 ? null : only.slice(name.length + 1);
}

/** Signs in by session or token. One that does not hold is as good as none; what both say is never mixed. */
export function peopleSignIn(people: PeopleStore, roles: Roles, cookie: CookieRules): SignIn {
  return async ({ header, isWrite, isWaiting }) => {
    const authorization = header("authorization");
    if (authorization !== undefined) return byToken(people, roles, authorization);
    const token = cookieToken(cookie, header("cookie"));
    const hash = token === null ? null : secretHash(token, SESSION_PREFIX);
    if (hash === null) return null;
    if (isWrite) checkOwnPage(header);
    const person = await people.useSession(hash, isWaiting !== true);
    if (person === null) return null;
    return { name: person.name, person, signedInBy: "session", grants: grantsOf(roles, person.roles) };
  };
}

async function byToken(people: PeopleStore, roles: Roles, header: string): Promise<Identity | null> {
  const [, secret] = /^Bearer ([\w-]{1,200})$/i.exec(header) ?? [];
  const hash = secret === undefined ? null : secretHash(secret, TOKEN_PREFIX);
  const used = hash === null ? null : await people.useToken(hash);
  if (used === null) return null;
  const { token, person } = used;
  const grants = narrowed(grantsOf(roles, person.roles), scopesOf(token.scopes));
  return { name: `${person.name} (${token.label})`, person, signedInBy: "token", grants };
}

function scopesOf(scopes: readonly string[] | null): Some<Verb> {
  return scopes === null ? "all" : VERBS.filter((verb) => scopes.includes(verb));
}

/** That the origin, where it is told, is our own is judged before, for every request. */
function checkOwnPage(header: (name: string) => string | undefined): void {
  if (header("sec-fetch-site") === "same-origin" || header("origin") !== undefined) return;
  throw new FootholdError(
    "NOT_ALLOWED",
    "The request comes with a session and does not say that a page of this server made it (Origin). Nothing was done.",
  );
}
