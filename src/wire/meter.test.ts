import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request as httpRequest, type RequestOptions } from "node:http";
import { createServer as createTcpServer, connect, type AddressInfo, type Socket } from "node:net";
import { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as undici from "undici";
import { REQUESTS_KEPT_MAX } from "./attempt-record.ts";
import type { MeteredEvidence } from "./evidence.ts";
import { WireMeter } from "./meter.ts";
import { Attempts, closedPort, CountingServer } from "./wire.fixture.ts";

const server = new CountingServer();
const meter = new WireMeter();
let attempts = new Attempts();
let endMetering: () => void = () => undefined;

beforeAll(() => server.start());
afterAll(() => server.stop());
beforeEach(() => {
  endMetering = meter.start();
  attempts = new Attempts();
  server.answersStatus(200);
});
afterEach(() => endMetering());

async function seen(work: () => Promise<unknown>): Promise<MeteredEvidence> {
  const { evidence } = await meter.watch(attempts.next(), work);
  return evidence;
}

/** One request over node:http, its answer read to the end. */
async function overHttp(
  url: string,
  options: RequestOptions = {},
  body: string | Readable = "x",
): Promise<void> {
  const request = httpRequest(url, { method: "POST", ...options });
  if (typeof body === "string") request.end(body);
  else body.pipe(request);
  const [response] = (await once(request, "response")) as [Readable];
  response.resume();
  await once(response, "end");
}

/** Something to wait for. */
class Gate {
  readonly opened: Promise<void>;
  open: () => void = () => undefined;

  constructor() {
    this.opened = new Promise((resolve) => (this.open = resolve));
  }
}

/** The places in which the meter could not see what `work` does. */
async function spots(work: () => Promise<unknown>): Promise<readonly string[]> {
  return (await seen(work)).blindSpots;
}

const post = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${server.url}${path}`, { method: "POST", body: "x", ...init });

const clients: readonly [name: string, send: (url: string) => Promise<unknown>][] = [
  ["fetch", async (url) => (await fetch(url, { method: "POST", body: "x" })).text()],
  ["node:http", (url) => overHttp(url)],
  ["node:http without keep-alive", (url) => overHttp(url, { agent: new Agent({ keepAlive: false }) })],
  ["undici", async (url) => (await undici.request(url, { method: "POST", body: "x" })).body.text()],
];

describe.each(clients)("over %s", (_, send) => {
  test("a request that is answered has left whole, with its status and its instructions", async () => {
    server.answersStatus(429, { "retry-after": "37", "set-cookie": "secret=1" });
    const { requests, sentCount, unsentCount, blindSpots } = await seen(() =>
      send(`${server.url}/a?token=secret`),
    );
    expect({ sentCount, unsentCount, blindSpots }).toEqual({ sentCount: 1, unsentCount: 0, blindSpots: [] });
    expect(requests).toMatchObject([
      { method: "POST", origin: server.url, status: 429, isAnswerComplete: true, keyHash: null },
    ]);
    expect(requests[0]?.sent).not.toBe("none");
    expect(requests[0]?.headers).toMatchObject({ "retry-after": "37" });
    expect(JSON.stringify(requests)).not.toContain("secret");
  });

  test("a request whose answer is lost may have been executed", async () => {
    server.drops();
    const { requests, sentCount } = await seen(() => send(`${server.url}/a`));
    expect(sentCount).toBe(1);
    expect(requests).toMatchObject([{ status: null, isAnswerComplete: false }]);
    expect(requests[0]?.sent).not.toBe("none");
  });

  test("a request to a closed port is proved not to have left", async () => {
    const port = await closedPort();
    const evidence = await seen(() => send(`http://127.0.0.1:${port}/a`));
    expect(evidence).toMatchObject({ sentCount: 0, unsentCount: 1, blindSpots: [] });
    expect(evidence.requests).toMatchObject([{ sent: "none", status: null }]);
  });

  test("a request to a host that has no address is proved not to have left", async () => {
    const evidence = await seen(() => send("http://nowhere.invalid/a"));
    expect(evidence).toMatchObject({ sentCount: 0, unsentCount: 1, blindSpots: [] });
  });

  test("an answer that breaks off is told with its status, and as not complete", async () => {
    server.answers((request, response) => {
      response.writeHead(201, { "content-length": "100" });
      response.write("{", () => request.socket.destroy());
    });
    const { requests } = await seen(() => send(`${server.url}/a`));
    expect(requests).toMatchObject([{ status: 201, isAnswerComplete: false }]);
  });

  test("tries after an error are repeats, other requests are not", async () => {
    server.answersStatus(503);
    const evidence = await seen(async () => {
      for (let tries = 0; tries < 3; tries += 1) await send(`${server.url}/again`);
      await send(`${server.url}/other`);
    });
    expect(evidence).toMatchObject({ sentCount: 4, repeatCount: 2 });
    expect(evidence.requests.map(({ isRepeat }) => isRepeat)).toEqual([false, true, true, false]);
  });

  test("polling and paging are no repeats, and neither are requests side by side", async () => {
    const evidence = await seen(async () => {
      for (let page = 0; page < 3; page += 1) await send(`${server.url}/page?after=${page}`);
      server.answersStatus(503);
      await Promise.all([1, 2, 3].map(() => send(`${server.url}/side`)));
    });
    expect(evidence).toMatchObject({ sentCount: 6, repeatCount: 0 });
  });

  test("attempts side by side over one warm connection each get their own", async () => {
    await send(`${server.url}/warm`);
    const counts = await Promise.all(
      [1, 2, 3, 4].map(async (times) => {
        const evidence = await seen(async () => {
          for (let sent = 0; sent < times; sent += 1) await send(`${server.url}/of-${times}`);
        });
        return evidence.sentCount;
      }),
    );
    expect(counts).toEqual([1, 2, 3, 4]);
  });
});

