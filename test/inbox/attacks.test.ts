import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createInbox, defineSource, PRESETS, signRequest, tellCase } from "foothold/inbox";
import { systemPorts } from "foothold";
import { openWorld, secret, shopSource, until, type World } from "./world.ts";

describe("who posts oddly", () => {
  let world: World;
  afterEach(() => world.close());

  test("in the name of one tenant hides nothing of another with the same ids and bytes", async () => {
    world = await openWorld({
      hasWorkers: false,
      sources: (order) => [
        ["north", shopSource(order, { tenant: "north" })],
        ["south", shopSource(order, { tenant: "south" })],
      ],
    });
    for (const source of ["north", "south", "north"])
      expect((await world.post({ source, id: "evt_1", body: { order: "o1" } })).status).toBe(202);
    const events = await world.history();
    expect(events.map(({ event }) => `${event.tenant} ${event.sightings}`).toSorted()).toEqual([
      "north 2",
      "south 1",
    ]);
    expect(events.every(({ work }) => work.length === 1)).toBe(true);
  });

  test("without an id is known by the bytes: a retry is a sighting, other bytes are another event", async () => {
    world = await openWorld({ hasWorkers: false });
    const post = (text: string): Promise<Response> => {
      const body = Buffer.from(text);
      const signing = { method: "POST", url: "", body, secret, at: 0, id: "", eventType: "order.paid" };
      const { "x-event-id": _none, ...headers } = signRequest(PRESETS.hmac, signing);
      return fetch(`${world.url}/inbox/shop`, { method: "POST", headers, body });
    };
    for (const text of ['{"order":"o1"}', '{"order":"o1"}', '{"order":"o2"}'])
      expect((await post(text)).status).toBe(202);
    const events = await world.history();
    expect(events.map(({ event }) => `${event.keyKind} ${event.sightings}`).toSorted()).toEqual([
      "body 1",
      "body 2",
    ]);
  });

  test.each([
    ["null", "null", "nobody"],
    ["a list", "[1,2]", "nobody"],
    ["a number", "7", "nobody"],
    ["nothing", "", "unreadable"],
    ["no UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "unreadable"],
  ] as const)(
    "and sends %s is answered with a success, and what it sent is in sight",
    async (_what, sent, standing) => {
      world = await openWorld({
        hasWorkers: false,
        sources: (order) => [["stripe", shopSource(order, { preset: "stripe" })]],
      });
      expect((await world.post({ raw: Buffer.from(sent) })).status).toBe(202);
      expect((await world.history())[0]?.event).toMatchObject({ standing, keyKind: "body" });
    },
  );

  test("by another method or to another path is told so, and nothing is stored", async () => {
    world = await openWorld({ hasWorkers: false });
    for (const method of ["GET", "HEAD", "PUT", "DELETE"]) {
      const response = await fetch(`${world.url}/inbox/shop`, { method });
      expect([method, response.status, response.headers.get("allow")]).toEqual([method, 405, "POST"]);
    }
    for (const path of ["/inbox/..%2Fshop", "/inbox/shop%00", "/inbox/SHOP", "/inbox/%E0%A4%A", "/inbox/"])
      expect([path, (await fetch(`${world.url}${path}`, { method: "POST" })).status]).toEqual([path, 404]);
    expect(await world.history()).toEqual([]);
  });

  test("with a signature twice is refused, whatever the case of its header's name", async () => {
    world = await openWorld({ hasWorkers: false });
    const body = Buffer.from("{}");
    const signing = { method: "POST", url: "", body, secret, at: 0, id: "e", eventType: "order.paid" };
    const right = signRequest(PRESETS.hmac, signing)["x-signature-256"] ?? "";
    const statusOf = async (...lines: readonly string[]): Promise<string> => {
      const socket = connect(Number(new URL(world.url).port), "127.0.0.1");
      let answer = "";
      socket.on("data", (data) => (answer += data.toString("latin1")));
      const head = [
        "POST /inbox/shop HTTP/1.1",
        "Host: a",
        "Content-Length: 2",
        "Connection: close",
        ...lines,
      ];
      socket.write(`${head.join("\r\n")}\r\n\r\n{}`);
      await until(() => answer.includes("\r\n\r\n"), "the answer");
      socket.destroy();
      return answer.slice(9, 12);
    };
    expect(await statusOf(`X-SIGNATURE-256: ${right}`)).toBe("202");
    expect(await statusOf(`x-signature-256: ${right}`, `X-Signature-256: ${right}`)).toBe("401");
    expect(await statusOf(`x-signature-256: ${right}, ${right}`)).toBe("401");
  });

  test("ten minutes off is refused both ways where its time is that of the attempt", async () => {
    world = await openWorld({
      hasWorkers: false,
      sources: (order) => [["stripe", shopSource(order, { preset: "stripe" })]],
    });
    for (const offMs of [-600_000, 600_000])
      expect((await world.post({ at: Date.now() + offMs })).status).toBe(401);
    await world.inbox.settled();
    const reasons = (await world.store.inbox.listRefusals(9)).map(({ reason }) => reason);
    expect(reasons.toSorted()).toEqual(["tooNew", "tooOld"]);
  });

  test("more events in one delivery than there may be has it kept whole, for a person to see", async () => {
    world = await openWorld({
      hasWorkers: false,
      sources: (order) => [
        ["hub", shopSource(order, { preset: "hubspot", url: "https://shop.example/inbox/hub" })],
      ],
    });
    const body = Array.from({ length: 10_001 }, (_, objectId) => ({ objectId }));
    expect((await world.post({ body })).status).toBe(202);
    const [one] = await world.history();
    expect(one?.work).toMatchObject([{ state: "in_review", owner: "shop-team" }]);
    expect(one?.work[0]?.sentence).toContain("it has 10001 events, more than 1000");
    const kept = await world.store.inbox.loadBody(one?.delivery?.deliveryId ?? "");
    expect(kept?.length).toBe(Buffer.byteLength(JSON.stringify(body)));
  });
});

describe("a definition that changed while work is open", () => {
  let world: World;
  afterEach(() => world.close());

  test("loses nothing of a consumer that has another name: its work has an end, and a repeat makes work for the new one", async () => {
    world = await openWorld({
      hasWorkers: false,
      sources: (order) => [["shop", shopSource(order, { workWithin: "1s" })]],
    });
    await world.post({ id: "E1" });
    const { store } = world;
    const order = world.registry.get("order");
    const consumers = { renamed: tellCase(order, { on: "order.paid", as: "paid" }) };
    const source = defineSource("shop", shopSource(order, { consumers }));
    const inbox = createInbox({ store, sources: [source], ports: systemPorts() });
    const work = inbox.worker({ door: world.desk, registry: world.registry, holderId: () => "none" });
    expect(await work.workOnce()).toBe(0);
    await until(async () => (await inbox.sweep().sweepOnce()).expired === 1, "the deadline");
    const body = Buffer.from(JSON.stringify({ order: "o1" }));
    const signing = { method: "POST", url: "", body, secret, at: 0, id: "E1", eventType: "order.paid" };
    const headers = signRequest(PRESETS.hmac, signing);
    await inbox.fetch(new Request("http://a/inbox/shop", { method: "POST", headers, body }));
    expect((await world.history())[0]?.work).toMatchObject([
      {
        consumer: "paid",
        state: "in_review",
        sentence: expect.stringContaining("No worker has taken it") as unknown,
      },
      { consumer: "renamed", state: "ready" },
    ]);
    expect(await world.unowned()).toEqual([]);
  });
});
