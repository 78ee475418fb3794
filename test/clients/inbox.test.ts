import express from "express";
import fastify from "fastify";
import { afterEach, describe, expect, test } from "vitest";
import { body, send, Servers } from "../inbox/mounting.ts";
import { openWorld, type World } from "../inbox/world.ts";

describe("the inbox mounted in a framework with a body parser of its own", () => {
  let world: World;
  const servers = new Servers();
  afterEach(async () => {
    await servers.close();
    await world.close();
  });

  test("Express: before express.json() the bytes are whole, after it the mistake is told and nothing is lost", async () => {
    world = await openWorld({ hasWorkers: false });
    const right = express();
    right.post("/inbox/:source", (request, response) => void world.inbox.node(request, response));
    right.use(express.json());
    expect(await send(`${await servers.serve(right)}/inbox/shop`, "a")).toBe(202);
    const raw = express();
    raw.use(express.raw({ type: "*/*" }));
    raw.post("/inbox/:source", (request, response) => void world.inbox.node(request, response));
    expect(await send(`${await servers.serve(raw)}/inbox/shop`, "b")).toBe(202);
    const wrong = express();
    wrong.use(express.json());
    wrong.post("/inbox/:source", (request, response) => void world.inbox.node(request, response));
    const sent = await fetch(`${await servers.serve(wrong)}/inbox/shop`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect([sent.status, await sent.json()]).toMatchObject([
      503,
      { code: "CONFIG_INVALID", detail: expect.stringContaining("before express.json()") as unknown },
    ]);
    expect(await world.history()).toHaveLength(2);
  });

  test("Fastify: with its parsers taken away the bytes are whole", async () => {
    world = await openWorld({ hasWorkers: false });
    const app = fastify();
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", (_request, _payload, done) => done(null));
    app.post("/inbox/:source", (request, reply) => {
      reply.hijack();
      void world.inbox.node(request.raw, reply.raw);
    });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    servers.closeLater(() => app.close());
    expect(await send(`${url}/inbox/shop`, "f")).toBe(202);
    const [one] = await world.history();
    const kept = await world.store.inbox.loadBody(one?.delivery?.deliveryId ?? "");
    expect(Buffer.from(kept ?? []).equals(body)).toBe(true);
  });

  test("Fastify: with its own parser the mistake is told, and nothing is lost", async () => {
    world = await openWorld({ hasWorkers: false });
    const app = fastify();
    app.post("/inbox/:source", (request, reply) => {
      reply.hijack();
      void world.inbox.node(request.raw, reply.raw);
    });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    servers.closeLater(() => app.close());
    const sent = await fetch(`${url}/inbox/shop`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"order":"o1"}',
    });
    expect([sent.status, await sent.json()]).toMatchObject([
      503,
      { code: "CONFIG_INVALID", detail: expect.stringContaining("removeAllContentTypeParsers") as unknown },
    ]);
    expect(await world.history()).toEqual([]);
  });
});
