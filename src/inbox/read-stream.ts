/** Reads a body of unknown length: never more than is allowed, never longer than is allowed, and never in part. */

import type { Clock } from "../core/ports.ts";
import { LARGE_BODY_BYTES } from "./content.ts";
import { letOthersIn } from "./system.ts";

/** A body that is read once. What gives it up must not end the connection: the answer goes out over it. */
export interface BodyReader {
  /** Resolves with all of it, or with why not; never rejects. Too much is told as soon as it is seen. */
  read(bytesMax: number): Promise<StreamReading>;
  /** Nothing of it is wanted any more. A reading under way ends as `broken`. */
  giveUp(): void;
}

/** A body as a server or a framework has it; null = none. */
export type BodyStream = BodyReader | Uint8Array | null;

/** What reading gave. `bytes` of a body that was too much or too slow is what was read before it was given up. */
export type StreamReading =
  | { readonly kind: "body"; readonly body: Uint8Array }
  | { readonly kind: "tooLarge" | "tooSlow" | "broken"; readonly bytes: number };

/** Bytes as they come. */
export class Gathered {
  readonly #chunks: Uint8Array[] = [];
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False when that is too much; then it is not kept. */
  add(chunk: Uint8Array): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bytesMax) return false;
    this.#chunks.push(chunk);
    return true;
  }

  whole(): Uint8Array {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first !== undefined) return first;
    if (this.#bytes <= LARGE_BODY_BYTES) return Buffer.concat(this.#chunks, this.#bytes);
    // A thread reads it where it is: handing over a copy of 25 MB would hold up everybody.
    const whole = new Uint8Array(new SharedArrayBuffer(this.#bytes));
    let at = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }
}

interface Begun {
  readonly onLate: () => void;
  isOver: boolean;
  /** Ends the timer of one that has any. */
  endTimer: () => void;
}

/** Reads bodies, each within a bound of time. */
export class BodyReadings {
  readonly #clock: Clock;
  readonly #withinMs: number;
  #begun: Begun[] = [];

  constructor(clock: Clock, withinMs: number) {
    this.#clock = clock;
    this.#withinMs = withinMs;
  }

  /** Reads one. Never rejects. */
  async read(stream: BodyStream, bytesMax: number): Promise<StreamReading> {
    if (stream === null) return { kind: "body", body: new Uint8Array() };
    if (stream instanceof Uint8Array) {
      if (stream.length > bytesMax) return { kind: "tooLarge", bytes: stream.length };
      return { kind: "body", body: stream };
    }
    let isLate = false;
    const begun: Begun = {
      isOver: false,
      endTimer: () => undefined,
      onLate: () => {
        isLate = true;
        stream.giveUp();
      },
    };
    this.#watch(begun);
    const reading = await stream.read(bytesMax);
    begun.isOver = true;
    begun.endTimer();
    if (reading.kind === "body") return reading;
    if (!isLate) stream.giveUp();
    return isLate ? { kind: "tooSlow", bytes: reading.bytes } : reading;
  }

  /** Most bodies came with their headers and are over by then: a timer for each costs more than reading it. */
  #watch(begun: Begun): void {
    this.#begun.push(begun);
    if (this.#begun.length === 1) void this.#timeThoseLeft();
  }

  async #timeThoseLeft(): Promise<void> {
    await letOthersIn();
    const left = this.#begun.filter(({ isOver }) => !isOver);
    this.#begun = [];
    for (const begun of left) void this.#time(begun);
  }

  async #time(begun: Begun): Promise<void> {
    const ended = new AbortController();
    begun.endTimer = () => ended.abort();
    await this.#clock.sleep(this.#withinMs, ended.signal);
    if (!begun.isOver) begun.onLate();
  }
}
