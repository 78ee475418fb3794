import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { CaseType } from "../../src/define/case-type.ts";
import { FootholdError } from "../../src/core/errors.ts";
import { defineCase } from "../../src/define/builder.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { systemPorts } from "../../src/engine/system.ts";
import { tellParent } from "../../src/engine/tell-parent.ts";
import { maskJournal } from "../../src/desk/masked-journal.ts";
import type { Store } from "../../src/store/port.ts";
import type { TestDestination } from "./destination.ts";
import { post, STORES, until, worldsOn, type World } from "./world.ts";

const shop = defineDestination("shop", {
  idempotency: { by: "key", window: "24h" },
  retry: { maxAttempts: 5, firstDelay: "20ms" },
});

/** An order pays, ships and tells; a shipment has a label for each parcel, which is a case of its own. */
function ordersAt(destination: TestDestination) {
  const back = { run: (context: { readonly result: unknown }) => send(destination, "/back", context) };
  const label = defineCase("label", { version: 1, owner: "print", input: z.object({ parcel: z.string() }) })
    .step("print", {
      to: shop,
      request: ({ input }) => ({ parcel: input.parcel }),
      run: (context) => post(destination, `/labels/${context.input.parcel}`)(context),
      undo: back,
    })
    .result(({ input }) => ({ label: `L-${input.parcel}` }));
  const shipment = defineCase("shipment", {
    version: 1,
    owner: "depot",
    input: z.object({ parcels: z.array(z.string()).min(1) }),
  })
    .step("pack", { to: shop, request: ({ input }) => input, run: post(destination, "/packs"), undo: back })
    .eachChild("labels", {
      items: ({ input }) => input.parcels,
      key: (parcel) => parcel,
      atOnce: 2,
      of: label,
      input: ({ item }) => ({ parcel: item }),
    })
    .result(({ results }) => ({ labels: Object.values(results.labels).map((one) => one.label) }));
  const order = defineCase("order", {
    version: 1,
    owner: "sales",
    input: z.object({ parcels: z.array(z.string()), total: z.number().default(9) }),
  })
    .step("pay", {
      to: shop,
      uses: ["total"],
      request: ({ input }) => ({ pays: input.total }),
      run: post(destination, "/payments"),
      undo: back,
    })
    .child("ship", { of: shipment, input: ({ input }) => ({ parcels: input.parcels }), onLapse: "undo" })
    .step("tell", {
      to: shop,
      request: ({ results }) => ({ tells: results.ship.labels }),
      run: post(destination, "/mails"),
      undo: back,
    });
  return { order, shipment, label, all: [order, shipment, label] as const };
}

async function send(destination: TestDestination, path: string, context: object): Promise<unknown> {
  return post(destination, path)({ ...context, request: null } as Parameters<ReturnType<typeof post>>[0]);
}

async function childrenOf(world: World, caseId: string) {
  const { rows } = await world.store.listCases({ parentId: caseId, limit: 100 });
  return rows;
}

async function started(world: World, all: readonly CaseType[], value: unknown): Promise<string> {
  const [first] = all;
  if (first === undefined) throw new Error("there is no case type");
  const { caseId } = await world.desk(...all).startCase(first.outline.name, value, { by: "ann" });
  return caseId;
}

