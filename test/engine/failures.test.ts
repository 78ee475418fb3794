import { afterAll, describe, expect, test } from "vitest";
import { findClosedUrl } from "../../examples/services/closed-port.ts";
import { stepOf } from "../../src/core/case-state.ts";
import { defineCase } from "../../src/define/builder.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import { defineDestination, type Idempotency, type RetryOptions } from "../../src/define/destination.ts";
import { probe } from "../../src/define/probe.ts";
import type { TestDestination } from "./destination.ts";
import { input, look, post, STORES, until, worldsOn, type World } from "./world.ts";

const KEY = { by: "key", window: "24h" } as const;

interface Setting {
  readonly idempotency?: Idempotency;
  readonly retry?: RetryOptions;
  readonly check?: boolean;
  readonly deadline?: `${number}ms`;
}

/** One step that posts the input to the destination. */
function orderAt(destination: TestDestination, setting: Setting = {}): CaseType {
  const { idempotency = KEY, retry, check = false, deadline = "2000ms" } = setting;
  const erp = defineDestination("erp", {
    idempotency,
    owners: { access: "erp-admins", input: "purchasing", outage: "platform" },
    retry: { maxAttempts: 3, firstDelay: "10ms", ...retry },
    readLag: "20ms",
  });
  const common = { to: erp, request: (facts: { input: unknown }) => facts.input, deadline } as const;
  const options = { version: 1, owner: "ops", input } as const;
  return check
    ? defineCase("order", options).step("send", {
        ...common,
        run: post(destination, "/orders"),
        check: look(destination),
      })
    : defineCase("order", options).step("send", { ...common, run: post(destination, "/orders") });
}

async function review(world: World, caseId: string) {
  const row = await world.rests(caseId, "in_review");
  expect(row.summary.reviews).toHaveLength(1);
  return row.summary.reviews[0];
}

