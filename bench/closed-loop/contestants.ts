/** Who takes part, in the order of the table. */

/** One that takes part. */
export interface Entrant {
  /** As the table names it. */
  readonly label: string;
  /** What is durable when a case counts as done. */
  readonly durability: string;
  /** Where it comes from, below `bench/peers`; null = it is our own. */
  readonly packageName: string | null;
  readonly needsRedis?: true;
  /**
   * Where its `open` is, an `OpenContestant`. Loaded by name, by the process that runs it alone: what the peers need is
   * installed only for this.
   */
  readonly module: string;
}

const COMMITTED = "each step committed, synchronous_commit on";

/** Every one that takes part. */
export const ENTRANTS = {
  foothold: {
    label: "Foothold",
    durability: `intent and confirmation of ${COMMITTED}`,
    packageName: null,
    module: "./foothold.ts",
  },
  limit: {
    label: "the database alone",
    durability: "the same rows in as few commits as can be: no engine, no claim",
    packageName: null,
    module: "./limit.ts",
  },
  naive: {
    label: "hand-written loop",
    durability: COMMITTED,
    packageName: null,
    module: "./naive.ts",
  },
  dbos: {
    label: "DBOS",
    durability: COMMITTED,
    packageName: "@dbos-inc/dbos-sdk",
    module: "../peers/dbos.ts",
  },
  restate: {
    label: "Restate",
    durability: "each step in its own log, one node, its defaults",
    packageName: "@restatedev/restate-server",
    module: "../peers/restate.ts",
  },
  openworkflow: {
    label: "OpenWorkflow",
    durability: COMMITTED,
    packageName: "openworkflow",
    module: "../peers/openworkflow.ts",
  },
  graphile: {
    label: "graphile-worker",
    durability: "three jobs, each committed",
    packageName: "graphile-worker",
    module: "../peers/graphile-worker.ts",
  },
  pgboss: {
    label: "pg-boss",
    durability: "three jobs, each committed",
    packageName: "pg-boss",
    module: "../peers/pg-boss.ts",
  },
  bullmq: {
    label: "BullMQ",
    durability: "Redis, appendfsync everysec: up to a second is lost in a crash",
    packageName: "bullmq",
    needsRedis: true,
    module: "../peers/bullmq.ts",
  },
} as const satisfies Readonly<Record<string, Entrant>>;

/** The name of one. */
export type EntrantName = keyof typeof ENTRANTS;

/** Reads the name of one. */
export function isEntrantName(text: string): text is EntrantName {
  return Object.hasOwn(ENTRANTS, text);
}
