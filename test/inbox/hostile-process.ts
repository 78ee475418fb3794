/**
 * A server of the inbox in a process of its own, whose main thread is watched: `URL`. Prints its port; told `rest`, it prints
 * what was measured since it was told so last: the longest time that one turn of the loop took of the main thread's own
 * time, and the longest that a timer was late.
 */

import { openSync, readSync } from "node:fs";
import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { systemPorts } from "foothold";
import { createInbox, defineSource } from "foothold/inbox";
import { postgresStore } from "foothold/postgres";

const MIB = 1024 * 1024;
const [url = ""] = process.argv.slice(2);

/** What the main thread itself has run for, in ms: not what other processes took from it. Null where nobody tells. */
const ownMs = ((): (() => number) | null => {
  if (process.platform !== "linux") return null;
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  const text = Buffer.alloc(64);
  return () =>
    Number(text.toString("latin1", 0, readSync(file, text, 0, text.length, 0)).split(" ")[0]) / 1e6;
})();

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
let longestTurnMs = 0;
let turnBeganMs = ownMs?.() ?? 0;
const watch = (): void => {
  const now = ownMs?.() ?? 0;
  longestTurnMs = Math.max(longestTurnMs, now - turnBeganMs);
  turnBeganMs = now;
  setImmediate(() => setTimeout(watch, 0));
};

const store = postgresStore({ url });
await store.migrate();
const common = { preset: "hmac", owner: "test", secrets: () => "a secret", consumers: {} } as const;
const sources = [
  defineSource("big", { ...common, bodyBytesMax: 25 * MIB }),
  defineSource("packed", { ...common, bodyBytesMax: 25 * MIB, compression: "gzip" }),
];
const inbox = createInbox({ store, sources, ports: systemPorts(), bodyMsMax: 4_000 });
const server = createServer((incoming, outgoing) => void inbox.node(incoming, outgoing));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`);
  watch();
});

const lines = createInterface({ input: process.stdin });
lines.on("line", () => {
  const measured = {
    turnMs: ownMs === null ? null : longestTurnMs,
    lateMs: delay.max / 1e6,
    residentMiB: process.memoryUsage().rss / MIB,
    heapMiB: process.memoryUsage().heapUsed / MIB,
  };
  longestTurnMs = 0;
  delay.reset();
  process.stdout.write(`${JSON.stringify(measured)}\n`);
});
lines.on("close", () => process.exit(0));
