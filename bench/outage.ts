/**
 * An outage for real: four workers on PostgreSQL, cases that send over loopback HTTP to a server that gets twenty requests
 * done in a second, sixteen cases starting in each, and 30 s in which it answers 503. `npm run bench:outage`, about two
 * minutes. Prints figures as `npm run outage` does for the simulated one.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import {
  createDesk,
  createWorker,
  defineCase,
  defineDestination,
  ENGINE_VERSION,
  registryOf,
  systemPorts,
} from "foothold";
import { postgresStore } from "foothold/postgres";
import { OutageServer } from "../simulation/outage-server.ts";
import { findTestBinaries, startServer } from "../test/setup/server.ts";

const WORKERS = 4;
const PER_SECOND = 20;
const LOAD = 0.8;
const [CALM_S, OUTAGE_S, AFTER_S, UNTIL_S] = [10, 30, 30, 180];

const startedAt = performance.now();
const now = (): number => performance.now() - startedAt;
const outage = new OutageServer({
  perSecond: PER_SECOND,
  queueMax: PER_SECOND * 50,
  awayFrom: CALM_S * 1_000,
  awayUntil: (CALM_S + OUTAGE_S) * 1_000,
  now,
  after: (delayMs, act) => void setTimeout(act, delayMs),
});
const http = createServer((request, response) => {
  const gone = new AbortController();
  request.resume();
  response.on("close", () => gone.abort());
  outage.send(gone.signal).then(
    () => response.writeHead(201, { "content-type": "application/json" }).end("{}"),
    () => response.writeHead(503).end(),
  );
});
await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
const address = http.address();
if (address === null || typeof address === "string") throw new Error("the server has no port");
const { port }: AddressInfo = address;

const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });
const order = defineCase("order", { version: 1, owner: "bench", input: z.object({}) }).step("send", {
  to: erp,
  deadline: "2s",
  run: async ({ fetch, idempotencyKey, signal }) => {
    const headers = { "idempotency-key": idempotencyKey };
    const answer = await fetch(`http://127.0.0.1:${port}/orders`, { method: "POST", headers, signal });
    if (!answer.ok) throw Object.assign(new Error(`status ${answer.status}`), { response: answer });
    return null;
  },
});

const database = await startServer(await findTestBinaries());
const registry = registryOf([order]);
const stores = Array.from({ length: WORKERS + 1 }, () => postgresStore({ url: database.url }));
const [first, ...others] = stores;
if (first === undefined) throw new Error("there is no store");
await first.migrate();
const ports = systemPorts();
const workers = others.map((store, n) =>
  createWorker({
    store,
    registry,
    ports,
    name: `w-${n}`,
    host: "bench",
    build: "bench",
    onReport: (report) => {
      if (report.kind === "released" && report.state === "done") outage.second.done += 1;
    },
  }),
);
for (const worker of workers) await worker.start();
const desk = createDesk({ store: first, registry, ports, engineVersion: ENGINE_VERSION });

const beganAt = now();
const total = Math.floor(PER_SECOND * LOAD * (CALM_S + OUTAGE_S + AFTER_S - beganAt / 1_000));
for (let n = 0; n < total; n += 1) {
  const waitMs = beganAt + (n * 1_000) / (PER_SECOND * LOAD) - now();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  await desk.startCase("order", {}, { by: "bench" });
}
const statesNow = async (): Promise<Readonly<Partial<Record<string, number>>>> =>
  (await first.countCases())[0]?.states ?? {};
let states = await statesNow();
while ((states["done"] ?? 0) < total && now() < UNTIL_S * 1_000) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  states = await statesNow();
}
const after = outage.seconds.slice(CALM_S + OUTAGE_S, -1);
const surge = Math.max(0, ...after.map(({ requests }) => requests));
process.stdout.write(
  `${states["done"] ?? 0} of ${total} cases done by ${(now() / 1_000).toFixed(0)} s, ${states["in_review"] ?? 0} in review; ` +
    `${outage.requests} requests (${(outage.requests / total).toFixed(2)} for each case); ` +
    `after the outage at most ${surge} requests in a second\n`,
);
for (const worker of workers) await worker.stop();
http.closeAllConnections();
http.close();
await Promise.all(stores.map((store) => store.close()));
await database.stop();
