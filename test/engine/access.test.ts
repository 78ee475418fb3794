/** One restored access releases every case that waits on it, after one of them was tried. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { FootholdError } from "../../src/core/errors.ts";
import { defineCase } from "../../src/define/builder.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { registryOf } from "../../src/define/registry.ts";
import { createDesk } from "../../src/desk/desk.ts";
import { ENGINE_VERSION } from "../../src/engine/version.ts";
import type { Store } from "../../src/store/port.ts";
import { expectOk } from "../../src/triage/response.ts";
import { input, worldsOn, type World } from "./world.ts";

/** A destination that answers every request with the status it is told. */
class Gate {
  status = 401;
  retryAfterS: number | null = null;
  requests = 0;
  readonly server: Server = createServer((request, response) => {
    this.requests += 1;
    request.resume();
    const reset = this.retryAfterS === null ? {} : { "retry-after": String(this.retryAfterS) };
    const headers = { "content-type": "application/json", ...reset };
    response.writeHead(this.status, headers).end(`{"id":${this.requests}}`);
  });

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/orders`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const worlds = worldsOn("PostgreSQL");
afterAll(worlds.drop);

async function setUp(
  hasWorker = true,
): Promise<{ readonly world: World; readonly gate: Gate; readonly order: CaseType }> {
  const credential = "erp-account";
  const world = await worlds.open();
  const gate = new Gate();
  const url = await gate.open();
  world.onClose(() => gate.close());
  const erp = defineDestination("erp", {
    idempotency: { by: "key", window: "24h" },
    credential,
    owners: { access: "erp-admins" },
  });
  const order = defineCase("order", { version: 1, owner: "ops", input }).step("send", {
    to: erp,
    run: async ({ idempotencyKey, signal }) => {
      const headers = { "idempotency-key": idempotencyKey };
      await expectOk(await fetch(url, { method: "POST", headers, signal }));
      return null;
    },
  });
  if (hasWorker) await world.worker([order]);
  return { world, gate, order };
}

/** The first is refused; the others do not try what was refused to it. */
async function denied(world: World, order: CaseType, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    ids.push(await world.start(order));
    if (n === 0) await world.rests(ids[0] ?? "", "in_review");
  }
  for (const id of ids.slice(1)) await world.rests(id, "waiting");
  return ids;
}

/** Each is refused itself: they were under way together. */
async function deniedTogether(world: World, order: CaseType, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await world.start(order));
  await world.worker([order]);
  for (const id of ids) await world.rests(id, "in_review");
  return ids;
}

describe("an access that was restored", () => {
  test("is tried with one of 100 waiting cases, and then all 100 go on, each with one request", async () => {
    const { world, gate, order } = await setUp();
    const ids = await denied(world, order, 100);
    expect((await world.row(ids[0] ?? "")).summary.reviews).toMatchObject([
      { reason: "denied", owner: "erp-admins" },
    ]);
    expect(gate.requests).toBe(1);
    const waiting = (await world.desk(order).list({ states: ["waiting"], limit: 1 })).cases[0];
    expect(waiting?.reading.state).toBe("Needs access");
    expect(waiting?.reading.sentence).toContain("erp-account was refused access since");
    expect(waiting?.reading.sentence).toContain("99 cases wait");
    gate.status = 201;
    const before = gate.requests;
    const reply = await world.desk(order).restoreAccess({ destination: "erp", by: "kim" });
    expect(reply).toMatchObject({
      credentialId: "erp-account",
      probe: { kind: "works" },
      released: 100,
      waiting: 0,
    });
    for (const id of ids) await world.rests(id, "done");
    expect(gate.requests - before).toBe(100);
    expect(await world.desk(order).restoreAccess({ destination: "erp", by: "kim" })).toMatchObject({
      probe: { kind: "nothingWaits" },
    });
  });

  test("is tried with the next case where the one that was refused is kept by something else", async () => {
    const { world, gate, order } = await setUp();
    const ids = await denied(world, order, 3);
    const desk = world.desk(order);
    await desk.openRepair(ids[0] ?? "", { by: "pat", host: "h", build: "1" });
    await desk.openRepair(ids[1] ?? "", { by: "pat", host: "h", build: "1" });
    gate.status = 201;
    expect(await desk.restoreAccess({ destination: "erp", by: "kim" })).toMatchObject({
      probe: { kind: "works", caseId: ids[2] },
    });
    await world.rests(ids[2] ?? "", "done");
  });

  test("is told again for what a person had open when it was restored", async () => {
    const { world, gate, order } = await setUp();
    const [first = "", second = ""] = await denied(world, order, 2);
    const desk = world.desk(order);
    const { repairId } = await desk.openRepair(second, { by: "pat", host: "h", build: "1" });
    gate.status = 201;
    await desk.restoreAccess({ destination: "erp", by: "kim" });
    await world.rests(first, "done");
    await desk.closeRepair(second, repairId);
    const again = await desk.restoreAccess({ destination: "erp", by: "kim" });
    expect(again).toMatchObject({ probe: { kind: "works", caseId: second }, released: 1, waiting: 0 });
    await world.rests(second, "done");
  });

  test("goes on after it broke off in the middle, and nothing of it runs on behind its back", async () => {
    const { world, gate, order } = await setUp(false);
    const ids = await deniedTogether(world, order, 10);
    gate.status = 201;
    let writes = 0;
    const away = new FootholdError("DATABASE_UNAVAILABLE", "The database is away.");
    const store = world.store;
    const breaking: Store = {
      ...store,
      changeCase: async (caseId, change, decide) => {
        writes += 1;
        if (writes > 4) throw away;
        return store.changeCase(caseId, change, decide);
      },
    };
    const desk = createDesk({
      store: breaking,
      ports: world.ports,
      registry: registryOf([order]),
      engineVersion: ENGINE_VERSION,
    });
    const broken = desk.restoreAccess({ destination: "erp", by: "kim" });
    await expect(broken).rejects.toMatchObject({
      code: "DATABASE_UNAVAILABLE",
      message: expect.stringContaining("4 cases go on, 6 wait still") as unknown,
    });
    const after = writes;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(writes).toBe(after);
    const reply = await world.desk(order).restoreAccess({ destination: "erp", by: "kim" });
    expect(reply).toMatchObject({ probe: { kind: "works" }, released: 6, waiting: 0 });
    for (const id of ids) await world.rests(id, "done");
    expect(gate.requests).toBe(20);
  });

  test("is shown with the destination: who waits, since when, and who can restore it", async () => {
    const { world, order } = await setUp();
    await denied(world, order, 3);
    const { destinations } = await world.desk(order).destinations();
    expect(destinations).toMatchObject([
      {
        destination: "erp",
        credentialId: "erp-account",
        standing: "denied",
        heldBack: 2,
        workers: 1,
        limit: 10,
      },
    ]);
    expect(destinations[0]?.sentence).toMatch(
      /^erp-account is refused access at erp since .*; 2 cases wait$/,
    );
  });

  test("that is still refused costs one request, and nothing else is released", async () => {
    const { world, gate, order } = await setUp();
    await denied(world, order, 5);
    const before = gate.requests;
    const reply = await world.desk(order).restoreAccess({ destination: "erp", by: "kim" });
    expect(reply).toMatchObject({ probe: { kind: "stillDenied" }, released: 0, waiting: 5 });
    expect(gate.requests - before).toBe(1);
  });

  test("that is down for another reason cannot be told, and says why", async () => {
    const { world, gate, order } = await setUp();
    await denied(world, order, 2);
    gate.status = 503;
    const reply = await world.desk(order).restoreAccess({ destination: "erp", by: "kim" });
    expect(reply).toMatchObject({ probe: { kind: "cannotTell" }, released: 0 });
  });

  test("is named by destination and credential; a wrong name is refused with those that there are", async () => {
    const { world, order } = await setUp();
    const desk = world.desk(order);
    await expect(desk.restoreAccess({ destination: "crm", by: "kim" })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("They send to: erp") as unknown,
    });
    const wrong = { destination: "erp", credentialId: "other", by: "kim" };
    await expect(desk.restoreAccess(wrong)).rejects.toMatchObject({
      message: expect.stringContaining("name one of erp-account") as unknown,
    });
  });
});

describe("a quota that is used up, with a reset that is named", () => {
  test("is tried once by the one case that was refused, when it is reset", async () => {
    const { world, gate, order } = await setUp();
    Object.assign(gate, { status: 402, retryAfterS: 1 });
    const id = await world.start(order);
    await world.rests(id, "waiting");
    const { summary } = await world.row(id);
    expect(summary.waits).toMatchObject([{ kind: "access", owner: "erp-admins" }]);
    expect(summary.lastFailure).toMatchObject({ kind: "quota" });
    gate.status = 201;
    await world.rests(id, "done");
    expect(gate.requests).toBe(2);
  });

  test("is for people alone once that try is refused too", async () => {
    const { world, gate, order } = await setUp();
    Object.assign(gate, { status: 402, retryAfterS: 1 });
    const id = await world.start(order);
    await world.rests(id, "in_review");
    expect((await world.row(id)).summary.reviews).toMatchObject([{ reason: "quota", owner: "erp-admins" }]);
    expect(gate.requests).toBe(2);
  });

  test("need not be waited for where somebody raised it: all who were refused go on", async () => {
    const { world, gate, order } = await setUp(false);
    Object.assign(gate, { status: 402, retryAfterS: 600 });
    const ids = [await world.start(order), await world.start(order)];
    await world.worker([order]);
    for (const id of ids) await world.rests(id, "waiting");
    gate.status = 201;
    const reply = await world.desk(order).restoreAccess({ destination: "erp", by: "kim" });
    expect(reply).toMatchObject({ probe: { kind: "works" }, waiting: 0 });
    for (const id of ids) await world.rests(id, "done");
  });
});
