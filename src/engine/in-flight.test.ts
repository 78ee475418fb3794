import { describe, expect, test, vi } from "vitest";
import type { DestinationState } from "../core/in-flight.ts";
import { isHeldBack } from "../core/plan-hold.ts";
import { defineCase } from "../define/builder.ts";
import type { CaseType } from "../define/case-type.ts";
import { defineDestination, type DestinationOptions } from "../define/destination.ts";
import { ResponseError } from "../triage/response.ts";
import type { StoredRow, Store } from "../store/port.ts";
import { anything, entriesOf, startCase } from "./case-types.fixture.ts";
import { type ManualClock, portsAround, settle } from "./manual-clock.fixture.ts";
import { BEAT_MS, Sends, Shop, type Run } from "./shop.fixture.ts";
import type { Worker, WorkerOptions } from "./worker.ts";

const SECOND = 1_000;

function orderAt(run: Run, inFlight: DestinationOptions["inFlight"], retry = {}): CaseType {
  const to = defineDestination("crm", {
    idempotency: { by: "key", window: "24h" },
    credential: "crm-1",
    ...(inFlight === undefined ? {} : { inFlight }),
    retry,
    owners: { access: "crm-admins" },
  });
  return defineCase("order", { version: 1, owner: "ops", input: anything }).step("send", { to, run });
}

/** A shop with many cases and workers. */
class Crowd {
  readonly shop = new Shop();
  readonly caseIds: string[] = [];
  readonly calls: string[] = [];

  async start(caseType: CaseType, count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const caseId = `${String(this.caseIds.length).padStart(2, "0")}case`;
      this.caseIds.push(caseId);
      await startCase(this.shop.store, caseType, { caseId });
    }
  }

  async workers(
    caseType: CaseType,
    count: number,
    options: Partial<WorkerOptions> = {},
  ): Promise<readonly Worker[]> {
    const workers: Worker[] = [];
    for (let n = 0; n < count; n += 1) {
      const ports = portsAround(this.shop.clock, `w${n}`);
      const worker = this.shop.worker(caseType, { ports, name: `w-${n}`, store: this.watched(), ...options });
      await worker.start();
      workers.push(worker);
    }
    await settle();
    return workers;
  }

  watched(): Store {
    const { store } = this.shop;
    return {
      ...store,
      changeDestination: (id, decide) => {
        this.calls.push("changeDestination");
        return store.changeDestination(id, decide);
      },
    };
  }

  async rows(): Promise<readonly StoredRow[]> {
    const rows = await Promise.all(this.caseIds.map((caseId) => this.shop.store.loadRow(caseId)));
    return rows.filter((row) => row !== null);
  }

  async count(state: StoredRow["state"]): Promise<number> {
    return (await this.rows()).filter((row) => row.state === state).length;
  }

  async heldBack(): Promise<readonly StoredRow[]> {
    return (await this.rows()).filter(
      ({ state, summary }) => state === "waiting" && summary.waits.some(isHeldBack),
    );
  }

  async known(): Promise<DestinationState | undefined> {
    return (await this.shop.store.readDestinations()).destinations[0]?.state;
  }

  /** Lets time pass in small steps until it holds; fails after `forMs`. */
  async until(forMs: number, holds: () => boolean | Promise<boolean>): Promise<number> {
    for (let passedMs = 0; passedMs <= forMs; passedMs += 50) {
      if (await holds()) return passedMs;
      await this.shop.clock.advance(50);
    }
    throw new Error(`it did not come to hold within ${forMs} ms`);
  }
}

/** A destination that is up or down, with what arrives there. */
class Outside {
  readonly clock: ManualClock;
  readonly arrivals: number[] = [];
  inFlight = 0;
  inFlightMax = 0;
  latencyMs = 100;
  trouble: (() => Error) | null = null;

  constructor(clock: ManualClock) {
    this.clock = clock;
  }

  readonly run: Run = async () => {
    this.arrivals.push(this.clock.now());
    this.inFlight += 1;
    this.inFlightMax = Math.max(this.inFlightMax, this.inFlight);
    await this.clock.sleep(this.latencyMs);
    this.inFlight -= 1;
    if (this.trouble !== null) throw this.trouble();
    return "done";
  };
}

const outage = (): Error => new ResponseError(503, "crm", {}, "");
const revoked = (): Error => new ResponseError(401, "crm", {}, "");

