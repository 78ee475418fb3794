import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { afterEach, expect, test } from "vitest";
import { FootholdError } from "../core/errors.ts";
import { openTelemetryTracing } from "./open-telemetry.ts";

const work = { name: "send book", of: { kind: "case", caseId: "01-abc" }, facts: {} } as const;

function record(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
  return exporter;
}

afterEach(() => {
  trace.disable();
  context.disable();
});

test("without an SDK the work is done once, and nobody is told", async () => {
  let calls = 0;
  let isTold = false;
  const act = (): Promise<number> => Promise.resolve((calls += 1));
  const tell = (): object => {
    isTold = true;
    return {};
  };
  expect(await openTelemetryTracing().follow(work, act, tell)).toBe(1);
  expect([calls, isTold]).toEqual([1, false]);
});

test.each([
  ["TypeError", new TypeError("customer DE-7 is away")],
  ["INVALID_EVENT", new FootholdError("INVALID_EVENT", "customer DE-7 is away")],
])("what the work throws is thrown as it is, and noted by its kind alone: %s", async (type, fault) => {
  const exporter = record();
  const act = (): Promise<never> => Promise.reject(fault);
  await expect(openTelemetryTracing().follow(work, act, () => ({}))).rejects.toBe(fault);
  const [span] = exporter.getFinishedSpans();
  expect(span?.status.code).toBe(SpanStatusCode.ERROR);
  expect(span?.attributes).toMatchObject({ "error.type": type });
  expect(JSON.stringify([span?.events, span?.attributes, span?.status])).not.toContain("DE-7");
});

test("all work of one case is one trace in every process, and that of another case is another", async () => {
  const exporter = record();
  const ids: string[] = [];
  for (const caseId of ["01-abc", "01-abc", "02-def"]) {
    exporter.reset();
    // As another process would: nothing of the one before is left.
    await openTelemetryTracing().follow(
      { ...work, of: { kind: "case", caseId } },
      () => Promise.resolve(),
      () => ({}),
    );
    ids.push(exporter.getFinishedSpans()[0]?.spanContext().traceId ?? "none");
  }
  expect(ids[0]).toBe(ids[1]);
  expect(ids[2]).not.toBe(ids[0]);
});
