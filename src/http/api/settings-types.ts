/** What the routes about the house itself take and give: who is known to it, and how it is set. */

import type { Grant } from "../../core/rights.ts";

/** How to sign in. */
export interface SignInWays {
  /** True where an identity provider signs people in too, at `session/oidc` below the API. */
  readonly hasOidc: boolean;
}

/** A session of one's own. Times are epoch ms. */
export interface SessionView {
  readonly usedAt: number;
  /** When it ends if it stays unused. */
  readonly endsAt: number;
  /** True for the one that asks. */
  readonly isThis: boolean;
}

/** A token of one's own, without what opens a door. */
export interface TokenView {
  readonly tokenId: string;
  readonly label: string;
  /** Null = all that its person may. */
  readonly scopes: readonly string[] | null;
  readonly createdAt: number;
  readonly endsAt: number | null;
  readonly revokedAt: number | null;
}

/** How long what a source sent is kept. */
export interface SourceRetention {
  readonly source: string;
  readonly keepBodiesMs: number;
  readonly rememberMs: number;
}

/** One's own standing, and how the server is set. */
export interface SettingsView {
  readonly now: number;
  readonly roles: readonly string[];
  readonly sessions: readonly SessionView[];
  readonly tokens: readonly TokenView[];
  readonly versions: {
    /** What serves. */
    readonly build: string;
    readonly api: string;
    readonly engine: number;
    /** 0 where there is none, as in memory. */
    readonly schema: number;
  };
  readonly limits: {
    readonly sessionIdleMs: number;
    readonly sessionLastsMs: number;
    readonly bodyBytesMax: number;
    readonly listMax: number;
    readonly bulkCasesMax: number;
  };
  readonly retention: readonly SourceRetention[];
}

/** A person, without what opens a door. */
export interface PersonView {
  readonly personId: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly createdAt: number;
  /** Null = they may sign in. */
  readonly disabledAt: number | null;
}

/** A role with what it grants. */
export interface RoleView {
  readonly name: string;
  readonly grants: readonly Grant[];
}

/** Everybody who is known, and every role. */
export interface PeopleView {
  readonly people: readonly PersonView[];
  readonly roles: readonly RoleView[];
}

/** What each route takes and gives. */
export interface SettingsApiTypes {
  readonly showSignIn: { params: object; query: object; body: null; reply: SignInWays };
  readonly showSettings: { params: object; query: object; body: null; reply: SettingsView };
  readonly listPeople: { params: object; query: object; body: null; reply: PeopleView };
}
