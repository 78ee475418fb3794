import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { metrics } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { defineCase, defineDestination, expectOk } from "foothold";
import { startDev, type Dev } from "foothold/dev";
import { defineSource, startCase } from "foothold/inbox";
import { memoryStore } from "foothold/memory";
import { COUNTERS, GAUGES, HISTOGRAMS, type Figure } from "../../src/core/figures.ts";

const secret = "a secret of ours";
const FIGURES: ReadonlyMap<string, Figure> = new Map(
  Object.entries({ ...GAUGES, ...COUNTERS, ...HISTOGRAMS }),
);
const idOf = ({ data }: { readonly data: unknown }): string => z.object({ id: z.string() }).parse(data).id;

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
const provider = new MeterProvider({ readers: [reader] });

interface Point {
  readonly name: string;
  readonly unit: string;
  readonly labels: Readonly<Record<string, unknown>>;
  /** A number, or how many values and their sum. */
  readonly value: unknown;
}

async function collect(): Promise<readonly Point[]> {
  exporter.reset();
  await reader.forceFlush();
  return exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap((scope) =>
        scope.metrics.flatMap(({ descriptor: { name, unit }, dataPoints }) =>
          dataPoints.map(({ attributes: labels, value }) => ({ name, unit, labels, value })),
        ),
      ),
    );
}

let shop: Server;
let answers: number[] = [];
let dev: Dev;

beforeAll(async () => {
  metrics.setGlobalMeterProvider(provider);
  shop = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(answers.shift() ?? 200).end("{}"));
  });
  shop.listen(0, "127.0.0.1");
  await once(shop, "listening");
  const { port } = shop.address() as AddressInfo;
  const erp = defineDestination("erp", {
    idempotency: { by: "key", window: "24h" },
    retry: { firstDelay: "10ms" },
  });
  const order = defineCase("order", {
    version: 1,
    owner: "sales",
    input: z.object({ id: z.string() }),
  }).step("book", {
    to: erp,
    run: async ({ fetch, idempotencyKey, signal }) => {
      const headers = { "idempotency-key": idempotencyKey };
      const send = () => fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, signal });
      const first = await send();
      // As a client does that repeats by itself.
      await expectOk(first.status === 503 ? await send() : first);
      return {};
    },
  });
  dev = await startDev({
    store: memoryStore(),
    port: 0,
    cases: [order],
    sources: [
      defineSource("shop", {
        preset: "hmac",
        owner: "sales",
        secrets: () => secret,
        consumers: {
          opened: startCase(order, { on: "order.opened", input: (event) => ({ id: idOf(event) }) }),
        },
      }),
    ],
  });
});

afterAll(async () => {
  await dev.stop();
  shop.close();
  await once(shop, "close");
  await provider.shutdown();
  metrics.disable();
});

async function post(id: string): Promise<number> {
  const body = JSON.stringify({ type: "order.opened", id });
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-signature-256": `sha256=${signature}`,
    "x-event-type": "order.opened",
  };
  return (await fetch(`${dev.url}/inbox/shop`, { method: "POST", body, headers })).status;
}

test("what was done and how all stands reaches an SDK, in the words of the table and with nothing of a case", async () => {
  answers = [503, 200, 422];
  expect(await post("private-1")).toBe(202);
  await expect.poll(async () => (await dev.desk.list({ states: ["done"] })).cases.length).toBe(1);
  expect(await post("private-2")).toBe(202);
  await expect.poll(async () => (await dev.desk.list({ states: ["in_review"] })).cases.length).toBe(1);
  const points = await collect();

  const of = (name: string): readonly (readonly [unknown, unknown])[] =>
    points.filter((point) => point.name === name).map(({ labels, value }) => [labels, value]);
  expect(of("foothold_attempts_total")).toEqual([
    [{ destination: "erp", outcome: "succeeded", kind: "none" }, 1],
    [{ destination: "erp", outcome: "failed", kind: "rejected" }, 1],
  ]);
  expect(of("foothold_requests_total")).toEqual([[{ destination: "erp" }, 3]]);
  expect(of("foothold_hidden_retries_total")).toEqual([[{ destination: "erp" }, 1]]);
  expect(of("foothold_attempt_duration_seconds")).toMatchObject([
    [{ destination: "erp", outcome: "succeeded" }, { count: 1 }],
    [{ destination: "erp", outcome: "failed" }, { count: 1 }],
  ]);
  expect(of("foothold_claims_total")).toEqual([[{ case_type: "order" }, 2]]);
  expect(of("foothold_commit_duration_seconds")).toMatchObject([[{ outcome: "answered" }, {}]]);
  expect(of("foothold_inbox_worked_total")).toEqual([[{ source: "shop", outcome: "done" }, 2]]);
  expect(of("foothold_sweep_passes_total")).toMatchObject([[{ outcome: "done" }, expect.any(Number)]]);
  expect(of("foothold_cases_open")).toEqual([[{ case_type: "order", reading: "Needs correction" }, 1]]);
  expect(of("foothold_cases")).toContainEqual([{ case_type: "order", state: "done" }, 1]);

  for (const { name, unit, labels } of points) {
    expect([name, unit]).toEqual([name, FIGURES.get(name)?.unit]);
    expect([name, Object.keys(labels).toSorted()]).toEqual([name, FIGURES.get(name)?.labels.toSorted()]);
  }
  const { cases } = await dev.desk.list();
  const told = JSON.stringify(points);
  for (const word of ["private", ...cases.map(({ caseId }) => caseId)]) expect(told).not.toContain(word);
});
