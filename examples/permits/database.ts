import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "foothold";
import { startEmbedded } from "foothold/embedded";
import { memoryStore } from "foothold/memory";
import { postgresStore } from "foothold/postgres";
import { Client } from "pg";
import type { StoreChoice } from "./options.ts";

/** The store of one run. */
export interface RunDatabase {
  readonly store: Store;
  /** How other processes reach it; null = they cannot. */
  readonly reach: { readonly databaseUrl: string; readonly schema: string } | null;
  /** For people: where it is. */
  readonly place: string;
  /** Closes it. `keep` leaves what the run wrote, where that outlives the process. Safe to call once. */
  close(keep: boolean): Promise<void>;
}

/**
 * Connections of the process that starts the cases.
 */
const connectionsMax = 8;

/**
 * Opens the store of a run and makes its tables, in a schema of its own: another run in the same database neither
 * sees its cases nor works on them. Throws a `FootholdError`.
 */
export async function openDatabase(choice: StoreChoice, signal: AbortSignal): Promise<RunDatabase> {
  switch (choice.kind) {
    case "memory": {
      const store = memoryStore();
      await store.migrate();
      return { store, reach: null, place: "memory", close: () => store.close() };
    }
    case "embedded":
      return openEmbedded(choice.folder, signal);
    case "postgres":
      return openPostgres(choice.url);
  }
}

async function openEmbedded(wanted: string | null, signal: AbortSignal): Promise<RunDatabase> {
  // Made by the server itself: it may have to run under another account, which must be able to enter it.
  const folder = wanted ?? join(tmpdir(), `foothold-permits-${randomBytes(6).toString("hex")}`);
  const removeIfOurs = (): void => {
    if (wanted === null) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    const server = await startEmbedded({ folder, signal });
    try {
      const database = await openPostgres(server.url);
      const close = async (keep: boolean): Promise<void> => {
        await database.close(keep);
        await server.stop();
        removeIfOurs();
      };
      return { ...database, place: `an embedded PostgreSQL ${server.version} in ${folder}`, close };
    } catch (error) {
      await server.stop();
      throw error;
    }
  } catch (error) {
    removeIfOurs();
    throw error;
  }
}

async function openPostgres(databaseUrl: string): Promise<RunDatabase> {
  const schema = `permits_${randomBytes(4).toString("hex")}`;
  const store = postgresStore({
    url: databaseUrl,
    schema,
    poolMax: connectionsMax,
    applicationName: "permits",
  });
  try {
    await store.migrate();
  } catch (error) {
    await store.close();
    throw error;
  }
  const close = async (keep: boolean): Promise<void> => {
    await store.close();
    if (!keep) await dropSchema(databaseUrl, schema);
  };
  return { store, reach: { databaseUrl, schema }, place: store.description, close };
}

async function dropSchema(databaseUrl: string, schema: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`drop schema ${schema} cascade`);
  } finally {
    await client.end();
  }
}
