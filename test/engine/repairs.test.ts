import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineCase } from "../../src/define/builder.ts";
import { registryOf } from "../../src/define/registry.ts";
import { createDesk, type Desk } from "../../src/desk/desk.ts";
import { systemPorts } from "../../src/engine/system.ts";
import { ENGINE_VERSION } from "../../src/engine/version.ts";
import type { Store } from "../../src/store/port.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { input } from "./world.ts";

const RACES = 200;
const sign = defineCase("sign", { version: 1, owner: "ops", input }).approval("approve", { by: "finance" });
const caseTypes = [{ name: "sign", version: 1 }];

function deskOn(store: Store): Desk {
  return createDesk({
    store,
    registry: registryOf([sign]),
    ports: systemPorts(),
    engineVersion: ENGINE_VERSION,
  });
}

/** What a person is told who opens a case. */
async function openAs(desk: Desk, by: string, caseId: string): Promise<string> {
  try {
    return (await desk.openRepair(caseId, { by, host: "here", build: "1" })).sentence;
  } catch (error) {
    return String(error);
  }
}

describe("a race for one case on PostgreSQL", () => {
  let database: TestDatabase;
  const stores: Store[] = [];
  /** A store with its own connections, as each process has one. */
  const connect = (): Store => {
    const store = postgresStore({ url: database.url });
    stores.push(store);
    return store;
  };
  beforeAll(async () => {
    database = await createTestDatabase();
    await connect().migrate();
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await database.drop();
  });

  test(`R4: of two people and a worker, ${RACES} times, one wins and the others are told who has it and until when`, async () => {
    const { ids } = systemPorts();
    const workerStore = connect();
    const [annsDesk, bobsDesk] = [deskOn(connect()), deskOn(connect())];
    const holderId = ids.unique();
    const worker = { kind: "worker", name: "w-7", host: "host-1", build: "1", leaseMs: 10_000 } as const;
    await workerStore.registerHolder({ holderId, ...worker, caseTypes, destinations: [] });
    /** In two rounds of three it comes a little later: opening a page takes three statements, claiming one. */
    const claim = async (round: number): Promise<readonly string[]> => {
      for (let waits = 0; waits < (round % 3) + 1; waits += 1) await workerStore.now();
      const request = { holderId, claimIds: [ids.unique()], caseTypes, engineVersion: ENGINE_VERSION };
      const { cases } = await workerStore.claimDue({ ...request, actWithinMs: 60_000 });
      return cases.map(({ row }) => row.caseId);
    };
    const wins = { ann: 0, bob: 0, worker: 0 };
    for (let round = 0; round < RACES; round += 1) {
      const { caseId } = await annsDesk.startCase(sign, {}, { by: "ann" });
      const [ann, bob, claimed] = await Promise.all([
        openAs(annsDesk, "ann", caseId),
        openAs(bobsDesk, "bob", caseId),
        claim(round),
      ]);
      const held = (await workerStore.loadCase(caseId))?.row.claim;
      const winner = ann.startsWith("Open") ? "ann" : bob.startsWith("Open") ? "bob" : "worker";
      wins[winner] += 1;
      const told =
        winner === "worker"
          ? /is held by w-7 \(host-1\) until 20\d\d-\d\d-\d\dT/
          : new RegExp(`is being repaired by ${winner} until 20\\d\\d-\\d\\d-\\d\\dT`);
      const losers = [ann, bob].filter((reply) => !reply.startsWith("Open"));
      expect(losers).toHaveLength(winner === "worker" ? 2 : 1);
      for (const reply of losers) expect(reply).toMatch(told);
      expect(claimed).toEqual(winner === "worker" ? [caseId] : []);
      expect(held?.holderId === holderId).toBe(winner === "worker");
    }
    expect(wins.ann + wins.bob + wins.worker).toBe(RACES);
    expect(wins.worker).toBeGreaterThan(0);
    expect(wins.ann + wins.bob).toBeGreaterThan(0);
  });
});
