/** What a project tells the command line: `foothold.config.js` exports it by default. */

import type { PayloadCodec } from "../core/payload-codec.ts";
import type { Some, Verb } from "../core/rights.ts";
import type { SecondRuleMove } from "../core/second-person.ts";
import type { CaseType } from "./case-type.ts";
import type { NoticeOptions } from "./notices.ts";
import type { Schedule } from "./schedule.ts";

/** A source of events, as the configuration names it. */
export interface ConfiguredSource {
  readonly kind: "source";
  readonly name: string;
}

/** One thing that a role grants. What it does not say is not granted; no tenants or case types named = those of all. */
export interface RoleGrant {
  readonly verbs: Some<Verb>;
  readonly tenants?: Some;
  readonly caseTypes?: Some;
}

/**
 * Moves that need a second person; no case types named = on cases of all. `approve` means that whoever started a case or corrected
 * its input does not approve it.
 */
export interface SecondPersonRule {
  readonly moves: readonly SecondRuleMove[];
  readonly caseTypes?: Some;
}

/** An identity provider at which people sign in (OpenID Connect). */
export interface OidcOptions {
  /** Its address, as its discovery document tells it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Read when it is needed; never stored. */
  readonly clientSecret: () => string;
  /** What of its words is a person's name here. Default `email`, which it must have verified. */
  readonly claim?: string;
  /** True = the provider may be reached without https. For tests on one machine. Default false. */
  readonly allowsHttp?: boolean;
}

/** A project's configuration. */
export interface FootholdConfig {
  /** The case types that workers run, the server plans and people start. */
  readonly cases: readonly CaseType[];
  /** What starts cases by the clock: what `defineSchedule` gave. Default: nothing does. */
  readonly schedules?: readonly Schedule[];
  /** Where events come from: what `defineSource` of `foothold/inbox` gave. Default: nowhere. */
  readonly sources?: readonly ConfiguredSource[];
  /**
   * Roles beside viewer, operator, approver and admin, or in their place: what people of a role may do, and to the cases of
   * which tenants and case types.
   */
  readonly roles?: Readonly<Record<string, readonly RoleGrant[]>>;
  /**
   * Moves that need a second person, such as `{ moves: ["skip", "force"], caseTypes: ["payout"] }`: they are made once another
   * person with the right approved them. Default: none.
   */
  readonly secondPerson?: readonly SecondPersonRule[];
  /** Where people sign in beside, or in place of, passwords. Needs `foothold serve --public-url`. */
  readonly oidc?: OidcOptions;
  /** Who owners are and how they are told. Left out = nobody is. */
  readonly notices?: NoticeOptions;
  /** URL of the PostgreSQL to use where neither `--database` nor FOOTHOLD_DATABASE_URL names one. */
  readonly database?: string;
  /**
   * Seals what cases, events and moves work with before it is stored: what `aesGcm` of `foothold/postgres` gave, or one of your
   * own. The same keys in every process. Default: all is stored as it is.
   */
  readonly codec?: PayloadCodec;
}

/** Gives a configuration its type. It is checked when it is loaded. */
export function defineConfig(config: FootholdConfig): FootholdConfig {
  return config;
}
