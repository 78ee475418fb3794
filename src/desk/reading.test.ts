import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/setup/database.ts";
import { z } from "zod";
import { FootholdError } from "../core/errors.ts";
import { foldEntries } from "../core/fold.ts";
import { KEYED_ENGINE_VERSION } from "../core/key-places.ts";
import { rowOf } from "../core/row.ts";
import { defineCase } from "../define/builder.ts";
import type { CaseType } from "../define/case-type.ts";
import { registryOf } from "../define/registry.ts";
import { systemPorts } from "../engine/system.ts";
import { ENGINE_VERSION } from "../engine/version.ts";
import type { Store } from "../store/port.ts";
import { postgresStore } from "../store/postgres/store.ts";
import { createDesk, type Desk } from "./desk.ts";
import { claimAll, testDesk } from "./purchase.fixture.ts";
import { refusalOf } from "./refusal.fixture.ts";
import { WRITE_DELAYS_MS } from "./send-again.ts";
import { onEachStore } from "./stores.fixture.ts";

const order = { vendor: "ACME", amount: 12.5 };
const ada = { by: "ada" };

async function start(desk: Desk): Promise<string> {
  const { caseId } = await desk.startCase("purchase", order, ada);
  return caseId;
}

function keyedType(freedBy: "rest" | "end"): CaseType {
  return defineCase("keyed", {
    version: 1,
    owner: "finance",
    input: z.object({}),
    concurrency: { key: () => "c-7", freedBy },
  }).approval("approve", { by: "finance" });
}

function keyedDesk(store: Store, engineVersion: number): Desk {
  return createDesk({
    store,
    registry: registryOf([keyedType("rest")]),
    ports: systemPorts(),
    engineVersion,
  });
}

