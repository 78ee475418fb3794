/**
 * `foothold/destinations`: ready-made `run`, `check` and `version` for destinations that deduplicate, compare or can be
 * asked.
 */

export { DifferentRequestError, NewerTokenError } from "./destinations/effect-refusals.ts";
export {
  findByReference,
  type ComparedFields,
  type FindByReference,
} from "./destinations/find-by-reference.ts";
export { readEtag, writeIfMatch, type ConditionalContext } from "./destinations/if-match.ts";
export { keyedFetch, type KeyedContext, type KeyedOptions } from "./destinations/keyed-fetch.ts";
export type { PgClient, PgPool, PgResult } from "./destinations/pg-transaction.ts";
export {
  postgresEffects,
  type EffectContext,
  type EffectQuestion,
  type EffectWork,
  type PostgresEffects,
} from "./destinations/postgres-effects.ts";
export { fetchOk, readAnswer, type RequestContext, type RequestOptions } from "./destinations/requests.ts";
