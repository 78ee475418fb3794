import { createServer as createHttpServer, request as httpRequest, type RequestListener } from "node:http";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { request as undiciRequest } from "undici";
import type { Executed, Failure, FailureKind } from "../core/failure.ts";
import { expectOk, ResponseError } from "./response.ts";
import { sortFailure, type StopCause } from "./sort.ts";

// Every error in this file is a real one: from a real client, against a real server on loopback.

const NOW = 1_772_366_400_000;

function sort(thrown: unknown, stopped: StopCause | null = null): Failure {
  return sortFailure(thrown, { destination: "erp", stopped, now: NOW, evidence: null, sorters: [] });
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Client = (url: string, signal?: AbortSignal) => Promise<unknown>;

const clients: { readonly [name: string]: Client } = {
  fetch: async (url, signal) => {
    const response = await fetch(url, { method: "POST", body: "{}", signal: signal ?? null });
    return (await expectOk(response)).text();
  },
  "undici.request": async (url, signal) => {
    const { statusCode, headers, body } = await undiciRequest(url, {
      method: "POST",
      body: "{}",
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await body.text();
    if (statusCode < 300) return text;
    throw Object.assign(new Error("not ok"), { statusCode, headers, body: text });
  },
  "node:http": (url, signal) =>
    new Promise((resolve, reject) => {
      const sent = httpRequest(
        url,
        { method: "POST", ...(signal === undefined ? {} : { signal }) },
        (response) => {
          let body = "";
          response.on("data", (chunk: Buffer) => (body += chunk.toString()));
          response.on("error", reject);
          response.on("end", () => {
            if ((response.statusCode ?? 0) < 300) resolve(body);
            else
              reject(
                Object.assign(new Error("not ok"), {
                  response: { status: response.statusCode, headers: response.headers, data: body },
                }),
              );
          });
        },
      );
      sent.on("error", reject);
      sent.end("{}");
    }),
};

async function failureOf(client: string, url: string, signal?: AbortSignal): Promise<unknown> {
  const send = clients[client];
  if (send === undefined) throw new Error(`no client ${client}`);
  return send(url, signal).then(
    () => {
      throw new Error("the request went well");
    },
    (error: unknown) => error,
  );
}

const names = Object.keys(clients);

function stayingSilent(): void {
  // The client waits.
}

describe("a destination that is not reached", () => {
  test.each(names)("refused the connection: it did not happen (%s)", async (client) => {
    const server = createServer();
    const url = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    expect(sort(await failureOf(client, url))).toMatchObject({
      kind: "transient",
      executed: "no",
      rule: "unsent.ECONNREFUSED",
    });
  });

  test.each(names)("refused on every address of its name: it did not happen (%s)", async (client) => {
    const server = createServer();
    const url = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    expect(sort(await failureOf(client, url.replace("127.0.0.1", "localhost")))).toMatchObject({
      executed: "no",
      rule: "unsent.ECONNREFUSED",
    });
  });

  test.each(names)("has a name that nobody knows: it did not happen (%s)", async (client) => {
    const failure = sort(await failureOf(client, "http://no-such-host.invalid"));
    expect(failure).toMatchObject({ kind: "transient", executed: "no" });
    expect(failure.rule).toMatch(/^unsent\.(ENOTFOUND|EAI_AGAIN)$/);
  });

  test.each(names)("also when our own deadline passed meanwhile (%s)", async (client) => {
    const server = createServer();
    const url = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    expect(sort(await failureOf(client, url), "deadline")).toMatchObject({
      kind: "transient",
      executed: "no",
    });
  });
});

describe("a destination that executed and whose answer was lost", () => {
  let server: Server;
  let url: string;
  let then: (socket: Socket) => void = stayingSilent;
  let executed = 0;

  beforeAll(async () => {
    server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        executed += 1;
        then(socket);
      });
    });
    url = await listening(server);
  });
  afterAll(() => server.close());

  const cases: readonly (readonly [string, (socket: Socket) => void])[] = [
    ["closed the connection", (socket) => socket.end()],
    ["reset the connection", (socket) => socket.resetAndDestroy()],
    [
      "began to answer and cut the body",
      (socket) => {
        socket.write("HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{", () => socket.destroy());
      },
    ],
    ["answered what is no HTTP", (socket) => socket.end("SMTP ready\r\n\r\n")],
  ];

  test.each(cases.flatMap(([what, act]) => names.map((client) => ({ what, client, act }))))(
    "$what: it may have happened ($client)",
    async ({ client, act }) => {
      const before = executed;
      then = act;
      const failure = sort(await failureOf(client, url));
      expect(executed).toBe(before + 1);
      expect(failure).toMatchObject({
        kind: "unknown",
        cause: "transient",
        executed: "maybe",
        rule: "unclear",
      });
      expect(failure.sentence).toMatch(/whether erp did its part is not proved/);
    },
  );

  test.each(names)("stayed silent until we stopped it: it may have happened (%s)", async (client) => {
    then = stayingSilent;
    for (const stopped of ["deadline", "lease", "shutdown"] as const) {
      const abort = new AbortController();
      const failing = failureOf(client, url, abort.signal);
      await expect.poll(() => executed).toBeGreaterThan(0);
      abort.abort(new Error("the deadline of the send passed"));
      expect(sort(await failing, stopped)).toMatchObject({
        kind: "unknown",
        cause: "stopped",
        executed: "maybe",
        rule: `stopped.${stopped}`,
      });
      executed = 0;
    }
  });

  test("stayed silent until the author's own timeout: it may have happened, and the name is told", async () => {
    then = stayingSilent;
    const failure = sort(await failureOf("fetch", url, AbortSignal.timeout(20)));
    expect(failure).toMatchObject({ executed: "maybe", rule: "unclear" });
    expect(failure.sentence).toContain("TimeoutError");
  });
});

