import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase, defineDestination, expectOk } from "foothold";
import { startDev, type Dev } from "foothold/dev";
import { defineSource, startCase, tellCase } from "foothold/inbox";
import { postgresStore } from "foothold/postgres";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";

const secret = "a secret of ours";
const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

/** The id of the trace that is active while a destination is asked, as its request says. */
const seenTraces: string[] = [];

function idOf({ data }: { readonly data: unknown }): string {
  return z.object({ id: z.string() }).parse(data).id;
}

function spans(name: string): readonly ReadableSpan[] {
  return exporter.getFinishedSpans().filter((span) => span.name === name);
}

function linked(span: ReadableSpan | undefined): readonly string[] {
  return (span?.links ?? []).map((link) => link.context.traceId);
}

function only(name: string): ReadableSpan {
  const [span, ...more] = spans(name);
  expect([name, more.length, span === undefined]).toEqual([name, 0, false]);
  return span as ReadableSpan;
}

describe("the trace of a case, from the webhook to its last step", () => {
  let database: TestDatabase;
  let store: ReturnType<typeof postgresStore>;
  let shop: Server;
  let answers: number[] = [];
  let dev: Dev;

  beforeAll(async () => {
    provider.register();
    database = await createTestDatabase();
    shop = createServer((request, response) => {
      seenTraces.push(String(request.headers["x-trace"]));
      response.writeHead(answers.shift() ?? 200).end("{}");
    });
    shop.listen(0, "127.0.0.1");
    await once(shop, "listening");
  });

  afterAll(async () => {
    shop.close();
    await once(shop, "close");
    await database.drop();
    await provider.shutdown();
    trace.disable();
    context.disable();
  });

  beforeEach(async () => {
    exporter.reset();
    seenTraces.length = 0;
    store = postgresStore({ url: database.url });
    const { port } = shop.address() as AddressInfo;
    const erp = defineDestination("erp", {
      idempotency: { by: "key", window: "24h" },
      retry: { firstDelay: "100ms" },
    });
    const order = defineCase("order", {
      version: 1,
      owner: "sales",
      input: z.object({ id: z.string() }),
      events: { paid: z.object({ id: z.string() }) },
    })
      .step("book", {
        to: erp,
        run: async ({ fetch, idempotencyKey, signal }) => {
          const traceId = trace.getActiveSpan()?.spanContext().traceId ?? "none";
          const headers = { "idempotency-key": idempotencyKey, "x-trace": traceId };
          await expectOk(await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, signal }));
          return {};
        },
      })
      .waitForEvent("payment", { event: "paid", timeout: "1d" })
      .step("ship", {
        to: erp,
        run: async ({ fetch, idempotencyKey, signal }) => {
          const headers = { "idempotency-key": idempotencyKey };
          await expectOk(await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, signal }));
          return {};
        },
      });
    dev = await startDev({
      store,
      port: 0,
      cases: [order],
      sources: [
        defineSource("shop", {
          preset: "hmac",
          owner: "sales",
          secrets: () => secret,
          consumers: {
            opened: startCase(order, {
              on: "order.opened",
              input: (event) => ({ id: idOf(event) }),
              businessKey: idOf,
            }),
            paid: tellCase(order, {
              on: "order.paid",
              as: "paid",
              key: idOf,
              payload: (event) => ({ id: idOf(event) }),
            }),
          },
        }),
      ],
    });
  });

  afterEach(async () => {
    await dev.stop();
    await store.close();
  });

  const post = async (type: string, id: string): Promise<number> => {
    const body = JSON.stringify({ type, id });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const headers = {
      "content-type": "application/json",
      "x-signature-256": `sha256=${signature}`,
      "x-event-type": type,
    };
    return (await fetch(`${dev.url}/inbox/shop`, { method: "POST", body, headers })).status;
  };

  test("is one trace over its waits, with what failed, linked to the traces of its events", async () => {
    answers = [503];
    expect(await post("order.opened", "o-1")).toBe(202);
    await expect.poll(() => spans("send book").length, { timeout: 60_000 }).toBe(2);
    expect(await post("order.paid", "o-1")).toBe(202);
    await expect.poll(() => spans("case order").length, { timeout: 60_000 }).toBe(1);

    const start = only("start order");
    const { traceId } = start.spanContext();
    const ofCase = exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
    expect(ofCase.map(({ name }) => name)).toEqual([
      "start order",
      "send book",
      "send book",
      "change",
      "send ship",
      "case order",
    ]);
    const caseId = String(start.attributes["foothold.case.id"]);
    expect(new Set(ofCase.map(({ attributes }) => attributes["foothold.case.id"]))).toEqual(
      new Set([caseId]),
    );
    const [failed, sent] = spans("send book");
    expect(failed?.status.code).toBe(SpanStatusCode.ERROR);
    expect(failed?.attributes).toMatchObject({
      "foothold.attempt": 1,
      "foothold.destination": "erp",
      "foothold.failure.kind": "unknown",
      "foothold.failure.cause": "transient",
      "foothold.requests": 1,
    });
    expect(sent?.attributes).toMatchObject({ "foothold.attempt": 2, "foothold.outcome": "succeeded" });
    // What a step calls is part of its piece of work.
    expect(seenTraces.slice(0, 2)).toEqual([traceId, traceId]);

    const [opened, paid] = [only("event order.opened"), only("event order.paid")];
    const [receivedFirst, receivedLast] = spans("receive shop");
    expect(linked(start)).toEqual([opened.spanContext().traceId]);
    expect(linked(ofCase[3])).toEqual([paid.spanContext().traceId]);
    expect(linked(opened)).toEqual([traceId]);
    expect(linked(paid)).toEqual([traceId]);
    expect(linked(receivedFirst)).toEqual([opened.spanContext().traceId]);
    expect(linked(receivedLast)).toEqual([paid.spanContext().traceId]);
  });

  test("holds no input, no result and no business key", async () => {
    expect(await post("order.opened", "private-key")).toBe(202);
    await expect.poll(() => spans("send book").length, { timeout: 60_000 }).toBe(1);
    const told = exporter.getFinishedSpans().map(({ name, attributes, events, status }) => ({
      name,
      attributes,
      events,
      status,
    }));
    expect(JSON.stringify(told)).not.toContain("private-key");
  });
});
