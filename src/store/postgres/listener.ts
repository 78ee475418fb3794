/**
 * Hints about due cases, over one connection of their own that comes back by itself. Where it cannot be had, behind a
 * pooler that lends connections transaction by transaction or while the database is down, there are no hints and nothing
 * else changes: work never depends on them.
 */

import { Client } from "pg";
import type { Connecting } from "./connection.ts";
import { drawOrigin, pause } from "./system.ts";

/** Delay before the first new try, in ms; each further one waits twice as long. */
const RETRY_DELAY_MS_MIN = 250;
/** Longest delay between two tries, in ms. */
const RETRY_DELAY_MS_MAX = 30_000;

/** How a change that makes a case due is told. */
export type Hinting = Pick<Listener, "hint" | "payload">;

interface Running {
  readonly stop: AbortController;
  /** Resolves when the first try to connect has worked or failed. */
  readonly first: Promise<void>;
  readonly ended: Promise<void>;
}

/** Gives hints for as long as somebody wants them: of this store at once, of others over the connection. */
export class Listener {
  /** What a change that makes a case due notifies others with. */
  readonly payload: string;
  private readonly connecting: Connecting;
  private readonly text: string;
  private readonly listeners = new Set<() => void>();
  private running: Running | null = null;

  constructor(connecting: Connecting, text: string) {
    this.connecting = connecting;
    this.text = text;
    this.payload = `${connecting.schema} ${drawOrigin()}`;
  }

  /** This store made a case due: its own listeners know at once, without a way over the database. */
  hint(): void {
    for (const listener of this.listeners) listener();
  }

  /** Adds a listener; resolves when the first try to connect has worked or failed. */
  async add(onHint: () => void): Promise<() => Promise<void>> {
    // One that is given twice is two listeners.
    const listener = (): void => onHint();
    this.listeners.add(listener);
    this.running ??= this.start();
    await this.running.first;
    return async () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) await this.close();
    };
  }

  /** Stops listening. Safe twice. */
  async close(): Promise<void> {
    const { running } = this;
    this.running = null;
    if (running === null) return;
    running.stop.abort();
    await running.ended;
  }

  private start(): Running {
    const stop = new AbortController();
    let ended: Promise<void> = Promise.resolve();
    const first = new Promise<void>((resolve) => {
      ended = this.keepListening(stop.signal, resolve);
    });
    return { stop, first, ended };
  }

  private async keepListening(signal: AbortSignal, onFirstTry: () => void): Promise<void> {
    let delayMs = RETRY_DELAY_MS_MIN;
    let isReconnect = false;
    while (!signal.aborted) {
      const hasWorked = await this.listenOnce(signal, () => {
        onFirstTry();
        // What came while nobody listened is lost: one hint stands for all of it.
        if (isReconnect) this.hint();
      });
      onFirstTry();
      isReconnect = true;
      delayMs = hasWorked ? RETRY_DELAY_MS_MIN : Math.min(delayMs * 2, RETRY_DELAY_MS_MAX);
      if (!signal.aborted) await pause(delayMs, signal);
    }
  }

  /** Listens until the connection ends. True if it listened at all. */
  private async listenOnce(signal: AbortSignal, onListening: () => void): Promise<boolean> {
    const client = new Client(this.connecting.listening);
    const ended = new Promise<void>((resolve) => {
      client.once("end", resolve);
      client.on("error", () => resolve());
    });
    // Also in the middle of connecting, which may take its whole bound.
    signal.addEventListener("abort", () => void endQuietly(client), { once: true });
    client.on("notification", ({ payload }) => {
      if (payload !== this.payload && payload?.split(" ")[0] === this.connecting.schema) this.hint();
    });
    try {
      await client.connect();
      await client.query(this.text);
      onListening();
      await ended;
      return true;
    } catch {
      return false;
    } finally {
      await endQuietly(client);
    }
  }
}

async function endQuietly(client: Client): Promise<void> {
  try {
    await client.end();
  } catch {
    // It had ended by itself.
  }
}
