import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { COUNTERS, GAUGES, HISTOGRAMS, type Figure } from "../../src/core/figures.ts";

const folder = new URL("../../docs/examples/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");

/** Every series that may be asked for, with its labels: what Prometheus has of a histogram are three. */
const SERIES: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.entries<Figure>({ ...GAUGES, ...COUNTERS }).map(([name, { labels }]) => [name, labels] as const),
  ...Object.entries<Figure>(HISTOGRAMS).flatMap(([name, { labels }]) => [
    [`${name}_bucket`, [...labels, "le"]] as const,
    [`${name}_sum`, labels] as const,
    [`${name}_count`, labels] as const,
  ]),
  // Of Prometheus itself.
  ["up", ["job"]] as const,
  ["ALERTS", ["alertname", "alertstate", "severity"]] as const,
]);

const WORDS = new Set(
  "sum max min by rate increase delta histogram_quantile absent and or unless label_values".split(" "),
);

/** What a query names that does not exist; nothing = it can find something. */
function faultsOf(query: string): readonly string[] {
  const bare = query.replaceAll(/"[^"]*"/g, '""').replaceAll(/\[[^\]]*\]/g, "");
  const faults: string[] = [];
  const found: string[] = [];
  for (const [, name = "", , selected] of bare.matchAll(/([A-Za-z_]\w*)(\{([^}]*)\})?/g)) {
    const labels = SERIES.get(name);
    if (labels === undefined) continue;
    found.push(...labels);
    for (const [, label = ""] of (selected ?? "").matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g))
      if (!labels.includes(label)) faults.push(`${name} has no label ${label}`);
  }
  if (found.length === 0 && !/notices_undelivered|batch_size/.test(bare)) faults.push("it asks for nothing");
  for (const [, list = ""] of bare.matchAll(/\bby \(([^)]*)\)/g))
    for (const label of list.split(/,\s*/))
      if (!found.includes(label)) faults.push(`nothing here has a label ${label}`);
  const rest = bare.replaceAll(/\{[^}]*\}/g, "").replaceAll(/\bby \([^)]*\)/g, "");
  for (const [name] of rest.matchAll(/[A-Za-z_]\w*/g))
    if (!WORDS.has(name) && !SERIES.has(name) && !(query.startsWith("label_values") && found.includes(name)))
      faults.push(`there is no ${name}`);
  return faults;
}

function labelsIn(query: string): readonly string[] {
  return [...query.matchAll(/[A-Za-z_]\w*/g)].flatMap(([name]) => SERIES.get(name) ?? []);
}

const datasource = z.strictObject({ type: z.literal("prometheus"), uid: z.literal("${datasource}") });
const gridPos = z.strictObject({
  x: z.int().min(0).max(23),
  y: z.int().min(0),
  w: z.int().min(1).max(24),
  h: z.int().min(1),
});
const target = z.looseObject({
  refId: z.string(),
  datasource,
  expr: z.string(),
  legendFormat: z.string(),
});
const panel = z.union([
  z.looseObject({ type: z.literal("row"), id: z.int(), title: z.string(), gridPos }),
  z.looseObject({
    type: z.enum(["timeseries", "stat", "table"]),
    id: z.int(),
    title: z.string(),
    datasource,
    gridPos,
    fieldConfig: z.looseObject({
      defaults: z.looseObject({ unit: z.string() }),
      overrides: z.array(z.unknown()),
    }),
    options: z.looseObject({}),
    targets: z.array(target).min(1),
  }),
]);
const variable = z.looseObject({ name: z.string(), type: z.string(), query: z.unknown() });
const dashboard = z.looseObject({
  uid: z.string(),
  title: z.string(),
  schemaVersion: z.int().min(36),
  time: z.strictObject({ from: z.string(), to: z.string() }),
  annotations: z.looseObject({ list: z.array(z.unknown()) }),
  templating: z.looseObject({ list: z.array(variable) }),
  panels: z.array(panel),
});

describe("the dashboard", () => {
  const { panels, templating } = dashboard.parse(JSON.parse(read("grafana.json")));
  const targets = panels.flatMap((one) => (one.type === "row" ? [] : one.targets));

  test("asks for figures and labels only that the table has, in queries and in legends", () => {
    expect(targets.flatMap(({ expr }) => faultsOf(expr).map((fault) => `${expr}: ${fault}`))).toEqual([]);
    for (const { expr, legendFormat } of targets)
      for (const [, label = ""] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect([expr, labelsIn(expr)]).toEqual([expr, expect.arrayContaining([label])]);
  });

  test("shows every figure there is", () => {
    const shown = targets.map(({ expr }) => expr).join("\n");
    const figures = Object.keys({ ...GAUGES, ...COUNTERS, ...HISTOGRAMS });
    // By stored state: people read the other one.
    expect(figures.filter((name) => !new RegExp(`\\b${name}(_bucket|_sum|_count)?\\b`).test(shown))).toEqual([
      "foothold_cases",
    ]);
  });

  test("takes its source and its choices from variables, which find something", () => {
    const names = templating.list.map(({ name }) => name);
    expect(names).toEqual(["datasource", "case_type", "destination"]);
    const queries = templating.list.flatMap(({ query }) =>
      typeof query === "string" ? [] : [z.looseObject({ query: z.string() }).parse(query).query],
    );
    expect(queries).toHaveLength(2);
    expect(queries.flatMap(faultsOf)).toEqual([]);
    const used = [...JSON.stringify(panels).matchAll(/\$(?:\{(\w+)\}|(\w+))/g)].map(
      ([, a, b]) => a ?? b ?? "",
    );
    expect([...new Set(used)].toSorted()).toEqual(["__rate_interval", ...names].toSorted());
  });

  test("has no two panels with one id or in one place, and each fills its row", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const widths = new Map<number, number>();
    for (const {
      gridPos: { x, y, w },
    } of panels) {
      expect([y, x]).toEqual([y, widths.get(y) ?? 0]);
      widths.set(y, x + w);
    }
    expect([...widths.values()].filter((width) => width !== 24)).toEqual([]);
  });
});

describe("the alerts", () => {
  const rule = z.object({
    alert: z.string(),
    expr: z.string(),
    annotations: z.object({ summary: z.string(), runbook: z.string() }),
  });
  const { groups } = z
    .object({ groups: z.array(z.object({ rules: z.array(rule) })) })
    .parse(parse(read("alerts.yml")));
  const rules = groups.flatMap((group) => group.rules);

  test("ask for figures and labels only that the table has, in rules and in sentences", () => {
    expect(rules.length).toBeGreaterThan(5);
    for (const { alert, expr, annotations } of rules) {
      expect([alert, faultsOf(expr)]).toEqual([alert, []]);
      for (const [, label = ""] of annotations.summary.matchAll(/\$labels\.(\w+)/g))
        expect([alert, labelsIn(expr)]).toEqual([alert, expect.arrayContaining([label])]);
    }
  });
});

describe("the judge of queries", () => {
  test.each([
    ["sum(foothold_cases_overdue)", "there is no foothold_cases_overdue"],
    ['foothold_cases{tenant="acme"}', "foothold_cases has no label tenant"],
    ["sum by (destination) (foothold_cases_due)", "nothing here has a label destination"],
    ["rate(foothold_attempt_duration_seconds[5m])", "there is no foothold_attempt_duration_seconds"],
    ["1 + 1", "it asks for nothing"],
  ])("finds the fault of %s", (query, fault) => {
    expect(faultsOf(query)).toContain(fault);
  });
});
