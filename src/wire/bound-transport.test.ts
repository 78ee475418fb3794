import { once } from "node:events";
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as undici from "undici";
import { isFootholdError } from "../core/errors.ts";
import type { WatchedAttempt } from "./attempt-record.ts";
import type { BoundTransport } from "./bound-transport.ts";
import { foreignKeyOf } from "./findings.ts";
import { WireMeter, type Watched } from "./meter.ts";
import { Attempts, CountingServer } from "./wire.fixture.ts";

const server = new CountingServer();
const meter = new WireMeter();
let attempts = new Attempts();
let endMetering: () => void = () => undefined;
const closing: { close(): Promise<unknown> }[] = [];

beforeAll(() => server.start());
afterAll(() => server.stop());
beforeEach(() => {
  endMetering = meter.start();
  attempts = new Attempts();
  server.answersStatus(200);
  server.paths.length = 0;
  server.keys.length = 0;
});
afterEach(async () => {
  endMetering();
  await Promise.all(closing.splice(0).map((one) => one.close()));
});

type Work = (transport: BoundTransport) => Promise<unknown>;

const watched = (work: Work, over: Partial<WatchedAttempt> = {}): Promise<Watched<unknown>> =>
  meter.watch(attempts.next(over), work);

/** A pool that is closed after the test. */
function poolOf(connections: number): undici.Pool {
  const pool = new undici.Pool(server.url, { connections });
  closing.push(pool);
  return pool;
}

/** Code and reason of our error, however deep a client has wrapped it. */
function refusalIn(thrown: unknown): unknown {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (isFootholdError(error)) return { code: error.code, why: error.details["why"] };
  }
  return thrown;
}

const reasonOf = ({ result }: Watched<unknown>): unknown =>
  result.status === "rejected" ? refusalIn(result.reason) : result;

async function post(url: string, { fetch }: BoundTransport, key?: string): Promise<unknown> {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  return (await fetch(url, { method: "POST", body: "x", headers })).text();
}

/** Sends so many times, and ends as the last time did. */
async function manyTimes(times: number, send: () => Promise<unknown>): Promise<void> {
  for (let sent = 1; sent < times; sent += 1) await send().catch(() => undefined);
  await send();
}

/** The method that a guard wraps. */
function dispatchMethod(): unknown {
  return Reflect.get(Object.getPrototypeOf(undici.Client.prototype) as object, "dispatch");
}

