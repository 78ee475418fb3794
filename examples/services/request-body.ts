import type { IncomingMessage } from "node:http";

/** Largest body that is taken, in bytes. */
export const bodyBytesMax: number = 64 * 1024;

/** How much of a body that is too large is read and thrown away, so that its sender can read the refusal. */
const drainBytesMax = 1024 * 1024;

/** What became of reading a body. `endless` is too large even to drain: the connection must be closed. */
export type ReadBody =
  | { readonly kind: "whole"; readonly bytes: Buffer }
  | { readonly kind: "tooLarge" }
  | { readonly kind: "endless" }
  | { readonly kind: "aborted" };

/** Reads the whole body of a request, up to 64 KiB. Never rejects. */
export function readBody(request: IncomingMessage): Promise<ReadBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let byteCount = 0;
    request.on("data", (chunk: Buffer) => {
      byteCount += chunk.length;
      if (byteCount <= bodyBytesMax) chunks.push(chunk);
      else chunks.length = 0;
      if (byteCount > drainBytesMax) {
        request.pause();
        resolve({ kind: "endless" });
      }
    });
    request.once("end", () => {
      if (byteCount > bodyBytesMax) resolve({ kind: "tooLarge" });
      else
        resolve({
          kind: "whole",
          bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks),
        });
    });
    // "close" comes after "end" too, when it no longer matters.
    request.once("close", () => resolve({ kind: "aborted" }));
    request.once("error", () => resolve({ kind: "aborted" }));
  });
}
