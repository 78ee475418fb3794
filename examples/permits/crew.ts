import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { readFaultBook, type BookedFault, type PlannedFault } from "./fault-book.ts";
import { answeredPoints } from "./fault-plan.ts";
import type { EndedStop } from "./figures.ts";
import { leaseMs, type FromWorker, type ToWorker, type WorkerConfig } from "./worker-messages.ts";

/** How much longer than its lease a stopped worker stays stopped, in milliseconds; more if nobody freed its case yet. */
const overdueMs = 1_500;

/** Longest stop, in milliseconds. */
const stopMsMax = 5 * leaseMs;

/** How long one that woke with an answer in hand is waited for to report it, in milliseconds. */
const reportMsMax = 60_000;

/** How often the book of faults is read for workers to wake again, in milliseconds. */
const watchEveryMs = 50;

/** How long a worker may take to end when it is told to, in milliseconds. */
const endWithinMs = 10_000;

/** Deaths that were not planned, of all workers together, after which no more are started. */
const unplannedDeathsMax = 5;

/** A worker that stopped itself, from when the crew saw it until the crew woke it, in milliseconds of one clock. */
interface Stop {
  readonly fault: BookedFault;
  readonly seenAt: number;
  wokenAt: number | null;
  /** It has reported what it had in hand, or nothing is to be waited for. */
  isHeard: boolean;
  isAskedAbout: boolean;
}

/** How a crew is made. */
export interface CrewOptions {
  readonly workerCount: number;
  /** Of each worker, apart from its name. */
  readonly config: Omit<WorkerConfig, "name">;
  /** True once the case that a worker held was taken from it. */
  readonly isFreed: (fault: BookedFault) => Promise<boolean>;
  /** True once the case has the late report of the attempt that it was stopped at. */
  readonly isReported: (fault: BookedFault) => Promise<boolean>;
  /** Told of whatever must not happen in a good run. */
  readonly onTrouble: (text: string) => void;
}

