import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { listenOn } from "./listening.fixture.ts";
import { OutboundRefused, postJson, SENT_BYTES_MAX, type Outbound, type OutboundAnswer } from "./outbound.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const server: Server = createServer(answer);
  const { port, close } = await listenOn(server);
  closers.push(close);
  return port;
}

function post(url: string, over: Partial<Outbound> = {}): Promise<OutboundAnswer> {
  return postJson({
    url,
    headers: {},
    body: "{}",
    reach: "private",
    signal: AbortSignal.timeout(20_000),
    ...over,
  });
}

const neverFinds = (): Promise<never> => new Promise(() => {});

describe("a webhook", () => {
  test.each([
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://127.0.0.1./",
    "https://localhost/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[64:ff9b::7f00:1]/",
    "https://169.254.169.254/latest/meta-data/",
    "https://0251.0376.0251.0376/",
    "https://2852039166/",
    "https://10.0.0.1/",
    "https://①②⑦.0.0.1/",
    "https://0/",
    "http://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "https://user:password@example.com/",
    "not an address",
  ])("is not sent to %s", async (url) => {
    await expect(post(url, { reach: "public" })).rejects.toBeInstanceOf(OutboundRefused);
  });

  test("is not sent to a name with an inner address beside an outer one", async () => {
    const addresses = [
      { address: "8.8.8.8", family: 4 },
      { address: "10.0.0.7", family: 4 },
    ];
    const resolve = (): Promise<typeof addresses> => Promise.resolve(addresses);
    await expect(post("https://hooks.example/", { reach: "public", resolve })).rejects.toThrow(
      "hooks.example is at an address that is not on the internet",
    );
    await expect(post("https://hooks.example/", { resolve: async () => [] })).rejects.toThrow(
      "has no address",
    );
  });

  test("goes to the address that was judged, whatever the name means by then", async () => {
    const port = await serve((request, response) => response.end(request.headers.host));
    let asked = 0;
    const resolve = async (): Promise<{ address: string; family: number }[]> => {
      asked += 1;
      return [{ address: asked === 1 ? "127.0.0.1" : "169.254.169.254", family: 4 }];
    };
    const answer = await post(`http://rebinding.invalid:${port}/`, { reach: "loopback", resolve });
    expect([answer.status, answer.body, asked]).toEqual([200, `rebinding.invalid:${port}`, 1]);
  });

  test("follows no redirect", async () => {
    let hits = 0;
    const port = await serve((request, response) => {
      hits += 1;
      response
        .writeHead(302, { location: `http://127.0.0.1:${String(request.socket.localPort)}/inside` })
        .end();
    });
    expect((await post(`http://127.0.0.1:${port}/`)).status).toBe(302);
    expect(hits).toBe(1);
  });

  test("reads an answer that never ends up to a bound", async () => {
    const port = await serve((_, response) => {
      const more = (): void => {
        if (!response.destroyed) response.write("x".repeat(16_000), () => setImmediate(more));
      };
      more();
    });
    const { body } = await post(`http://127.0.0.1:${port}/`);
    expect(body).toHaveLength(8_000);
  });

  test("counts as answered where the answer breaks off behind its status", async () => {
    const port = await serve((_, response) => {
      response.writeHead(202, { "content-length": "100" });
      response.write("begun", () => response.destroy());
    });
    expect((await post(`http://127.0.0.1:${port}/`)).status).toBe(202);
  });

  test("ends at its deadline where nobody answers", async () => {
    const silent = createTcpServer(() => {});
    const { port, close } = await listenOn(silent);
    closers.push(close);
    await expect(
      post(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(50) }),
    ).rejects.toMatchObject({ name: "AbortError" });
  });

  test("ends at its deadline where the name is not found in time", async () => {
    await expect(
      post("https://hooks.example/", { resolve: neverFinds, signal: AbortSignal.timeout(20) }),
    ).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test("is no longer than it may be", async () => {
    const body = "x".repeat(SENT_BYTES_MAX + 1);
    await expect(post("http://127.0.0.1/", { body })).rejects.toThrow("too long");
  });
});