describe("a destination that answered", () => {
  let answer: RequestListener = stayingSilent;
  const server = createHttpServer((request, response) => answer(request, response));
  let url: string;
  beforeAll(async () => {
    url = await listening(server);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  type Headers = Record<string, string>;
  const answers: readonly (readonly [number, Headers, FailureKind, Executed])[] = [
    [400, {}, "rejected", "no"],
    [401, { "www-authenticate": "Bearer" }, "denied", "no"],
    [403, {}, "denied", "no"],
    [403, { "retry-after": "5" }, "throttled", "no"],
    [403, { "x-ratelimit-remaining": "0" }, "throttled", "no"],
    [404, {}, "gone", "no"],
    [409, {}, "conflict", "no"],
    [413, {}, "rejected", "no"],
    [413, { "retry-after": "5" }, "throttled", "no"],
    [422, {}, "rejected", "no"],
    [429, { "retry-after": "37" }, "throttled", "no"],
    [500, {}, "transient", "maybe"],
    [500, { "retry-after": "5" }, "transient", "maybe"],
    [502, {}, "transient", "maybe"],
    [503, {}, "transient", "maybe"],
    [503, { "retry-after": "5" }, "transient", "no"],
    [504, {}, "transient", "maybe"],
  ];

  test.each(
    answers.flatMap(([status, headers, kind, executed]) =>
      names.map((client) => ({ status, headers, kind, executed, client })),
    ),
  )(
    "$status with $headers is $kind, executed $executed ($client)",
    async ({ status, headers, kind, executed, client }) => {
      answer = (_, response) => response.writeHead(status, headers).end();
      expect(sort(await failureOf(client, url))).toMatchObject({
        cause: kind,
        executed,
        rule: `http.${status}`,
      });
    },
  );

  test.each(names)("says when to come back (%s)", async (client) => {
    answer = (_, response) => response.writeHead(429, { "Retry-After": "37" }).end();
    expect(sort(await failureOf(client, url)).instruction).toEqual({
      kind: "retryAfter",
      delayMs: 37_000,
      source: "retry-after",
    });
  });

  test.each(names)("names the fields that it rejects, and says so in one sentence (%s)", async (client) => {
    answer = (_, response) =>
      response.writeHead(422, { "content-type": "application/problem+json" }).end(
        JSON.stringify({
          title: "Not valid.",
          errors: [
            { field: "amount", message: "must be positive" },
            { pointer: "/vendor", detail: "unknown" },
            {},
          ],
        }),
      );
    const failure = sort(await failureOf(client, url));
    expect(failure.sentence).toBe("erp answered 422: Not valid.");
    expect(failure.fields).toEqual([
      { path: "amount", message: "must be positive" },
      { path: "/vendor", message: "unknown" },
      { path: "", message: "is not accepted" },
    ]);
  });

  test("names the fields that it rejects, also where their messages stand under their names", async () => {
    answer = (_, response) =>
      response.writeHead(422, { "content-type": "application/problem+json" }).end(
        JSON.stringify({
          title: "One or more validation errors occurred.",
          errors: { Amount: ["must be positive", "must be whole"], Vendor: "is unknown", Odd: { deep: 7 } },
        }),
      );
    expect(sort(await failureOf("fetch", url)).fields).toEqual([
      { path: "Amount", message: "must be positive" },
      { path: "Amount", message: "must be whole" },
      { path: "Vendor", message: "is unknown" },
    ]);
  });

  test("is believed over our own stop: what it said, it said", async () => {
    answer = (_, response) => response.writeHead(422).end();
    expect(sort(await failureOf("fetch", url), "deadline")).toMatchObject({
      kind: "rejected",
      executed: "no",
    });
  });

  test("with a body that never ends is sorted by its status, when our deadline ends the waiting", async () => {
    answer = (_, response) => void response.writeHead(422).write('{"title":"Not');
    const abort = new AbortController();
    const failing = failureOf("fetch", url, abort.signal);
    setTimeout(() => abort.abort(new Error("deadline")), 50);
    const thrown = await failing;
    expect(thrown).toBeInstanceOf(ResponseError);
    expect(sort(thrown, "deadline")).toMatchObject({ kind: "rejected", executed: "no" });
  });

  test("with an endless body is read no further than needed", async () => {
    let written = 0;
    answer = (_, response) => {
      response.writeHead(500);
      const more = (): void => {
        while (!response.destroyed && written < 50_000_000 && response.write("x".repeat(10_000)))
          written += 10_000;
      };
      response.on("drain", more);
      more();
    };
    const thrown = await failureOf("fetch", url);
    expect((thrown as ResponseError).body).toHaveLength(64_000);
    expect(written).toBeLessThan(50_000_000);
  });

  test("with success is given back by expectOk", async () => {
    answer = (_, response) => response.writeHead(201).end("made");
    const response = await expectOk(await fetch(url));
    expect(await response.text()).toBe("made");
  });

  test("is named without its query, which may hold a secret", async () => {
    answer = (_, response) => response.writeHead(500).end();
    const thrown = await failureOf("fetch", `${url}/records?token=s3cret`);
    expect(String(thrown)).toBe(`ResponseError: ${url}/records answered 500`);
    expect(JSON.stringify(sort(thrown))).not.toContain("s3cret");
  });
});

function answered(body: unknown): Failure {
  return sort(Object.assign(new Error("x"), { response: { status: 200, headers: {}, body } }));
}

describe("a good answer with errors in it, as GraphQL gives it", () => {
  const refused = { message: "m", path: ["tagsAdd"], extensions: { code: "ACCESS_DENIED" } };
  const done = { order: { id: "1" }, userErrors: [] };

  test("did nothing where its one mutation was refused", () => {
    expect(answered({ data: { tagsAdd: null }, errors: [refused] })).toMatchObject({ kind: "denied" });
    const faulty = { order: null, userErrors: [{ field: ["email"], message: "m" }] };
    expect(answered({ data: { orderCreate: faulty } })).toMatchObject({ kind: "rejected", executed: "no" });
  });

  test("did a part where another mutation went well before", () => {
    const partial = { kind: "unknown", executed: "partial" };
    expect(answered({ data: { orderCreate: done, tagsAdd: null }, errors: [refused] })).toMatchObject({
      ...partial,
      cause: "denied",
    });
    const faulty = { userErrors: [{ field: ["tags"], message: "m" }] };
    expect(answered({ data: { orderCreate: done, tagsAdd: faulty } })).toMatchObject({
      ...partial,
      cause: "rejected",
    });
  });

  test("may have done all where the error has no code that is known", () => {
    const unsure = { kind: "unknown", executed: "maybe", cause: "transient" };
    expect(answered({ data: null, errors: [{ message: "m" }] })).toMatchObject(unsure);
    expect(answered({ errors: [{ message: "m", extensions: { code: "NEW" } }] })).toMatchObject(unsure);
  });
});

describe("an error of the author's code proves nothing: it may have come after the send", () => {
  test.each<[string, () => unknown]>([
    ["TypeError", () => (undefined as unknown as { id: string }).id],
    ["a URL that is none", () => new URL("not a url")],
    ["a wrong argument", () => Buffer.from(undefined as unknown as string)],
    ["JSON that is none", () => JSON.parse("<html>") as unknown],
  ])("%s", (_, act) => {
    let thrown: unknown = null;
    try {
      act();
    } catch (error) {
      thrown = error;
    }
    expect(sort(thrown)).toMatchObject({
      kind: "unknown",
      cause: "bug",
      executed: "maybe",
      rule: "code.threw",
    });
  });

  test("a file that could not be opened is no connection that was not made", () => {
    const thrown = Object.assign(new Error("too many open files"), { code: "EMFILE", syscall: "open" });
    expect(sort(thrown)).toMatchObject({ executed: "maybe" });
  });

  test("a plain error, or none at all, may have come after the send", () => {
    expect(sort(new Error("failed"))).toMatchObject({
      kind: "unknown",
      cause: "transient",
      executed: "maybe",
      rule: "unclear",
    });
    expect(sort(undefined)).toMatchObject({
      kind: "unknown",
      cause: "transient",
      executed: "maybe",
      rule: "unclear",
    });
  });

  test("one connection that was refused does not speak for another that was cut", () => {
    const refused = Object.assign(new Error("a"), { code: "ECONNREFUSED", syscall: "connect" });
    const cut = Object.assign(new Error("b"), { code: "ECONNRESET", syscall: "read" });
    expect(sort(new AggregateError([refused, cut]))).toMatchObject({ executed: "maybe" });
    expect(sort(new AggregateError([refused, refused]))).toMatchObject({ executed: "no" });
  });

  test("a certificate that is refused is refused before anything is sent", () => {
    const thrown = new TypeError("fetch failed", {
      cause: Object.assign(new Error("self-signed"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }),
    });
    expect(sort(thrown)).toMatchObject({ kind: "bug", executed: "no" });
  });
});
