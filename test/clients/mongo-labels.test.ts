import { BSON, MongoClient } from "mongodb";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { closedPort } from "./closed-port.ts";
import { DATABASES } from "./labels/databases.ts";
import { misjudged } from "./labels/judge.ts";
import { listening, thrownBy } from "./listening.ts";

// The driver against a server that speaks just enough of the protocol to be taken for a primary, and then refuses.

const HELLO = {
  helloOk: true,
  isWritablePrimary: true,
  minWireVersion: 0,
  maxWireVersion: 21,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  readOnly: false,
  ok: 1,
};
/** Faults of one document of a write, which the server tells in a good answer. */
const WRITE_ERRORS = [11_000, 121];
/** Of a batch of two. */
const SECOND = " of the second of two";

/** What the label's server answers to an insert. */
function refusal(situation: string): BSON.Document {
  const [code = "", label] = situation.split(" with ");
  const isSecond = code.endsWith(SECOND);
  const fault = { code: Number.parseInt(code, 10), codeName: "SaidByTheTest", errmsg: "said by the test" };
  const done = isSecond ? 1 : 0;
  if (WRITE_ERRORS.includes(fault.code)) return { ok: 1, n: done, writeErrors: [{ index: done, ...fault }] };
  const overload = label === "SystemOverloadedError" ? { baseBackoffMS: 200 } : {};
  return { ok: 0, ...fault, ...overload, ...(label === undefined ? {} : { errorLabels: [label] }) };
}

/** Answers messages of the kind OP_MSG, one document each. */
function serve(socket: Socket, situation: string): void {
  let read = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    read = Buffer.concat([read, chunk]);
    while (read.length >= 16 && read.length >= read.readInt32LE(0)) {
      const message = read.subarray(0, read.readInt32LE(0));
      read = read.subarray(message.length);
      // After the header of 16 bytes, the flags of 4 and one byte for the kind of the section; others may follow.
      const command = BSON.deserialize(message.subarray(21, 21 + message.readInt32LE(21)));
      if (!("insert" in command)) reply(socket, message, HELLO);
      else if (situation.startsWith("connection cut")) socket.destroy();
      else reply(socket, message, refusal(situation));
    }
  });
}

function reply(socket: Socket, to: Buffer, document: BSON.Document): void {
  const body = BSON.serialize(document);
  const header = Buffer.alloc(21);
  header.writeInt32LE(header.length + body.length, 0);
  header.writeInt32LE(to.readInt32LE(4), 8);
  header.writeInt32LE(2013, 12);
  socket.write(Buffer.concat([header, body]));
}

async function insert(port: number, patienceMs = 4_000, count = 1): Promise<unknown> {
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    serverApi: "1",
    retryWrites: false,
    maxAdaptiveRetries: 0,
    serverSelectionTimeoutMS: patienceMs,
  });
  try {
    const orders = client.db("d").collection("orders");
    return await (count === 1 ? orders.insertOne({ a: 1 }) : orders.insertMany([{ a: 1 }, { a: 1 }]));
  } finally {
    await client.close(true);
  }
}

async function act(situation: string): Promise<unknown> {
  if (situation === "port closed") return insert(await closedPort(), 300);
  const server = await listening((socket) => serve(socket, situation));
  try {
    return await insert(server.port, 4_000, situation.endsWith(SECOND) ? 2 : 1);
  } finally {
    await server.stop();
  }
}

describe("what MongoDB says", () => {
  const labels = DATABASES.filter(({ client }) => client === "mongodb");
  test.each(labels.map((label) => [label.situation, label] as const))("%s", async (situation, label) => {
    const thrown = await thrownBy(() => act(situation));
    const input = { destination: "mongo", stopped: null, now: Date.now(), evidence: null, sorters: [] };
    expect(misjudged(thrown, input, label.expected)).toEqual([]);
  });
});
