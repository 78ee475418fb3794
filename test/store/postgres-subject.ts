import { Client } from "pg";
import type { PayloadCodec } from "../../src/core/payload-codec.ts";
import type { Store } from "../../src/store/port.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase } from "../setup/database.ts";
import type { PgBouncer } from "../setup/pgbouncer.ts";
import type { Subject } from "./contract/contract.ts";

/** Every table that holds cases or holders. */
const TABLES = ["cases", "journal", "holders", "key_places"] as const;
/** Those that hold nothing of their own: what a failover leaves in them must do no harm. */
const SHORTCUTS = ["snapshots", "destinations"] as const;
/** Who may sign in is no part of any case: a failover test leaves them alone. */
const PEOPLE = ["people", "sessions", "tokens", "sign_in_failures"] as const;

/** Seals are over cases, and begin anew with them. */
const CLEAR_SEALS = `truncate foothold.schedules, foothold.schedule_slots, foothold.second_requests, foothold.samples;
  truncate foothold.attempt_counts, foothold.turns;
  truncate foothold.payload_keys;
  truncate foothold.audit, foothold.seals, foothold.sealed_cases;
  update foothold.seal_heads set seal_no = 0, hash = decode(repeat('00', 32), 'hex')`;

/** A migrated database of one's own, with two stores on it and a connection to look behind them. */
export interface PostgresSubject extends Subject {
  readonly url: string;
  readonly client: Client;
}

/**
 * Opens one. With a `pooler` the stores go through it, but for their hints; it is stopped with the subject. With a `codec`
 * they seal what they store.
 */
export async function openPostgres(
  serverUrl: string,
  { pooler, codec }: { readonly pooler?: PgBouncer; readonly codec?: PayloadCodec } = {},
): Promise<PostgresSubject> {
  const database = await createTestDatabase(serverUrl);
  const options = {
    url: pooler?.through(database.url) ?? database.url,
    directUrl: database.url,
    ...(codec === undefined ? {} : { codec }),
  };
  const store = postgresStore(options);
  const other = postgresStore(options);
  const client = new Client(database.url);
  await client.connect();
  await store.migrate();
  return {
    url: database.url,
    client,
    store,
    other,
    clear: async () => {
      const tables = [...TABLES, ...SHORTCUTS, ...PEOPLE].map((table) => `foothold.${table}`);
      await client.query(`truncate ${tables.join(", ")}; ${CLEAR_SEALS}`);
    },
    replicate: () => replicate(client),
    close: async () => {
      await closeAll(store, other);
      await client.end();
      await pooler?.stop();
      await database.drop();
    },
  };
}

/** Copies of all that cases are made of: what one transaction kept, another puts back. */
async function replicate(client: Client): Promise<() => Promise<void>> {
  const copy = TABLES.map((table) => `create table standby.${table} as table foothold.${table};`);
  await client.query(`drop schema if exists standby cascade; create schema standby; ${copy.join(" ")}`);
  const restore = TABLES.map(
    (table) => `truncate foothold.${table}; insert into foothold.${table} table standby.${table};`,
  );
  return async () => void (await client.query(restore.join(" ")));
}

async function closeAll(...stores: readonly Store[]): Promise<void> {
  await Promise.all(stores.map((store) => store.close()));
}
