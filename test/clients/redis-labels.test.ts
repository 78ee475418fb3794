import { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { closedPort } from "./closed-port.ts";
import { DATABASES } from "./labels/databases.ts";
import { misjudged } from "./labels/judge.ts";
import { listening, thrownBy } from "./listening.ts";

// ioredis against a server that refuses, or cuts the line. It is told not to try again by itself.

async function incr(port: number): Promise<unknown> {
  const redis = new Redis({
    host: "127.0.0.1",
    port,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableReadyCheck: false,
    lazyConnect: true,
  });
  let lost: unknown = null;
  redis.on("error", (error: unknown) => (lost = error));
  try {
    return await redis.incr("c");
  } catch (error) {
    // What the command itself throws says only that the connection is closed: the reason came before.
    throw lost ?? error;
  } finally {
    redis.disconnect();
  }
}

async function act(situation: string): Promise<unknown> {
  if (situation === "port closed") return incr(await closedPort());
  const server = await listening((socket) => {
    socket.on("data", (chunk) => {
      // Commands that come together are answered together; before ours the client introduces itself.
      for (const command of chunk
        .toString()
        .split(/^\*\d+\r\n/m)
        .slice(1)) {
        if (!/incr/i.test(command)) socket.write("+OK\r\n");
        else if (situation.includes(" ")) socket.destroy();
        else socket.write(`-${situation} said by the test\r\n`);
      }
    });
  });
  try {
    return await incr(server.port);
  } finally {
    await server.stop();
  }
}

describe("what Redis says", () => {
  const labels = DATABASES.filter(({ client }) => client === "ioredis");
  test.each(labels.map((label) => [label.situation, label] as const))("%s", async (situation, label) => {
    const thrown = await thrownBy(() => act(situation));
    const input = { destination: "redis", stopped: null, now: Date.now(), evidence: null, sorters: [] };
    expect(misjudged(thrown, input, label.expected)).toEqual([]);
  });
});
