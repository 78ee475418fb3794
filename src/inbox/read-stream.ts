/** Reads a body of unknown length: never more than is allowed, never longer than is allowed, and never in part. */

import type { Clock } from "../core/ports.ts";

/** A body as a server or a framework has it. */
export type BodyStream = AsyncIterable<Uint8Array> | Uint8Array | null;

/** What reading gave. `bytes` of a body that was too much or too slow is what was read before it was given up. */
export type StreamReading =
  | { readonly kind: "body"; readonly body: Uint8Array }
  | { readonly kind: "tooLarge" | "tooSlow" | "broken"; readonly bytes: number };

/** Reads it. Never rejects. */
export async function readStream(
  stream: BodyStream,
  { bytesMax, withinMs }: { readonly bytesMax: number; readonly withinMs: number },
  clock: Clock,
): Promise<StreamReading> {
  if (stream === null) return { kind: "body", body: new Uint8Array() };
  if (stream instanceof Uint8Array) {
    if (stream.length > bytesMax) return { kind: "tooLarge", bytes: stream.length };
    return { kind: "body", body: stream };
  }
  const iterator = stream[Symbol.asyncIterator]();
  const ended = new AbortController();
  const late = clock.sleep(withinMs, ended.signal).then(() => "late" as const);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let isWhole = false;
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), late]);
      if (next === "late") return { kind: "tooSlow", bytes };
      if (next.done === true) {
        isWhole = true;
        return { kind: "body", body: joined(chunks, bytes) };
      }
      bytes += next.value.length;
      if (bytes > bytesMax) return { kind: "tooLarge", bytes };
      chunks.push(next.value);
    }
  } catch {
    // The sender went away, or sent something that is no HTTP.
    return { kind: "broken", bytes };
  } finally {
    ended.abort();
    if (!isWhole) giveUp(iterator);
  }
}

/** Not waited for: what is under way may never end. */
function giveUp(iterator: AsyncIterator<Uint8Array>): void {
  iterator.return?.().catch(() => undefined);
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, bytes);
}
