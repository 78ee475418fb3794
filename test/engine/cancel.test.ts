import { afterAll, describe, expect, test } from "vitest";
import { defineCase } from "../../src/define/builder.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import { defineDestination } from "../../src/define/destination.ts";
import type { TestDestination } from "./destination.ts";
import { input, look, post, STORES, until, worldsOn } from "./world.ts";

const erp = defineDestination("erp", {
  idempotency: { by: "key", window: "24h" },
  retry: { maxAttempts: 5, firstDelay: "20ms" },
});

/** Pay and ship can be undone, tell cannot; it waits for a long time at its end. */
function orderAt(destination: TestDestination): CaseType {
  return defineCase("order", { version: 1, owner: "sales", input })
    .step("pay", {
      to: erp,
      run: post(destination, "/payments"),
      undo: { run: (context) => post(destination, "/refunds")({ ...context, request: context.result }) },
    })
    .step("ship", {
      to: erp,
      run: post(destination, "/shipments"),
      check: look(destination),
      undo: { run: (context) => post(destination, "/returns")({ ...context, request: context.result }) },
    })
    .step("tell", { to: erp, run: post(destination, "/messages") })
    .sleep("rest", { for: "30d" });
}

describe.each(STORES)("a case that is canceled on %s", (kind) => {
  const worlds = worldsOn(kind);
  afterAll(worlds.drop);

  test("has what it did undone in reverse order, each effect once, and what cannot be is listed by a person", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const order = orderAt(destination);
    const desk = world.desk(order);
    await world.worker([order]);
    const caseId = await world.start(order, { item: "desk" });
    await world.rests(caseId, "waiting");
    destination.script("/returns", "loseAnswer", { status: 503 });
    destination.script("/refunds", { status: 503 });
    const reply = await desk.cancel(caseId, { by: "ann", reason: "ordered twice" });
    expect(reply).toMatchObject({ outcome: "requested" });
    const stuck = await world.rests(caseId, "in_review");
    expect(stuck.summary).toMatchObject({
      reviews: [{ step: "tell", reason: "staysOutside" }],
      undoing: { undone: 0, of: 3 },
    });
    const view = await desk.show(caseId);
    expect(view.moves.filter(({ move }) => move === "leaveOutside").map(({ step }) => step)).toEqual([
      "pay",
      "ship",
      "tell",
    ]);
    await desk.leaveOutside(caseId, { step: "tell", by: "ann", reason: "they have read it" });
    const row = await world.rests(caseId, "canceled");
    expect(row.summary.stoppedBy).toEqual({ name: "ann", reason: "ordered twice", untilAt: null });
    expect(destination.effects.map(({ path }) => path)).toEqual([
      "/payments",
      "/shipments",
      "/messages",
      "/returns",
      "/refunds",
    ]);
  });

  test("is asked about what may have happened before anything is undone", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const order = orderAt(destination);
    const desk = world.desk(order);
    await world.worker([order]);
    destination.script("/shipments", "hold", "hold");
    const caseId = await world.start(order, { item: "desk" });
    await until("a shipment under way", () => destination.requests.some(({ path }) => path === "/shipments"));
    await desk.cancel(caseId, { by: "ann" });
    destination.release();
    await world.rests(caseId, "canceled");
    expect(destination.effects.map(({ path }) => path)).toEqual([
      "/payments",
      "/shipments",
      "/returns",
      "/refunds",
    ]);
  });
});
