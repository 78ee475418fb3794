import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** A user id and group id that a program is run as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** How a program ended. `failure` is set when it could not be run at all. */
export interface ProgramResult {
  readonly exitCode: number | null;
  readonly output: string;
  readonly failure: NodeJS.ErrnoException | undefined;
}

/** What `runProgram` needs beside the program and its parameters. */
export interface ProgramOptions {
  /** Run as this account instead of our own; only root can. */
  readonly account: Account | undefined;
  /** Handed to the program as file descriptor 3. */
  readonly descriptor?: number | undefined;
  /** Killed after this long. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const outputCharsMax = 64 * 1024;

/**
 * Our own small environment: the one of the program that uses us may carry PGPORT, PGDATA or a language that would change
 * what PostgreSQL does.
 */
const environment = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/local/bin:/usr/bin:/bin" };

/** Runs a program to its end; its last 64 KB of stdout and stderr come back as one text. Rejects only when aborted. */
export async function runProgram(
  program: string,
  parameters: readonly string[],
  { account, descriptor, timeoutMs, signal }: ProgramOptions,
): Promise<ProgramResult> {
  signal?.throwIfAborted();
  const child = spawn(program, parameters, {
    cwd: "/",
    env: environment,
    stdio: ["ignore", "pipe", "pipe", ...(descriptor === undefined ? [] : [descriptor])],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    ...(signal === undefined ? {} : { signal }),
    ...account,
  });
  let output = "";
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-outputCharsMax);
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  const result = await new Promise<ProgramResult>((resolve) => {
    child.once("error", (failure) => resolve({ exitCode: null, output, failure }));
    child.once("close", (exitCode) => resolve({ exitCode, output, failure: undefined }));
  });
  signal?.throwIfAborted();
  return result;
}

/**
 * Starts a program that outlives us: in a session of its own, so that Ctrl-C in our terminal does not reach it. stdout and
 * stderr go to `logDescriptor`.
 */
export function launchProgram(
  program: string,
  parameters: readonly string[],
  options: {
    readonly account: Account | undefined;
    readonly logDescriptor: number;
    readonly descriptor: number | undefined;
  },
): ChildProcess {
  const { account, logDescriptor, descriptor } = options;
  return spawn(program, parameters, {
    cwd: "/",
    env: environment,
    detached: true,
    stdio: ["ignore", logDescriptor, logDescriptor, ...(descriptor === undefined ? [] : [descriptor])],
    ...account,
  });
}

/**
 * A mark that tells a process from a later one with the same id: when it started. Undefined if there is no such process or
 * only a zombie is left of it (seen in containers whose first process collects none).
 */
export function readStartMark(pid: number): string | undefined {
  if (process.platform === "linux") {
    const stat = readOrNothing(`/proc/${pid}/stat`);
    if (stat === undefined) return undefined;
    // The name, second field, may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state] = fields;
    return state === "Z" || state === "X" ? undefined : fields[19];
  }
  const [state, ...started] = askPs(pid, "stat=,lstart=").split(/\s+/);
  if (state === undefined || state === "" || state.startsWith("Z")) return undefined;
  return String(Date.parse(started.join(" ")));
}

/** The command line of a process; empty if there is none to read. */
export function readCommandLine(pid: number): string {
  if (process.platform === "linux") return readOrNothing(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ") ?? "";
  return askPs(pid, "command=");
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function askPs(pid: number, columns: string): string {
  const { stdout } = spawnSync("ps", ["-ww", "-o", columns, "-p", String(pid)], {
    env: environment,
    encoding: "utf8",
  });
  return (stdout ?? "").trim();
}
