import { EventEmitter, once } from "node:events";
import { request } from "node:http";
import { createConnection, createServer, type AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { isFootholdError } from "../core/errors.ts";
import { memoryStore } from "../store/memory/store.ts";
import type { Store } from "../store/port.ts";
import { testApp } from "./app.fixture.ts";
import { startServer, type RunningServer } from "./server.ts";

const running: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function listen(store: Store = memoryStore(), host = "127.0.0.1", port = 0): Promise<RunningServer> {
  const server = await startServer({ app: testApp(store), host, port });
  running.push(server);
  return server;
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isFootholdError(error) ? error.code : String(error);
}

/** Sends bytes as they are and gives back all that comes. */
function sendRaw(port: number, bytes: string, host = "127.0.0.1"): Promise<string> {
  const socket = createConnection({ port, host });
  socket.end(bytes);
  return text(socket);
}

function statusFor(port: number, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ port, host: "127.0.0.1", path: "/healthz", headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

test("a real socket on this machine is answered, under each name of this machine", async () => {
  const { url, port } = await listen();
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(await statusFor(port, { host: `localhost:${port}` })).toBe(200);
});

test("a name that somebody bound to 127.0.0.1 is refused on a real socket, in header and in target", async () => {
  const { port } = await listen();
  expect(await statusFor(port, { host: `rebound.example:${port}` })).toBe(403);
  const absolute = `GET http://rebound.example/api/v1/cases HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  expect(await sendRaw(port, absolute)).toMatch(/^HTTP\/1\.1 403 /);
  expect(await sendRaw(port, "GET /api/v1/cases HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 403 /);
});

test("a request with a strange target or too many header bytes is refused, and the server goes on", async () => {
  const { url, port } = await listen();
  const long = `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`;
  expect(await sendRaw(port, long)).toMatch(/^HTTP\/1\.1 431 /);
  expect(await sendRaw(port, "GET //[ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).toMatch(
    /^HTTP\/1\.1 4\d\d /,
  );
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test.each(["0.0.0.0", "::", "10.1.2.3", "example.com", "", "localhost.example.com", "127.0.0.1 "])(
  "the host %j is refused before anything listens",
  async (host) => {
    expect(await codeOf(listen(memoryStore(), host))).toBe("NOT_LOOPBACK");
  },
);

test("nothing listens on the other addresses of this machine", async () => {
  const { port } = await listen();
  const others = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4");
  for (const { address } of others) {
    await expect(sendRaw(port, "GET / HTTP/1.0\r\n\r\n", address)).rejects.toThrow("ECONNREFUSED");
  }
});

test("localhost listens on a loopback address", async () => {
  const { url } = await listen(memoryStore(), "localhost");
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test("a port in use is told with a code and a remedy", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  // A server on TCP has an address with a port.
  const { port } = other.address() as AddressInfo;
  const started = listen(memoryStore(), "127.0.0.1", port);
  expect(await codeOf(started)).toBe("PORT_IN_USE");
  await expect(started).rejects.toThrow("--port");
  await new Promise((resolve) => other.close(resolve));
});

test("closing waits for the answer under way, takes no new request, and may be done twice", async () => {
  const gate = new EventEmitter();
  const arrived = once(gate, "arrived");
  const store = memoryStore();
  const slow: Store = {
    ...store,
    countCases: async () => {
      gate.emit("arrived");
      await once(gate, "released");
      return store.countCases();
    },
  };
  const server = await listen(slow);
  const answer = fetch(`${server.url}/healthz`);
  await arrived;
  const closed = server.close();
  expect(server.close()).toBe(closed);
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow("fetch failed");
  gate.emit("released");
  expect((await answer).status).toBe(200);
  await closed;
});
