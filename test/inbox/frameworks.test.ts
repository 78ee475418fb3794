import { Hono } from "hono";
import { getRequestListener } from "@hono/node-server";
import { afterEach, describe, expect, test } from "vitest";
import { PRESETS, signRequest } from "foothold/inbox";
import { body, send, Servers } from "./mounting.ts";
import { openWorld, secret, type World } from "./world.ts";

describe("the inbox mounted", () => {
  let world: World;
  const servers = new Servers();
  afterEach(async () => {
    await servers.close();
    await world.close();
  });

  test("in Hono, also behind a middleware that looks at the request", async () => {
    world = await openWorld({ hasWorkers: false });
    const app = new Hono();
    app.use(async (c, next) => {
      c.header("x-seen", c.req.header("content-type") ?? "");
      await next();
    });
    app.post("/hooks/:source", (c) => world.inbox.fetch(c.req.raw));
    const url = await servers.serve(
      (incoming, outgoing) => void getRequestListener(app.fetch)(incoming, outgoing),
    );
    expect(await send(`${url}/hooks/shop`, "a")).toBe(202);
  });

  test("in Hono it says so when the body was read before", async () => {
    world = await openWorld({ hasWorkers: false });
    const app = new Hono();
    app.post("/hooks/:source", async (c) => {
      await c.req.raw.text();
      return world.inbox.fetch(c.req.raw);
    });
    const response = await app.request("/hooks/shop", { method: "POST", body: "{}" });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "60"]);
    expect(await response.json()).toMatchObject({
      code: "CONFIG_INVALID",
      detail: expect.stringContaining("hand the request on as it is") as unknown,
    });
    expect(JSON.stringify(world.reports)).toContain("CONFIG_INVALID");
  });

  test("as a route handler of Next: a function from Request to Response", async () => {
    world = await openWorld({ hasWorkers: false });
    const POST = world.inbox.fetchFor("shop");
    const url = "https://shop.example/api/webhooks/payments";
    const signing = { method: "POST", url, body, secret, at: 0, id: "n", eventType: "order.paid" };
    const request = new Request(url, {
      method: "POST",
      headers: signRequest(PRESETS.hmac, signing),
      body: new Uint8Array(body),
    });
    expect((await POST(request.clone())).status).toBe(202);
    // The trap: what looks at the body before hands on a request that has none any more.
    await request.json();
    const trapped = await POST(request);
    expect([trapped.status, await trapped.json()]).toMatchObject([503, { code: "CONFIG_INVALID" }]);
    // A route under pages/api gives a request of node:http, whose body Next has parsed unless bodyParser is off.
    const pages = await servers.serve((incoming, outgoing) => {
      incoming.resume();
      incoming.on("end", () => {
        void world.inbox.nodeFor("shop")(Object.assign(incoming, { body: { order: "o1" } }), outgoing);
      });
    });
    const parsed = await fetch(pages, { method: "POST", body: "{}" });
    expect([parsed.status, await parsed.json()]).toMatchObject([
      503,
      { detail: expect.stringContaining("turn Next's bodyParser off") as unknown },
    ]);
    expect(await world.history()).toHaveLength(1);
  });

  test("in plain node:http, and bytes that a parser kept are taken as they are", async () => {
    world = await openWorld({ hasWorkers: false });
    const url = await servers.serve(
      (incoming, outgoing) => void world.inbox.nodeFor("shop")(incoming, outgoing),
    );
    expect(await send(url, "p")).toBe(202);
    const raw = await servers.serve((incoming, outgoing) => {
      const chunks: Uint8Array[] = [];
      incoming.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      // What express.raw() and the raw-body plugins of Fastify leave.
      incoming.on("end", () => {
        const parsed = Object.assign(incoming, { body: Buffer.concat(chunks) });
        void world.inbox.nodeFor("shop")(parsed, outgoing);
      });
    });
    expect(await send(raw, "q")).toBe(202);
    const parsed = await servers.serve((incoming, outgoing) => {
      incoming.resume();
      // What express.json() leaves.
      incoming.on("end", () => {
        void world.inbox.nodeFor("shop")(Object.assign(incoming, { body: { order: "o1" } }), outgoing);
      });
    });
    expect(await send(parsed, "r")).toBe(503);
    const decoded = await servers.serve((incoming, outgoing) => {
      // What asks for text changes the bytes.
      incoming.setEncoding("utf8");
      void world.inbox.nodeFor("shop")(incoming, outgoing);
    });
    expect(await send(decoded, "s")).toBe(503);
    const stored = await world.history();
    for (const { delivery } of stored) {
      const kept = await world.store.inbox.loadBody(delivery?.deliveryId ?? "");
      expect(Buffer.from(kept ?? []).equals(body)).toBe(true);
    }
    expect(stored).toHaveLength(2);
  });
});
