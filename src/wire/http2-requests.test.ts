import { once } from "node:events";
import { connect, createServer, type ClientHttp2Session, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WireMeter } from "./meter.ts";
import { Attempts, closedPort } from "./wire.fixture.ts";

const meter = new WireMeter();
const attempts = new Attempts();
let endMetering: () => void = () => undefined;
let server: Http2Server;
let session: ClientHttp2Session;
let isDropping = false;
const calls: string[] = [];

beforeAll(async () => {
  server = createServer();
  server.on("stream", (stream, headers) => {
    calls.push(String(headers[":path"]));
    if (isDropping) stream.session?.destroy();
    else {
      stream.respond({ ":status": 503, "retry-after": "7", "set-cookie": "secret" });
      stream.end("x");
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => void server.close());
beforeEach(() => {
  endMetering = meter.start();
  isDropping = false;
  calls.length = 0;
  session = connect(url());
  session.on("error", () => undefined);
});
afterEach(() => {
  session.destroy();
  endMetering();
});

function url(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function post(
  over: ClientHttp2Session,
  path: string,
  headers: Record<string, string> = {},
): Promise<void> {
  const stream = over.request({ ":method": "POST", ":path": path, ...headers });
  stream.on("error", () => undefined);
  stream.resume();
  stream.end("x");
  await once(stream, "close");
}

describe("a request over HTTP/2", () => {
  test("is counted, with its status and its instructions, and named as a blind spot", async () => {
    const { evidence } = await meter.watch(attempts.next(), async () => {
      await post(session, "/a?token=secret");
      await post(session, "/a?token=secret");
    });
    expect(calls).toHaveLength(2);
    expect(evidence).toMatchObject({ sentCount: 2, repeatCount: 1 });
    expect(evidence.blindSpots).toContain("http2");
    expect(evidence.requests[0]).toMatchObject({
      method: "POST",
      origin: url(),
      sent: "full",
      status: 503,
      headers: { "retry-after": "7" },
      isAnswerComplete: true,
    });
    expect(JSON.stringify(evidence)).not.toContain("secret");
  });

  test("belongs to the step whose key it carries, whatever context a waiting call is sent in", async () => {
    await once(session, "connect");
    const evidences = await Promise.all(
      [1, 2].map(async (times) => {
        const attempt = attempts.next();
        const { evidence } = await meter.watch(attempt, async () => {
          for (let sent = 0; sent < times; sent += 1) {
            await post(session, `/${times}`, { "idempotency-key": attempt.idempotencyKey });
          }
        });
        return evidence.sentCount;
      }),
    );
    expect(evidences).toEqual([1, 2]);
  });

  test("may have been executed when its session ends before the answer", async () => {
    isDropping = true;
    const { evidence } = await meter.watch(attempts.next(), () => post(session, "/a"));
    expect(evidence).toMatchObject({ sentCount: 1, unsentCount: 0 });
    expect(evidence.requests).toMatchObject([{ status: null }]);
  });

  test("has not left when its session never stood", async () => {
    const port = await closedPort();
    const { evidence } = await meter.watch(attempts.next(), async () => {
      const never = connect(`http://127.0.0.1:${port}`);
      never.on("error", () => undefined);
      await post(never, "/a");
    });
    expect(evidence).toMatchObject({ sentCount: 0, unsentCount: 1 });
  });

  test("goes the way it always went once the meter has stopped", async () => {
    const prototype = Object.getPrototypeOf(session) as object;
    const wrapped: unknown = Reflect.get(prototype, "request");
    endMetering();
    expect(Reflect.get(prototype, "request")).not.toBe(wrapped);
    await post(session, "/a");
    expect(calls).toEqual(["/a"]);
  });
});
