import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { PRESETS, signRequest } from "foothold/inbox";
import { memoryStore } from "foothold/memory";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase } from "../../test/setup/database.ts";
import { startExpress } from "./express.ts";
import { startFastify } from "./fastify.ts";
import type { Mounted } from "./mounted.ts";
import { startNest } from "./nest.ts";
import { GET as showOrder } from "./next/app/orders/[caseId]/route.ts";
import { POST as takeOrder } from "./next/app/orders/route.ts";
import { POST as takeHook } from "./next/app/hooks/[source]/route.ts";
import { register } from "./next/instrumentation.ts";
import { shop as nextShop } from "./next/shop.ts";
import { startShop, type Shop } from "./shop.ts";
import { startWarehouse, type Warehouse } from "./warehouse.ts";

const secret = "a secret of ours";
const WAIT = { timeout: 60_000 };

let warehouse: Warehouse;

beforeEach(async () => {
  warehouse = await startWarehouse();
});

afterEach(() => warehouse.stop());

/** Behind a framework that is given a shop. */
function behind(mount: (shop: Shop, port: number) => Promise<Mounted>): () => Promise<Mounted> {
  return async () => mount(await startShop({ store: memoryStore(), warehouseUrl: warehouse.url, secret }), 0);
}

/** Routes as Next does: a file for each, which is given a real request. */
async function route(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const [, first, second] = pathname.split("/");
  if (first === "hooks" && request.method === "POST") return takeHook(request);
  if (second === undefined && request.method === "POST") return takeOrder(request);
  return showOrder(request, { params: Promise.resolve({ caseId: second ?? "" }) });
}

/** The server of Next, as far as the routes see of it. */
async function startNext(): Promise<Mounted> {
  const database = await createTestDatabase();
  const settings = { DATABASE_URL: database.url, WAREHOUSE_URL: warehouse.url, PAYMENTS_SECRET: secret };
  Object.assign(process.env, settings, { NEXT_RUNTIME: "nodejs" });
  await register();
  const listener = getRequestListener(route);
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    stop: async () => {
      server.closeIdleConnections();
      await new Promise((resolve) => server.close(resolve));
      await (await nextShop()).stop();
      process.removeAllListeners("SIGTERM");
      await database.drop();
    },
  };
}

async function post(url: string, body: object): Promise<{ readonly status: number; readonly said: unknown }> {
  const headers = { "content-type": "application/json", connection: "close" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, said: await response.json() };
}

async function order(url: string, number: string): Promise<string> {
  const { status, said } = await post(`${url}/orders`, { number, item: "desk" });
  expect(status).toBe(202);
  // What the shop answers to an order that it took.
  return (said as { readonly caseId: string }).caseId;
}

/** What the provider posts once an order is paid. */
async function tellPaid(url: string, number: string, signedWith: string, id: string): Promise<number> {
  // Two spaces, which no parser gives back.
  const body = Buffer.from(`{"order":  "${number}"}`);
  const signing = { method: "POST", url, body, secret: signedWith, at: 0, id, eventType: "order.paid" };
  const headers = { ...signRequest(PRESETS.hmac, signing), connection: "close" };
  return (await fetch(`${url}/hooks/payments`, { method: "POST", headers, body })).status;
}

async function stateOf(url: string, caseId: string): Promise<unknown> {
  const response = await fetch(`${url}/orders/${caseId}`, { headers: { connection: "close" } });
  return ((await response.json()) as { readonly state?: string }).state;
}

describe.each([
  ["Express", behind(startExpress)],
  ["Fastify", behind(startFastify)],
  ["NestJS", behind(startNest)],
  ["route handlers as Next calls them", startNext],
])("the shop behind %s", (_name, start) => {
  test("starts one case for an order, hears of its payment beside the body parser, and ships once", async () => {
    const mounted = await start();
    const { url } = mounted;
    const caseId = await order(url, "o-1");
    expect(await order(url, "o-1")).toBe(caseId);
    expect((await post(`${url}/orders`, { number: "" })).status).toBe(422);
    await expect.poll(() => stateOf(url, caseId), WAIT).toBe("Waiting for event");
    expect(await tellPaid(url, "o-1", "another secret", "e-1")).toBe(401);
    expect(await tellPaid(url, "o-1", secret, "e-1")).toBe(202);
    expect(await tellPaid(url, "o-1", secret, "e-1")).toBe(202);
    await expect.poll(() => stateOf(url, caseId), WAIT).toBe("Done");
    expect(warehouse.movements).toEqual([{ reserve: "desk" }, { ship: "desk", of: "M-1" }]);
    await mounted.stop();
  });

  test("ends what is under way before it stops, and takes nothing more", async () => {
    const mounted = await start();
    const { url } = mounted;
    const letGo = warehouse.hold();
    await order(url, "o-2");
    await expect.poll(() => warehouse.movements.length, WAIT).toBe(1);
    let isStopped = false;
    const stopping = mounted.stop().then(() => (isStopped = true));
    await expect
      .poll(
        () =>
          fetch(url).then(
            () => "taken",
            () => "refused",
          ),
        WAIT,
      )
      .toBe("refused");
    expect(isStopped).toBe(false);
    letGo();
    await stopping;
    expect(warehouse.movements).toEqual([{ reserve: "desk" }]);
  });
});
