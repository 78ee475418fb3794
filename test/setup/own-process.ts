import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A Node process of its own that runs one of our TypeScript files. */
export interface OwnProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Writes one line to its stdin. */
  tell(line: string): void;
  /** The next line of its stdout; rejects after `timeoutMs` (20 s), or when it ends first, with what it said on stderr. */
  nextLine(timeoutMs?: number): Promise<string>;
  /** Sends a signal and waits until the process is gone. */
  end(signal?: NodeJS.Signals): Promise<void>;
  /** Waits until it is gone; `null` if a signal ended it. */
  ended(): Promise<number | null>;
}

/** How a process of its own is run; by default as we are. */
export interface OwnProcessOptions {
  readonly uid?: number;
  readonly gid?: number;
  readonly env?: NodeJS.ProcessEnv;
}

const lineTimeoutMs = 20_000;
const register = new URL("typescript.mjs", import.meta.url).href;

/** Starts `file` (a path or file URL, TypeScript) in its own Node process. Its stdout is read line by line. */
export function startOwnProcess(
  file: string | URL,
  parameters: readonly string[] = [],
  options: OwnProcessOptions = {},
): OwnProcess {
  const path = typeof file === "string" ? file : fileURLToPath(file);
  const child = spawn(process.execPath, ["--import", register, path, ...parameters], {
    stdio: ["pipe", "pipe", "pipe"],
    ...options,
  });
  // A failing spawn is told by nextLine and ended.
  const exited = once(child, "exit").catch(() => undefined);
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-8_000)));
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = async (): Promise<number | null> => {
    await exited;
    return child.exitCode;
  };
  return {
    child,
    pid: child.pid ?? 0,
    tell: (line) => void child.stdin.write(`${line}\n`),
    nextLine: async (timeoutMs = lineTimeoutMs) => {
      const timeout = AbortSignal.timeout(timeoutMs);
      const timedOut = new Promise<never>((_, reject) => {
        timeout.addEventListener("abort", () =>
          reject(new Error(`no line in ${timeoutMs} ms. stderr: ${errors}`)),
        );
      });
      const line: IteratorResult<string, unknown> = await Promise.race([lines.next(), timedOut]);
      if (line.done !== true) return line.value;
      throw new Error(`${path} ended (exit code ${await ended()}). stderr: ${errors}`);
    },
    end: async (signal = "SIGKILL") => {
      child.kill(signal);
      await exited;
    },
    ended,
  };
}