// Much virtual time in small steps: seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describe("what a worker sends", () => {
  test("is no more at once than the limit; the rest is given back, and no attempt is spent on it", async () => {
    const sends = new Sends();
    const order = orderAt(sends.run, { max: 2 });
    const crowd = new Crowd();
    await crowd.start(order, 6);
    const [worker] = await crowd.workers(order, 1);
    expect(sends.caseIds).toHaveLength(2);
    const held = await crowd.heldBack();
    expect(held).toHaveLength(4);
    expect(held[0]?.summary.waits).toMatchObject([
      { kind: "held", destination: "crm", credentialId: "crm-1" },
    ]);
    for (const { caseId } of held) {
      expect(await entriesOf(crowd.shop.store, caseId)).toEqual(["caseStarted", "parked"]);
    }
    await sends.end(2);
    await crowd.until(5 * SECOND, () => sends.caseIds.length === 4);
    await sends.end(2);
    await crowd.until(5 * SECOND, () => sends.caseIds.length === 6);
    await sends.end(2);
    await crowd.until(SECOND, async () => (await crowd.count("done")) === 6);
    expect(new Set(sends.caseIds).size).toBe(6);
    await worker?.stop();
  });

  test("is looked at again without a word in the journal while nothing has changed", async () => {
    const sends = new Sends();
    const order = orderAt(sends.run, { max: 1 });
    const crowd = new Crowd();
    await crowd.start(order, 2);
    const [worker] = await crowd.workers(order, 1);
    const [before] = await crowd.heldBack();
    await crowd.shop.clock.advance(10 * SECOND);
    const [after] = await crowd.heldBack();
    expect(after?.revision).toBe(before?.revision);
    expect(after?.dueAt).toBeGreaterThan(before?.dueAt ?? 0);
    await sends.end(1);
    await crowd.until(5 * SECOND, () => sends.caseIds.length === 2);
    await sends.end(1);
    await worker?.stop();
  });

  test("costs a lone case that goes well nothing: no question is asked and nothing is written", async () => {
    const sends = new Sends();
    const order = orderAt(sends.run, undefined);
    const crowd = new Crowd();
    const [worker] = await crowd.workers(order, 1);
    for (let n = 0; n < 5; n += 1) {
      await crowd.start(order, 1);
      worker?.hint();
      await settle();
      await sends.end(1);
      await crowd.shop.clock.advance(BEAT_MS);
    }
    expect(await crowd.count("done")).toBe(5);
    expect(crowd.calls).toEqual([]);
    expect(await crowd.known()).toBeUndefined();
    await worker?.stop();
  });

  test("rises beyond the start while more waits, and never above the maximum", async () => {
    const crowd = new Crowd();
    const outside = new Outside(crowd.shop.clock);
    const order = orderAt(outside.run, { start: 2, max: 6 });
    await crowd.start(order, 60);
    const workers = await crowd.workers(order, 2);
    await crowd.until(60 * SECOND, async () => (await crowd.count("done")) === 60);
    expect(outside.inFlightMax).toBeGreaterThan(3);
    expect(outside.inFlightMax).toBeLessThanOrEqual(6);
    expect(outside.arrivals).toHaveLength(60);
    for (const worker of workers) await worker.stop();
  });
});

describe("workers together", () => {
  test("share the limit, also one that is lower than their number", async () => {
    const crowd = new Crowd();
    const outside = new Outside(crowd.shop.clock);
    const order = orderAt(outside.run, { start: 2, max: 2 });
    const workers = await crowd.workers(order, 3);
    await crowd.shop.clock.advance(2 * BEAT_MS);
    await crowd.start(order, 30);
    for (const worker of workers) worker.hint();
    await crowd.until(120 * SECOND, async () => (await crowd.count("done")) === 30);
    expect(outside.inFlightMax).toBe(2);
    expect(outside.arrivals).toHaveLength(30);
    expect((await crowd.known())?.permits).toEqual([]);
    for (const worker of workers) await worker.stop();
  });

  test("go on when one of them is lost with the only permit", async () => {
    const crowd = new Crowd();
    const sends = new Sends();
    const order = orderAt(sends.run, { max: 1 });
    const [first] = await crowd.workers(order, 2);
    await crowd.shop.clock.advance(2 * BEAT_MS);
    await crowd.start(order, 1);
    first?.hint();
    await settle();
    expect(sends.caseIds).toHaveLength(1);
    const [permit] = (await crowd.known())?.permits ?? [];
    await crowd.shop.store.endHolder(permit?.holderId ?? "", null);
    await crowd.start(order, 1);
    await crowd.until(20 * SECOND, () => sends.caseIds.length === 2);
  });
});

