/**
 * The schema, brought up to date and checked. Migrations go forward only, each in a transaction of its own under the lock
 * of the version table, so any number of processes may start at once: one applies, the others find it applied.
 */

import { FootholdError, invariant } from "../../core/errors.ts";
import type { MigrationReport } from "../port.ts";
import { readMigrations, type Migration } from "../sql/statements.ts";
import type { Database, Session } from "./database.ts";
import { isAlreadyMade, sayFault } from "./failures.ts";

/** The oldest server that will do, as it numbers itself. */
const SERVER_VERSION_MIN = 150_000;
/** How long one migration may take, in ms: it may have to rewrite a table. */
const MIGRATION_TIMEOUT_MS = 600_000;
/** Times that making the schema is tried while other processes make it too. */
const CREATE_TRIES_MAX = 5;

/** What the database says of its schema; null = there is none. */
interface SchemaVersion {
  readonly version: number;
  readonly readable_from: number;
}

/** Applies every migration that is missing. Throws `SCHEMA_TOO_NEW`, `MIGRATION_FAILED`, `DATABASE_VERSION_UNSUPPORTED`. */
export async function migrate(database: Database): Promise<MigrationReport> {
  const migrations = readMigrations(database.schema);
  if (!(await findSchemaInfo(database))) await createSchema(database);
  const applied: string[] = [];
  let version = 0;
  for (const migration of migrations) {
    const found = await applyUnlessThere(database, migration, migrations.length);
    if (found.isNew) applied.push(migration.name);
    version = found.version;
  }
  return { applied, version };
}

/** The schema's version. Throws unless this engine can work with it, as the port says. */
export async function checkSchema(database: Database): Promise<number> {
  const known = readMigrations(database.schema).length;
  const info = (await findSchemaInfo(database)) ? await readSchemaInfo(database) : null;
  if (info === null) {
    throw new FootholdError(
      "SCHEMA_MISSING",
      `The database ${database.place} has no schema ${database.schema} of ours. Run \`foothold migrate\`.`,
    );
  }
  refuseNewer(database, info, known);
  if (info.version < known) {
    throw new FootholdError(
      "SCHEMA_MISSING",
      `The schema ${database.schema} of ${database.place} is at version ${info.version}, this version needs ${known}. ` +
        `Run \`foothold migrate\`.`,
    );
  }
  return info.version;
}

function refuseNewer(database: Database, info: SchemaVersion, known: number): void {
  if (info.readable_from <= known) return;
  throw new FootholdError(
    "SCHEMA_TOO_NEW",
    `The schema ${database.schema} of ${database.place} is at version ${info.version} and needs an engine that knows ` +
      `version ${info.readable_from}; this one knows ${known}. A schema is never taken back: use the newer foothold, or restore a ` +
      `backup from before the upgrade.`,
  );
}

/** True if the version table is there. Throws `DATABASE_VERSION_UNSUPPORTED`. */
async function findSchemaInfo(database: Database): Promise<boolean> {
  const [found] = await database.run<{
    readonly server_version: number;
    readonly server_version_text: string;
    readonly has_schema_info: boolean;
  }>("find_schema_info", [`${database.schema}.schema_info`]);
  invariant(found !== undefined, "find_schema_info returned no row");
  if (found.server_version < SERVER_VERSION_MIN) {
    throw new FootholdError(
      "DATABASE_VERSION_UNSUPPORTED",
      `The database ${database.place} is PostgreSQL ${found.server_version_text}; 15 or later is needed.`,
    );
  }
  return found.has_schema_info;
}

async function readSchemaInfo(runner: Pick<Session, "run">): Promise<SchemaVersion | null> {
  const [info] = await runner.run<SchemaVersion>("read_schema_info", []);
  return info ?? null;
}

/** Two processes that make the same thing at once both see that it is missing; the later one is told so by an error. */
async function createSchema(database: Database): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await database.run("create_schema", []);
      await database.run("create_schema_info", []);
      return;
    } catch (error) {
      if (!isAlreadyMade(error)) throw failed(database, "the first", error);
      if (tries === CREATE_TRIES_MAX) throw failed(database, "the first", error);
    }
  }
}

async function applyUnlessThere(
  database: Database,
  migration: Migration,
  known: number,
): Promise<{ readonly isNew: boolean; readonly version: number }> {
  return database.transact("begin_migration", async (session) => {
    const info = await readSchemaInfo(session);
    if (info !== null) refuseNewer(database, info, known);
    if (info !== null && info.version >= migration.version) return { isNew: false, version: info.version };
    try {
      await session.send(migration.text, MIGRATION_TIMEOUT_MS);
      await session.run("write_schema_info", [migration.version, migration.readableFrom]);
    } catch (error) {
      throw failed(database, migration.name, error);
    }
    return { isNew: true, version: migration.version };
  });
}

function failed(database: Database, name: string, cause: unknown): FootholdError {
  return new FootholdError(
    "MIGRATION_FAILED",
    `Migration ${name} of schema ${database.schema} in ${database.place} failed and was taken back: ${sayFault(cause)}. ` +
      `Correct what it says and run \`foothold migrate\` again; earlier migrations stay.`,
    { cause },
  );
}
