/** What can be said of the database from what it tells of itself, and of this machine. Pure. */

import { finding, type Finding } from "./finding.ts";

/** What a server tells of itself. */
export interface ServerFacts {
  readonly version: string;
  /** As it numbers itself: 150004. */
  readonly versionNumber: number;
  readonly maxConnections: number;
  /** Kept back for superusers. */
  readonly reservedConnections: number;
  /** Of our role and of this database; -1 = no limit. */
  readonly roleLimit: number;
  readonly databaseLimit: number;
  readonly fsync: boolean;
  readonly fullPageWrites: boolean;
  readonly synchronousCommit: string;
  /** True for a standby, and where transactions are read-only by default. */
  readonly isReadOnly: boolean;
  /** True where a pooler stands between. */
  readonly isPooled: boolean;
  /** Epoch ms of its clock, minus ours. */
  readonly skewMs: number;
}

/** How it is used. */
export interface DatabaseUse {
  /** Processes that work on it: workers, servers. */
  readonly processes: number;
  /** Connections of each, its listening one included. */
  readonly connectionsEach: number;
  /** True where hints come over a connection to the database itself. */
  readonly hasDirectUrl: boolean;
}

/** A difference of clocks that people should look at, in ms. */
const SKEW_MS_MAX = 2_000;
const VERSION_MIN = 150_000;

/** Findings about a server. */
export function examineServer(server: ServerFacts, use: DatabaseUse): readonly Finding[] {
  const found: Finding[] = [];
  const note = (code: Finding["code"], sentence: string, remedy: string): void =>
    void found.push(finding(code, {}, { sentence, remedy }));
  if (server.versionNumber < VERSION_MIN) {
    note(
      "DATABASE_VERSION",
      `The database is PostgreSQL ${server.version}; 15 or later is needed.`,
      "upgrade it",
    );
  }
  if (server.isReadOnly) {
    note(
      "READ_ONLY",
      "The database takes no writes: it is a standby, or set to read only.",
      "name the primary",
    );
  }
  if (!server.fsync) {
    note("FSYNC_OFF", "fsync is off: a crash of its machine can lose or damage everything.", "fsync = on");
  }
  if (server.synchronousCommit === "off") {
    note(
      "SYNCHRONOUS_COMMIT_OFF",
      "synchronous_commit is off: a crash can lose attempts that were sent, and they are sent again under new keys.",
      "synchronous_commit = on, or local",
    );
  }
  if (!server.fullPageWrites) {
    note(
      "FULL_PAGE_WRITES_OFF",
      "full_page_writes is off: a crash can leave torn pages.",
      "full_page_writes = on",
    );
  }
  if (server.isPooled && !use.hasDirectUrl) {
    note(
      "POOLED",
      "A pooler stands between. In transaction mode hints do not come through it: a case that another process made due " +
        "waits for the next poll, up to 5 s.",
      "FOOTHOLD_DIRECT_DATABASE_URL: the address of the database itself",
    );
  }
  // How many connections a pooler opens is its own affair.
  if (!server.isPooled) found.push(...examineConnections(server, use));
  if (Math.abs(server.skewMs) > SKEW_MS_MAX) {
    const seconds = (Math.abs(server.skewMs) / 1_000).toFixed(1);
    note(
      "CLOCK_SKEW",
      `The clock of this machine is ${seconds} s ${server.skewMs > 0 ? "behind" : "ahead of"} that of the database; ` +
        "what people read is off by as much.",
      "NTP on both",
    );
  }
  return found;
}

function examineConnections(
  server: ServerFacts,
  { processes, connectionsEach }: DatabaseUse,
): readonly Finding[] {
  const limits = [
    server.maxConnections - server.reservedConnections,
    ...[server.roleLimit, server.databaseLimit].filter((limit) => limit >= 0),
  ];
  const allowed = Math.min(...limits);
  const needed = processes * connectionsEach;
  if (needed <= allowed) return [];
  return [
    finding(
      "CONNECTIONS_SHORT",
      {},
      {
        sentence:
          `${processes} ${processes === 1 ? "process needs" : "processes need"} up to ${needed} connections ` +
          `(${connectionsEach} each), and the database allows ${allowed}.`,
        remedy: "max_connections (or the limit of the role) up, a smaller poolMax, or PgBouncer in between",
      },
    ),
  ];
}

const NODE_MIN = [20, 19] as const;
/** The oldest line that still gets fixes. */
const NODE_MAINTAINED = 22;

/** Findings about the Node.js that runs this. */
export function examineNode(version: string): readonly Finding[] {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1])) {
    const sentence = `This is Node.js ${version}; 20.19 or later is needed.`;
    return [finding("NODE_TOO_OLD", {}, { sentence, remedy: "upgrade Node.js" })];
  }
  if (major >= NODE_MAINTAINED) return [];
  const sentence = `Node.js ${version} gets no security fixes any more.`;
  return [finding("NODE_END_OF_LIFE", {}, { sentence, remedy: `Node.js ${NODE_MAINTAINED} or later` })];
}