describe("a destination that is down", () => {
  test("gets probes, and what comes back is raised from one: no surge", async () => {
    const crowd = new Crowd();
    const outside = new Outside(crowd.shop.clock);
    const order = orderAt(outside.run, undefined, { firstDelay: "5s" });
    const workers = await crowd.workers(order, 4);
    await crowd.shop.clock.advance(2 * BEAT_MS);
    outside.trouble = outage;
    await crowd.start(order, 80);
    for (const worker of workers) worker.hint();
    await crowd.shop.clock.advance(5 * SECOND);
    const atOnce = outside.arrivals.length;
    expect(atOnce).toBeLessThan(30);
    await crowd.shop.clock.advance(25 * SECOND);
    expect(outside.arrivals.length - atOnce).toBeLessThan(15);
    expect((await crowd.known())?.downSinceAt).not.toBeNull();
    expect((await crowd.heldBack()).length).toBeGreaterThan(60);
    outside.trouble = null;
    outside.inFlightMax = 0;
    const backAt = crowd.shop.clock.now();
    await crowd.until(60 * SECOND, async () => (await crowd.count("done")) === 80);
    const first = outside.arrivals.filter((at) => at >= backAt && at < backAt + 10 * SECOND).slice(0, 4);
    expect((first[3] ?? 0) - (first[0] ?? 0)).toBeGreaterThan(50);
    expect(outside.inFlightMax).toBeLessThan(20);
    expect(outside.arrivals.length).toBeLessThan(80 * 1.6);
    expect(await crowd.count("in_review")).toBe(0);
    for (const worker of workers) await worker.stop();
  });

  test("that asks to slow down is sent nothing by anybody until the time it named", async () => {
    const crowd = new Crowd();
    const outside = new Outside(crowd.shop.clock);
    const order = orderAt(outside.run, { start: 1, max: 4 });
    const workers = await crowd.workers(order, 2);
    await crowd.shop.clock.advance(2 * BEAT_MS);
    outside.trouble = () => new ResponseError(429, "crm", { "retry-after": "30" }, "");
    await crowd.start(order, 10);
    for (const worker of workers) worker.hint();
    await crowd.shop.clock.advance(SECOND);
    const asked = outside.arrivals.length;
    outside.trouble = null;
    await crowd.shop.clock.advance(28 * SECOND);
    expect(outside.arrivals).toHaveLength(asked);
    await crowd.until(60 * SECOND, async () => (await crowd.count("done")) === 10);
    expect(outside.arrivals).toHaveLength(10 + asked);
    for (const worker of workers) await worker.stop();
  });
});

describe("a credential that is refused to one case", () => {
  test("is not tried by the others before somebody acts: they wait for who can restore it", async () => {
    const crowd = new Crowd();
    const outside = new Outside(crowd.shop.clock);
    const order = orderAt(outside.run, { start: 1 });
    outside.trouble = revoked;
    await crowd.start(order, 20);
    const [worker] = await crowd.workers(order, 1);
    await crowd.shop.clock.advance(60 * SECOND);
    expect(outside.arrivals).toHaveLength(1);
    const waiting = await crowd.heldBack();
    expect(waiting).toHaveLength(19);
    expect(waiting[0]?.summary.waits).toMatchObject([{ kind: "access", owner: "crm-admins" }]);
    const { denial } = (await crowd.known()) ?? {};
    expect(denial?.cause).toBe("denied");
    expect(denial?.sentence).toContain("401");
    await worker?.stop();
  });
});

test("a case goes on where nothing can be learned about its destination, and the fault is told", async () => {
  const crowd = new Crowd();
  const sends = new Sends();
  const order = orderAt(sends.run, undefined);
  const { store } = crowd.shop;
  const failing: Store = { ...store, readDestinations: () => Promise.reject(new Error("no such table")) };
  await crowd.start(order, 1);
  const [worker] = await crowd.workers(order, 1, { store: failing });
  expect(sends.caseIds).toHaveLength(1);
  expect(crowd.shop.kinds()).toContain("bug");
  await sends.end(1);
  await worker?.stop();
});
