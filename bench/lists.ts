/**
 * Lists at the API over a real socket, with 100,000 and then 1,000,000 cases stored, and the console's first view in a
 * browser, where one is found. `npm run bench:lists`, about four minutes. Prints a table, and the plans of the plain lists.
 * The rows are made in SQL: what a list reads is the row alone.
 */

import { Client } from "pg";
import { createDesk, defineCase, ENGINE_VERSION, registryOf, systemPorts } from "foothold";
import { postgresStore } from "foothold/postgres";
import { z } from "zod";
import { BUILT_IN_ROLES } from "../src/core/rights.ts";
import { cookieRules, devSignIn } from "../src/http/api/identity.ts";
import { createApp } from "../src/http/app.ts";
import { startServer as listen } from "../src/http/server.ts";
import { openBrowser, openPage } from "../test/console/screens.ts";
import { findChromium } from "../test/setup/chromium.ts";
import { findTestBinaries, startServer } from "../test/setup/server.ts";

const SIZES = [100_000, 1_000_000];
const ROUNDS = 30;
const TYPES = 5;

/** One case in fifty waits for a person, as many wait for an approval; the rest is done. */
const fill = `
  insert into foothold.cases (
    shard, case_id, tenant, case_type, business_key, definition_version, engine_version, state, due_at, revision, lineage,
    started_at, changed_at, summary, has_review
  )
  select n % 32, to_char(n % 32, 'FM00') || '-b' || n, 'default', 'order' || n % ${TYPES}, 'PO-' || n, 1, 1,
    case n % 50 when 0 then 'in_review' when 1 then 'waiting' else 'done' end, null, 9, $3,
    now() - n * interval '1 second', now() - n * interval '1 second',
    jsonb_build_object(
      'confirmed', 3, 'unsettled', '[]'::jsonb, 'losses', 0, 'isRepaired', false, 'stoppedBy', null, 'repair', null,
      'lastFailure', case n % 50 when 0 then jsonb_build_object(
        'step', 'create', 'kind', 'rejected', 'at', 0, 'sentence', 'erp answered 422: the vendor ' || n || ' is unknown.',
        'executed', 'no', 'attempt', 1) end,
      'reviews', case n % 50 when 0 then jsonb_build_array(jsonb_build_object(
        'step', 'create', 'reason', 'rejected', 'sentence', 'The vendor ' || n || ' is unknown.', 'owner', 'purchasing',
        'nextCheckAllowedAt', null)) else '[]'::jsonb end,
      'waits', case n % 50 when 1 then jsonb_build_array(jsonb_build_object(
        'step', 'approve', 'kind', 'approval', 'by', 'finance', 'dueAt', null)) else '[]'::jsonb end),
    n % 50 = 0
  from generate_series($1::integer, $2::integer) as n`;

const lists: readonly (readonly [name: string, path: string])[] = [
  ["first page", "cases?limit=50"],
  ["of one type", "cases?limit=50&type=order3"],
  ["done", "cases?limit=50&state=done"],
  ["with a review, as Needs attention asks", "cases?limit=100&review=true"],
  [
    "waits for an approval or access, the same",
    "cases?limit=100&reading=Waiting%20for%20approval&reading=Needs%20access",
  ],
  ["needs correction", "cases?limit=50&reading=Needs%20correction"],
  ["of one owner", "cases?limit=50&owner=purchasing"],
  ["kind of failure", "cases?limit=50&kind=rejected"],
  ["one business key", "cases?limit=50&businessKey=PO-77777"],
  ["part of a text, found often", "cases?limit=50&text=PO-99"],
  ["counted, up to 1,000", "case-count"],
  ["overview (reads every row)", "overview"],
  ["map of a type (reads open cases)", "case-types/order3/map"],
  ["history of 24 hours", "history"],
  ["traffic of destinations", "traffic"],
];

const database = await startServer(await findTestBinaries());
const store = postgresStore({ url: database.url });
await store.migrate();
const client = new Client(database.url);
await client.connect();
const order = (name: string) =>
  defineCase(name, { version: 1, owner: "purchasing", input: z.unknown() }).approval("approve", {
    by: "finance",
  });
const registry = registryOf(Array.from({ length: TYPES }, (_, n) => order(`order${n}`)));
const ports = systemPorts();
const desk = createDesk({ store, registry, ports, engineVersion: ENGINE_VERSION });
const app = createApp({
  desk,
  store,
  registry,
  ports,
  sources: [],
  formatTime: (at) => new Date(at).toISOString(),
  roles: BUILT_IN_ROLES,
  signIn: devSignIn("bench"),
  cookie: cookieRules(false),
  reach: { kind: "loopback" },
  oidc: null,
  served: { host: "bench", build: "bench" },
});
const server = await listen({ app, host: "127.0.0.1", port: 0 });

/** Median and 95th percentile of requests one after another, in ms, and how many bytes one answer has. */
async function measure(path: string): Promise<readonly [median: number, p95: number, bytes: number]> {
  const tookMs: number[] = [];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const from = performance.now();
    const answer = await fetch(`${server.url}/api/v1/${path}`);
    bytes = (await answer.arrayBuffer()).byteLength;
    tookMs.push(performance.now() - from);
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`);
  }
  const sorted = tookMs.toSorted((one, other) => one - other);
  return [sorted[ROUNDS >> 1] ?? NaN, sorted[Math.floor(ROUNDS * 0.95)] ?? NaN, bytes];
}

/** From the request for the page until the first list is painted, in ms, each time in a browser that has stored nothing. */
async function firstViews(executablePath: string): Promise<readonly number[]> {
  const browser = await openBrowser(executablePath);
  const tookMs: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const { page } = await openPage(browser);
    const from = performance.now();
    await page.goto(server.url);
    await page.locator("tbody tr").first().waitFor();
    tookMs.push(performance.now() - from);
    await page.context().close();
  }
  await browser.close();
  return tookMs;
}

const chromium = findChromium();
let stored = 0;
for (const size of SIZES) {
  const lineage = "bench";
  await client.query(fill, [stored + 1, size, lineage]);
  await client.query("vacuum analyze foothold.cases");
  stored = size;
  console.log(`\n${size.toLocaleString("en")} cases`);
  for (const [name, path] of lists) {
    const [median, p95, bytes] = await measure(path);
    console.log(`  ${name.padEnd(50)} ${median.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, ${bytes} bytes`);
  }
  if (chromium.found) {
    const views = await firstViews(chromium.path);
    console.log(`  first view in a browser: ${views.map((one) => one.toFixed(0)).join(", ")} ms`);
  }
}
for (const name of ["cases_started", "cases_review"]) {
  const where = name === "cases_review" ? "where has_review" : "";
  const { rows } = await client.query<{ "QUERY PLAN": string }>(
    `explain (analyze, costs off, summary off, timing off) select * from foothold.cases ${where}
     order by started_at desc, case_id desc limit 51`,
  );
  console.log(`\n${rows.map((row) => row["QUERY PLAN"]).join("\n")}`);
}
await server.close();
await client.end();
await store.close();
await database.stop();
