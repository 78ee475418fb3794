import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { afterEach, expect, test } from "vitest";
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

test("what the work throws is noted and thrown as it is", async () => {
  const exporter = record();
  const fault = new Error("the database is away");
  const act = (): Promise<never> => Promise.reject(fault);
  await expect(openTelemetryTracing().follow(work, act, () => ({}))).rejects.toBe(fault);
  const [span] = exporter.getFinishedSpans();
  expect(span?.status.code).toBe(SpanStatusCode.ERROR);
  expect(span?.events.map(({ name }) => name)).toEqual(["exception"]);
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
