import express from "express";
import fastify from "fastify";
import { Stripe } from "stripe";
import twilio from "twilio";
import { afterEach, describe, expect, test } from "vitest";
import { PRESETS, signRequest } from "foothold/inbox";
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
    expect(sent.status).toBe(503);
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
});

describe("what the vendors' own libraries sign and check", () => {
  test("Stripe: what is signed here they take, and the other way round", () => {
    const stripe = new Stripe("sk_test_x");
    const payload = '{"id":"evt_1","object":"event"}';
    const at = Date.now();
    const signing = {
      method: "POST",
      url: "",
      body: Buffer.from(payload),
      secret: "whsec_x",
      at,
      id: "",
      eventType: "",
    };
    const header = signRequest(PRESETS.stripe, signing)["stripe-signature"] ?? "";
    expect(stripe.webhooks.constructEvent(payload, header, "whsec_x").id).toBe("evt_1");
    const theirs = stripe.webhooks.generateTestHeaderString({
      payload,
      secret: "whsec_x",
      timestamp: Math.floor(at / 1_000),
    });
    expect(theirs).toBe(header);
  });

  test("Twilio: what is signed here they take", () => {
    const url = "https://shop.example/inbox/sms";
    const form = { MessageSid: "SM1", Body: "é €", From: "+1" };
    const signing = {
      method: "POST",
      url,
      body: Buffer.from(new URLSearchParams(form).toString()),
      secret: "token",
      at: 0,
      id: "",
      eventType: "",
    };
    const signature = signRequest(PRESETS.twilio, signing)["x-twilio-signature"] ?? "";
    expect(twilio.validateRequest("token", signature, url, form)).toBe(true);
    expect(twilio.validateRequest("token", signature, `${url}?x=1`, form)).toBe(false);
  });
});
