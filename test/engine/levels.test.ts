import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { createDesk } from "../../src/desk/desk.ts";
import { registryOf } from "../../src/define/registry.ts";
import { systemPorts } from "../../src/engine/system.ts";
import { ENGINE_VERSION } from "../../src/engine/version.ts";
import { testApp } from "../../src/http/app.fixture.ts";
import { createClient, type Client } from "../../src/http/client/client.ts";
import { startServer, type RunningServer } from "../../src/http/server.ts";
import type { Store, StoredRow } from "../../src/store/port.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { startOwnProcess, type OwnProcess } from "../setup/own-process.ts";
import { startDestination, type TestDestination } from "./destination.ts";
import { BACK, levelTypes, type LevelUrls } from "./levels-types.ts";
import { until } from "./world.ts";

/** Bound of every wait, in ms: a machine under load starts processes slowly. */
const WAIT_MS_MAX = 120_000;
/** How long nothing may come any more once the order is canceled, in ms: longer than a lease. */
const QUIET_MS = 3_000;

const script = new URL("levels-process.ts", import.meta.url);
const workers = new Map<string, OwnProcess>();
let database: TestDatabase;
let store: Store;
let server: RunningServer;
let client: Client;
let places: Record<keyof LevelUrls, TestDestination>;

function urlsOf({ bank, depot, printer, mail }: typeof places): LevelUrls {
  return { bank: bank.url, depot: depot.url, printer: printer.url, mail: mail.url };
}

async function hire(name: string): Promise<void> {
  const worker = startOwnProcess(script, [database.url, name, JSON.stringify(urlsOf(places))]);
  workers.set(name, worker);
  expect(await worker.nextLine(WAIT_MS_MAX)).toBe("up");
}

beforeAll(async () => {
  database = await createTestDatabase();
  store = postgresStore({ url: database.url });
  await store.migrate();
  const [bank, printer] = [
    await startDestination({ deduplicates: true }),
    await startDestination({ deduplicates: true }),
  ];
  const [depot, mail] = [
    await startDestination({ deduplicates: false }),
    await startDestination({ deduplicates: false }),
  ];
  places = { bank, depot, printer, mail };
  const registry = registryOf(levelTypes(urlsOf(places)));
  const desk = createDesk({ store, registry, ports: systemPorts(), engineVersion: ENGINE_VERSION });
  server = await startServer({ app: testApp(store, { desk }), host: "127.0.0.1", port: 0 });
  client = createClient({ baseUrl: server.url });
}, WAIT_MS_MAX);

afterAll(async () => {
  for (const worker of workers.values()) await worker.end();
  for (const place of Object.values(places)) await place.stop();
  await server.close();
  await store.close();
  await database.drop();
});

async function allRows(): Promise<readonly StoredRow[]> {
  return (await store.listCases({ limit: 100 })).rows;
}

/** `kill -9` of the worker that holds this case. */
async function killHolder({ claim, caseId }: StoredRow): Promise<string> {
  const holders = await store.listHolders();
  const name = holders.find(({ holderId }) => holderId === claim?.holderId)?.name ?? "";
  const worker = workers.get(name);
  if (worker === undefined) throw new Error(`no worker holds case ${caseId}`);
  await worker.end("SIGKILL");
  return name;
}

/** The effects at a destination that nothing took back. */
function leftAt({ effects }: TestDestination): readonly string[] {
  const takenBack = new Set(
    effects
      .filter(({ path }) => path === BACK)
      .map(({ body }) => z.object({ undoes: z.string() }).parse(JSON.parse(body)).undoes),
  );
  return effects.filter(({ path, id }) => path !== BACK && !takenBack.has(id)).map(({ path }) => path);
}

function effectCount(): number {
  return Object.values(places).reduce((sum, { effects }) => sum + effects.length, 0);
}

/** Says of whatever nobody can take back that it stays outside, and of what nobody knows as well, until the order has ended. */
async function leaveWhatStays(orderId: string): Promise<readonly string[]> {
  const left = new Set<string>();
  await until(
    "the order to be canceled",
    async () => {
      for (const { caseId, caseType, state, summary } of await allRows()) {
        if (state === "done" || state === "canceled") continue;
        for (const { step, reason } of summary.reviews) {
          if (reason !== "staysOutside") continue;
          await client.leaveOutside({ caseId, step, reason: "a second mail explains it" }, { plan: "*" });
          left.add(`${caseType} ${step}`);
        }
      }
      return (await store.loadRow(orderId))?.state === "canceled";
    },
    WAIT_MS_MAX,
  );
  return [...left];
}

test(
  "an order that is canceled half-way, as a worker is killed, leaves nothing at any destination without a word",
  { timeout: 3 * WAIT_MS_MAX },
  async () => {
    const { bank, depot, printer, mail } = places;
    // A lost answer, one that is away, one that is refused for good, and one that is under way as its worker dies.
    bank.script("/payments", "loseAnswer", { status: 503 });
    depot.script("/packs", "loseAnswer");
    printer.script("/labels/a1", { status: 503 }, "loseAnswer");
    printer.script("/labels/a2", { status: 422, body: { message: "no such parcel" } });
    printer.script("/labels/b1", "hold");
    await Promise.all([hire("w-1"), hire("w-2")]);
    const shipments = [["a1", "a2"], ["b1", "b2"], ["c1"]];
    const { caseId } = await client.startCase({ type: "order", input: { shipments } });

    const held = await until(
      "a label to be on its way, another one to wait for people, and one to be done",
      async () => {
        const labels = (await allRows()).filter(({ caseType }) => caseType === "label");
        const isHeld = printer.requests.some(({ path }) => path === "/labels/b1");
        const inReview = labels.some(({ state }) => state === "in_review");
        const isDone = labels.some(({ state }) => state === "done");
        const claimed = labels.find(
          ({ state, summary }) => state === "claimed" && summary.parent?.step === "labels[b1]",
        );
        return isHeld && inReview && isDone && mail.effects.length > 0 ? (claimed ?? null) : null;
      },
      WAIT_MS_MAX,
    );
    const killed = await killHolder(held);
    await client.cancelCase({ caseId, reason: "ordered twice" }, { plan: "*" });
    // What was on its way arrives after its sender died.
    printer.release();
    await hire(`${killed}-again`);

    expect(await leaveWhatStays(caseId)).toEqual(["order tell"]);
    const rows = await allRows();
    const below = rows.filter((row) => row.caseId !== caseId);
    expect(below.map(({ state }) => state)).toEqual(below.map(() => "canceled"));
    expect(new Set(below.map(({ caseType }) => caseType))).toEqual(new Set(["shipment", "label"]));
    const effectsBefore = effectCount();
    await delay(QUIET_MS);
    expect(effectCount()).toBe(effectsBefore);
    expect([bank, depot, printer].flatMap(leftAt)).toEqual([]);
    expect(leftAt(mail)).toEqual(["/mails"]);
    for (const { effects } of Object.values(places)) {
      const keys = effects.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    }
    // A fault that was not met proves nothing.
    expect(printer.effects.map(({ path }) => path)).toContain("/labels/b1");
    const journal = (await store.loadCase(held.caseId))?.journal ?? [];
    expect(journal.map(({ entry }) => entry.kind)).toContain("claimLost");
  },
);