onEachStore("what the desk reads", (storeOf) => {
  let desk: Desk;
  beforeEach(() => {
    desk = testDesk(storeOf());
  });

  describe("a case that a worker holds", () => {
    test("is shown with who holds it, until when, and who frees it", async () => {
      const caseId = await start(desk);
      await claimAll(storeOf(), { name: "w-3", leaseMs: 60_000 });
      const { holding, reading } = await desk.show(caseId);
      expect(reading.state).toBe("Running");
      expect(holding).toMatchObject({ name: "w-3", host: "host-1", build: "build-1", isAlive: true });
      expect(holding?.sentence).toMatch(
        /^held by w-3 \(host-1, build-1\) until \d{4}-\d\d-\d\dT.*Z; freed by the sweep$/,
      );
    });

    test("refuses a resume and a correction naming the holder, and writes nothing", async () => {
      const caseId = await start(desk);
      await claimAll(storeOf(), { name: "w-3", leaseMs: 60_000 });
      const resumed = await refusalOf(desk.resume(caseId, ada));
      const corrected = desk.correctInput(caseId, { input: order, by: "ada", reason: "typo" });
      expect(resumed.code).toBe("CASE_CLAIMED");
      expect(resumed.message).toContain("w-3 (host-1)");
      expect((await refusalOf(corrected)).code).toBe("CASE_CLAIMED");
      expect((await desk.show(caseId)).revision).toBe(1);
    });

    test("takes a cancel and a pause as requests, and keeps its claim", async () => {
      const caseId = await start(desk);
      await claimAll(storeOf(), { name: "w-3", leaseMs: 60_000 });
      expect((await desk.cancel(caseId, ada)).outcome).toBe("requested");
      expect((await desk.pause(caseId, ada)).outcome).toBe("requested");
      const view = await desk.show(caseId);
      expect(view.requested).toEqual(["cancel", "pause"]);
      expect(view.storedState).toBe("claimed");
    });

    test("reads Worker lost by the clock alone, without any sweep", async () => {
      const caseId = await start(desk);
      await claimAll(storeOf(), { name: "w-3", leaseMs: 1 });
      await expect.poll(async () => (await desk.show(caseId)).reading.state).toBe("Worker lost");
      const { holding } = await desk.show(caseId);
      expect(holding?.sentence).toMatch(/^was held by w-3 .*; the sweep frees it$/);
    });
  });

  describe("the overview", () => {
    test("says which type nobody takes, since when, how many wait and how many lost their worker", async () => {
      await start(desk);
      await start(desk);
      const first = await desk.overview();
      expect(first.notices.map(({ sentence }) => sentence)).toEqual([
        "No worker takes `purchase`; 2 cases wait",
      ]);
      await claimAll(storeOf(), { name: "w-3", leaseMs: 1 });
      await start(desk);
      await expect
        .poll(async () => (await desk.overview()).notices.map(({ sentence }) => sentence))
        .toEqual([
          expect.stringMatching(/^No worker takes `purchase` since \S+Z; 1 case waits, 2 lost their worker$/),
        ]);
    });

    test("is quiet while a worker is alive, and where no work waits", async () => {
      expect((await desk.overview()).notices).toEqual([]);
      const caseId = await start(desk);
      await claimAll(storeOf(), { name: "w-3", leaseMs: 60_000 });
      const overview = await desk.overview();
      expect(overview.notices).toEqual([]);
      expect(overview.types).toMatchObject([
        { caseType: "purchase", total: 1, states: { claimed: 1 }, workers: 1, isLoaded: true },
      ]);
      expect((await desk.show(caseId)).reading.state).toBe("Running");
    });
  });

  describe("a definition that is gone", () => {
    test("the case is listed and shown, saying so, and can be stopped; what it holds is behind marks", async () => {
      const caseId = await start(desk);
      const without = testDesk(storeOf(), registryOf([]));
      const { cases } = await without.list({ caseType: "purchase" });
      const view = await without.show(caseId);
      expect(cases.map((one) => [one.caseId, one.isDefinitionLoaded])).toEqual([[caseId, false]]);
      expect(view.definition).toMatchObject({ kind: "gone", neededVersion: 1, loadedVersion: null });
      expect(view.definition.sentence).toContain("Nothing of the case is lost");
      expect(view).toMatchObject({ input: "[masked]", plan: null, foothold: null });
      const { values } = await without.reveal(caseId, { by: "ada", reason: "its code is gone" });
      expect(values[0]).toEqual({ part: "input", name: null, path: "", value: order });
      expect((await refusalOf(without.resume(caseId, ada))).code).toBe("UNKNOWN_CASE_TYPE");
      const event = { eventType: "approval.revoked", payload: { why: "x" } };
      expect((await refusalOf(without.recordEvent(caseId, event))).code).toBe("UNKNOWN_CASE_TYPE");
      await without.addNote(caseId, { text: "definition removed by mistake", by: "ada" });
      expect((await without.cancel(caseId, ada)).outcome).toBe("done");
      expect((await desk.show(caseId)).reading.state).toBe("Canceled");
    });
  });

  describe("a case that its key holds back", () => {
    test.each([
      ["rest", "which is worked on", (holderId: string) => `case ${holderId}`],
      ["end", "until it ends (Waiting for approval; next: finance)", () => "finance"],
    ] as const)(
      "says who has the place that is freed by %s, in the list and on its page",
      async (freedBy, how, next) => {
        const type = keyedType(freedBy);
        const store = storeOf();
        const own = createDesk({
          store,
          registry: registryOf([type]),
          ports: systemPorts(),
          engineVersion: ENGINE_VERSION,
        });
        const concurrency = { limit: 1, freedBy };
        const claim = async (claimId: string): Promise<string | undefined> => {
          const caseTypes = [{ name: "keyed", version: 1, concurrency }];
          const request = { holderId: "h", engineVersion: ENGINE_VERSION, actWithinMs: 60_000, caseTypes };
          const { cases } = await store.claimDue({ ...request, claimIds: [claimId] });
          return cases[0]?.row.caseId;
        };
        await own.startCase("keyed", {}, ada);
        await own.startCase("keyed", {}, ada);
        const holderId = await claim("claim-1");
        if (holderId === undefined) throw new Error("the first was not claimed");
        if (freedBy === "end") {
          await store.changeCase(holderId, { commitId: "c-1", sourceId: null }, ({ row, state }, at) => {
            const wait = { kind: "approval", step: "approve", by: "finance", dueAt: null } as const;
            const entry = { kind: "parked", waits: [wait], dueAt: null } as const;
            const entries = [{ revision: row.revision + 1, at, commitId: "c-1", entry }];
            const parked = rowOf(foldEntries(state, entries));
            return {
              kind: "write",
              commitId: "c-1",
              entries: [entry],
              at,
              row: parked,
              claim: "free",
              reply: null,
            };
          });
        }
        expect(await claim("claim-2")).toBeUndefined();
        const { cases } = await own.list({ readable: ["Held back"] });
        expect(cases).toHaveLength(1);
        const [held] = cases;
        const { sentence, actsNext } = held?.reading ?? {};
        expect(sentence).toBe(
          `It waits for its turn: 1 of 1 place of c-7 taken, by case ${holderId}${freedBy === "end" ? " " : ", "}${how}; 1 case waits.`,
        );
        expect(actsNext).toBe(next(holderId));
        expect((await own.show(held?.caseId ?? "")).reading).toEqual(held?.reading);
      },
    );
  });

  describe("an engine that is older than the case", () => {
    test("refuses to read or change it, and still lists it", async () => {
      const [older = desk, own = desk] = [KEYED_ENGINE_VERSION - 1, ENGINE_VERSION].map((version) =>
        keyedDesk(storeOf(), version),
      );
      const { caseId } = await older.startCase("keyed", {}, ada);
      expect((await refusalOf(older.show(caseId))).code).toBe("ENGINE_TOO_OLD");
      expect((await refusalOf(older.cancel(caseId, ada))).code).toBe("ENGINE_TOO_OLD");
      expect((await older.list()).cases.map((one) => one.caseId)).toContain(caseId);
      expect((await own.show(caseId)).caseId).toBe(caseId);
    });
  });

  test.each([
    ["nothing", ""],
    ["half an id", "07-"],
    ["a path", "../etc"],
    ["a shard that is not", "99-zzzzzzzzzzzz"],
    ["an id that nobody drew", "07-zzzzzzzzzzzz"],
    ["10,000 characters", "x".repeat(10_000)],
    ["a NUL", "07-a\u0000b"],
  ])("no case is found by %s", async (_, caseId) => {
    expect((await refusalOf(desk.show(caseId))).code).toBe("CASE_NOT_FOUND");
    expect((await refusalOf(desk.cancel(caseId, ada))).code).toBe("CASE_NOT_FOUND");
  });

  test("pages of a list follow one another without gap or repeat", async () => {
    const started = [await start(desk), await start(desk), await start(desk)];
    const first = await desk.list({ limit: 2 });
    const second = await desk.list({ limit: 2, ...(first.next === null ? {} : { after: first.next }) });
    expect([...first.cases, ...second.cases].map((one) => one.caseId).toSorted()).toEqual(started.toSorted());
    expect(second.next).toBeNull();
    expect((await refusalOf(desk.list({ limit: 0 }))).code).toBe("INVALID_REQUEST");
  });

  describe("lost replies", () => {
    test("a start whose reply is lost makes one case", async () => {
      const unlucky = testDesk(losingReplies(storeOf(), 2));
      const started = await unlucky.startCase("purchase", order, { ...ada, tenant: "lost" });
      const { cases } = await desk.list({ tenant: "lost" });
      expect(started.isNew).toBe(true);
      expect(cases.map(({ caseId, revision }) => [caseId, revision])).toEqual([[started.caseId, 1]]);
    });

    test("an act whose reply is lost is stored once and answered as the first time", async () => {
      const caseId = await start(desk);
      await claimAll(storeOf(), { name: "w-3", leaseMs: 60_000 });
      const unlucky = testDesk(losingReplies(storeOf(), 2));
      expect((await unlucky.cancel(caseId, ada)).outcome).toBe("requested");
      expect((await desk.show(caseId)).revision).toBe(2);
    });

    test("a database that stays away is told after a bounded number of tries", async () => {
      const store = losingReplies(storeOf(), Infinity);
      const unlucky = testDesk(store);
      const refusal = await refusalOf(unlucky.startCase("purchase", order, { ...ada, tenant: "away" }));
      expect(refusal.code).toBe("DATABASE_UNAVAILABLE");
      expect(store.lost()).toBe(WRITE_DELAYS_MS.length + 1);
      expect((await desk.list({ tenant: "away" })).cases).toHaveLength(1);
    });
  });
});

