import { expect, test } from "vitest";
import { COUNTERS, GAUGES, HISTOGRAMS, type Figure, type SpreadFigure } from "./figures.ts";
import { unmeasured } from "./measuring.ts";

const gauges: readonly (readonly [string, Figure])[] = Object.entries(GAUGES);
const counters: readonly (readonly [string, Figure])[] = Object.entries(COUNTERS);
const histograms: readonly (readonly [string, SpreadFigure])[] = Object.entries(HISTOGRAMS);

test("what nobody measures is done all the same", () => {
  unmeasured.count("foothold_claims_total", { case_type: "order" });
  expect(unmeasured.record("foothold_commit_batch_size", {}, 3)).toBeUndefined();
});

test("names end as Prometheus ends them, so that no collector has to rename a figure", () => {
  expect(counters.filter(([name]) => !name.endsWith("_total"))).toEqual([]);
  const inSeconds = [...gauges, ...histograms].filter(([, { unit }]) => unit === "s");
  expect(inSeconds.filter(([name]) => !name.endsWith("_seconds"))).toEqual([]);
  expect([...gauges, ...histograms].filter(([name]) => name.endsWith("_total"))).toEqual([]);
});

test("no label holds what grows with the number of cases", () => {
  const labels = new Set([...gauges, ...counters, ...histograms].flatMap(([, one]) => one.labels));
  const bounded = [
    "case_type",
    "state",
    "reading",
    "destination",
    "credential",
    "source",
    "reason",
    "schedule",
  ];
  expect([...labels].filter((label) => !bounded.includes(label)).toSorted()).toEqual([
    "kind",
    "outcome",
    "why",
  ]);
});

test("the parts of what is measured rise", () => {
  for (const [name, { bounds }] of histograms)
    expect([name, bounds]).toEqual([name, bounds.toSorted((one, other) => one - other)]);
});
