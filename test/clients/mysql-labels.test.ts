import mysql from "mysql2";
import { createConnection } from "mysql2/promise";
import { describe, expect, test } from "vitest";
import { closedPort } from "./closed-port.ts";
import { DATABASES } from "./labels/databases.ts";
import { misjudged } from "./labels/judge.ts";
import { listening, thrownBy } from "./listening.ts";

// mysql2 against the server side that it has itself: it refuses a statement with the label's number, or is cut.

async function insert(port: number): Promise<unknown> {
  const connection = await createConnection({ host: "127.0.0.1", port, user: "u", database: "d" });
  try {
    return await connection.query("insert into orders values (1)");
  } finally {
    connection.destroy();
  }
}

async function act(situation: string): Promise<unknown> {
  if (situation === "port closed") return insert(await closedPort());
  const server = await listening((stream) => {
    const connection = mysql.createConnection({ isServer: true, stream } as object);
    connection.on("error", () => undefined);
    connection.serverHandshake({
      protocolVersion: 10,
      serverVersion: "8.0.0",
      connectionId: 1,
      statusFlags: 2,
      characterSet: 8,
      capabilityFlags: 0xffffff ^ 0x800,
      authCallback: (_: unknown, done: (error: null, reply: null) => void) => done(null, null),
    });
    connection.on("query", () => {
      if (situation.includes(" ")) stream.destroy();
      else connection.writeError({ message: "said by the test", code: Number(situation) });
    });
  });
  try {
    return await insert(server.port);
  } finally {
    await server.stop();
  }
}

describe("what MySQL says", () => {
  const labels = DATABASES.filter(({ client }) => client === "mysql2");
  test.each(labels.map((label) => [label.situation, label] as const))("%s", async (situation, label) => {
    const thrown = await thrownBy(() => act(situation));
    const input = { destination: "mysql", stopped: null, now: Date.now(), evidence: null, sorters: [] };
    expect(misjudged(thrown, input, label.expected)).toEqual([]);
  });
});