/** A real store whose first replies to writes get lost on the way back. */
function losingReplies(store: Store, times: number): Store & { readonly lost: () => number } {
  let lost = 0;
  const lose = async <T>(write: Promise<T>): Promise<T> => {
    const reply = await write;
    if (lost >= times) return reply;
    lost += 1;
    throw new FootholdError("DATABASE_UNAVAILABLE", "the reply was lost");
  };
  return {
    ...store,
    insertCase: (started) => lose(store.insertCase(started)),
    changeCase: (caseId, commitId, decide) => lose(store.changeCase(caseId, commitId, decide)),
    lost: () => lost,
  };
}

describe("a corrupt journal in PostgreSQL", () => {
  let database: TestDatabase;
  let client: Client;
  let store: Store;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client(database.url);
    await client.connect();
    store = postgresStore({ url: database.url });
    await store.migrate();
  });
  afterAll(async () => {
    await client.end();
    await store.close();
    await database.drop();
  });

  test("stops what concerns its case, with a code, and no list", async () => {
    const desk = testDesk(store);
    const [broken, sound] = [await start(desk), await start(desk)];
    await client.query("update foothold.journal set body = 'x' where case_id = $1", [broken]);
    expect((await refusalOf(desk.show(broken))).code).toBe("CORRUPT_JOURNAL");
    expect((await refusalOf(desk.cancel(broken, ada))).code).toBe("CORRUPT_JOURNAL");
    expect((await desk.list()).cases.map(({ caseId }) => caseId).toSorted()).toEqual(
      [broken, sound].toSorted(),
    );
    expect((await desk.show(sound)).reading.state).toBe("Waiting until");
  });

  test("may be a gap in it too", async () => {
    const desk = testDesk(store);
    const caseId = await start(desk);
    await desk.addNote(caseId, { text: "second", by: "ada" });
    await desk.addNote(caseId, { text: "third", by: "ada" });
    await client.query("delete from foothold.journal where case_id = $1 and revision = 2", [caseId]);
    const refusal = await refusalOf(desk.show(caseId));
    expect(refusal.code).toBe("CORRUPT_JOURNAL");
    expect(refusal.message).toContain(caseId);
  });
});
