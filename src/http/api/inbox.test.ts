import { describe, expect, test } from "vitest";
import { purchase } from "../../desk/purchase.fixture.ts";
import { refusalOf } from "../../desk/refusal.fixture.ts";
import { defineSource, tellCase } from "../../inbox/source.ts";
import { memoryStore } from "../../store/memory/store.ts";
import type { Store } from "../../store/port.ts";
import { testApp } from "../app.fixture.ts";
import { watchedClient } from "./every-route.fixture.ts";

const bankOptions = {
  preset: "hmac",
  owner: "finance",
  secrets: () => "shh-this-is-a-test",
  consumers: { tell: tellCase(purchase, { on: "paid", as: "approval.revoked", key: () => "PO-1" }) },
} as const;
const bank = defineSource("bank", bankOptions);

async function stored(
  store: Store,
  body: Uint8Array,
  eventId = "e07-0123456789abcdef0123456789abcdef",
): Promise<string> {
  const work = { consumer: "tell", lane: null, owner: "finance", withinMs: 60_000, review: "which case?" };
  await store.inbox.takeIn([
    {
      tenant: "default",
      source: "bank",
      deliveryId: `d07-${eventId.slice(4)}`,
      receivedAt: 1_000,
      how: "posted",
      scheme: "hmac",
      secretId: "#1",
      signedAt: null,
      headers: [],
      body,
      bodyHash: eventId.slice(4).repeat(2),
      events: [
        {
          eventId,
          itemNo: 0,
          keyKind: "delivery",
          itemHash: eventId.slice(4).repeat(2),
          eventType: "paid",
          subject: null,
          occurredAt: null,
          furtherKeys: [],
          standing: "routed",
          work: [work],
        },
      ],
    },
  ]);
  return eventId;
}

