/** `foothold top`: how everything stands, read anew every two seconds. */

import { isFootholdError } from "../core/errors.ts";
import type { Client } from "../http/client/client.ts";
import { LOOK_OPTIONS } from "./act.ts";
import type { Call, Command } from "./command.ts";
import { findServer } from "./server.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { frameOf, painted } from "./top-frame.ts";
import { readTop } from "./top-read.ts";
import { afterKey, emptyView, keysIn, withoutAnswer, withSnapshot, type TopView } from "./top-view.ts";
import { withClient } from "./with-client.ts";

/** How long it rests between two readings, in ms. */
const EVERY_MS = 2_000;
/** How long one request may take, in ms. */
const TIMEOUT_MS = 10_000;

/** Another screen, so that what was there before is there again; the cursor away. */
const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
/** From the top, over what is there: a screen that is cleared first flickers. */
const HOME = "\u001b[H";
const REST_OF_LINE = "\u001b[K";
const REST_OF_SCREEN = "\u001b[J";

/** The live view. */
export const topCommand: Command = {
  name: "top",
  summary: "a live view: counts by state, what needs people, workers, destinations and events, every 2 s",
  positionals: [],
  options: [
    { name: "once", value: null, help: "print it once and end, as where nobody watches a terminal" },
    ...LOOK_OPTIONS,
  ],
  notes: [
    "Keys: q quits, arrows choose a case, enter shows what stands with it, p pauses.",
    "NO_COLOR takes the colors away. Six requests each time, whatever there is.",
  ],
  run: async (call) => {
    const isLive = process.stdin.isTTY && process.stdout.isTTY;
    const isOnce = call.flag("once") || call.flag("json") || !isLive;
    const place = findServer(call)?.baseUrl ?? "the database";
    await withClient(call, { definitions: "optional", timeoutMs: TIMEOUT_MS }, (client) =>
      isOnce ? printOnce(call, client, place) : new LiveView(client, place).run(),
    );
  },
};

async function printOnce(call: Call, client: Client, place: string): Promise<void> {
  const snapshot = await readTop(client);
  if (call.flag("json")) {
    sayJson(snapshot);
    return;
  }
  const view = withSnapshot(emptyView(place), snapshot);
  for (const { text } of frameOf(view, { columns: columns(), rows: null })) say(text);
}

/** Draws, reads and listens to keys until it is quit. */
class LiveView {
  readonly #client: Client;
  readonly #hasColor = (process.env["NO_COLOR"] ?? "") === "";
  #view: TopView;
  #rest = new AbortController();
  readonly #over = new AbortController();

  constructor(client: Client, place: string) {
    this.#client = client;
    this.#view = emptyView(place);
  }

  async run(): Promise<void> {
    const { stdin, stdout } = process;
    const onKeys = (chunk: Buffer): void => this.#onKeys(chunk.toString("utf8"));
    const onResize = (): void => this.#draw();
    const onSignal = (): void => this.#quit();
    stdout.write(ENTER);
    stdin.setRawMode(true);
    stdin.on("data", onKeys);
    stdout.on("resize", onResize);
    for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.on(signal, onSignal);
    try {
      await this.#work();
    } finally {
      stdin.setRawMode(false);
      stdin.off("data", onKeys);
      stdin.pause();
      stdout.off("resize", onResize);
      for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.off(signal, onSignal);
      stdout.write(LEAVE);
    }
  }

  async #work(): Promise<void> {
    while (!this.#over.signal.aborted) {
      this.#draw();
      if (!this.#view.isPaused) await this.#read();
      this.#draw();
      await this.#restFor(EVERY_MS);
    }
  }

  async #read(): Promise<void> {
    try {
      this.#view = withSnapshot(this.#view, await readTop(this.#client, { signal: this.#over.signal }));
    } catch (error) {
      if (this.#over.signal.aborted) return;
      if (!isFootholdError(error) || !AWAY.includes(error.code)) throw error;
      this.#view = withoutAnswer(this.#view, error.message, Date.now());
    }
  }

  #onKeys(text: string): void {
    for (const key of keysIn(text)) {
      const view = afterKey(this.#view, key);
      if (view === null) {
        this.#quit();
        return;
      }
      const goesOn = this.#view.isPaused && !view.isPaused;
      this.#view = view;
      if (goesOn) this.#rest.abort();
    }
    this.#draw();
  }

  #quit(): void {
    this.#over.abort();
    this.#rest.abort();
  }

  #draw(): void {
    if (this.#over.signal.aborted) return;
    const { columns: wide, rows } = process.stdout;
    const lines = frameOf(this.#view, { columns: wide, rows });
    const text = lines.map((line) => painted(line, wide, this.#hasColor));
    process.stdout.write(`${HOME}${text.join(`${REST_OF_LINE}\r\n`)}${REST_OF_LINE}${REST_OF_SCREEN}`);
  }

  async #restFor(ms: number): Promise<void> {
    if (this.#over.signal.aborted) return;
    const rest = new AbortController();
    this.#rest = rest;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      rest.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

/** What passes by itself. */
const AWAY: readonly string[] = ["SERVER_UNREACHABLE", "DATABASE_UNAVAILABLE"];
