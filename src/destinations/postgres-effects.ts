/**
 * PostgreSQL databases that are not the engine's own, as destinations: what a step writes and the proof that it did are one
 * transaction there, so that a repeat finds the proof, and a late worker a fence.
 */

import { FootholdError } from "../core/errors.ts";
import { readJson, type Json } from "../core/json.ts";
import { cannotTell, didNotHappen, happened, type CheckReply } from "../define/answers.ts";
import type { Jsonify } from "../define/jsonify.ts";
import { VALUE_CHARS_MAX } from "../define/schema.ts";
import { DifferentRequestError, NewerTokenError } from "./effect-refusals.ts";
import { EffectTable, type EffectRow } from "./effect-table.ts";
import { inTransaction, type PgClient, type PgPool } from "./pg-transaction.ts";

/** What an effect needs of the context of `run`. */
export interface EffectContext {
  readonly idempotencyKey: string;
  readonly fencingToken: number;
  readonly fingerprint: string;
  readonly signal: AbortSignal;
}

/** What a question needs of the context of `check`. */
export type EffectQuestion = Pick<EffectContext, "idempotencyKey" | "fencingToken">;

/** What a step writes, with the client that its transaction is on. */
export type EffectWork<Client, Result> = (client: Client) => Promise<Result> | Result;

/**
 * Effects that are kept in a table beside what they write. Everywhere a `client` may be a pool or one connection of `pg`;
 * one connection serves one effect at a time, and must not be in a transaction.
 */
export interface PostgresEffects {
  /** Makes the table where it is missing. Call it when the program is set up, by an account that may. */
  createTable(client: PgClient): Promise<void>;

  /**
   * For `{ by: "key" }` and `{ by: "unique" }`: runs `work` and keeps its result under the step's key, in one transaction. A
   * repeat runs nothing and is given that result. Throws what `work` and `pg` throw, with all of it rolled back; a
   * `DifferentRequestError` where the effect under this key was made for another request.
   */
  once<Client extends PgClient, Result>(
    client: Client | PgPool<Client>,
    context: EffectContext,
    work: EffectWork<Client, Result>,
  ): Promise<Jsonify<Result>>;

  /**
   * For `{ by: "fence" }`: as `once`, and `work` is run only if no newer token was shown for this key; else it throws a
   * `NewerTokenError`. So each token is taken once, and none below the highest.
   */
  fenced<Client extends PgClient, Result>(
    client: Client | PgPool<Client>,
    context: EffectContext,
    work: EffectWork<Client, Result>,
  ): Promise<Jsonify<Result>>;

  /**
   * A `check` for both: raises the fence to the token of the question and reads back, in one statement. It waits for a
   * transaction that is still writing under this key. `happened` comes with the fingerprint that ran; `didNotHappen` means
   * that nothing `fenced` under an older token can happen any more; `cannotTell` that somebody was here with a newer one.
   * The result fits whatever type the step's `run` gives: it is what `work` gave.
   */
  check<Result = never>(
    client: PgClient | PgPool<PgClient>,
    context: EffectQuestion,
  ): Promise<CheckReply<Result>>;
}

/**
 * Keeps effects in `table`, `name` or `schema.name`; throws `INVALID_REQUEST` for a name that would have to be quoted.
 * Default `foothold_effects`. Rows are never removed: remove those that are older than the destination's window yourself.
 */
export function postgresEffects(options: { readonly table?: string } = {}): PostgresEffects {
  const table = new EffectTable(options.table ?? "foothold_effects");
  return {
    createTable: (client) => table.create(client),
    once: (client, context, work) => makeEffect(table, client, { ...context, shown: 0 }, work),
    fenced: (client, context, work) =>
      makeEffect(table, client, { ...context, shown: context.fencingToken }, work),
    check: async <Result>(
      client: PgClient | PgPool<PgClient>,
      { idempotencyKey, fencingToken }: EffectQuestion,
    ) => {
      const row = await inTransaction(client, (one) => table.show(one, idempotencyKey, fencingToken));
      return answerFrom<Result>(row, fencingToken);
    },
  };
}

interface Making extends EffectContext {
  /** The token that is shown; 0 = none. */
  readonly shown: number;
}

async function makeEffect<Client extends PgClient, Result>(
  table: EffectTable,
  database: Client | PgPool<Client>,
  making: Making,
  work: EffectWork<Client, Result>,
): Promise<Jsonify<Result>> {
  making.signal.throwIfAborted();
  const result = await inTransaction(database, (client) => findOrMake(table, client, making, work));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what this step's `work` gave, now or before, as JSON
  return result as Jsonify<Result>;
}

async function findOrMake<Client extends PgClient>(
  table: EffectTable,
  client: Client,
  { idempotencyKey: key, fencingToken: token, fingerprint, signal, shown }: Making,
  work: EffectWork<Client, unknown>,
): Promise<Json> {
  const { fence, effect, transactionId } = await table.show(client, key, shown);
  if (effect !== null) {
    // Also for a token that is old by now: it is what became of the request, and nothing is done.
    if (effect.fingerprint !== fingerprint) throw new DifferentRequestError(key);
    return effect.result;
  }
  if (shown > 0 && fence > shown) throw new NewerTokenError(key, shown, fence);
  const result = readResult(key, await work(client));
  // Who was told to stop in the middle does not commit.
  signal.throwIfAborted();
  const isKept = await table.keep(client, key, { fingerprint, token, result, transactionId });
  if (!isKept) throw endedByWork(key);
  return result;
}

function readResult(key: string, given: unknown): Json {
  const read = readJson(given, VALUE_CHARS_MAX);
  if (read.kind === "json") return read.value;
  throw new FootholdError(
    "INVALID_REQUEST",
    `What was written for ${key} is rolled back, because its result cannot be stored: ${read.why}.`,
  );
}

function endedByWork(key: string): FootholdError {
  return new FootholdError(
    "INVALID_REQUEST",
    `The transaction of ${key} was ended from inside: what a step writes must be committed together with its proof. Leave ` +
      "begin, commit and rollback out.",
  );
}

function answerFrom<Result>({ fence, effect }: EffectRow, token: number): CheckReply<Result> {
  if (effect !== null) {
    const { result, fingerprint, token: madeUnder, happenedAt } = effect;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what this step's `work` gave
    return happened(result as Result, { happenedAt, fencingToken: madeUnder }, { fingerprint });
  }
  if (fence > token) return cannotTell(`a newer fencing token, ${fence}, was shown there`);
  return didNotHappen();
}
