/** Opens what works on the database itself: configuration, database, desk. The environment is read here, and in server.ts. */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { FootholdError } from "../core/errors.ts";
import { BUILT_IN_ROLES, type Roles } from "../core/rights.ts";
import type { Ports } from "../core/ports.ts";
import type { OidcOptions } from "../define/config.ts";
import type { NoticeBook } from "../define/notice-book.ts";
import { NO_SCHEDULES } from "../define/schedule.ts";
import { registryOf, type Registry } from "../define/registry.ts";
import { createDesk, type Desk } from "../desk/desk.ts";
import { systemPorts } from "../engine/system.ts";
import { openTelemetryMeasuring } from "../telemetry/open-telemetry-figures.ts";
import { openTelemetryTracing } from "../telemetry/open-telemetry.ts";
import { ENGINE_VERSION } from "../engine/version.ts";
import type { Source } from "../inbox/source.ts";
import { lacksNow } from "../people/rights-now.ts";
import { startEmbedded } from "../store/embedded.ts";
import type { Store } from "../store/port.ts";
import { postgresStore } from "../store/postgres/store.ts";
import { accountName } from "./account-name.ts";
import type { Call } from "./command.ts";
import { configMissing, findConfigFile, loadConfig, type LoadedConfig } from "./config-file.ts";
import { warn } from "./terminal.ts";
import { formatTime } from "./times.ts";

/** Folder of the embedded database where none is named. */
const DATA_FOLDER = ".foothold";

/** How a command means to use the database. */
export interface OpenOptions {
  /** Whether it can do without definitions; then a faulty configuration is told and set aside. */
  readonly definitions: "needed" | "optional";
  /** `given`: only an explicit `--database` takes the place of the embedded one. */
  readonly choice: "any" | "given";
  /** True where the command may make a new embedded database. */
  readonly mayCreate: boolean;
  /** Connections at most. */
  readonly poolMax: number;
  /** How sentences write times; left out = in the zone of this machine. */
  readonly formatTime?: (at: number) => string;
}

/** What a command works with. */
export interface Opened {
  readonly store: Store;
  readonly registry: Registry;
  readonly ports: Ports;
  readonly desk: Desk;
  /** Where events come from, by the configuration. */
  readonly sources: readonly Source[];
  /** Where people sign in beside passwords, by the configuration; null = nowhere. */
  readonly oidc: OidcOptions | null;
  /** What each role grants, by the configuration. */
  readonly roles: Roles;
  /** Who owners are and how they are told, by the configuration; null = nobody is. */
  readonly notices: NoticeBook | null;
  /** The database in words, without a password. */
  readonly place: string;
  readonly configFile: string | null;
  /** Closes connections and leaves the embedded database. Safe twice. */
  close(): Promise<void>;
}

/** Opens everything, in order; what was opened is closed again when a later part fails. */
export async function open(call: Call, options: OpenOptions): Promise<Opened> {
  const config = await readConfig(call, options);
  const registry = config?.registry ?? registryOf([]);
  const opened = await openStore(call, config, options);
  const { store, place } = opened;
  const ports = { ...systemPorts(), tracing: openTelemetryTracing(), measuring: openTelemetryMeasuring() };
  const roles = config?.roles ?? BUILT_IN_ROLES;
  const desk = createDesk({
    store,
    registry,
    schedules: config?.schedules ?? NO_SCHEDULES,
    ports,
    engineVersion: ENGINE_VERSION,
    formatTime: options.formatTime ?? formatTime,
    secondRules: config?.secondRules ?? [],
    owners: config?.notices?.owners ?? new Map(),
    lacksNow: lacksNow(store.people, roles),
  });
  return {
    store,
    registry,
    ports,
    desk,
    sources: config?.sources ?? [],
    roles,
    oidc: config?.oidc ?? null,
    notices: config?.notices ?? null,
    place,
    configFile: config?.file ?? null,
    close: () => opened.close(),
  };
}

