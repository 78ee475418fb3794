/** The table of effects: one row for each idempotency key, with its fence and, once there is one, its effect. */

import { FootholdError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import type { PgClient } from "./pg-transaction.ts";

/** What a row says. */
export interface EffectRow {
  /** The highest token that was shown; 0 = none was. */
  readonly fence: number;
  readonly effect: StoredEffect | null;
  /** The transaction that has locked it. */
  readonly transactionId: string;
}

/** An effect as it is kept. */
interface StoredEffect {
  /** Of the request that it was made for. */
  readonly fingerprint: string;
  /** The token that it was made under. */
  readonly token: number;
  readonly result: Json;
  /** ISO 8601. */
  readonly happenedAt: string;
}

/** What is kept of an effect, and the transaction that makes it. */
type EffectToKeep = Omit<StoredEffect, "happenedAt"> & Pick<EffectRow, "transactionId">;

/** Its statements. A name cannot be a parameter; this one is checked before it becomes part of a text. */
export class EffectTable {
  readonly #name: string;

  /** Throws `INVALID_REQUEST` for a name that would have to be quoted to mean one table. */
  constructor(name: string) {
    if (!/^([a-z_][a-z0-9_]{0,62}\.)?[a-z_][a-z0-9_]{0,62}$/.test(name)) {
      throw new FootholdError(
        "INVALID_REQUEST",
        `"${name}" cannot be the table of effects: its name, and that of its schema, begin with a small letter or _, ` +
          "then small letters, digits or _, at most 63 characters.",
      );
    }
    this.#name = name
      .split(".")
      .map((part) => `"${part}"`)
      .join(".");
  }

  /** Makes it where it is missing. */
  async create(client: PgClient): Promise<void> {
    try {
      await client.query(this.#definition());
    } catch (error) {
      if (!isMadeByAnother(error)) throw error;
    }
  }

  #definition(): string {
    return `create table if not exists ${this.#name} (
      key text primary key,
      fence bigint not null,
      fingerprint text,
      token bigint,
      result text,
      happened_at timestamptz,
      shown_at timestamptz not null default now(),
      check (num_nulls(fingerprint, token, result, happened_at) in (0, 4))
    )`;
  }

  /**
   * Shows a token, 0 = none, and reads back, in one statement. The row stays locked until the transaction ends; whoever
   * else holds it is waited for, so that what it writes is seen.
   */
  async show(client: PgClient, key: string, token: number): Promise<EffectRow> {
    const { rows } = await client.query(
      `insert into ${this.#name} as known (key, fence) values ($1, $2)
       on conflict (key) do update set fence = greatest(known.fence, excluded.fence), shown_at = now()
       returning txid_current()::text as transaction_id, fence::text, fingerprint, token::text, result,
         to_char(happened_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as happened_at`,
      [key, token],
    );
    return readRow(rows[0]);
  }

  /** Keeps the effect. False where the transaction in which `show` locked the row is over. */
  async keep(client: PgClient, key: string, effect: EffectToKeep): Promise<boolean> {
    const { fingerprint, token, result, transactionId } = effect;
    const { rowCount } = await client.query(
      `update ${this.#name} set fingerprint = $2, token = $3, result = $4, happened_at = now()
       where key = $1 and result is null and txid_current()::text = $5`,
      [key, fingerprint, token, JSON.stringify(result), transactionId],
    );
    return rowCount === 1;
  }
}

/** Two that make it at the same time: the later one finds the other's table, or its type, in the catalog. */
function isMadeByAnother(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    (error.code === "42P07" || error.code === "42710" || error.code === "23505")
  );
}

/** Reads a row that `show` returned: every column a text or null, whatever parsers the driver was given. */
function readRow(row: unknown): EffectRow {
  const result = textIn(row, "result");
  const effect = {
    fingerprint: textIn(row, "fingerprint") ?? "",
    token: Number(textIn(row, "token")),
    happenedAt: textIn(row, "happened_at") ?? "",
  };
  return {
    fence: Number(textIn(row, "fence")),
    transactionId: textIn(row, "transaction_id") ?? "",
    effect: result === null ? null : { ...effect, result: parse(result) },
  };
}

function textIn(row: unknown, column: string): string | null {
  const value: unknown = typeof row === "object" && row !== null ? Reflect.get(row, column) : null;
  return typeof value === "string" ? value : null;
}

function parse(result: string): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `keep` wrote it, and it was JSON then
  return JSON.parse(result) as Json;
}