describe.each(STORES)("failures on %s", (kind) => {
  const worlds = worldsOn(kind);
  afterAll(worlds.drop);

  test("what was not executed is tried again with growing delays, and goes to people at its limit", async () => {
    const world = await worlds.open();
    const closed = { url: await findClosedUrl() } as TestDestination;
    const order = orderAt(closed);
    await world.worker([order]);
    const caseId = await world.start(order);
    const opened = await review(world, caseId);
    expect(opened).toMatchObject({ step: "send", reason: "limit", owner: "platform" });
    expect(opened?.sentence).toMatch(
      /was not reached \(ECONNREFUSED\); nothing was sent.*tried 3 of 3 times/,
    );
    const failed = (await world.entries(caseId)).flatMap((entry) =>
      entry.kind === "attemptFailed" ? [entry] : [],
    );
    expect(failed.map(({ failure }) => failure.executed)).toEqual(["no", "no", "no"]);
  });

  test("a person's resume opens a fresh round; attempt numbers run on", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    destination.script("/orders", ...Array.from({ length: 3 }, () => ({ status: 423 })));
    const order = orderAt(destination);
    await world.worker([order]);
    const caseId = await world.start(order);
    await review(world, caseId);
    await world.desk(order).resume(caseId, { by: "ann" });
    const row = await world.rests(caseId, "done");
    expect(row.summary.isRepaired).toBe(true);
    const attempts = stepOf(await world.state(caseId), "send").intent?.attempts ?? [];
    expect(attempts.map(({ number, outcome }) => `${number} ${outcome.kind}`)).toEqual([
      "1 failed",
      "2 failed",
      "3 failed",
      "4 confirmed",
    ]);
  });

  test("a destination that says when to come back is obeyed, and that spends no attempt", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const slowDown = { status: 429, headers: { "retry-after": "0.4" } } as const;
    destination.script("/orders", slowDown, slowDown);
    const order = orderAt(destination, { retry: { maxAttempts: 1 } });
    await world.worker([order]);
    const caseId = await world.start(order);
    const waiting = await world.rests(caseId, "waiting");
    expect(waiting.summary.waits).toMatchObject([{ kind: "retry", by: "provider" }]);
    await world.rests(caseId, "done");
    const times = (await world.store.loadCase(caseId))?.journal.flatMap(({ at, entry }) =>
      entry.kind === "attemptOpened" ? [at] : [],
    );
    const [first = 0, second = 0, third = 0] = times ?? [];
    expect(second - first).toBeGreaterThanOrEqual(400);
    expect(third - second).toBeGreaterThanOrEqual(400);
  });

  test("a destination that forbids another try is obeyed at once", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    destination.script("/orders", { status: 500, headers: { "x-should-retry": "false" } });
    const order = orderAt(destination);
    await world.worker([order]);
    await review(world, await world.start(order));
    expect(destination.requests).toHaveLength(1);
  });

  test("a rejected input goes to who can correct it; resuming it unchanged is refused, corrected it is a new effect", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const errors = [{ field: "amount", message: "must be positive" }];
    destination.script("/orders", { status: 422, body: { title: "Not valid", errors } });
    const order = orderAt(destination);
    const desk = world.desk(order);
    await world.worker([order]);
    const caseId = await world.start(order, { amount: -4 });
    const opened = await review(world, caseId);
    expect(opened).toMatchObject({ reason: "rejected", owner: "purchasing" });
    expect(opened?.sentence).toContain("amount: must be positive");
    await expect(desk.resume(caseId, { by: "ann" })).rejects.toMatchObject({ code: "RESUME_BLOCKED" });
    expect(destination.requests).toHaveLength(1);
    await desk.correctInput(caseId, { input: { amount: 4 }, by: "ann", reason: "sign" });
    await world.rests(caseId, "done");
    expect(destination.requests.map(({ key, body }) => [key, body])).toEqual([
      [`${caseId}.send.1`, '{"amount":-4}'],
      [`${caseId}.send.2`, '{"amount":4}'],
    ]);
  });

  test.each([
    [401, "denied", "erp-admins"],
    [402, "quota", "erp-admins"],
    [404, "gone", "platform"],
    [409, "conflict", "platform"],
  ] as const)("a %s is not tried again: %s goes to %s", async (status, reason, owner) => {
    const world = await worlds.open();
    const destination = await world.destination();
    destination.script("/orders", { status });
    const order = orderAt(destination);
    await world.worker([order]);
    expect(await review(world, await world.start(order))).toMatchObject({ reason, owner });
    expect(destination.requests).toHaveLength(1);
  });

  test("key: an answer that was lost is asked for again with the same key and the same bytes, without a check", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    destination.script("/orders", "loseAnswer", "staySilent", { status: 502 });
    const order = orderAt(destination, { deadline: "250ms", retry: { maxAttempts: 5 } });
    await world.worker([order]);
    const caseId = await world.start(order, { b: [1], a: "ä" });
    await world.rests(caseId, "done");
    expect(destination.effects).toHaveLength(1);
    expect(destination.requests.map(({ method, key, body }) => [method, key, body])).toEqual(
      Array.from({ length: 4 }, () => ["POST", `${caseId}.send.1`, '{"a":"ä","b":[1]}']),
    );
  });

  test("key: where it stays unknown after every try, it goes to people, who may resume it", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    destination.script("/orders", "loseAnswer", "loseAnswer", "loseAnswer");
    const order = orderAt(destination);
    await world.worker([order]);
    const caseId = await world.start(order);
    expect(await review(world, caseId)).toMatchObject({ reason: "unknown", owner: "platform" });
    await world.desk(order).resume(caseId, { by: "ann" });
    await world.rests(caseId, "done");
    expect(destination.effects).toHaveLength(1);
    expect(destination.requests).toHaveLength(4);
  });

  test("lookup: what happened is found by the check and never sent again", async () => {
    const world = await worlds.open();
    const destination = await world.destination({ deduplicates: false });
    destination.script("/orders", "loseAnswer");
    const order = orderAt(destination, { idempotency: { by: "lookup" }, check: true });
    await world.worker([order]);
    const caseId = await world.start(order);
    await world.rests(caseId, "done");
    expect(destination.requests.map(({ method }) => method)).toEqual(["POST", "GET"]);
    expect(stepOf(await world.state(caseId), "send").confirmation).toMatchObject({
      by: { how: "check" },
      result: { value: { id: "E-1" } },
      evidence: { seenAs: "E-1" },
    });
  });

  test("lookup: what did not happen is sent again only after two looks, the last past every possible arrival", async () => {
    const world = await worlds.open();
    const destination = await world.destination({ deduplicates: false });
    destination.script("/orders", { status: 500 });
    const setting = { idempotency: { by: "lookup" }, check: true, deadline: "300ms" } as const;
    const order = orderAt(destination, setting);
    await world.worker([order]);
    const caseId = await world.start(order);
    await world.rests(caseId, "done");
    expect(destination.requests.map(({ method }) => method)).toEqual(["POST", "GET", "GET", "POST"]);
    expect(destination.effects).toHaveLength(1);
    const entries = await world.entries(caseId);
    const firstDeadline = entries.flatMap((entry) =>
      entry.kind === "attemptOpened" ? [entry.sendDeadlineAt] : [],
    )[0];
    const looks = entries.flatMap((entry) => (entry.kind === "checkAnswered" ? [entry] : []));
    expect(looks.map(({ proves }) => proves)).toEqual([false, true]);
    expect(looks[1]?.askedAt).toBeGreaterThanOrEqual((firstDeadline ?? Infinity) + 20);
  });

  test("lookup: where nobody can tell, it goes to people and is never sent again", async () => {
    const world = await worlds.open();
    const destination = await world.destination({ deduplicates: false });
    destination.script("/orders", "loseAnswer");
    const order = orderAt(destination, { idempotency: { by: "lookup" }, check: true });
    await world.worker([order]);
    const caseId = await world
      .desk(order)
      .startCase("order", {}, { by: "ann" })
      .then((one) => one.caseId);
    destination.script(`/effects/${caseId}.send.1`, ...Array.from({ length: 3 }, () => ({ status: 503 })));
    expect(await review(world, caseId)).toMatchObject({ reason: "unknown" });
    expect(destination.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect(destination.requests.filter(({ method }) => method === "GET")).toHaveLength(3);
  });

  test("none: an unknown outcome is never sent again by the engine; a person decides", async () => {
    const world = await worlds.open();
    const destination = await world.destination({ deduplicates: false });
    destination.script("/orders", "loseAnswer");
    const order = orderAt(destination, { idempotency: { by: "none" } });
    await world.worker([order]);
    const caseId = await world.start(order);
    const opened = await review(world, caseId);
    expect(opened).toMatchObject({ reason: "unknown", owner: "platform" });
    await expect(world.desk(order).resume(caseId, { by: "ann" })).rejects.toMatchObject({
      code: "RESUME_BLOCKED",
    });
    expect(destination.requests).toHaveLength(1);
  });

  test("none: what is proved not executed is sent again", async () => {
    const world = await worlds.open();
    const destination = await world.destination({ deduplicates: false });
    destination.script("/orders", { status: 503, headers: { "retry-after": "0.01" } }, { status: 429 });
    const order = orderAt(destination, { idempotency: { by: "none" } });
    await world.worker([order]);
    await world.rests(await world.start(order), "done");
    expect(destination.effects).toHaveLength(1);
    expect(destination.requests).toHaveLength(3);
  });

  test("a probe that cannot tell neither stops nor passes the step: it is asked again, and then goes to people", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const shop = defineDestination("shop", {
      idempotency: KEY,
      retry: { maxAttempts: 3, firstDelay: "10ms" },
    });
    let asked = 0;
    let isUp = false;
    const order = defineCase("order", { version: 1, owner: "ops", input }).step("send", {
      to: shop,
      before: {
        "the shop is open": probe({
          of: shop,
          ask: () => {
            asked += 1;
            if (!isUp) throw new Error("503");
            return true;
          },
        }),
      },
      run: post(destination, "/orders"),
    });
    await world.worker([order]);
    const caseId = await world.start(order);
    const opened = await review(world, caseId);
    expect(opened?.sentence).toContain("the shop is open");
    expect(asked).toBe(3);
    expect(destination.requests).toHaveLength(0);
    isUp = true;
    await world.desk(order).resume(caseId, { by: "ann" });
    await world.rests(caseId, "done");
    expect(destination.effects).toHaveLength(1);
  });

  test("a success that comes after its send was given up is evidence, and nothing is sent again", async () => {
    const world = await worlds.open();
    const destination = await world.destination({ deduplicates: false });
    destination.script("/orders", "hold");
    const none = defineDestination("none", { idempotency: { by: "none" } });
    const send = post(destination, "/orders");
    const order = defineCase("order", { version: 1, owner: "ops", input }).step("send", {
      to: none,
      // It ignores its signal, as careless code does.
      run: (context) => send({ ...context, signal: new AbortController().signal }),
      deadline: "50ms",
    });
    await world.worker([order]);
    const caseId = await world.start(order);
    expect(await review(world, caseId)).toMatchObject({ reason: "unknown" });
    destination.release();
    await world.rests(caseId, "done");
    expect(destination.requests).toHaveLength(1);
    await until("the report", () => world.reports.some((report) => report.kind === "lateReport"));
    expect(stepOf(await world.state(caseId), "send").confirmation?.by).toEqual({
      how: "lateReport",
      attempt: 1,
    });
  });
});