/** Opens, does the work, and closes whatever became of it. */
export async function withOpened(
  call: Call,
  options: Pick<OpenOptions, "definitions">,
  work: (opened: Opened) => Promise<void>,
): Promise<void> {
  const opened = await open(call, { ...options, choice: "any", mayCreate: false, poolMax: 4 });
  try {
    await opened.store.checkSchema();
    await work(opened);
  } finally {
    await opened.close();
  }
}

async function readConfig(call: Call, { definitions }: OpenOptions): Promise<LoadedConfig | null> {
  const named = call.text("config");
  const file = findConfigFile(named, process.cwd());
  if (file === null) {
    if (definitions === "needed") throw configMissing(process.cwd());
    return null;
  }
  try {
    return await loadConfig(file);
  } catch (error) {
    // The database that a faulty file names is not known: going on would read another one.
    const isDatabaseKnown = givenUrl(call) !== null;
    if (definitions === "needed" || named !== null || !isDatabaseKnown) throw error;
    const why = error instanceof Error ? error.message : String(error);
    warn(`Going on without definitions: ${why}`);
    return null;
  }
}

function givenUrl(call: Call): string | null {
  const given = call.text("database") ?? process.env["FOOTHOLD_DATABASE_URL"] ?? "";
  return given === "" ? null : given;
}

/** The address of the database itself where a pooler stands between; null = none is named. */
export function directUrl(): string | null {
  const given = process.env["FOOTHOLD_DIRECT_DATABASE_URL"] ?? "";
  return given === "" ? null : given;
}

/** A database that is open. */
export interface OpenedStore {
  readonly store: Store;
  readonly url: string;
  readonly place: string;
  close(): Promise<void>;
}

async function openStore(
  call: Call,
  config: LoadedConfig | null,
  { choice, mayCreate, poolMax }: OpenOptions,
): Promise<OpenedStore> {
  const url = choice === "given" ? call.text("database") : (givenUrl(call) ?? config?.database ?? null);
  const applicationName = `foothold ${call.command.name}`;
  const sealing = config?.codec ? { codec: config.codec } : {};
  if (url !== null) {
    const direct = directUrl();
    const store = postgresStore({
      url,
      poolMax,
      applicationName,
      ...sealing,
      ...(direct === null ? {} : { directUrl: direct }),
    });
    return { store, url, place: store.description, close: () => store.close() };
  }
  const folder = resolve(call.text("data") ?? DATA_FOLDER);
  if (!mayCreate && !existsSync(join(folder, "data", "PG_VERSION"))) throw noDatabase(folder);
  const server = await startEmbedded({ folder });
  const store = postgresStore({ url: server.url, poolMax, applicationName, ...sealing });
  return {
    store,
    url: server.url,
    place: `embedded PostgreSQL ${server.version} in ${server.folder}`,
    close: async () => {
      await store.close();
      await server.stop();
    },
  };
}

/** Opens the database that commands would use, whatever is in it; null = none is named, and none was made here. */
export async function openDatabase(call: Call, config: LoadedConfig | null): Promise<OpenedStore | null> {
  const isNamed = (givenUrl(call) ?? config?.database ?? null) !== null;
  const folder = resolve(call.text("data") ?? DATA_FOLDER);
  if (!isNamed && !existsSync(join(folder, "data", "PG_VERSION"))) return null;
  return openStore(call, config, { definitions: "optional", choice: "any", mayCreate: false, poolMax: 2 });
}

function noDatabase(folder: string): FootholdError {
  return new FootholdError(
    "SCHEMA_MISSING",
    `No database is named and there is none in ${folder}. Name one with --database URL or FOOTHOLD_DATABASE_URL, ` +
      `the folder of an embedded one with --data, or make one there with: foothold migrate`,
  );
}

/** Who acts where `--by` is left out: the account that runs the command. */
export function whoActs(call: Call): string {
  return call.text("by") ?? accountName();
}
