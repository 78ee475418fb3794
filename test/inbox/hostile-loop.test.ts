import { request } from "node:http";
import { connect } from "node:net";
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PRESETS, signRequest } from "foothold/inbox";
import { z } from "zod";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";

const MIB = 1024 * 1024;
/** Of the main thread: bodies are outside of it, and what is made of large ones is in threads with a bound of their own. */
const HEAP_MIB = 96;
/** The bodies themselves, what the threads may have, and the process: reached whatever is sent, and how often. */
const RESIDENT_MIB_MAX = 900;
/** How much longer one turn of the loop may take than when nothing is to be done. */
const STALL_MS_MAX = 50;

const Measured = z.object({
  turnMs: z.number().nullable(),
  lateMs: z.number(),
  residentMiB: z.number(),
  heapMiB: z.number(),
});

/** Authentic, and meant to hold up whoever reads it. */
const hostile: readonly (readonly [string, Buffer])[] = [
  ["NUL", Buffer.from(`{"a":"${"\\u0000".repeat(40_000)}"}`)],
  ["half surrogate pairs", Buffer.from(`["${"\\ud800".repeat(40_000)}"]`)],
  ["100,000 levels", Buffer.from("[".repeat(100_000) + "]".repeat(100_000))],
  ["1e400, often", Buffer.from(`[${"1e400,".repeat(200_000)}1]`)],
  ["a field twice", Buffer.from(`{"a":1,${'"b":{},"c":[],'.repeat(50_000)}"a":2}`)],
  ["__proto__", Buffer.from('{"__proto__":{"isAdmin":true},"order":"o1"}')],
  ["25 MB of list", Buffer.from(`[${"1,".repeat(12 * MIB)}1]`)],
  ["as many values as there may be", Buffer.from(`[${'{"a":1},'.repeat(240_000)}1]`)],
  ["25 MB of one text", Buffer.from(JSON.stringify("x".repeat(24 * MIB)))],
  ["25 MB of escapes", Buffer.from(`"${"\\u00e9".repeat(4 * MIB)}"`)],
  ["25 MB of objects", Buffer.from(`[${'{"a":{"b":[1,2,3]}},'.repeat(1_100_000)}1]`)],
  ["25 MB of spaces", Buffer.alloc(25 * MIB, 0x20)],
];

describe("hostile bodies, sent to a server with a small heap", () => {
  let database: TestDatabase;
  let child: ChildProcess;
  let port = 0;
  let nextLine: () => Promise<string>;

  beforeAll(async () => {
    database = await createTestDatabase();
    const file = fileURLToPath(new URL("hostile-process.ts", import.meta.url));
    const loader = new URL("../setup/typescript.mjs", import.meta.url).href;
    child = spawn(
      process.execPath,
      [`--max-old-space-size=${HEAP_MIB}`, "--import", loader, file, database.url],
      { stdio: ["pipe", "pipe", "inherit"] },
    );
    if (child.stdout === null) throw new Error("no stdout");
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    nextLine = async () => {
      const line = await lines.next();
      if (line.done === true)
        throw new Error(`the server ended: ${child.exitCode ?? child.signalCode ?? "?"}`);
      return line.value;
    };
    port = Number(await nextLine());
  });

  afterAll(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    await database.drop();
  });

  const measure = async (): Promise<z.infer<typeof Measured>> => {
    child.stdin?.write("rest\n");
    return Measured.parse(JSON.parse(await nextLine()));
  };

  /** What an idle loop takes for a turn, and how late its timers are, on this machine at this hour. */
  const idle = async (): Promise<z.infer<typeof Measured>> => {
    await measure();
    await new Promise((resolve) => setTimeout(resolve, 500));
    return measure();
  };

  test("hold the loop up by 50 ms at most, whatever they are, and take no more memory than is allowed", async () => {
    // What is compiled with the first requests is not what is measured.
    await post(port, "big", Buffer.from("{}"), "first");
    await post(port, "big", Buffer.from(`[${"1,".repeat(200_000)}1]`), "first large");
    const stalls: Record<string, number> = {};
    const bomb = gzipSync(Buffer.alloc(200 * MIB));
    for (const [name, body] of [...hostile, ["a gzip bomb", bomb] as const]) {
      const isPacked = name === "a gzip bomb";
      const baseline = await idle();
      const status = await post(port, isPacked ? "packed" : "big", body, name);
      expect([name, status]).toEqual([name, 202]);
      const measured = await measure();
      stalls[name] = Math.round(stallOf(measured, baseline));
      expect([name, measured.residentMiB < RESIDENT_MIB_MAX]).toEqual([name, true]);
    }
    expect(Object.entries(stalls).filter(([, ms]) => ms > STALL_MS_MAX)).toEqual([]);
  });

  test("twenty at once are taken in or asked to come again, and small ones are served meanwhile", async () => {
    const [, list = Buffer.alloc(0)] = hostile.find(([name]) => name === "25 MB of list") ?? [];
    const large = Array.from({ length: 20 }, (_, index) => post(port, "big", list, `many ${index}`));
    const small = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post(port, "big", Buffer.from("{}"), `small ${index}`)),
    );
    const statuses = await Promise.all(large);
    // 408: a busy machine took longer than a body may take; 0: cut off while it was still sending what there is no room for.
    expect([...small, ...statuses].filter((status) => ![202, 408, 503, 0].includes(status))).toEqual([]);
    expect(small).toContain(202);
    expect(statuses).toContain(202);
    expect((await measure()).residentMiB).toBeLessThan(RESIDENT_MIB_MAX);
  });

  test("a hundred bodies that never end hold nobody up and are cut off", async () => {
    const baseline = await idle();
    const answers: string[] = [];
    const sockets = Array.from({ length: 100 }, () => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.on("data", (data) => answers.push(data.toString("latin1").slice(0, 12)));
      socket.write("POST /inbox/packed HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nx");
      return socket;
    });
    await expect.poll(() => answers.length, { timeout: 60_000 }).toBe(100);
    expect(new Set(answers)).toEqual(new Set(["HTTP/1.1 408"]));
    for (const socket of sockets) socket.destroy();
    expect(stallOf(await measure(), baseline)).toBeLessThan(STALL_MS_MAX);
  });
});

/** How much longer one turn of the loop took than an idle one. */
function stallOf(measured: z.infer<typeof Measured>, baseline: z.infer<typeof Measured>): number {
  return measured.turnMs === null
    ? measured.lateMs - baseline.lateMs
    : measured.turnMs - (baseline.turnMs ?? 0);
}

/** The status that a signed body is answered with; 0 = the connection ended before. */
function post(port: number, source: string, body: Buffer, id: string): Promise<number> {
  const signing = { method: "POST", url: "", body, secret: "a secret", at: 0, id, eventType: "any" };
  const headers = {
    ...signRequest(PRESETS.hmac, signing),
    ...(source === "packed" ? { "content-encoding": "gzip" } : {}),
    "content-length": body.length,
  };
  return new Promise((resolve) => {
    const sent = request(
      { host: "127.0.0.1", port, path: `/inbox/${source}`, method: "POST", headers },
      (response) => {
        response.resume();
        response.on("error", () => resolve(0));
        response.once("end", () => resolve(response.statusCode ?? 0));
      },
    );
    const ended = (): void => resolve(0);
    sent.on("error", ended);
    // An answer that came before all was sent leaves the rest of the errors to the socket.
    sent.on("socket", (socket) => socket.on("error", ended));
    sent.end(body);
  });
}
