/** What is kept of a source itself: how far its list was read, and how long it keeps what it took in. */

import { isJsonObject, type Json } from "../../core/json.ts";
import { SOURCES_MAX, type Reconciling, type SourceRetention } from "../inbox-port.ts";
import type { Database } from "./database.ts";

/** All sources share a shard: they are few, and each is written once a page. */
const SOURCES_SHARD = 0;

/** Reads how far a list was read, as the port says. */
export async function readReconciling(
  database: Database,
  tenant: string,
  source: string,
): Promise<Reconciling> {
  const [row] = await database.run<{ readonly reconciling: Json }>("read_reconciling", [
    SOURCES_SHARD,
    tenant,
    source,
  ]);
  return toReconciling(row?.reconciling ?? null);
}

function toReconciling(stored: Json): Reconciling {
  if (!isJsonObject(stored)) return { readToAt: null, underWay: null };
  const { readToAt, underWay } = stored;
  return {
    readToAt: typeof readToAt === "number" ? readToAt : null,
    underWay:
      underWay !== undefined && isJsonObject(underWay)
        ? {
            sinceAt: Number(underWay["sinceAt"]),
            untilAt: Number(underWay["untilAt"]),
            cursor: underWay["cursor"] ?? null,
          }
        : null,
  };
}

/** Notes how far a list was read, as the port says. */
export async function writeReconciling(
  database: Database,
  tenant: string,
  source: string,
  reconciling: Reconciling,
): Promise<void> {
  await database.run("write_reconciling", [SOURCES_SHARD, tenant, source, JSON.stringify(reconciling)]);
}

/** Notes how long sources keep what they took in, as the port says. */
export async function noteSources(database: Database, sources: readonly SourceRetention[]): Promise<void> {
  await database.run("note_sources", [
    SOURCES_SHARD,
    sources.map(({ tenant }) => tenant),
    sources.map(({ source }) => source),
    sources.map(({ keepBodiesMs }) => keepBodiesMs),
    sources.map(({ rememberMs }) => rememberMs),
  ]);
}

/** Lists what was noted, as the port says. */
export async function listSources(database: Database): Promise<readonly SourceRetention[]> {
  const rows = await database.run<{
    readonly tenant: string;
    readonly source: string;
    readonly keep_bodies_ms: number;
    readonly remember_ms: number;
  }>("list_sources", [SOURCES_SHARD, SOURCES_MAX]);
  return rows.map(({ keep_bodies_ms: keepBodiesMs, remember_ms: rememberMs, ...which }) => ({
    ...which,
    keepBodiesMs,
    rememberMs,
  }));
}