describe("a step's fetch", () => {
  test("is fetch: input, init, redirects and answers are as ever", async () => {
    server.answers((request, response) => {
      if (request.url === "/moved") response.writeHead(307, { location: "/there" }).end();
      else response.end(JSON.stringify({ url: request.url, method: request.method }));
    });
    const { result, evidence } = await watched(async ({ fetch }) => {
      const request = new Request(`${server.url}/moved`, { method: "POST", body: "x" });
      return (await fetch(request)).json();
    });
    expect(result).toEqual({ status: "fulfilled", value: { url: "/there", method: "POST" } });
    expect(evidence).toMatchObject({ sentCount: 2, repeatCount: 0, blindSpots: [] });
  });

  test("refuses the same request once it was sent as often as it may be", async () => {
    server.answersStatus(503);
    const ended = await watched((transport) => manyTimes(12, () => post(`${server.url}/a`, transport)), {
      requestsMax: 3,
    });
    expect(reasonOf(ended)).toEqual({ code: "REQUEST_REFUSED", why: "limit" });
    expect(server.countOf("/a")).toBe(3);
    expect(ended.evidence).toMatchObject({ sentCount: 3, repeatCount: 2 });
  });

  test("does not take other requests, paging or polling for repeats", async () => {
    const ended = await watched(
      async (transport) => {
        for (let page = 0; page < 12; page += 1) await post(`${server.url}/page?after=${page}`, transport);
      },
      { requestsMax: 1 },
    );
    expect(ended.result.status).toBe("fulfilled");
    expect(server.countOf("/page")).toBe(12);
  });

  test("repeats no write that may have been executed where the destination cannot tell a repeat", async () => {
    server.drops();
    const ended = await watched((transport) => manyTimes(3, () => post(`${server.url}/a`, transport)), {
      mayRepeat: false,
    });
    expect(reasonOf(ended)).toEqual({ code: "REQUEST_REFUSED", why: "notRepeatable" });
    expect(server.countOf("/a")).toBe(1);
  });

  test("repeats a read there, and a write that was surely not executed", async () => {
    server.answersStatus(429);
    const ended = await watched((transport) => manyTimes(3, () => post(`${server.url}/a`, transport)), {
      mayRepeat: false,
    });
    expect(ended.result.status).toBe("fulfilled");
    server.drops();
    const read = await watched(({ fetch }) => manyTimes(3, () => fetch(`${server.url}/read`)), {
      mayRepeat: false,
    });
    expect(refusalIn(read.result)).toMatchObject({ status: "rejected" });
    expect(server.countOf("/read")).toBe(3);
  });

  test("refuses a new key for a write that may have been executed under another", async () => {
    server.drops();
    let calls = 0;
    const ended = await watched((transport) =>
      manyTimes(3, () => post(`${server.url}/a`, transport, `made-${(calls += 1)}`)),
    );
    expect(reasonOf(ended)).toEqual({ code: "REQUEST_REFUSED", why: "newKey" });
    expect(server.keys).toEqual(["made-1"]);
  });

  test("refuses it also where an earlier attempt sent the other one", async () => {
    server.drops();
    const first = await watched((transport) => post(`${server.url}/a`, transport, "stripe-node-retry-1"));
    const key = foreignKeyOf(first.evidence);
    expect(key).not.toBeNull();
    const over = { earlierKeys: key === null ? [] : [key] };
    const second = await watched(
      (transport) => post(`${server.url}/a`, transport, "stripe-node-retry-2"),
      over,
    );
    expect(reasonOf(second)).toEqual({ code: "REQUEST_REFUSED", why: "newKey" });
    const same = await watched(
      (transport) => post(`${server.url}/a`, transport, "stripe-node-retry-1"),
      over,
    );
    expect(reasonOf(same)).not.toMatchObject({ code: "REQUEST_REFUSED" });
    expect(server.keys).toEqual(["stripe-node-retry-1", "stripe-node-retry-1"]);
  });

  test("sends nothing once its attempt is over", async () => {
    let kept: BoundTransport | null = null;
    await watched((transport) => {
      kept = transport;
      return Promise.resolve();
    });
    const late = await post(`${server.url}/late`, kept as unknown as BoundTransport).catch(refusalIn);
    expect(late).toMatchObject({ name: "Error", message: "the attempt has ended" });
    expect(server.paths).toEqual([]);
  });

  test("carries the attempt's signal, and the caller's own", async () => {
    server.answers(() => undefined);
    const own = new AbortController();
    const byOwner = watched(({ fetch }) => fetch(`${server.url}/a`, { signal: own.signal }));
    await expect.poll(() => server.countOf("/a")).toBe(1);
    own.abort(new Error("by the caller"));
    expect(await byOwner).toMatchObject({ result: { reason: { message: "by the caller" } } });
    const byAttempt = watched(({ fetch }) => fetch(new Request(`${server.url}/b`)));
    await expect.poll(() => server.countOf("/b")).toBe(1);
    attempts.stop.abort(new Error("by the attempt"));
    expect(await byAttempt).toMatchObject({ result: { reason: { message: "by the attempt" } } });
  });

  test("says what it refused, and how the client's repeats are turned off", async () => {
    server.answersStatus(500);
    const send = ({ fetch }: BoundTransport): Promise<unknown> =>
      fetch(`${server.url}/v1/charges`, {
        method: "POST",
        headers: { "user-agent": "Stripe/v1 NodeBindings/23" },
      });
    const { result } = await watched((transport) => manyTimes(2, () => send(transport)), { requestsMax: 1 });
    expect(result).toMatchObject({
      reason: {
        cause: {
          message: expect.stringMatching(
            /^POST \/v1\/charges was not sent: .*maxNetworkRetries: 0/,
          ) as unknown,
          details: { client: "Stripe" },
        },
      },
    });
  });
});

