/** How the database is reached: options checked, and its name for people, which never has the password in it. */

import type { ClientConfig, CustomTypesConfig } from "pg";
import { FootholdError } from "../../core/errors.ts";
import { codecFault, type PayloadCodec } from "../../core/payload-codec.ts";
import { DEFAULT_SCHEMA } from "../sql/statements.ts";

/** A connection given part by part, where a URL does not do. */
export interface PostgresConnection {
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  /** A text, or a function for passwords that change. */
  readonly password?: string | (() => string | Promise<string>);
  readonly database?: string;
  /** As `pg` takes it: true, or the options of a TLS connection. */
  readonly ssl?: NonNullable<ClientConfig["ssl"]>;
}

/** Options of `postgresStore`. */
export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`, or its parts. */
  readonly url: string | PostgresConnection;
  /**
   * Where `url` is that of a pooler that lends connections transaction by transaction: the database itself, so that hints
   * about due cases come through. Left out = `url`. One connection goes there.
   */
  readonly directUrl?: string | PostgresConnection;
  /** The schema that the tables are in; `foothold` when left out. Lower-case letters, digits and `_`. */
  readonly schema?: string;
  /** Connections at most; 10 when left out. Listening for hints takes one more. */
  readonly poolMax?: number;
  /** The name that the server shows for our connections; `foothold` when left out. */
  readonly applicationName?: string;
  /** How long one statement may take before its connection is given up, in ms; 15,000 when left out. */
  readonly queryTimeoutMs?: number;
  /** How long connecting, or waiting for a free connection, may take, in ms; 5,000 when left out. */
  readonly connectTimeoutMs?: number;
  /** Seals what cases, events and moves work with before it is stored: `aesGcm({ keys })`, or one of your own. */
  readonly codec?: PayloadCodec;
}

/** Options with every default filled in. */
export interface Connecting {
  readonly client: ClientConfig;
  /** For the connection that listens for hints. */
  readonly listening: ClientConfig;
  readonly schema: string;
  readonly poolMax: number;
  /** Host and database for people, without user and password. */
  readonly place: string;
}

/** Connections of a pool that names no number. */
const POOL_MAX = 10;
const QUERY_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** How long a connection may be silent before the system asks whether the other end is still there. */
const KEEP_ALIVE_DELAY_MS = 10_000;

/** Checks the options. Throws `DATABASE_URL_INVALID` or `CONFIG_INVALID`. */
export function readConnection(options: PostgresStoreOptions): Connecting {
  const fault = options.codec === undefined ? null : codecFault(options.codec);
  if (fault !== null) {
    throw new FootholdError("CONFIG_INVALID", `The payload codec cannot be used: ${fault}.`);
  }
  const target = readTarget(options.url);
  const common = {
    application_name: options.applicationName ?? "foothold",
    query_timeout: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS,
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    types: ownTypes,
  };
  return {
    client: { ...target.config, ...common },
    listening: { ...readTarget(options.directUrl ?? options.url).config, ...common },
    schema: options.schema ?? DEFAULT_SCHEMA,
    poolMax: options.poolMax ?? POOL_MAX,
    place: target.place,
  };
}

interface Target {
  readonly config: ClientConfig;
  readonly place: string;
}

function readTarget(url: PostgresStoreOptions["url"]): Target {
  return typeof url === "string" ? readUrl(url) : { config: url, place: placeOf(url) };
}

function readUrl(text: string): Target {
  const wanted =
    "Write it as postgres://user:password@host:5432/database, with special characters percent-encoded.";
  if (!URL.canParse(text)) {
    // The text itself is not repeated: it may hold a password.
    throw new FootholdError("DATABASE_URL_INVALID", `The database URL cannot be read. ${wanted}`);
  }
  const url = new URL(text);
  if (url.protocol !== "postgres:" && url.protocol !== "postgresql:") {
    throw new FootholdError(
      "DATABASE_URL_INVALID",
      `The database URL begins with ${url.protocol}// and not with postgres://. ${wanted}`,
    );
  }
  try {
    const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname);
    const database = decodeURIComponent(url.pathname.slice(1));
    decodeURIComponent(url.username);
    decodeURIComponent(url.password);
    return { config: { connectionString: text }, place: formatPlace(host, url.port, database) };
  } catch (error) {
    throw new FootholdError("DATABASE_URL_INVALID", `The database URL has a faulty % in it. ${wanted}`, {
      cause: error,
    });
  }
}

function placeOf({ host, port, database }: PostgresConnection): string {
  return formatPlace(host ?? "", port === undefined ? "" : String(port), database ?? "");
}

function formatPlace(host: string, port: string, database: string): string {
  const where = host === "" ? "localhost" : host;
  return `${where}${port === "" ? "" : `:${port}`}/${database}`;
}

/**
 * How values are read. Our own, so that a program that changes the global parsers of `pg` for itself does not change what we
 * read; statements give times as whole milliseconds, so no setting of the database changes them either.
 */
const ownTypes: CustomTypesConfig = {
  getTypeParser: (typeId: number): ((text: string) => unknown) => PARSERS.get(typeId) ?? asText,
};

const asText = (text: string): string => text;

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [16, (text) => text === "t"], // bool
  [17, readBytes], // bytea
  [20, readInteger], // int8
  [21, Number], // int2
  [23, Number], // int4
  [701, Number], // float8
  [3802, (text): unknown => JSON.parse(text)], // jsonb
]);

function readInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new FootholdError("INVARIANT_BROKEN", `The database gave ${text}, more than a number can hold.`);
}

/** Bytes in either of the two forms that a server may be set to. */
function readBytes(text: string): Buffer {
  if (text.startsWith("\\x")) return Buffer.from(text.slice(2), "hex");
  const plain = text.replaceAll(/\\(\\|[0-3][0-7]{2})/g, (_, code: string) =>
    code === "\\" ? code : String.fromCharCode(Number.parseInt(code, 8)),
  );
  return Buffer.from(plain, "latin1");
}
