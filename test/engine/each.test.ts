import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "../../src/define/builder.ts";
import { defineDestination } from "../../src/define/destination.ts";
import type { TestDestination } from "./destination.ts";
import { post, STORES, until, worldsOn } from "./world.ts";

const erp = defineDestination("erp", {
  idempotency: { by: "key", window: "24h" },
  retry: { maxAttempts: 5, firstDelay: "20ms" },
});

/** A journal entry for each line, three at once, and one that closes the invoice. */
function invoiceAt(destination: TestDestination) {
  return defineCase("invoice", {
    version: 1,
    owner: "books",
    input: z.object({ lines: z.array(z.object({ id: z.string() })) }),
  })
    .each("lines", {
      items: ({ input }) => input.lines,
      key: ({ id }) => id,
      atOnce: 3,
      to: erp,
      request: ({ item }) => ({ books: item.id }),
      run: (context) => post(destination, `/lines/${context.item.id}`)(context),
      undo: { run: (context) => post(destination, "/reversals")({ ...context, request: context.result }) },
    })
    .step("close", {
      to: erp,
      request: ({ results }) => ({ closes: Object.keys(results.lines) }),
      run: post(destination, "/closings"),
    });
}

/** The entries of a register: one after the other. */
function registerAt(destination: TestDestination) {
  return defineCase("register", {
    version: 1,
    owner: "books",
    input: z.object({ lines: z.array(z.object({ id: z.string() })) }),
  }).each("entries", {
    items: ({ input }) => input.lines,
    key: ({ id }) => id,
    inOrder: true,
    to: erp,
    request: ({ item }) => ({ enters: item.id }),
    run: (context) => post(destination, `/entries/${context.item.id}`)(context),
    undo: { run: (context) => post(destination, `/crossed-out/${context.request.enters}`)(context) },
  });
}

const linesOf = (count: number) => ({
  lines: Array.from({ length: count }, (_, index) => ({ id: `l${index}` })),
});

describe.each(STORES)("an each on %s", (kind) => {
  const worlds = worldsOn(kind);
  afterAll(worlds.drop);

  test("does every key once, no more at a time than it says, and what follows gets all results", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const invoice = invoiceAt(destination);
    for (const { id } of linesOf(7).lines) destination.script(`/lines/${id}`, "hold");
    destination.script("/lines/l3", "loseAnswer");
    await world.worker([invoice]);
    const caseId = await world.start(invoice, linesOf(7));
    await until("three under way", () => destination.requests.length === 3);
    expect(await world.kinds(caseId)).toContain("eachStarted");
    destination.release();
    await world.rests(caseId, "done");
    const { effects } = destination;
    expect(new Set(effects.map(({ key }) => key)).size).toBe(8);
    expect(effects.at(-1)?.body).toBe(JSON.stringify({ closes: linesOf(7).lines.map(({ id }) => id) }));
    const view = await world.desk(invoice).show(caseId);
    expect(view.confirmed.map(({ step }) => step)).toContain("lines[l6]");
  });

  test("goes on with the others where one key is rejected, and a person leaves that one out", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const invoice = invoiceAt(destination);
    const desk = world.desk(invoice);
    destination.script("/lines/l1", { status: 422, body: { message: "unknown account" } });
    await world.worker([invoice]);
    const caseId = await world.start(invoice, linesOf(4));
    const row = await world.rests(caseId, "in_review");
    expect(row.summary).toMatchObject({ reviews: [{ step: "lines[l1]", reason: "rejected" }], confirmed: 3 });
    expect((await desk.list({ atSteps: [{ caseType: "invoice", step: "lines" }] })).cases).toMatchObject([
      { caseId },
    ]);
    expect((await desk.list({ atSteps: [{ caseType: "invoice", step: "close" }] })).cases).toEqual([]);
    await desk.skipStep(caseId, { step: "lines[l1]", by: "ann", reason: "no such account" });
    await world.rests(caseId, "done");
    expect(destination.effects).toHaveLength(4);
  });

  test("keeps its order whatever fails, waits behind a key that a person looks at, and is undone backward", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const register = registerAt(destination);
    const desk = world.desk(register);
    destination.script("/entries/l0", { status: 503 }, "loseAnswer");
    destination.script("/entries/l2", { status: 422 });
    await world.worker([register]);
    const caseId = await world.start(register, linesOf(4));
    const row = await world.rests(caseId, "in_review");
    expect(row.summary).toMatchObject({ reviews: [{ step: "entries[l2]" }], confirmed: 2 });
    const planned = (await desk.show(caseId)).plan?.steps.find(({ step }) => step === "entries[l3]");
    expect(planned).toMatchObject({
      act: "nothing",
      sentence: "waits for its turn: entries[l2] comes first",
    });
    await desk.cancel(caseId, { by: "ann" });
    await world.rests(caseId, "canceled");
    expect(destination.effects.map(({ path }) => path)).toEqual([
      "/entries/l0",
      "/entries/l1",
      "/crossed-out/l1",
      "/crossed-out/l0",
    ]);
  });

  test("is undone key by key when the case is canceled", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const invoice = invoiceAt(destination);
    const desk = world.desk(invoice);
    destination.script("/lines/l2", { status: 422 });
    await world.worker([invoice]);
    const caseId = await world.start(invoice, linesOf(3));
    await world.rests(caseId, "in_review");
    await desk.cancel(caseId, { by: "ann" });
    await world.rests(caseId, "canceled");
    expect(destination.effects.map(({ path }) => path).toSorted()).toEqual([
      "/lines/l0",
      "/lines/l1",
      "/reversals",
      "/reversals",
    ]);
  });
});
