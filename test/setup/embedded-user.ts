// A program that uses the embedded database of a folder, for tests that need several processes or kill one.
// It says {url, isAttached, pid} when it is there, or {code, message}; then it does what the lines on its stdin ask for.
import { createInterface } from "node:readline";
import { isFootholdError } from "../../src/core/errors.ts";
import { startEmbedded } from "../../src/store/embedded.ts";

const [folder = "", ...resolveFrom] = process.argv.slice(2);

function say(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

try {
  const server = await startEmbedded(resolveFrom.length > 0 ? { folder, resolveFrom } : { folder });
  say({ url: server.url, isAttached: server.isAttached, pid: server.pid });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === "stop") {
      await server.stop();
      say("stopped");
    }
    // With the server's use still open, as a program ends that forgot it.
    if (line === "exit") process.exit(0);
  }
} catch (error) {
  if (!isFootholdError(error)) throw error;
  say({ code: error.code, message: error.message });
}
