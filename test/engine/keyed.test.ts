import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registryOf } from "../../src/define/registry.ts";
import { createDesk } from "../../src/desk/desk.ts";
import { systemPorts } from "../../src/engine/system.ts";
import { ENGINE_VERSION } from "../../src/engine/version.ts";
import type { Store } from "../../src/store/port.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { startOwnProcess, type OwnProcess } from "../setup/own-process.ts";
import { refundType } from "./keyed-types.ts";
import { until } from "./world.ts";

/** Bound of every wait, in ms: a machine under load starts processes slowly. */
const WAIT_MS_MAX = 120_000;
/** Refunds of each customer. */
const REFUNDS = 6;
/** How long the bank takes for each, in ms: long enough for two at once to be seen. */
const WORK_MS = 20;

/** A bank that notes how many requests of one customer are under way at once. */
class Bank {
  readonly server: Server;
  readonly paid = new Set<string>();
  atOnceMax = 0;
  /** The next request is not answered. */
  isSilent = false;
  readonly #underWay = new Map<string, number>();

  constructor() {
    this.server = createServer((request, response) => {
      const customer = request.url ?? "";
      const isSilent = this.isSilent;
      this.isSilent = false;
      this.#count(customer, 1);
      response.on("close", () => this.#count(customer, -1));
      this.paid.add(String(request.headers["idempotency-key"]));
      if (isSilent) return;
      setTimeout(() => {
        response.writeHead(201, { "Content-Type": "application/json" });
        response.end(JSON.stringify({ id: "R-1" }));
      }, WORK_MS);
    });
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  isBusy(customer: string): boolean {
    return (this.#underWay.get(customer) ?? 0) > 0;
  }

  #count(customer: string, by: number): void {
    const now = (this.#underWay.get(customer) ?? 0) + by;
    this.#underWay.set(customer, now);
    this.atOnceMax = Math.max(this.atOnceMax, now);
  }
}

const script = new URL("keyed-process.ts", import.meta.url);
const bank = new Bank();
const workers = new Map<string, OwnProcess>();
let database: TestDatabase;
let store: Store;

beforeAll(async () => {
  database = await createTestDatabase();
  store = postgresStore({ url: database.url });
  await store.migrate();
  await new Promise<void>((resolve) => bank.server.listen(0, "127.0.0.1", resolve));
}, WAIT_MS_MAX);

afterAll(async () => {
  for (const worker of workers.values()) await worker.end();
  bank.server.closeAllConnections();
  await new Promise((resolve) => bank.server.close(resolve));
  await store.close();
  await database.drop();
});

test(
  "two processes never pay one customer twice at once, and go on when the one that holds the place is killed",
  async () => {
    const registry = registryOf([refundType(bank.url)]);
    const desk = createDesk({ store, registry, ports: systemPorts(), engineVersion: ENGINE_VERSION });
    bank.isSilent = true;
    const first = await desk.startCase("refund", { customer: "c-7" }, { by: "shop" });
    for (const name of ["one", "two"]) {
      const worker = startOwnProcess(script, [database.url, name, bank.url]);
      workers.set(name, worker);
      expect(await worker.nextLine(WAIT_MS_MAX)).toBe("up");
    }
    await until("the silent request", () => bank.isBusy("/c-7"), WAIT_MS_MAX);
    const others: string[] = [];
    for (let n = 1; n < REFUNDS; n += 1) {
      for (const customer of ["c-7", "c-8"])
        others.push((await desk.startCase("refund", { customer }, { by: "shop" })).caseId);
    }
    const isDone = async (caseId: string): Promise<boolean> =>
      (await store.loadRow(caseId))?.state === "done";
    const allDone = async (ids: readonly string[]): Promise<boolean> =>
      (await Promise.all(ids.map(isDone))).every(Boolean);
    const [ofSeven, ofEight] = [others.filter((_, n) => n % 2 === 0), others.filter((_, n) => n % 2 === 1)];
    await until("the refunds of the other customer", () => allDone(ofEight), WAIT_MS_MAX);
    const held = await until(
      "the others of the customer to be held back",
      async () => {
        const { cases } = await desk.list({ readable: ["Held back"] });
        return cases.length === ofSeven.length && cases;
      },
      WAIT_MS_MAX,
    );
    expect(held.map(({ caseId }) => caseId).toSorted()).toEqual(ofSeven.toSorted());
    expect(held[0]?.reading.actsNext).toBe(`case ${first.caseId}`);

    const row = await store.loadRow(first.caseId);
    const holders = await store.listHolders();
    const holder = holders.find(({ holderId }) => holderId === row?.claim?.holderId)?.name ?? "";
    await workers.get(holder)?.end("SIGKILL");
    await until("all refunds", () => allDone([first.caseId, ...others]), WAIT_MS_MAX);
    expect(bank.atOnceMax).toBe(1);
    expect(bank.paid.size).toBe(1 + others.length);
  },
  WAIT_MS_MAX * 3,
);