describe.each(STORES)("a child on %s", (kind) => {
  const worlds = worldsOn(kind);
  afterAll(worlds.drop);

  test("is started once for each intent, and its result is its parent's, three levels deep", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const { all } = ordersAt(destination);
    destination.script("/labels/b", "loseAnswer");
    await world.worker(all);
    const caseId = await started(world, all, { parcels: ["a", "b", "c"] });
    await world.rests(caseId, "done");
    expect(destination.effects.map(({ path }) => path).toSorted()).toEqual(
      ["/payments", "/packs", "/labels/a", "/labels/b", "/labels/c", "/mails"].toSorted(),
    );
    expect(destination.effects.at(-1)?.body).toBe(JSON.stringify({ tells: ["L-a", "L-b", "L-c"] }));
    const [shipment, ...others] = await childrenOf(world, caseId);
    expect(others).toEqual([]);
    expect(shipment).toMatchObject({
      caseType: "shipment",
      state: "done",
      businessKey: `${caseId}.ship.1`,
      summary: { parent: { caseId, step: "ship" } },
    });
    const labels = await childrenOf(world, shipment?.caseId ?? "");
    expect(new Set(labels.map(({ businessKey }) => businessKey))).toEqual(
      new Set(["a", "b", "c"].map((key) => `${shipment?.caseId}.labels[${key}].1`)),
    );
    expect(await world.kinds(caseId)).toEqual(expect.arrayContaining(["childStarted", "childTold"]));
  });

  test("gives what its parent masks: seen as a mark in the parent too, and by its step as it is", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const account = "acct-canary-58";
    const opened = defineCase("opened", {
      version: 1,
      owner: "bank",
      input: z.object({ account: z.string() }),
      masked: ["account"],
    })
      .sleep("rest", { for: "1ms" })
      .result(({ input }) => ({ account: input.account }));
    const client = defineCase("client", { version: 1, owner: "sales", input: z.object({ name: z.string() }) })
      .child("open", { of: opened, input: () => ({ account }), masked: ["account"] })
      .step("tell", {
        to: shop,
        request: ({ results }) => ({ tells: results.open.account }),
        run: post(destination, "/mails"),
      });
    const all = [client, opened] as const;
    await world.worker(all);
    const caseId = await started(world, all, { name: "Ada" });
    await world.rests(caseId, "done");
    expect(destination.effects.at(-1)?.body).toBe(JSON.stringify({ tells: account }));
    const desk = world.desk(...all);
    const [child] = await childrenOf(world, caseId);
    for (const [caseType, one] of [
      [client, caseId],
      [opened, child?.caseId ?? ""],
    ] as const) {
      const stored = await world.store.loadCase(one);
      const told = JSON.stringify([await desk.show(one), maskJournal(caseType, stored?.journal ?? [])]);
      expect(told).toContain("[masked");
      expect(told).not.toContain(account);
    }
    const { values } = await desk.reveal(caseId, { by: "ann", reason: "the bank asks" });
    expect(values).toContainEqual({ part: "result", name: "open", path: "account", value: account });
  });

  test("waits without a time of its own, and shows above that it waits for people", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const { all } = ordersAt(destination);
    const desk = world.desk(...all);
    destination.script("/labels/a", { status: 422, body: { message: "no such parcel" } });
    await world.worker(all);
    world.sweep({ intervalMs: 50 });
    const caseId = await started(world, all, { parcels: ["a"] });
    const row = await until("the order to show it", async () => {
      const found = await world.row(caseId);
      const [wait] = found.summary.waits;
      return wait?.kind === "child" && wait.needsPeople ? found : null;
    });
    expect(row).toMatchObject({ state: "waiting", dueAt: null });
    const [shipment] = await childrenOf(world, caseId);
    const [label] = await childrenOf(world, shipment?.caseId ?? "");
    if (label === undefined) throw new Error("there is no label");
    const view = await desk.show(label.caseId);
    expect(view).toMatchObject({ parent: { caseId: shipment?.caseId, step: "labels[a]" }, children: [] });
    expect((await desk.show(caseId)).children).toMatchObject([
      { step: "ship", caseId: shipment?.caseId, caseType: "shipment", standing: "inReview" },
    ]);
    expect((await desk.list({ parentId: caseId })).cases).toMatchObject([
      { caseId: shipment?.caseId, reading: { state: "Waiting for child" }, parent: { caseId, step: "ship" } },
    ]);
    expect(label).toMatchObject({ state: "in_review" });
    await desk.skipStep(label.caseId, { step: "print", by: "ann", reason: "by hand" });
    await world.rests(caseId, "done");
  });

  test("is shown to all above by the sweep, where whoever told the first of them was lost before the next", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const { all } = ordersAt(destination);
    destination.script("/labels/a", { status: 422, body: { message: "no such parcel" } });
    const caseId = await started(world, all, { parcels: ["a"] });
    const store: Store = {
      ...world.store,
      changeCase: (changed, change, decide) =>
        changed === caseId
          ? Promise.reject(new FootholdError("DATABASE_UNAVAILABLE", "The test lost it."))
          : world.store.changeCase(changed, change, decide),
    };
    await world.worker(all, { store });
    await until("the shipment to show it", async () => {
      const [shipment] = await childrenOf(world, caseId);
      const [wait] = shipment?.summary.waits ?? [];
      return wait?.kind === "child" && wait.needsPeople ? true : null;
    });
    world.sweep({ intervalMs: 50 });
    const shown = await until("the order to show it", async () => {
      const [wait] = (await world.row(caseId)).summary.waits;
      return wait?.kind === "child" && wait.needsPeople ? wait : null;
    });
    expect(shown).toMatchObject({ step: "ship", caseType: "shipment" });
  });

  test("tells that it needs nobody any more, where what was noted of the telling before that was lost", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const { all, label } = ordersAt(destination);
    destination.script("/labels/a", { status: 422, body: { message: "no such parcel" } });
    const caseId = await started(world, all, { parcels: ["a"] });
    const { children } = world.store;
    const store: Store = {
      ...world.store,
      children: {
        ...children,
        noteTold: (told, standing, known) =>
          standing === "inReview"
            ? Promise.reject(new FootholdError("DATABASE_UNAVAILABLE", "The test lost it."))
            : children.noteTold(told, standing, known),
      },
    };
    const worker = await world.worker(all, { store });
    const needsPeople = async (): Promise<boolean> => {
      const [wait] = (await world.row(caseId)).summary.waits;
      return wait?.kind === "child" && wait.needsPeople;
    };
    await until("the order to show it", async () => ((await needsPeople()) ? true : null));
    await worker.stop({ graceMs: 1_000 });
    const [shipment] = await childrenOf(world, caseId);
    const [stopped] = await childrenOf(world, shipment?.caseId ?? "");
    const desk = world.desk(...all);
    const input = { parcel: "b" };
    await desk.correctInput(stopped?.caseId ?? "", { input, by: "ann", reason: "wrong one" });
    expect(await world.row(stopped?.caseId ?? "")).toMatchObject({
      caseType: label.outline.name,
      state: "ready",
    });
    world.sweep({ intervalMs: 50 });
    await until("the order to need nobody", async () => ((await needsPeople()) ? null : true));
  });

  test("is found by the sweep where those above learned of it by a case below, and it stands again as before", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const { all } = ordersAt(destination);
    destination.script("/labels/a", { status: 422, body: { message: "no such parcel" } });
    const caseId = await started(world, all, { parcels: ["a"] });
    const needsPeople = async (): Promise<boolean> => {
      const [wait] = (await world.row(caseId)).summary.waits;
      return wait?.kind === "child" && wait.needsPeople;
    };
    const worker = await world.worker(all);
    await until("the order to show the label's review", async () => ((await needsPeople()) ? true : null));
    const shipmentId = (await childrenOf(world, caseId))[0]?.caseId ?? "";
    const labelId = (await childrenOf(world, shipmentId))[0]?.caseId ?? "";
    const desk = world.desk(...all);
    const said = { by: "ann", reason: "another one" };
    const isInReview = async (): Promise<true | null> =>
      (await world.row(shipmentId)).summary.reviews.length > 0 ? true : null;
    await desk.correctInput(shipmentId, { input: { parcels: ["a", "b"] }, ...said });
    await until("the shipment's own review", isInReview);
    await worker.stop({ graceMs: 1_000 });
    await tellParent({ store: world.store, ports: systemPorts() }, shipmentId);

    // Nobody works: both need nobody for a moment, and the order hears of it by the label.
    await desk.correctInput(labelId, { input: { parcel: "c" }, ...said });
    await desk.pause(labelId, said);
    await desk.correctInput(shipmentId, { input: { parcels: ["a", "c"] }, ...said });
    await tellParent({ store: world.store, ports: systemPorts() }, labelId);
    expect(await needsPeople()).toBe(false);

    const store: Store = {
      ...world.store,
      changeCase: (changed, ...rest) =>
        changed === caseId
          ? Promise.reject(new FootholdError("DATABASE_UNAVAILABLE", "The test lost it."))
          : world.store.changeCase(changed, ...rest),
    };
    const silent = await world.worker(all, { store });
    await until("the shipment's own review again", isInReview);
    await silent.stop({ graceMs: 1_000 });
    world.sweep({ intervalMs: 50 });
    await until("the order to show it", async () => ((await needsPeople()) ? true : null));
  });

  test("is canceled before its parent goes on undoing, and everything is undone", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const { all } = ordersAt(destination);
    destination.script("/labels/b", { status: 422 });
    await world.worker(all);
    world.sweep({ intervalMs: 50 });
    const caseId = await started(world, all, { parcels: ["a", "b"] });
    const [shipment] = await until("the shipment", async () => {
      const found = await childrenOf(world, caseId);
      return found.length > 0 ? found : null;
    });
    const shipmentId = shipment?.caseId ?? "";
    await until("two labels to rest", async () => {
      const found = await childrenOf(world, shipmentId);
      return found.filter(({ state }) => state === "done" || state === "in_review").length === 2;
    });
    await world.desk(...all).cancel(caseId, { by: "ann", reason: "ordered twice" });
    await world.rests(caseId, "canceled");
    const below = [...(await childrenOf(world, caseId)), ...(await childrenOf(world, shipmentId))];
    expect(below.map(({ state }) => state)).toEqual(["canceled", "canceled", "canceled"]);
    expect(destination.effects.map(({ path }) => path)).toEqual([
      "/payments",
      "/packs",
      "/labels/a",
      "/back",
      "/back",
      "/back",
    ]);
  });

  test("is canceled and started anew where what it was started for is corrected", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const { all } = ordersAt(destination);
    destination.script("/mails", { status: 422 });
    await world.worker(all);
    world.sweep({ intervalMs: 50 });
    const caseId = await started(world, all, { parcels: ["a"] });
    await world.rests(caseId, "in_review");
    await world
      .desk(...all)
      .correctInput(caseId, { input: { parcels: ["b"] }, by: "ann", reason: "wrong one" });
    await until("the order to go on", async () => {
      const found = await childrenOf(world, caseId);
      return found.length === 2 && found.every(({ state }) => state === "done" || state === "canceled");
    });
    const found = await childrenOf(world, caseId);
    expect(found.map(({ businessKey, state }) => `${businessKey} ${state}`).toSorted()).toEqual([
      `${caseId}.ship.1 canceled`,
      `${caseId}.ship.2 done`,
    ]);
  });
});
