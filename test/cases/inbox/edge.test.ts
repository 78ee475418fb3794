import { createHash, randomBytes } from "node:crypto";
import { request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { PRESETS, signRequest } from "foothold/inbox";
import { openWorld, secret, shopSource, type World } from "../../inbox/world.ts";

describe("at the edge", () => {
  let world: World;
  afterEach(() => world.close());

  test(
    "C19 what a provider may send is taken whole, and what is larger is shown as lost",
    { timeout: 60_000 },
    async () => {
      world = await openWorld({
        sources: (order) => [["github", shopSource(order, { preset: "github", consumers: {} })]],
        hasWorkers: false,
      });
      for (const bytes of [457_522, 24 * 1024 * 1024]) {
        const body = padded(bytes);
        expect(await postChunked(world, body)).toBe(202);
        const hash = createHash("sha256").update(body).digest("hex");
        const stored = (await world.history()).find(({ delivery }) => delivery?.bodyHash === hash);
        expect(stored?.delivery?.bodyBytes).toBe(bytes);
        const raw = await world.store.inbox.loadBody(stored?.delivery?.deliveryId ?? "");
        expect(
          createHash("sha256")
            .update(raw ?? "")
            .digest("hex"),
        ).toBe(hash);
      }
      expect(await postChunked(world, padded(26 * 1024 * 1024))).toBe(413);
      await world.inbox.settled();
      const [lost, ...others] = await world.store.inbox.listRefusals(10);
      expect(lost).toMatchObject({ source: "github", reason: "tooLarge", isLost: true });
      // What somebody needs who asks the provider for it: its size as far as it was read, and its name.
      expect(lost?.bodyBytes).toBeGreaterThan(25 * 1024 * 1024);
      expect(lost?.headers.map(([name]) => name)).toEqual(
        expect.arrayContaining(["x-github-delivery", "x-github-event"]),
      );
      expect(others).toEqual([]);
      expect(await world.history()).toHaveLength(2);
    },
  );

  test(
    "C21 fifty events that always fail hold up none of the others, and stand in groups",
    { timeout: 60_000 },
    async () => {
      world = await openWorld({
        sources: (order) => [
          [
            "shop",
            shopSource(order, {
              consumers: {
                poison: {
                  kind: "tell",
                  caseType: "order",
                  on: ["poison"],
                  as: "paid",
                  key: null,
                  fetch: null,
                  payload: () => {
                    throw new RangeError("always");
                  },
                },
                paid: {
                  kind: "tell",
                  caseType: "order",
                  on: ["order.paid"],
                  as: "paid",
                  key: null,
                  fetch: null,
                  payload: ({ data }) => data,
                },
              },
            }),
          ],
        ],
        firstDelayMs: 20,
        attemptsMax: 3,
      });
      await world.desk.startCase("order", { order: "o1" }, { by: "test", businessKey: "o1" });
      for (let index = 0; index < 50; index += 1) await world.post({ eventType: "poison", body: { index } });
      for (let index = 0; index < 100; index += 1) await world.post({ body: { order: "o1", amount: index } });
      await world.settle();
      const counts = new Map<string, number>();
      for (const { work } of await world.history()) {
        const name = `${work[0]?.state} ${work[0]?.errorClass ?? ""}`;
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      // The first event ships the order, and the case may be over before the last ones come.
      const good = (counts.get("done ") ?? 0) + (counts.get("ignored ") ?? 0);
      expect([good, counts.get("in_review RangeError")]).toEqual([100, 50]);
    },
  );

  test("C23 a provider's retries carry the first time: they are taken, and the second is a sighting", async () => {
    world = await openWorld({
      sources: (order) => [
        ["linear", shopSource(order, { preset: "linear", consumers: {} })],
        ["slack", shopSource(order, { preset: "slack", consumers: {} })],
      ],
      hasWorkers: false,
    });
    const body = { type: "Issue", action: "update", webhookTimestamp: Date.now() - 6 * 3_600_000 };
    for (let times = 0; times < 2; times += 1) {
      expect((await world.post({ source: "linear", body, id: "L1" })).status).toBe(200);
    }
    expect((await world.history())[0]?.event.sightings).toBe(2);
    const stale = await world.post({ source: "slack", body: { event_id: "E" }, at: Date.now() - 301_000 });
    expect(stale.status).toBe(401);
  });

  test("C25 while a secret is replaced, what is signed with either is taken, and which one it was is stored", async () => {
    world = await openWorld({
      sources: (order) => [
        [
          "shop",
          shopSource(order, {
            secrets: () => [
              { id: "old", secret: "the old secret" },
              { id: "new", secret: "the new secret" },
            ],
            consumers: {},
          }),
        ],
      ],
      hasWorkers: false,
    });
    for (const one of ["the old secret", "the new secret", "the old secret"]) {
      expect((await world.post({ secret: one })).status).toBe(202);
    }
    expect((await world.history()).map(({ delivery }) => delivery?.secretId ?? "").toSorted()).toEqual([
      "new",
      "old",
      "old",
    ]);
  });

  test("C39 a captured body under new ids makes no work, also when its bytes were deleted long ago", async () => {
    world = await openWorld();
    await world.desk.startCase("order", { order: "o1" }, { by: "test", businessKey: "o1" });
    await world.post({ body: { order: "o1" } });
    await world.settle();
    await world.store.inbox.forget(
      { tenant: "default", source: "shop" },
      { bodiesBefore: Date.now() + 1_000, eventsBefore: 0 },
    );
    for (let times = 0; times < 50; times += 1)
      expect((await world.post({ body: { order: "o1" } })).status).toBe(202);
    await world.settle();
    const events = await world.history();
    expect(events.filter(({ work }) => work[0]?.state === "done")).toHaveLength(1);
    expect(events.filter(({ work }) => work[0]?.state === "ignored")).toHaveLength(50);
    const first = events.find(({ work }) => work[0]?.state === "done");
    expect(first?.sightings.filter(({ kind }) => kind === "sameBody")).toHaveLength(50);
  });

  test("C39 where a source says that bodies repeat, each is worked on", async () => {
    world = await openWorld({ sources: (order) => [["shop", shopSource(order, { bodiesMayRepeat: true })]] });
    await world.desk.startCase("order", { order: "o1" }, { by: "test", businessKey: "o1" });
    for (let times = 0; times < 3; times += 1) await world.post({ body: { order: "o1" } });
    await world.settle();
    expect((await world.history()).every(({ work }) => (work[0]?.caseIds.length ?? 0) === 1)).toBe(true);
  });
});

const padded = (bytes: number): Buffer => {
  const frame = Buffer.byteLength('{"action":"opened","pad":""}');
  return Buffer.from(`{"action":"opened","pad":"${"x".repeat(bytes - frame)}"}`);
};

/** Chunked, without a length, as GitHub may send it. */
function postChunked(world: World, body: Buffer): Promise<number> {
  const headers = signRequest(PRESETS.github, {
    method: "POST",
    url: "",
    body,
    secret,
    at: 0,
    id: randomBytes(8).toString("hex"),
    eventType: "issues",
  });
  return new Promise((resolve, reject) => {
    const sent = request(`${world.url}/inbox/github`, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    for (let at = 0; at < body.length; at += 1024 * 1024) sent.write(body.subarray(at, at + 1024 * 1024));
    sent.end();
  });
}
