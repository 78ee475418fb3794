/** Runs the built command line, or another built program, as people do: as its own process, with what it prints and its exit code. */

import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const folder = fileURLToPath(new URL("configs", import.meta.url));
const endTimeoutMs = 60_000;

/** How a command is run. */
export interface RunOptions {
  /** By default the folder of the test project, where its configuration is found. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The program; by default the command line. */
  readonly file?: string;
  /** Given on stdin. */
  readonly input?: string;
  /** Ended by force after this, in ms; 60,000 when left out. */
  readonly lastsMs?: number;
}

/** What became of a command. */
export interface Ended {
  /** Null = a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export interface RunningCommand {
  readonly pid: number;
  /** All that was printed so far. */
  printed(): string;
  /** Waits for a line on stdout or stderr and gives back what it matched; throws with all that was printed when it ends first. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  signal(name: NodeJS.Signals): void;
  ended(): Promise<Ended>;
}

/** Starts a command that keeps running. */
export function startCommand(words: readonly string[], options: RunOptions = {}): RunningCommand {
  const child = spawn(process.execPath, [options.file ?? main, ...words], {
    cwd: options.cwd ?? folder,
    // Nothing of the test run's own settings, and one zone everywhere.
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], TZ: "Europe/Berlin", ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  return watch(child, [options.file ?? "foothold", ...words].join(" "), options.lastsMs ?? endTimeoutMs);
}

/** Runs a command to its end, 60 s at most where nothing else is said. */
export async function runCommand(words: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return startCommand(words, options).ended();
}

function watch(child: ChildProcess, named: string, lastsMs: number): RunningCommand {
  let [stdout, stderr] = ["", ""];
  const listeners = new Set<() => void>();
  const tell = (): void => listeners.forEach((listener) => listener());
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
    tell();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
    tell();
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), lastsMs);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    // Not "exit": what was printed last may still be on its way then.
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
      tell();
    });
  });
  const printed = (): string => `${stdout}${stderr}`;
  return {
    pid: child.pid ?? 0,
    printed,
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(printed());
          if (found === null && child.exitCode === null && child.signalCode === null) return;
          listeners.delete(look);
          if (found === null) reject(new Error(`${named} ended before ${pattern}: ${printed()}`));
          else resolve(found);
        };
        listeners.add(look);
        look();
      }),
    signal: (name) => void child.kill(name),
    ended: () => ended,
  };
}
