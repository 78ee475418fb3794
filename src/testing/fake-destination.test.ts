import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "../define/builder.ts";
import { memoryStore } from "../store/memory/store.ts";
import { expectDone } from "./case-journal.ts";
import { fakeDestination } from "./fake-destination.ts";
import { createTestWorld } from "./world.ts";

interface Order {
  readonly item: string;
  readonly count: number;
}

const desk: Order = { item: "desk", count: 1 };
const name = ({ item }: Order): string => item;
const own = () => fakeDestination<Order>("own", { idempotency: { by: "transaction" } });
const gate = () => fakeDestination<Order>("gate", { idempotency: { by: "fence" } });
const records = () => fakeDestination<Order>("records", { idempotency: { by: "if-match" }, name });
const shop = () => fakeDestination<Order>("shop", { idempotency: { by: "unique" }, name });

describe("a fake destination with unique names", () => {
  test("holds one thing of a name, and finds it with the fingerprint that it was made with", async () => {
    const one = shop();
    await one.send(desk, { idempotencyKey: "k1", fingerprint: "f1" });
    await expect(one.send({ ...desk, count: 2 }, { idempotencyKey: "k2" })).rejects.toMatchObject({
      status: 409,
    });
    expect(await one.find("desk")).toMatchObject({ key: "k1", fingerprint: "f1", request: desk });
    expect(await one.find("k1")).toBeNull();
  });

  test("frees a name that is removed, once", async () => {
    const one = shop();
    await one.send(desk);
    await one.remove("desk");
    await expect(one.remove("desk")).rejects.toMatchObject({ status: 404 });
    expect(await one.find("desk")).toBeNull();
    expect(await one.send(desk)).toEqual({ id: "shop-2" });
    expect(one.ledger.map(({ isRemoved }) => isRemoved)).toEqual([true, false]);
  });

  test("refuses a name that somebody else took, and shows their thing", async () => {
    const one = shop();
    one.changeByOthers(desk);
    await expect(one.send(desk, { fingerprint: "f1" })).rejects.toMatchObject({ status: 409 });
    expect((await one.find("desk"))?.fingerprint).not.toBe("f1");
    expect(one.ledger).toEqual([]);
  });
});

describe("a fake destination that compares versions", () => {
  test("takes a write with the present version only, and each write makes a new one", async () => {
    const one = records();
    const { version, value } = await one.read("desk");
    expect(value).toBeNull();
    await one.send(desk, { version, idempotencyKey: "k1" });
    await expect(one.send(desk, { version })).rejects.toMatchObject({ status: 412 });
    const after = await one.read("desk");
    expect(after).toMatchObject({ value: desk });
    expect(after.version).not.toBe(version);
    expect(await one.find("k1")).toMatchObject({ request: desk });
  });

  test("refuses a version that somebody else has overtaken", async () => {
    const one = records();
    const { version } = await one.read("desk");
    one.changeByOthers({ ...desk, count: 9 });
    await expect(one.send(desk, { version })).rejects.toMatchObject({ status: 412 });
    expect((await one.read("desk")).value).toEqual({ ...desk, count: 9 });
  });

  test("says so when a write comes without a version", async () => {
    await expect(records().send(desk)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });
});

describe("a fake destination with a fence", () => {
  test("takes each token once, and none below the highest", async () => {
    const one = gate();
    await one.send(desk, { fencingToken: 5 });
    for (const fencingToken of [5, 4]) {
      await expect(one.send(desk, { fencingToken })).rejects.toMatchObject({ code: "NEWER_TOKEN", seen: 5 });
    }
    await one.send(desk, { fencingToken: 6 });
    expect(one.ledger).toHaveLength(2);
  });

  test("once raised, shuts out what is still under way, and reads back what ran", async () => {
    const one = gate();
    await one.send(desk, { fencingToken: 5, idempotencyKey: "k1", fingerprint: "f1" });
    expect(await one.raise(8, "k1")).toMatchObject({ fingerprint: "f1" });
    expect(await one.raise(7, "k2")).toBeNull();
    await expect(one.send(desk, { fencingToken: 8 })).rejects.toMatchObject({ seen: 8 });
  });
});

describe("a fake destination that is the engine's own database", () => {
  test("executes with the commit and not before, nor after a rollback", async () => {
    const one = own();
    const store = memoryStore();
    const transaction = await store.begin();
    expect(await one.send(desk, { transaction })).toEqual({ id: "own-1" });
    expect(one.ledger).toEqual([]);
    await transaction.rollBack();
    expect(one.ledger).toEqual([]);
    await expect(one.send(desk)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  test("is written once in a world, although its answer is lost and its worker dies", async () => {
    const one = own();
    const booking = defineCase("booking", { version: 1, owner: "it", input: z.object({}) }).step("book", {
      to: one.destination,
      run: ({ transaction }) => one.send(desk, { transaction }),
    });
    const world = createTestWorld({ cases: [booking] });
    const caseId = await world.start(booking, {});
    world.crashAt("afterSend", "book");
    world.loseAnswer("book");
    expectDone(await world.runToEnd(caseId));
    expect(one.ledger).toMatchObject([{ caseId, step: "book" }]);
  });
});

describe("any fake destination", () => {
  test("executes a request that arrives late, and its sender hears of a broken connection at once", async () => {
    const bank = fakeDestination<Order>("bank", { idempotency: { by: "lookup" } });
    bank.willArriveLate("10s");
    await expect(bank.send(desk, { idempotencyKey: "k1" })).rejects.toMatchObject({ code: "ECONNRESET" });
    // Outside of a test world there is no time to wait for.
    expect(bank.ledger).toHaveLength(1);
  });

  test("refuses what is not of its kind, and says why", async () => {
    const bank = fakeDestination<Order>("bank", { idempotency: { by: "lookup" } });
    await expect(bank.read("desk")).rejects.toThrow("compares no versions: it is repeated by lookup");
    await expect(bank.raise(1, "k1")).rejects.toThrow("has no fence");
    await expect(bank.remove("desk")).rejects.toThrow("no unique names");
    expect(() => bank.changeByOthers(desk)).toThrow("takes no notice of others");
    expect(() => fakeDestination("shop", { idempotency: { by: "unique" } })).toThrow(
      "Give the fake destination shop a `name`",
    );
  });

  test("forgets everything when it is reset", async () => {
    const one = records();
    const before = await one.read("desk");
    await one.send(desk, { version: before.version });
    one.willRefuse();
    one.reset();
    expect(await one.read("desk")).toEqual(before);
    await one.send(desk, { version: before.version });
    expect(one.ledger).toHaveLength(1);
  });
});
