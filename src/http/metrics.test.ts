import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { COUNTERS, GAUGES, HISTOGRAMS, type Figure } from "../core/figures.ts";
import { testDesk } from "../desk/purchase.fixture.ts";
import { memoryStore } from "../store/memory/store.ts";
import { fromHere, testApp } from "./app.fixture.ts";
import type { Identity } from "./api/identity.ts";

const order = { vendor: "ACME", amount: 12.5 };
const docs = new URL("../../docs/reference/", import.meta.url);

describe("the figures for machines", () => {
  let now = 1_800_000_000_000;
  let store = memoryStore({ now: () => now });
  beforeEach(() => {
    now = 1_800_000_000_000;
    store = memoryStore({ now: () => now });
  });

  async function read(signIn?: Identity | null): Promise<Response> {
    const app = testApp(store, signIn === undefined ? {} : { signIn: () => Promise.resolve(signIn) });
    return app.request("/metrics", { headers: { host: "localhost:4680" } }, fromHere);
  }

  test("tell how many cases stand where, since when the first of them is due, and that nobody takes them", async () => {
    const desk = testDesk(store);
    await desk.startCase("purchase", order, { by: "ada" });
    const { caseId } = await desk.startCase("purchase", order, { by: "ada" });
    await desk.cancel(caseId, { by: "ada" });
    now += 90_000;
    const answer = await read();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    const lines = (await answer.text()).split("\n");
    expect(lines).toEqual(
      expect.arrayContaining([
        "# TYPE foothold_cases gauge",
        'foothold_cases{case_type="purchase",state="ready"} 1',
        'foothold_cases{case_type="purchase",state="canceled"} 1',
        'foothold_cases_open{case_type="purchase",reading="Waiting until"} 1',
        'foothold_cases_due{case_type="purchase"} 1',
        'foothold_oldest_due_seconds{case_type="purchase"} 90',
        'foothold_cases_with_review{case_type="purchase"} 0',
        'foothold_workers{case_type="purchase"} 0',
        'foothold_cases_without_worker{case_type="purchase"} 1',
        'foothold_destination_up{destination="erp",credential="erp"} 1',
      ]),
    );
  });

  test("count what was refused in the last hour, and no longer", async () => {
    const refusal = { tenant: "acme", source: "shop", bodyBytes: 2, headers: [], isLost: false } as const;
    await store.inbox.refuse([
      { ...refusal, refusalId: "r01-old", at: now - 3_600_001, reason: "wrongSignature", count: 5 },
      { ...refusal, refusalId: "r02-new", at: now - 1, reason: "wrongSignature", count: 1 },
      { ...refusal, refusalId: "r03-all", at: now - 2, reason: "wrongSignature", count: 40, tenant: "other" },
      { ...refusal, refusalId: "r04-ours", at: now - 3, reason: "noSecret", count: 2 },
    ]);
    const lines = (await (await read()).text()).split("\n").filter((line) => line.includes("refused{"));
    expect(lines.toSorted()).toEqual([
      'foothold_inbox_refused{source="shop",reason="noSecret"} 2',
      'foothold_inbox_refused{source="shop",reason="wrongSignature"} 41',
    ]);
  });

  test("are there without a case, so that an alert on what is missing means something", async () => {
    const text = await (await read()).text();
    expect(Object.keys(GAUGES).filter((name) => !text.includes(`# HELP ${name} `))).toEqual([]);
  });

  test("are told to nobody who is not signed in, nor to who may see some cases only", async () => {
    expect((await read(null)).status).toBe(401);
    const grants = [{ verbs: "all", tenants: ["acme"], caseTypes: "all" }] as const;
    const acme: Identity = { name: "ada", person: null, signedInBy: "token", grants };
    const answer = await read(acme);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: "NOT_ALLOWED" });
  });

  test("are all on their page, in the same words and order, and alerts watch none that is not there", () => {
    const page = readFileSync(new URL("metrics.md", docs), "utf8");
    const rows = [...page.matchAll(/^\| `(foothold_\w+)` +\| (.*?) +\| (.*?) +\|$/gm)].map((row) =>
      row.slice(1),
    );
    const figures: readonly (readonly [string, Figure])[] = Object.entries({
      ...GAUGES,
      ...COUNTERS,
      ...HISTOGRAMS,
    });
    expect(rows).toEqual(
      figures.map(([name, { help, labels }]) => [
        name,
        labels.map((label) => `\`${label}\``).join(", "),
        help,
      ]),
    );
    const alerts = readFileSync(new URL("../examples/alerts.yml", docs), "utf8");
    const watched = new Set([...alerts.matchAll(/\b(foothold_\w+)/g)].map(([name]) => name));
    expect(watched.size).toBeGreaterThan(3);
    expect([...watched].filter((name) => !(name in GAUGES))).toEqual([]);
    const runbooks = [...alerts.matchAll(/runbook: \S+#([\w-]+)/g)].map(([, anchor]) => anchor ?? "");
    expect(runbooks).toHaveLength([...alerts.matchAll(/- alert:/g)].length);
    const headings = [...page.matchAll(/^### (.*)$/gm)].map(([, text = ""]) =>
      text.toLowerCase().replaceAll(" ", "-"),
    );
    expect(runbooks.filter((anchor) => !headings.includes(anchor))).toEqual([]);
  });
});
