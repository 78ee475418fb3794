import { describe, expect, test } from "vitest";
import type { Store } from "../store/port.ts";
import { entriesOf, startCase } from "./case-types.fixture.ts";
import { settle } from "./manual-clock.fixture.ts";
import { away, LEASE_MS, orderWith, Sends, Shop } from "./shop.fixture.ts";

describe("a stop", () => {
  test("is safe twice, before a start, and when a start has failed", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    const idle = shop.worker(order);
    await idle.stop();
    await idle.stop();
    const failed = shop.worker(order, {
      store: { ...shop.store, checkSchema: () => Promise.reject(away()) },
    });
    await expect(failed.start()).rejects.toThrow("away");
    await failed.stop();
    expect(shop.clock.sleepers).toBe(0);
  });

  test("during a start leaves nothing behind, and nothing can be started after it", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    const answers: (() => void)[] = [];
    let listeners = 0;
    const store: Store = {
      ...shop.store,
      checkSchema: () => new Promise((resolve) => answers.push(() => resolve(0))),
      listen: () => {
        listeners += 1;
        return Promise.resolve(async () => {
          listeners -= 1;
        });
      },
    };
    const worker = shop.worker(order, { store });
    const starting = worker.start();
    const stopping = worker.stop();
    await settle();
    for (const answer of answers) answer();
    await Promise.all([starting, stopping]);
    expect(listeners).toBe(0);
    expect((await shop.store.listHolders()).filter(({ endedAt }) => endedAt === null)).toEqual([]);
    expect(shop.clock.sleepers).toBe(0);
    const idle = shop.worker(order);
    await idle.stop();
    await expect(idle.start()).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  test("tells what was tried, once for all of it, and ends all the same where that cannot be told", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    await startCase(shop.store, order);
    let tellings = 0;
    const samples: Store["samples"] = {
      ...shop.store.samples,
      tellAttempts: async (countedBy, counted) => {
        tellings += 1;
        await shop.store.samples.tellAttempts(countedBy, counted);
        throw away();
      },
    };
    const worker = shop.worker(order, { store: { ...shop.store, samples } });
    await worker.start();
    await settle();
    expect(tellings).toBe(0);
    await worker.stop();
    expect(tellings).toBe(1);
    const [counted] = await shop.store.samples.listAttempts(0);
    expect(counted).toMatchObject({ failed: 0, repeats: 0 });
    expect(counted?.attempts).toBeGreaterThan(0);
    expect((await shop.store.listHolders()).filter(({ endedAt }) => endedAt === null)).toEqual([]);
  });

  test("waits for what runs no longer than it was given, then aborts it", async () => {
    const shop = new Shop();
    const order = orderWith(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
    );
    await startCase(shop.store, order);
    const worker = shop.worker(order);
    await worker.start();
    await settle();
    let isOver = false;
    const stopping = worker.stop({ graceMs: 10_000 }).then(() => (isOver = true));
    await shop.clock.advance(9_999);
    expect(isOver).toBe(false);
    await shop.clock.advance(1);
    await stopping;
    expect((await shop.store.loadCase("00case"))?.row).toMatchObject({ state: "ready", claim: null });
    expect(await entriesOf(shop.store)).toContain("attemptFailed");
  });

  test("waits for a claim under way, and gives back what that brings", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    await startCase(shop.store, order);
    const answers: (() => void)[] = [];
    const store: Store = {
      ...shop.store,
      claimDue: async (request) => {
        const reply = await shop.store.claimDue(request);
        await new Promise<void>((resolve) => answers.push(resolve));
        return reply;
      },
      commit: async (commits) => {
        await settle();
        return shop.store.commit(commits);
      },
    };
    const worker = shop.worker(order, { store });
    await worker.start();
    await settle();
    const stopping = worker.stop();
    await settle();
    for (const answer of answers) answer();
    await stopping;
    expect((await shop.store.loadCase("00case"))?.row).toMatchObject({ state: "ready", claim: null });
    expect(shop.clock.sleepers).toBe(0);
  });

  test("goes on beating while it waits, so that nobody takes what it finishes", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    await startCase(shop.store, order);
    const worker = shop.worker(order);
    await worker.start();
    await settle();
    const stopping = worker.stop();
    await shop.clock.advance(4 * LEASE_MS);
    expect((await shop.store.listHolders())[0]?.endedAt).toBeNull();
    await sends.end();
    await shop.clock.advance(1);
    await stopping;
    expect(await entriesOf(shop.store)).toContain("stepConfirmed");
  });

  test("does not fail when the database is away: the sweep frees what could not be given back", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    await startCase(shop.store, order);
    let isAway = false;
    const store: Store = {
      ...shop.store,
      commit: (commits) => (isAway ? Promise.reject(away()) : shop.store.commit(commits)),
      endHolder: () => Promise.reject(away()),
      beat: () => Promise.reject(away()),
    };
    const worker = shop.worker(order, { store });
    await worker.start();
    await settle();
    isAway = true;
    await sends.end();
    const stopping = worker.stop({ graceMs: 1_000 });
    await shop.clock.advance(20_000);
    await stopping;
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("claimed");
    expect(shop.kinds()).not.toContain("bug");
  });

  test("gives back at once what waits for its turn at the gate", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    await shop.lost(order, "00lost");
    await startCase(shop.store, order, { caseId: "00other" });
    const worker = shop.worker(order);
    await worker.start();
    await settle();
    const waits = sends.caseIds.includes("00lost") ? "00other" : "00lost";
    const stopping = worker.stop();
    await settle();
    expect((await shop.store.loadCase(waits))?.row).toMatchObject({ state: "ready", claim: null });
    await sends.end();
    await shop.clock.advance(1);
    await stopping;
  });
});
