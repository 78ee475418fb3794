import {
  Metadata,
  credentials,
  loadPackageDefinition,
  Server,
  ServerCredentials,
  status,
} from "@grpc/grpc-js";
import { Redis } from "ioredis";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { Client as PostgresClient } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { MeteredEvidence } from "../../../src/wire/evidence.ts";
import { WireMeter } from "../../../src/wire/meter.ts";
import { Attempts } from "../../../src/wire/wire.fixture.ts";
import { listening } from "../listening.ts";

const meter = new WireMeter();
const attempts = new Attempts();
let endMetering: () => void = () => undefined;
beforeEach(() => {
  endMetering = meter.start();
});
afterEach(() => endMetering());

describe("a protocol that the meter cannot read", () => {
  const sockets: Socket[] = [];
  // Takes connections and never says anything.
  const silent = createServer((socket) => void sockets.push(socket.on("error", () => undefined)));
  beforeAll(async () => {
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const port = (): number => (silent.address() as AddressInfo).port;

  const clients: readonly [name: string, spot: string, connect: () => Promise<unknown>][] = [
    [
      "PostgreSQL",
      // Its client opens connections in a way that Node does not tell of.
      "no request was seen",
      async () => {
        const client = new PostgresClient({ host: "127.0.0.1", port: port(), connectionTimeoutMillis: 100 });
        await client.connect();
      },
    ],
    [
      "Redis",
      "unmetered protocol",
      async () => {
        const redis = new Redis({
          host: "127.0.0.1",
          port: port(),
          retryStrategy: null,
          commandTimeout: 100,
        });
        redis.on("error", () => undefined);
        await redis.incr("n").finally(() => redis.disconnect());
      },
    ],
  ];

  test.each(clients)("leaves no proof: %s, which is told as %s", async (_, spot, connect) => {
    const { result, evidence } = await meter.watch(attempts.next(), connect);
    expect(result.status).toBe("rejected");
    expect(evidence.blindSpots).toContain(spot);
    expect(evidence.sentCount).toBe(0);
  });
});

test("a command over a connection that was open before is noticed, and whose it is", async () => {
  const server = await listening((socket) => {
    socket.on("data", (chunk) => {
      const commands = chunk
        .toString()
        .split(/^\*\d+\r\n/m)
        .slice(1);
      for (const one of commands) socket.write(/incr/i.test(one) ? ":1\r\n" : "+OK\r\n");
    });
  });
  const redis = new Redis({ host: "127.0.0.1", port: server.port, enableReadyCheck: false });
  await redis.set("n", 0);
  const { result, evidence } = await meter.watch(attempts.next(), () => redis.incr("n"));
  redis.disconnect();
  await server.stop();
  expect(result).toEqual({ status: "fulfilled", value: 1 });
  expect(evidence).toMatchObject({ unseenClient: "ioredis" });
  expect(evidence.blindSpots).toContain("unmetered protocol");
}, 20_000);

describe("gRPC", () => {
  const definition = {
    Things: {
      Make: {
        path: "/test.Things/Make",
        requestStream: false,
        responseStream: false,
        requestSerialize: (value: Buffer) => value,
        requestDeserialize: (value: Buffer) => value,
        responseSerialize: (value: Buffer) => value,
        responseDeserialize: (value: Buffer) => value,
      },
    },
  };
  const made: string[] = [];
  const server = new Server();
  let address = "";
  const Things = loadPackageDefinition({ "test.Things": definition.Things })["test"] as unknown as {
    readonly Things: new (
      address: string,
      credentials: unknown,
    ) => {
      readonly Make: (request: Buffer, metadata: Metadata, done: (error: Error | null) => void) => void;
      readonly close: () => void;
    };
  };

  beforeAll(async () => {
    server.addService(definition.Things, {
      Make: (
        call: { readonly metadata: Metadata },
        done: (error: { readonly code: status; readonly details: string }) => void,
      ) => {
        made.push(String(call.metadata.get("idempotency-key")[0] ?? ""));
        done({ code: status.UNAVAILABLE, details: "down" });
      },
    });
    const bound = await new Promise<number>((resolve, reject) => {
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      );
    });
    address = `127.0.0.1:${bound}`;
  });
  afterAll(() => server.forceShutdown());

  test("is counted for the step whose key a call carries, also while calls wait for the connection", async () => {
    const client = new Things.Things(address, credentials.createInsecure());
    const counts = await Promise.all(
      [1, 2, 3].map(async (times) => {
        const attempt = attempts.next({ idempotencyKey: `grpc-${times}` });
        const call = (): Promise<unknown> => {
          const metadata = new Metadata();
          metadata.set("idempotency-key", attempt.idempotencyKey);
          return new Promise((resolve) => client.Make(Buffer.from("x"), metadata, resolve));
        };
        const { evidence } = await meter.watch(attempt, () =>
          Promise.all(Array.from({ length: times }, call)),
        );
        return evidence;
      }),
    );
    client.close();
    expect(counts.map(({ sentCount }) => sentCount)).toEqual([1, 2, 3]);
    expect(made.toSorted()).toEqual(["grpc-1", "grpc-2", "grpc-2", "grpc-3", "grpc-3", "grpc-3"]);
    expect(counts[0]?.requests).toMatchObject([{ client: "gRPC", status: 200, keyKind: "own" }]);
  });

  test("without a key names what it may have mixed up", async () => {
    const client = new Things.Things(address, credentials.createInsecure());
    const before = made.length;
    const call = (): Promise<unknown> =>
      new Promise((resolve) => client.Make(Buffer.from("x"), new Metadata(), resolve));
    const all: readonly MeteredEvidence[] = await Promise.all(
      [1, 2].map(async () => (await meter.watch(attempts.next(), call)).evidence),
    );
    client.close();
    expect(all.reduce((sum, { sentCount }) => sum + sentCount, 0)).toBe(made.length - before);
    expect(all.filter(({ blindSpots }) => blindSpots.length === 0)).toEqual([]);
  });
});