describe("what arrived, over the API", () => {
  test.each([
    [
      "every character of a text",
      Buffer.from('\ufeff{"id": 12345678901234567890, "a": "\\u0000é\u202e"}'),
      null,
    ],
    ["the first bytes of what is no text", Buffer.from([0xff, 0x00, 0x01]), "ff0001"],
    ["an empty one as empty", Buffer.alloc(0), null],
  ])("tells %s", async (_what, body, hex) => {
    const store = memoryStore();
    const { client } = watchedClient(testApp(store, { sources: [bank] }));
    const eventId = await stored(store, body);
    expect(await client.showEventBody({ eventId })).toEqual({
      bytes: body.length,
      text: hex === null ? body.toString("utf8") : null,
      hex,
      isCut: false,
      isMasked: false,
    });
    expect((await client.listAudit()).lines).toMatchObject([{ act: "seeBody", who: "ada", about: eventId }]);
  });

  test("tells 8 MiB of a longer one and says that there is more, also where the cut falls within a character", async () => {
    const store = memoryStore();
    const { client } = watchedClient(testApp(store, { sources: [bank] }));
    const eventId = await stored(store, Buffer.from(`a${"é".repeat(4 * 1024 * 1024)}`));
    const { bytes, text, isCut } = await client.showEventBody({ eventId });
    expect([bytes, text?.length, isCut]).toEqual([8 * 1024 * 1024 + 1, 4 * 1024 * 1024, true]);
  });

  test("has marks where its source masks something, until a reveal that is on record", async () => {
    const store = memoryStore();
    const discreet = defineSource("bank", { ...bankOptions, masked: ["account.iban", "pin"] });
    const { client } = watchedClient(testApp(store, { sources: [discreet] }));
    const sent =
      '{"account":{"iban":"DE89370400440532013000","n":12345678901234567890},"items":[{"pin":"9"}]}';
    const eventId = await stored(store, Buffer.from(sent));
    const shown = await client.showEventBody({ eventId });
    expect(JSON.parse(shown.text ?? "")).toEqual({
      account: { iban: "[masked: account.iban]", n: "12345678901234567890" },
      items: [{ pin: "[masked: items.0.pin]" }],
    });
    expect(shown.isMasked).toBe(true);
    expect((await client.revealEventBody({ eventId, reason: "in doubt" })).text).toBe(sent);
    expect((await client.listAudit()).lines).toMatchObject([
      { act: "revealBody", who: "ada", about: eventId, why: "in doubt" },
      { act: "seeBody" },
    ]);
    const other = await stored(store, Buffer.from("iban=DE89&pin=9"), "e07-11111111111111111111111111111111");
    expect(await client.showEventBody({ eventId: other })).toMatchObject({
      text: null,
      hex: null,
      isMasked: true,
    });
  });

  test("says of one that is not there that there is none", async () => {
    const { client } = watchedClient(testApp(memoryStore()));
    const asked = client.showEventBody({ eventId: "e07-00000000000000000000000000000000" });
    expect((await refusalOf(asked)).code).toBe("INVALID_REQUEST");
  });

  test("is worked on again when a person asks, whose name and reason stay with it", async () => {
    const store = memoryStore();
    const { client } = watchedClient(testApp(store, { sources: [bank] }));
    const eventId = await stored(store, Buffer.from("{}"));
    const reason = "the case is there now";
    expect((await client.showEvent({ eventId })).work).toMatchObject([{ state: "in_review" }]);
    expect(await client.replayEvent({ eventId, reason, consumer: "tell" })).toMatchObject({
      opened: ["tell"],
    });
    expect(await client.showEvent({ eventId })).toMatchObject({
      work: [{ state: "ready" }],
      sightings: [{ kind: "replayed", by: "ada", reason }],
    });
    const unknown = await refusalOf(client.replayEvent({ eventId, reason, consumer: "nobody" }));
    expect(unknown.code).toBe("INVALID_REQUEST");
    const { client: elsewhere } = watchedClient(testApp(store));
    expect((await refusalOf(elsewhere.replayEvent({ eventId, reason }))).message).toContain(
      'no source "bank"',
    );
    expect((await refusalOf(client.reconcileSource({ source: "bank" }))).code).toBe("CONFIG_INVALID");
    const { lines } = await client.listAudit();
    expect(lines.map(({ act, outcome, about }) => [act, outcome, about])).toEqual([
      ["reconcile", "refused", "bank"],
      ["replay", "refused", eventId],
      ["replay", "refused", eventId],
      ["replay", "done", eventId],
    ]);
  });

  test("is left undone when a person says so, on record, also where its source is not there any more", async () => {
    const store = memoryStore();
    const { client } = watchedClient(testApp(store));
    const eventId = await stored(store, Buffer.from("{}"));
    const reason = "it was sent by mistake";
    const wrong = await refusalOf(client.ignoreEvent({ eventId, reason, consumer: "nobody" }));
    expect(wrong).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("it has work for: tell") as unknown,
    });
    expect(await client.ignoreEvent({ eventId, reason })).toEqual({
      ignored: ["tell"],
      left: [],
      sentence: "Ignored: tell.",
    });
    await stored(store, Buffer.from("{}"));
    expect(await client.showEvent({ eventId })).toMatchObject({
      event: { sightings: 2 },
      work: [{ state: "ignored", sentence: `Ignored by ada: ${reason}` }],
      sightings: expect.arrayContaining([
        expect.objectContaining({ kind: "ignored", by: "ada", reason, reference: "tell" }),
      ]) as unknown,
    });
    expect(await client.ignoreEvent({ eventId, reason })).toMatchObject({
      ignored: [],
      left: [{ consumer: "tell", why: "it is ignored already" }],
    });
    const { lines } = await client.listAudit();
    expect(lines.filter(({ act }) => act === "ignore")).toHaveLength(3);
    for (const line of [
      { outcome: "done", who: "ada", about: eventId, before: {}, after: {} },
      { outcome: "done", why: reason, before: { tell: "in_review" }, after: { tell: "ignored" } },
      { outcome: "refused", code: "INVALID_REQUEST", about: eventId, why: reason },
    ])
      expect(lines).toContainEqual(expect.objectContaining(line));
  });

  test("cannot be left undone while a living worker is at it, or once it is done; that is on record too", async () => {
    const store = memoryStore();
    const { client } = watchedClient(testApp(store, { sources: [bank] }));
    const eventId = await stored(store, Buffer.from("{}"));
    const reason = "it was sent by mistake";
    await client.replayEvent({ eventId, reason });
    await store.registerHolder({
      holderId: "w-1",
      kind: "worker",
      name: "w-1",
      host: "here",
      build: "1",
      leaseMs: 10_000,
      caseTypes: [],
      destinations: [],
    });
    const consumers = [{ tenant: "default", source: "bank", consumer: "tell" }];
    const claim = { holderId: "w-1", claimIds: ["c-1"], consumers, actWithinMs: 60_000 };
    expect((await store.inbox.claimWork(claim)).claimed).toHaveLength(1);
    const held = await refusalOf(client.ignoreEvent({ eventId, reason }));
    expect(held).toMatchObject({
      code: "NOTHING_TO_IGNORE",
      message: expect.stringContaining("w-1 is at it, until") as unknown,
    });
    const refused = { act: "ignore", outcome: "refused", code: "NOTHING_TO_IGNORE", about: eventId };
    expect((await client.listAudit()).lines).toContainEqual(expect.objectContaining(refused));
    await store.inbox.settleWork([
      {
        eventId,
        consumer: "tell",
        claimId: "c-1",
        state: "done",
        dueInMs: null,
        attempts: 0,
        sentence: "Told.",
        errorClass: null,
        caseIds: [],
        sourceId: null,
        waitsFor: null,
      },
    ]);
    expect((await refusalOf(client.ignoreEvent({ eventId, reason }))).message).toContain("tell: it is done");
  });
});