describe("over node:http", () => {
  test("what waits for one of few connections belongs to who made it", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const counts = await Promise.all(
      [1, 2, 3].map(async (times) => {
        const { sentCount } = await seen(() =>
          Promise.all(Array.from({ length: times }, () => overHttp(`${server.url}/${times}`, { agent }))),
        );
        return sentCount;
      }),
    );
    agent.destroy();
    expect(counts).toEqual([1, 2, 3]);
  });

  test("an upload that is cut was begun, although its start was never told", async () => {
    const tcp = createTcpServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
    tcp.listen(0, "127.0.0.1");
    await once(tcp, "listening");
    const url = `http://127.0.0.1:${(tcp.address() as AddressInfo).port}/upload`;
    const endless = new Readable({ read: () => undefined });
    endless.push(Buffer.alloc(100_000));
    const evidence = await seen(() => overHttp(url, {}, endless));
    tcp.close();
    expect(evidence).toMatchObject({ sentCount: 1, unsentCount: 0 });
    expect(evidence.requests).toMatchObject([{ method: "POST", sent: "headers", status: null }]);
  });
});

describe("a handler that swallows everything", () => {
  test("leaves status and instruction to be read all the same", async () => {
    server.answersStatus(429, { "retry-after": "37" });
    const { result, evidence } = await meter.watch(attempts.next(), async () => {
      try {
        const response = await post("/a");
        if (!response.ok) throw new Error(await response.text());
      } catch {
        throw new Error("failed");
      }
    });
    expect(result).toMatchObject({ status: "rejected", reason: new Error("failed") });
    expect(evidence.requests).toMatchObject([{ status: 429, headers: { "retry-after": "37" } }]);
  });
});

describe("a request that carries the step's own key", () => {
  test("belongs to the step, whoever sends it", async () => {
    const one = attempts.next();
    const queue: (() => Promise<unknown>)[] = [];
    const watching = meter.watch(one, async () => {
      const headers = { "idempotency-key": one.idempotencyKey };
      await new Promise((resolve) => queue.push(async () => resolve(await post("/keyed", { headers }))));
    });
    // What is queued runs in the context of another attempt.
    const other = await seen(async () => queue[0]?.());
    const { evidence } = await watching;
    expect(evidence).toMatchObject({ sentCount: 1 });
    expect(evidence.requests).toMatchObject([{ keyKind: "own" }]);
    expect(other.sentCount).toBe(0);
    expect(evidence.blindSpots).toEqual(["shared queue"]);
  });

  test("is known by its hash, never by the key itself", async () => {
    const one = attempts.next();
    const headers = { "Idempotency-Key": one.idempotencyKey };
    const { evidence } = await meter.watch(one, () => post("/keyed", { headers }));
    expect(evidence.requests[0]?.keyHash).toMatch(/^[0-9a-f]{16}$/);
    expect(JSON.stringify(evidence)).not.toContain(one.idempotencyKey);
  });
});

