import { parseArgs } from "node:util";

/** Where the cases are kept. */
export type StoreChoice =
  | { readonly kind: "memory" }
  /** A PostgreSQL of one's own; without a folder a temporary one that is removed at the end. */
  | { readonly kind: "embedded"; readonly folder: string | null }
  | { readonly kind: "postgres"; readonly url: string };

/** What a run was asked to do. */
export interface RunOptions {
  /** Path of the log. */
  readonly file: string;
  readonly store: StoreChoice;
  readonly workerCount: number;
  /** Seed of the faults; null = no faults. */
  readonly seed: number | null;
  /** True when the figures are wanted as one line of JSON. */
  readonly isJson: boolean;
  /** After this time the run is given up, in milliseconds. */
  readonly timeoutMs: number;
}

/** What the command line says. */
export type ReadOptions =
  | { readonly kind: "run"; readonly options: RunOptions }
  | { readonly kind: "help" }
  | { readonly kind: "faulty"; readonly message: string };

/** Worker processes, at most. */
const workerCountMax = 16;

/** Longest run, in seconds. */
const timeoutSecondsMax = 3_600;

const timeoutSecondsDefault = 300;

/** What `--help` says. */
export const help = `Runs a permit log as cases: one case type for each sequence of activities, one step for each activity.

  npm run permits -- FILE.csv [options]

  --store embedded|postgres|memory  where cases are kept; embedded, or postgres where --url is given
  --url URL                         the PostgreSQL of --store postgres; its schema is removed after a good run
  --data FOLDER                     the folder of --store embedded; by default a temporary one
  --workers N                       worker processes, 1 to ${workerCountMax}; 1 by default
  --faults SEED                     a whole number: destinations fail, and with several workers some are
                                    killed and stopped, the same ones for the same seed
  --json                            the figures as one line of JSON, the last on stdout
  --timeout SECONDS                 give up after so long; ${timeoutSecondsDefault} by default
  --help                            this text

Ends with 0 when every case is done and every step took effect once and in order, with 1 when not, and with 2
when it was asked for something that cannot be done.
`;

/** Reads the command line. Never throws. */
export function readOptions(parameters: readonly string[]): ReadOptions {
  let given: ReturnType<typeof parse>;
  try {
    given = parse(parameters);
  } catch (error) {
    // Its messages name the option and what is wrong with it.
    return faulty(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = given;
  if (values.help) return { kind: "help" };
  const [file, ...others] = positionals;
  if (file === undefined) return faulty("name the log to run, a CSV file");
  if (others.length > 0) return faulty(`one log at a time; ${others.join(" ")} is too much`);
  const workerCount = readCount(values.workers, workerCountMax);
  if (workerCount === null) return faulty(`--workers must be a whole number from 1 to ${workerCountMax}`);
  const seed = values.faults === undefined ? null : readSeed(values.faults);
  if (seed === "faulty") return faulty("--faults takes a seed: a whole number from 0");
  const timeoutSeconds = readCount(values.timeout, timeoutSecondsMax);
  if (timeoutSeconds === null) {
    return faulty(`--timeout must be a whole number of seconds from 1 to ${timeoutSecondsMax}`);
  }
  const store = chooseStore({ ...values, workerCount });
  if (typeof store === "string") return faulty(store);
  const { json } = values;
  const options = { file, store, workerCount, seed, isJson: json, timeoutMs: timeoutSeconds * 1_000 };
  return { kind: "run", options };
}

function parse(parameters: readonly string[]) {
  return parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      store: { type: "string" },
      url: { type: "string" },
      data: { type: "string" },
      workers: { type: "string", default: "1" },
      faults: { type: "string" },
      json: { type: "boolean", default: false },
      timeout: { type: "string", default: String(timeoutSecondsDefault) },
      help: { type: "boolean", default: false },
    },
  });
}

/** The store, or why it cannot be had. */
function chooseStore(asked: {
  readonly store?: string | undefined;
  readonly url?: string | undefined;
  readonly data?: string | undefined;
  readonly workerCount: number;
}): StoreChoice | string {
  const { url, data, store = url === undefined ? "embedded" : "postgres" } = asked;
  if (url !== undefined && store !== "postgres") return `--url goes with --store postgres, not with ${store}`;
  if (data !== undefined && store !== "embedded")
    return `--data goes with --store embedded, not with ${store}`;
  switch (store) {
    case "embedded":
      return { kind: "embedded", folder: data ?? null };
    case "postgres":
      return url === undefined ? "--store postgres needs --url" : { kind: "postgres", url };
    case "memory":
      return asked.workerCount === 1
        ? { kind: "memory" }
        : "--store memory lives in one process, so it takes one worker; use embedded for several";
    default:
      return `--store is embedded, postgres or memory, not ${store}`;
  }
}

function readCount(text: string, max: number): number | null {
  const count = Number(text);
  return /^\d{1,9}$/.test(text) && count >= 1 && count <= max ? count : null;
}

function readSeed(text: string): number | "faulty" {
  return /^\d{1,15}$/.test(text) ? Number(text) : "faulty";
}

function faulty(message: string): ReadOptions {
  return { kind: "faulty", message };
}
