import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { PRESETS, signRequest } from "foothold/inbox";
import { openWorld, secret, shopSource, until, type World } from "./world.ts";

const MIB = 1024 * 1024;

/** Authentic, and meant to hurt whoever reads it. */
const hostile: readonly (readonly [string, Buffer])[] = [
  ["NUL", Buffer.from('{"a":"\\u0000"}')],
  ["half a surrogate pair", Buffer.from('{"a":"\\ud800"}')],
  ["100,000 levels", Buffer.from("[".repeat(100_000) + "]".repeat(100_000))],
  ["1e400", Buffer.from('{"order":"o1","amount":1e400}')],
  ["a field twice", Buffer.from('{"order":"o1","order":"o2"}')],
  ["__proto__", Buffer.from('{"__proto__":{"isAdmin":true},"order":"o1"}')],
  ["constructor", Buffer.from('{"constructor":{"prototype":{"isAdmin":true}}}')],
  ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x00, 0x80])],
  ["nothing", Buffer.alloc(0)],
  ["25 MB of list", Buffer.from(`[${"1,".repeat(12 * MIB)}1]`)],
  ["25 MB of one text", Buffer.from(JSON.stringify("x".repeat(24 * MIB)))],
  ["25 MB of objects", Buffer.from(`[${'{"a":{"b":[1,2,3]}},'.repeat(1_100_000)}1]`)],
  ["a gzip bomb", gzipSync(Buffer.alloc(200 * MIB))],
];

describe("hostile bodies", () => {
  let world: World;
  afterEach(() => world.close());

  test(
    "neither end the process nor pollute it, and each is kept and in sight",
    { timeout: 180_000 },
    async () => {
      world = await openWorld({
        sources: (order) => [
          ["big", shopSource(order, { bodyBytesMax: 25 * MIB })],
          ["packed", shopSource(order, { compression: "gzip" })],
        ],
        hasWorkers: false,
      });
      for (const [name, raw] of hostile) {
        const isPacked = name === "a gzip bomb";
        const source = isPacked ? "packed" : "big";
        const sent = await world.post({
          source,
          raw,
          id: name,
          ...(isPacked ? { headers: { "content-encoding": "gzip" } } : {}),
        });
        expect([name, sent.status]).toEqual([name, 202]);
      }
      expect(Reflect.get({}, "isAdmin")).toBeUndefined();
      const { events } = await world.store.inbox.listEvents({ limit: 50 });
      expect(events).toHaveLength(hostile.length);
    },
  );

  test(
    "a sender that never ends is cut off, and others are served meanwhile",
    { timeout: 30_000 },
    async () => {
      world = await openWorld({ hasWorkers: false, bodyMsMax: 1_000 });
      const { port } = new URL(world.url);
      const answers: string[] = [];
      const sockets = Array.from({ length: 20 }, () => {
        const socket = connect(Number(port), "127.0.0.1");
        socket.on("error", () => undefined);
        socket.on("data", (data) => answers.push(data.toString("latin1").slice(0, 12)));
        socket.write("POST /inbox/shop HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
        return socket;
      });
      expect((await world.post()).status).toBe(202);
      await until(() => answers.length === 20, "the answers");
      expect(new Set(answers)).toEqual(new Set(["HTTP/1.1 408"]));
      await until(() => sockets.every(({ destroyed }) => destroyed), "the end of the connections");
      await world.inbox.settled();
      expect((await world.store.inbox.listRefusals(50)).every(({ reason }) => reason === "tooSlow")).toBe(
        true,
      );
    },
  );

  test("a body that is too large is refused, by its length and while it comes", async () => {
    world = await openWorld({ hasWorkers: false });
    const raw = Buffer.alloc(MIB + 1, 0x20);
    expect((await world.post({ raw })).status).toBe(413);
    expect((await world.post({ raw: Buffer.alloc(MIB, 0x20) })).status).toBe(202);
    const chunked = await fetch(`${world.url}/inbox/shop`, {
      method: "POST",
      headers: headersFor(raw),
      body: new Blob([new Uint8Array(raw)]).stream(),
      duplex: "half",
    });
    expect(chunked.status).toBe(413);
  });
});

function headersFor(body: Buffer): Readonly<Record<string, string>> {
  const signing = { method: "POST", url: "", body, secret, at: 0, id: "chunked", eventType: "order.paid" };
  return signRequest(PRESETS.hmac, signing);
}