/** The worker processes of a run: those that die are replaced at once, those that stop themselves are woken. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #members = new Set<Member>();
  /** By the line of the book. */
  readonly #stops = new Map<number, Stop>();
  #faults: readonly PlannedFault[] | null = null;
  #isEnding = false;
  #unplannedDeaths = 0;
  #watch: NodeJS.Timeout | null = null;

  /** Starts the processes and lets them get ready; they claim nothing before `begin`. */
  constructor(options: CrewOptions) {
    this.#options = options;
    for (let number = 1; number <= options.workerCount; number += 1) this.#hire(`w-${number}`);
  }

  /** Lets them work. Each fault happens once, to whichever worker comes to its place first. */
  begin(faults: readonly PlannedFault[]): void {
    this.#faults = faults;
    for (const member of this.#members) member.tell({ kind: "begin", faults });
    if (faults.length > 0) this.#watch = setInterval(() => this.#wakeStopped(), watchEveryMs);
  }

  /** True while a worker is stopped, or is awake again and has not reported yet what it had in hand. */
  get hasStopped(): boolean {
    return [...this.#stops.values()].some(({ wokenAt, isHeard }) => wokenAt === null || !isHeard);
  }

  /** The stops that were ended, and how long each lasted. */
  get endedStops(): readonly EndedStop[] {
    return [...this.#stops.values()].flatMap(({ fault, seenAt, wokenAt }) =>
      wokenAt === null ? [] : [{ fault, stoppedMs: wokenAt - seenAt }],
    );
  }

  /** True when no worker is left and none will be started. */
  get isGone(): boolean {
    return this.#members.size === 0;
  }

  /** Ends all of them: in order where they can, by force after a while. Safe to call twice. */
  async end(): Promise<void> {
    this.#isEnding = true;
    if (this.#watch !== null) clearInterval(this.#watch);
    for (const stop of this.#stops.values()) this.#wake(stop);
    const hasBegun = this.#faults !== null;
    await Promise.all([...this.#members].map((member) => (hasBegun ? member.end() : member.kill())));
  }

  #hire(name: string): void {
    const member = new Member({ ...this.#options.config, name }, this.#options.onTrouble);
    this.#members.add(member);
    if (this.#faults !== null) member.tell({ kind: "begin", faults: this.#faults });
    void this.#replace(member, name);
  }

  /** When a member has died: another one in its place, unless too many die that nobody killed. */
  async #replace(member: Member, name: string): Promise<void> {
    const how = await member.gone;
    this.#members.delete(member);
    if (this.#isEnding) return;
    if (!this.#wasKilled(member.pid)) this.#noteDeath(name, how);
    if (this.#unplannedDeaths < unplannedDeathsMax) this.#hire(name);
  }

  #wasKilled(pid: number): boolean {
    return readFaultBook(this.#options.config.faultBook).some((one) => one.act === "kill" && one.pid === pid);
  }

  #noteDeath(name: string, how: string): void {
    this.#unplannedDeaths += 1;
    this.#options.onTrouble(`${name} ended by itself (${how})`);
  }

  #wakeStopped(): void {
    const now = performance.now();
    for (const [line, fault] of readFaultBook(this.#options.config.faultBook).entries()) {
      if (fault.act !== "stop") continue;
      const known = this.#stops.get(line);
      if (known === undefined)
        this.#stops.set(line, { fault, seenAt: now, wokenAt: null, isHeard: false, isAskedAbout: false });
      else if (known.wokenAt !== null) void this.#hear(known, now - known.wokenAt);
      else if (now - known.seenAt > leaseMs + overdueMs) void this.#wakeWhenFreed(known);
    }
  }

  async #wakeWhenFreed(stop: Stop): Promise<void> {
    if (stop.wokenAt !== null || stop.isAskedAbout) return;
    stop.isAskedAbout = true;
    // A database that is away for a moment is asked again.
    const isFreed = await this.#options.isFreed(stop.fault).catch(() => false);
    stop.isAskedAbout = false;
    if (isFreed || performance.now() - stop.seenAt > stopMsMax) this.#wake(stop);
  }

  async #hear(stop: Stop, awakeMs: number): Promise<void> {
    if (stop.isHeard || stop.isAskedAbout) return;
    stop.isAskedAbout = true;
    const isReported = await this.#options.isReported(stop.fault).catch(() => false);
    stop.isAskedAbout = false;
    stop.isHeard = isReported || awakeMs > reportMsMax;
  }

  #wake(stop: Stop): void {
    if (stop.wokenAt !== null) return;
    stop.wokenAt = performance.now();
    stop.isHeard = !answeredPoints.includes(stop.fault.point);
    // One that is gone has no process id any more; another process may have got its.
    const { pid } = stop.fault;
    if ([...this.#members].some((member) => member.pid === pid)) process.kill(pid, "SIGCONT");
  }
}

/** One worker process. */
class Member {
  readonly #child: ChildProcess;
  /** Resolves when the process is gone, with how it ended. */
  readonly gone: Promise<string>;

  constructor(config: WorkerConfig, onTrouble: (text: string) => void) {
    // The same kind of file as this one: compiled beside compiled, source beside source.
    const program = fileURLToPath(new URL(`worker${extname(import.meta.filename)}`, import.meta.url));
    this.#child = fork(program, [], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    this.#child.on("message", (message: FromWorker) => {
      onTrouble(`${config.name}: ${message.text}`);
    });
    // A message to a process that was just killed fails; its end is told by `exit`.
    this.#child.on("error", () => undefined);
    this.gone = once(this.#child, "exit").then(([code, signal]: unknown[]) =>
      typeof signal === "string" ? signal : `exit code ${String(code)}`,
    );
    this.tell({ kind: "prepare", config });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  tell(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message);
  }

  /** Ends it in order, or by force if that takes too long. */
  async end(): Promise<void> {
    this.tell({ kind: "stop" });
    const force = setTimeout(() => this.#child.kill("SIGKILL"), endWithinMs);
    await this.gone;
    clearTimeout(force);
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.gone;
  }
}
