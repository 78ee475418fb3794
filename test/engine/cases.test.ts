import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "../../src/define/builder.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import { defineDestination } from "../../src/define/destination.ts";
import type { TestDestination } from "./destination.ts";
import { input, post, STORES, until, worldsOn } from "./world.ts";

const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });
const mail = defineDestination("mail", {
  idempotency: { by: "key", window: "24h" },
  retry: { maxAttempts: 5, firstDelay: "20ms" },
});

/** Approve, create, notify: the example of the first issue. */
function purchaseAt(destination: TestDestination): CaseType {
  return defineCase("purchase", {
    version: 1,
    owner: "purchasing",
    input,
    events: { "approval.revoked": z.object({ reason: z.string() }) },
  })
    .approval("approve", { by: "finance", form: z.object({ limit: z.number() }) })
    .step("createRecord", {
      to: erp,
      requires: {
        "approval still stands": ({ events }) =>
          events.latest("approval.revoked", { after: "approve" }) === null,
      },
      request: ({ input: whole, results }) => ({ ...whole, limit: results.approve.form.limit }),
      run: post(destination, "/records"),
    })
    .step("notify", {
      to: mail,
      request: ({ results }) => ({ about: results.createRecord.id }),
      run: post(destination, "/messages"),
    });
}

describe.each(STORES)("cases on %s", (kind) => {
  const worlds = worldsOn(kind);
  afterAll(worlds.drop);

  test("a case runs from its start through an approval to its end, each effect once", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const purchase = purchaseAt(destination);
    await world.worker([purchase]);
    const caseId = await world.start(purchase, { item: "chairs", amount: 400 });
    expect(await world.rests(caseId, "waiting")).toMatchObject({
      summary: { waits: [{ kind: "approval", step: "approve", by: "finance" }] },
    });
    await world.desk(purchase).answerApproval(caseId, {
      step: "approve",
      approved: true,
      form: { limit: 500 },
      by: "fin",
      sourceId: "answer-1",
    });
    await world.rests(caseId, "done");
    expect(destination.effects.map(({ path, body }) => [path, body])).toEqual([
      ["/records", '{"amount":400,"item":"chairs","limit":500}'],
      ["/messages", '{"about":"E-1"}'],
    ]);
    expect(await world.kinds(caseId)).toEqual([
      "caseStarted",
      "parked",
      "approvalAnswered",
      "stepConfirmed",
      "intentOpened",
      "attemptOpened",
      "stepConfirmed",
      "intentOpened",
      "attemptOpened",
      "stepConfirmed",
      "caseDone",
    ]);
  });

  test("a notification that fails is the only thing that is sent again; the record is created once", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    destination.script("/messages", { status: 503 }, "loseAnswer");
    const purchase = purchaseAt(destination);
    await world.worker([purchase]);
    const caseId = await world.start(purchase);
    await world.rests(caseId, "waiting");
    await world.desk(purchase).answerApproval(caseId, {
      step: "approve",
      approved: true,
      form: { limit: 5 },
      by: "fin",
      sourceId: "answer-1",
    });
    await world.rests(caseId, "done");
    expect(destination.requests.map(({ path }) => path)).toEqual([
      "/records",
      "/messages",
      "/messages",
      "/messages",
    ]);
    expect(new Set(destination.requests.slice(1).map(({ key, body }) => `${key} ${body}`)).size).toBe(1);
    expect(destination.effects.map(({ path }) => path)).toEqual(["/records", "/messages"]);
    const tokens = destination.requests.map(({ token }) => token ?? 0);
    expect(tokens).toEqual(tokens.toSorted((a, b) => a - b));
    expect(new Set(tokens).size).toBe(4);
  });

  test("an approval that is revoked before the notification stops the case at review, and nothing is made anew", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    destination.script("/messages", ...Array.from({ length: 3 }, () => ({ status: 503 })));
    const purchase = defineCase("purchase", {
      version: 1,
      owner: "purchasing",
      input,
      events: { "approval.revoked": z.object({ reason: z.string() }) },
    })
      .approval("approve", { by: "finance" })
      .step("createRecord", {
        to: erp,
        requires: {
          "approval still stands": ({ events }) =>
            events.latest("approval.revoked", { after: "approve" }) === null,
        },
        run: post(destination, "/records"),
      })
      .step("notify", {
        to: defineDestination("slow-mail", {
          idempotency: { by: "key", window: "24h" },
          retry: { firstDelay: "10s" },
        }),
        run: post(destination, "/messages"),
      });
    await world.worker([purchase]);
    const desk = world.desk(purchase);
    const caseId = await world.start(purchase);
    await world.rests(caseId, "waiting");
    await desk.answerApproval(caseId, { step: "approve", approved: true, by: "fin", sourceId: "answer-1" });
    await until("the first notification", () =>
      destination.requests.some(({ path }) => path === "/messages"),
    );
    await world.rests(caseId, "waiting");
    await desk.recordEvent(caseId, {
      eventType: "approval.revoked",
      payload: { reason: "budget cut" },
      sourceId: "revoked-1",
      by: "fin",
    });
    const row = await world.rests(caseId, "in_review");
    expect(row.summary.reviews).toMatchObject([{ step: "createRecord", reason: "lapsed" }]);
    expect(row.summary.reviews[0]?.sentence).toContain('"approval still stands"');
    expect(destination.requests.map(({ path }) => path)).toEqual(["/records", "/messages"]);
    expect(destination.effects).toHaveLength(1);
  });

  test("an event is seen whether it comes before or after its wait begins", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const shipment = defineCase("shipment", {
      version: 1,
      owner: "ops",
      input,
      events: { arrived: z.object({ at: z.string() }) },
    })
      .step("ship", { to: erp, run: post(destination, "/shipments") })
      .waitForEvent("arrival", { event: "arrived", timeout: "1h" })
      .step("bill", {
        to: erp,
        request: ({ results }) => ({ arrivedAt: results.arrival.at }),
        run: post(destination, "/bills"),
      });
    const arrived = { eventType: "arrived", payload: { at: "dock 4" }, sourceId: "scan-1", by: "scanner" };
    const desk = world.desk(shipment);
    const early = await world.start(shipment);
    await desk.recordEvent(early, arrived);
    const late = await world.start(shipment);
    await world.worker([shipment]);
    expect((await world.rests(late, "waiting")).summary.waits).toMatchObject([
      { kind: "event", eventType: "arrived" },
    ]);
    await desk.recordEvent(late, arrived);
    await desk.recordEvent(late, arrived);
    for (const caseId of [early, late]) {
      await world.rests(caseId, "done");
      expect((await world.kinds(caseId)).filter((one) => one === "eventReceived")).toHaveLength(1);
    }
    const bills = destination.effects.filter(({ path }) => path === "/bills");
    expect(bills.map(({ body }) => body)).toEqual(['{"arrivedAt":"dock 4"}', '{"arrivedAt":"dock 4"}']);
  });

  test("a sleep holds a case back for its time, and no worker holds it meanwhile", async () => {
    const world = await worlds.open();
    const nap = defineCase("nap", { version: 1, owner: "ops", input }).sleep("rest", { for: "300ms" });
    await world.worker([nap]);
    const caseId = await world.start(nap);
    const waiting = await world.rests(caseId, "waiting");
    expect(waiting).toMatchObject({ claim: null, summary: { waits: [{ kind: "timer", step: "rest" }] } });
    const done = await world.rests(caseId, "done");
    expect(done.changedAt).toBeGreaterThanOrEqual(waiting.dueAt ?? Infinity);
    expect(done.changedAt).toBeLessThan((waiting.dueAt ?? 0) + 1_000);
  });

  test("independent steps are sent side by side under one claim, and what follows waits for all", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    destination.script("/a", "hold");
    destination.script("/b", "hold");
    const wide = defineCase("wide", { version: 1, owner: "ops", input })
      .step("a", { to: erp, after: [], run: post(destination, "/a") })
      .step("b", { to: erp, after: [], run: post(destination, "/b") })
      .step("end", { to: erp, after: ["a", "b"], run: post(destination, "/end") });
    await world.worker([wide]);
    const caseId = await world.start(wide);
    await until("both to be under way", () => destination.requests.length === 2);
    const claimId = (await world.row(caseId)).claim?.claimId;
    expect(claimId).toBeDefined();
    destination.release();
    await world.rests(caseId, "done");
    expect(destination.requests.map(({ path }) => path).toSorted()).toEqual(["/a", "/b", "/end"]);
    const claims = (await world.entries(caseId)).flatMap((entry) =>
      entry.kind === "attemptOpened" ? [entry.claimId] : [],
    );
    expect(claims).toEqual([claimId, claimId, claimId]);
  });

  test("a result that cannot be stored confirms its step, and a person decides how to go on; it is never sent again", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const send = post(destination, "/records");
    const odd = defineCase("odd", { version: 1, owner: "ops", input }).step("send", {
      to: erp,
      run: async (context) => ({ ...(await send(context)), big: 1n }),
    });
    await world.worker([odd]);
    const caseId = await world.start(odd);
    const row = await world.rests(caseId, "in_review");
    expect(row.summary.reviews).toMatchObject([{ step: "send", reason: "unreadable", owner: "ops" }]);
    await world.desk(odd).resume(caseId, { by: "ann", reason: "looked at it" });
    await world.rests(caseId, "done");
    expect(destination.requests).toHaveLength(1);
  });

  test("texts with NUL and half characters, whoever wrote them, are stored and shown", async () => {
    const world = await worlds.open();
    const hostile = "broken\0 by \uD83C";
    const odd = defineCase("odd", { version: 1, owner: "ops", input, events: { note: z.object({}) } }).step(
      "send",
      {
        to: erp,
        before: { "it is open": () => ({ kind: "broken", why: hostile }) },
        run: () => null,
      },
    );
    await world.worker([odd]);
    const caseId = await world.start(odd);
    const row = await world.rests(caseId, "in_review");
    expect(row.summary.reviews[0]?.sentence).toContain("broken\uFFFD by \uFFFD");
    const thrower = defineCase("thrower", { version: 1, owner: "ops", input }).step("send", {
      to: erp,
      run: () => {
        throw Object.assign(new Error(hostile), { status: 422, body: JSON.stringify({ detail: hostile }) });
      },
    });
    await world.worker([thrower]);
    const thrown = await world.start(thrower);
    expect((await world.rests(thrown, "in_review")).summary.reviews[0]?.sentence).toContain(
      "broken\uFFFD by \uFFFD",
    );
  });
});