describe("a request that waits for a connection that never stands", () => {
  let silent: Server;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    // TLS towards a server that never greets.
    silent = createTcpServer((socket) => void sockets.push(socket));
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const url = (): string => `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;

  test("is proved not to have left when it was made with the step's fetch, which stops it for good", async () => {
    const { evidence } = await watched(({ fetch }) => fetch(url(), { signal: AbortSignal.timeout(100) }));
    expect(evidence).toMatchObject({ sentCount: 0, unsentCount: 1, blindSpots: [] });
  });

  test("is not proved when it was made by other means", async () => {
    const { evidence } = await watched(() => fetch(url(), { signal: AbortSignal.timeout(100) }));
    expect(evidence).toMatchObject({ sentCount: 0, unsentCount: 0, blindSpots: ["pending request"] });
  });
});

describe("a step's dispatcher", () => {
  const fast = {
    minTimeout: 5,
    timeoutFactor: 1,
    methods: ["POST"],
  } satisfies undici.RetryHandler.RetryOptions;

  test("inside of RetryAgent keeps its retries with the step that made the request", async () => {
    server.answersStatus(503);
    const pool = poolOf(1);
    await undici.request(server.url, { dispatcher: pool }).then(({ body }) => body.dump());
    const counts = await Promise.all(
      [1, 2, 3].map(async (retries) => {
        const { evidence } = await watched(async ({ dispatcher }) => {
          const agent = new undici.RetryAgent(dispatcher(pool), { ...fast, maxRetries: retries });
          await undici.request(`${server.url}/of-${retries}`, { dispatcher: agent, method: "POST" });
        });
        expect(evidence.blindSpots).toEqual([]);
        return [evidence.sentCount, evidence.repeatCount, server.countOf(`/of-${retries}`)];
      }),
    );
    expect(counts).toEqual([
      [2, 1, 2],
      [3, 2, 3],
      [4, 3, 4],
    ]);
  });

  test("under the retry interceptor does so too", async () => {
    server.answersStatus(503);
    const pool = poolOf(2);
    const counts = await Promise.all(
      ["/one", "/two"].map(async (path) => {
        const { evidence } = await watched(async ({ dispatcher }) => {
          const retrying = dispatcher(pool).compose(undici.interceptors.retry({ ...fast, maxRetries: 2 }));
          await undici.request(`${server.url}${path}`, { dispatcher: retrying, method: "POST" });
        });
        return [evidence.sentCount, server.countOf(path)];
      }),
    );
    expect(counts).toEqual([
      [3, 3],
      [3, 3],
    ]);
  });

  test("over a Pool with one connection keeps what waits with the step that made it", async () => {
    const pool = poolOf(1);
    const counts = await Promise.all(
      [1, 2, 3].map(async (times) => {
        const { evidence } = await watched(({ dispatcher }) =>
          Promise.all(
            Array.from({ length: times }, async () => {
              const { body } = await undici.request(`${server.url}/${times}`, {
                dispatcher: dispatcher(pool),
              });
              await body.dump();
            }),
          ),
        );
        return evidence.sentCount;
      }),
    );
    expect(counts).toEqual([1, 2, 3]);
  });

  test("can be given to the global fetch, and refuses as the step's fetch does", async () => {
    server.answersStatus(503);
    const pool = poolOf(1);
    const ended = await watched(
      ({ dispatcher }) =>
        manyTimes(3, () => undici.fetch(`${server.url}/a`, { method: "POST", dispatcher: dispatcher(pool) })),
      { requestsMax: 2 },
    );
    expect(reasonOf(ended)).toEqual({ code: "REQUEST_REFUSED", why: "limit" });
    expect(server.countOf("/a")).toBe(2);
  });

  test("aborts what runs through it with the attempt", async () => {
    server.answers(() => undefined);
    const pool = poolOf(2);
    const running = watched(({ dispatcher }) =>
      Promise.all(
        ["/a", "/b"].map((path) => undici.request(`${server.url}${path}`, { dispatcher: dispatcher(pool) })),
      ),
    );
    await expect.poll(() => server.paths.length).toBe(2);
    attempts.stop.abort(new Error("the lease ran out"));
    expect(await running).toMatchObject({ result: { reason: { message: "the lease ran out" } } });
  });

  test("is the given one in all else, and leaves that as it was once the meter has stopped", async () => {
    const pool = poolOf(1);
    const before = dispatchMethod();
    await watched(({ dispatcher }) => {
      const bound = dispatcher(pool);
      expect(bound.closed).toBe(false);
      expect(bound.stats).toBeDefined();
      expect(dispatchMethod()).not.toBe(before);
      return Promise.resolve();
    });
    endMetering();
    expect(dispatchMethod()).toBe(before);
  });
});
