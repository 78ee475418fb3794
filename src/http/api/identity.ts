/** Who makes a request. Nobody is trusted for a name in a body or a header: it comes from what they signed in with. */

import type { Grant } from "./rights.ts";

/** Somebody who is signed in. */
export interface Identity {
  readonly name: string;
  readonly signedInBy: "dev" | "session" | "token";
  readonly grants: readonly Grant[];
}

/** What a sign-in looks at. */
interface SignInFacts {
  /** By lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** False for methods that change nothing. */
  readonly isWrite: boolean;
}

/** Tells who makes a request; null = nobody who is known. May throw a `FootholdError` for one that must not be answered. */
export type SignIn = (facts: SignInFacts) => Promise<Identity | null>;

const everything: Grant = { verbs: "all", tenants: "all", caseTypes: "all" };

/** Everybody on this machine is this person and may do everything: `foothold dev`, on loopback only. */
export function devSignIn(name: string): SignIn {
  const identity: Identity = { name, signedInBy: "dev", grants: [everything] };
  return () => Promise.resolve(identity);
}

/** Nobody is known. */
export const noSignIn: SignIn = () => Promise.resolve(null);
