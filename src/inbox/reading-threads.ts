/**
 * Threads that read large bodies, so that nobody else waits for it. Few, started when the first large body comes, each with
 * a bound on its memory; they keep no process alive that has nothing else to do.
 */

import { Worker } from "node:worker_threads";
import { FootholdError } from "../core/errors.ts";
import type { Arrival } from "./arrival.ts";
import { readContent, type Content } from "./content.ts";
import type { Preset } from "./preset.ts";

/** Threads of one process. */
const THREADS_MAX = 2;
/** Memory of one thread, in MiB: several times what the most values take that a body may have. */
const THREAD_MIB_MAX = 256;
/** Bodies that wait for a thread. */
const WAITING_MAX = 64;

/** What a thread is asked for. */
export interface ReadingJob {
  readonly arrival: Arrival;
  readonly preset: Preset;
}

/** What a thread says. */
export type ReadingReply = { readonly kind: "ready" } | { readonly kind: "read"; readonly content: Content };

interface Waiting {
  readonly job: ReadingJob;
  readonly answer: (content: Content) => void;
}

/** Reads in threads. */
export class ReadingThreads {
  readonly #threads = new Set<Thread>();
  #waiting: Waiting[] = [];
  #isClosed = false;
  /** False once a thread could not be started, as where a bundler has left its file out. */
  #canStart = true;

  /** Threads that run. */
  get running(): number {
    return this.#threads.size;
  }

  /**
   * Reads a plain body. One that takes more memory than a thread may have is unreadable. Throws `DATABASE_UNAVAILABLE` when
   * too many wait: the sender is asked to come again.
   */
  async read(job: ReadingJob): Promise<Content> {
    if (this.#isClosed || !this.#canStart) return readContent(job.arrival, job.preset);
    if (this.#waiting.length >= WAITING_MAX)
      throw new FootholdError("DATABASE_UNAVAILABLE", `${WAITING_MAX} large bodies wait to be read already.`);
    return new Promise((answer) => {
      this.#waiting.push({ job, answer });
      this.#hand();
    });
  }

  /** Ends the threads; what they read is read by ourselves then. Safe twice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  /** Gives what waits to who is free. */
  #hand(): void {
    while (this.#waiting.length > 0) {
      const thread = [...this.#threads].find(({ isFree }) => isFree) ?? this.#start();
      if (thread === null) return;
      const [next] = this.#waiting.splice(0, 1);
      if (next !== undefined) thread.read(next);
    }
  }

  #start(): Thread | null {
    if (this.#threads.size >= THREADS_MAX) return null;
    const thread = new Thread({
      onFree: () => this.#hand(),
      onEnd: (unread, wasReady) => this.#ended(thread, unread, wasReady),
    });
    this.#threads.add(thread);
    return thread;
  }

  #ended(thread: Thread, unread: Waiting | null, wasReady: boolean): void {
    this.#threads.delete(thread);
    this.#canStart &&= wasReady || this.#isClosed;
    const left = this.#canStart && !this.#isClosed ? [] : this.#waiting.splice(0);
    if (unread !== null && wasReady && !this.#isClosed)
      unread.answer({ kind: "unreadable", why: `reading it takes more than ${THREAD_MIB_MAX} MiB` });
    else if (unread !== null) left.unshift(unread);
    for (const { job, answer } of left) void readContent(job.arrival, job.preset).then(answer);
    this.#hand();
  }
}

interface ThreadOptions {
  readonly onFree: () => void;
  /** `wasReady`: it had begun to run. */
  readonly onEnd: (unread: Waiting | null, wasReady: boolean) => void;
}

/** Beside this file, compiled or not as it is. */
const FILE = new URL(`reading-thread${/\.\w+$/.exec(import.meta.url)?.[0] ?? ".js"}`, import.meta.url);

class Thread {
  readonly #worker: Worker;
  readonly #options: ThreadOptions;
  #reading: Waiting | null = null;
  #isReady = false;
  #isOver = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(FILE, { resourceLimits: { maxOldGenerationSizeMb: THREAD_MIB_MAX } });
    this.#worker.unref();
    // Only reading-thread.ts answers, and with nothing else.
    this.#worker.on("message", (reply: ReadingReply) => this.#hear(reply));
    this.#worker.once("error", () => this.#over());
    this.#worker.once("exit", () => this.#over());
  }

  get isFree(): boolean {
    return this.#reading === null && !this.#isOver;
  }

  read(waiting: Waiting): void {
    this.#reading = waiting;
    this.#worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that of windows has one, a thread's has none
    this.#worker.postMessage(waiting.job);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
    this.#over();
  }

  #hear(reply: ReadingReply): void {
    if (reply.kind === "ready") {
      this.#isReady = true;
      return;
    }
    const done = this.#reading;
    this.#reading = null;
    this.#worker.unref();
    done?.answer(reply.content);
    this.#options.onFree();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onEnd(this.#reading, this.#isReady);
  }
}
