/** Figures by the API of OpenTelemetry alone: without an SDK in the process nothing is counted, kept or sent. */

import {
  metrics,
  type BatchObservableResult,
  type Counter,
  type Histogram,
  type MetricOptions,
} from "@opentelemetry/api";
import { COUNTERS, GAUGES, HISTOGRAMS, type Figure, type GaugeValue } from "../core/figures.ts";
import type { Measuring } from "../core/measuring.ts";

const METER = "foothold";

/**
 * Makes it. Give it to whoever works: `{ ...systemPorts(), measuring: openTelemetryMeasuring() }`. Unlike traces it goes to
 * the SDK that is set up when it is made: one that is set up later gets nothing.
 *
 * Instruments have the names, units and labels of docs/reference/metrics.md, so that what arrives in Prometheus by way of
 * OpenTelemetry is called the same. No label holds a case id, a business key, an input or a result.
 */
export function openTelemetryMeasuring(): Measuring {
  const meter = metrics.getMeter(METER);
  const counters = new Map<string, Counter>(
    Object.entries(COUNTERS).map(([name, figure]) => [name, meter.createCounter(name, optionsOf(figure))]),
  );
  const histograms = new Map<string, Histogram>(
    Object.entries(HISTOGRAMS).map(([name, { bounds, ...figure }]) => {
      const advice = { explicitBucketBoundaries: [...bounds] };
      return [name, meter.createHistogram(name, { ...optionsOf(figure), advice })];
    }),
  );
  return {
    count: (name, labels, more = 1) => counters.get(name)?.add(more, { ...labels }),
    record: (name, labels, value) => histograms.get(name)?.record(value, { ...labels }),
  };
}

/**
 * Tells how everything stands, each time that the SDK asks for it. What reading throws is told by the SDK. Returns the
 * function that ends it.
 */
export function observeFigures(read: () => Promise<readonly GaugeValue[]>): () => void {
  const meter = metrics.getMeter(METER);
  const gauges = new Map(
    Object.entries(GAUGES).map(([name, figure]) => [
      name,
      meter.createObservableGauge(name, optionsOf(figure)),
    ]),
  );
  const observe = async (result: BatchObservableResult): Promise<void> => {
    for (const { name, labels, value } of await read()) {
      const gauge = gauges.get(name);
      if (gauge !== undefined) result.observe(gauge, value, { ...labels });
    }
  };
  const all = [...gauges.values()];
  meter.addBatchObservableCallback(observe, all);
  return () => meter.removeBatchObservableCallback(observe, all);
}

function optionsOf({ help, unit }: Figure): MetricOptions {
  return { description: help, ...(unit === "" ? {} : { unit }) };
}