describe("a blind spot", () => {
  test("is named where nothing was seen: whatever went over an open connection is not", async () => {
    expect(await spots(() => Promise.resolve())).toEqual(["no request was seen"]);
  });

  test("is a process that was started", async () => {
    expect(
      await spots(() => once(spawn(process.execPath, ["--version"], { stdio: "ignore" }), "exit")),
    ).toContain("child process");
  });

  test("is a thread that was started", async () => {
    expect(
      await spots(async () => {
        await new Worker("", { eval: true }).terminate();
      }),
    ).toContain("worker thread");
  });

  test("is a connection of another protocol, and none that HTTP went over", async () => {
    const sockets: Socket[] = [];
    const tcp = createTcpServer((socket) => void sockets.push(socket));
    tcp.listen(0, "127.0.0.1");
    await once(tcp, "listening");
    const { port } = tcp.address() as AddressInfo;
    const both = await spots(async () => {
      await overHttp(`${server.url}/a`, { agent: new Agent() });
      await once(connect(port, "127.0.0.1"), "connect");
    });
    for (const socket of sockets) socket.destroy();
    tcp.close();
    expect(both).toEqual(["unmetered protocol"]);
    expect(await spots(() => overHttp(`${server.url}/a`, { agent: new Agent() }))).toEqual([]);
  });

  test("is a request that was left behind before it could leave", async () => {
    // A port that takes connections and never greets: the request waits for its connection.
    const evidence = await seen(async () => {
      const pool = new undici.Pool("http://stalled.invalid", { connect: () => undefined });
      void pool.request({ method: "POST", path: "/" }).catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
    });
    expect(evidence).toMatchObject({ sentCount: 0, unsentCount: 0, blindSpots: ["pending request"] });
  });

  test("is a client that says it tried more often than was seen", async () => {
    const headers = { "x-stainless-retry-count": "2" };
    const evidence = await seen(() => post("/a", { headers }));
    expect(evidence).toMatchObject({ repeatCount: 1, blindSpots: ["missed tries"] });
    expect(evidence.requests).toMatchObject([{ isRepeat: true, clientTry: { number: 3, max: null } }]);
  });

  test("is a request of somebody else that may have been ours, when none of ours left", async () => {
    const port = await closedPort();
    const same = `http://127.0.0.1:${port}/a`;
    const [failed, ended] = [new Gate(), new Gate()];
    const send = (): Promise<unknown> => fetch(same, { method: "POST", body: "x" }).catch(() => undefined);
    const waiting = seen(async () => {
      await send();
      failed.open();
      await ended.opened;
    });
    await failed.opened;
    // Outside of every attempt.
    await send();
    ended.open();
    expect(await waiting).toMatchObject({ sentCount: 0, blindSpots: ["shared queue"] });
  });
});

describe("a late request", () => {
  test("is told when the attempt is over, and leaves its counts alone", async () => {
    const ended = new Gate();
    let loose: Promise<unknown> = Promise.resolve();
    const evidence = await seen(async () => {
      await post("/in-time");
      loose = ended.opened.then(() => post("/late"));
    });
    ended.open();
    await loose;
    expect(evidence).toMatchObject({ sentCount: 1, lateCount: 0 });
    expect(attempts.late).toEqual([{ method: "POST", origin: server.url, isSure: true }]);
  });

  test("is told when the attempt was stopped and goes on all the same", async () => {
    const evidence = await seen(async () => {
      attempts.stop.abort(new Error("the claim was lost"));
      await post("/late");
    });
    expect(evidence).toMatchObject({ sentCount: 1, lateCount: 1 });
    expect(evidence.requests).toMatchObject([{ isLate: true }]);
    expect(attempts.late).toHaveLength(1);
  });

  test("is not sure while other attempts run, because a shared queue may have mixed them up", async () => {
    const goOn = new Gate();
    let loose: Promise<unknown> = Promise.resolve();
    await seen(() => {
      loose = goOn.opened.then(() => post("/late"));
      return Promise.resolve();
    });
    const other = seen(async () => {
      goOn.open();
      await loose;
      await post("/own");
    });
    expect(await other).toMatchObject({ sentCount: 1, blindSpots: ["shared queue"] });
    expect(attempts.late).toMatchObject([{ isSure: false }]);
  });
});

describe("the meter", () => {
  test("keeps the first requests of many and the last, and counts all", async () => {
    const evidence = await seen(async () => {
      for (let sent = 0; sent < REQUESTS_KEPT_MAX + 5; sent += 1) await post(`/many-${sent}`);
    });
    expect(evidence.sentCount).toBe(REQUESTS_KEPT_MAX + 5);
    expect(evidence.requests).toHaveLength(REQUESTS_KEPT_MAX + 1);
  });

  test("sees nothing before it is started and after it was stopped", async () => {
    endMetering();
    expect(await seen(() => post("/unseen"))).toMatchObject({
      sentCount: 0,
      blindSpots: ["no request was seen"],
    });
  });

  test("runs until the last of several has stopped it, each at most once", async () => {
    const endSecond = meter.start();
    endMetering();
    endMetering();
    expect(await seen(() => post("/seen"))).toMatchObject({ sentCount: 1 });
    endSecond();
    expect(await seen(() => post("/unseen"))).toMatchObject({ sentCount: 0 });
  });

  test("gives the same evidence when an attempt is ended twice", async () => {
    const watch = meter.open(attempts.next());
    await watch.run(() => post("/a"));
    const evidence = watch.end();
    await watch.run(() => post("/a"));
    expect(watch.end()).toBe(evidence);
    expect(evidence.sentCount).toBe(1);
  });

  test("does not fall over a message of a shape that it does not know", async () => {
    const { channel } = await import("node:diagnostics_channel");
    const evidence = await seen(async () => {
      channel("undici:request:create").publish({});
      await post("/a");
    });
    expect(evidence).toMatchObject({ sentCount: 1, blindSpots: ["fault of the meter"] });
  });
});
