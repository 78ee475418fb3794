/** Steps that write to the engine's own database, with the real worker on a real PostgreSQL. */

import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineCase } from "../../src/define/builder.ts";
import type { CaseType, RunContext } from "../../src/define/case-type.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { input, until, World } from "./world.ts";

const own = defineDestination("shop-database", {
  idempotency: { by: "transaction" },
  retry: { firstDelay: "10ms", maxAttempts: 3 },
});
const mail = defineDestination("mail", {
  idempotency: { by: "key", window: "24h" },
  retry: { firstDelay: "10ms", maxAttempts: 2 },
});

let database: TestDatabase;
let client: Client;
let world: World;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client(database.url);
  await client.connect();
  world = new World(postgresStore({ url: database.url, poolMax: 6 }));
  await world.store.migrate();
  await client.query("create table orders (case_id text primary key, amount int check (amount > 0))");
});
afterAll(async () => {
  await world.close();
  await client.end();
  await database.drop();
});

type Booking = (context: Pick<RunContext, "caseId" | "transaction" | "signal" | "attempt">) => unknown;

/** Books an order in our own database, then tells somebody. */
function orderBooking(name: string, run: Booking): CaseType {
  return defineCase(name, { version: 1, owner: "shop", input })
    .step("book", { to: own, deadline: "500ms", run: async (context) => await run(context) })
    .step("tell", { to: mail, run: () => null });
}

const insert = async (
  { caseId, transaction }: Pick<RunContext, "caseId" | "transaction">,
  amount = 1,
): Promise<void> => {
  await transaction.query("insert into orders values ($1, $2)", [caseId, amount]);
};

async function ordersOf(caseId: string): Promise<number> {
  const { rows } = await client.query<{ n: string }>("select count(*) as n from orders where case_id = $1", [
    caseId,
  ]);
  return Number(rows[0]?.n);
}

async function failures(caseId: string) {
  const entries = await world.entries(caseId);
  return entries.flatMap((entry) => (entry.kind === "attemptFailed" ? [entry.failure] : []));
}

describe("a step that writes to the engine's own database", () => {
  test("writes once, with its confirmation", async () => {
    const order = orderBooking("plain", insert);
    await world.worker([order]);
    const caseId = await world.start(order);
    await world.rests(caseId, "done");
    expect(await ordersOf(caseId)).toBe(1);
  });

  test("is rolled back where it fails after it wrote, and tried again as not executed", async () => {
    const order = orderBooking("failing", async (context) => {
      await insert(context);
      if (context.attempt < 3) throw new Error("something else went wrong");
    });
    await world.worker([order]);
    const caseId = await world.start(order);
    await world.rests(caseId, "done");
    expect((await failures(caseId)).map(({ executed }) => executed)).toEqual(["no", "no"]);
    expect(await ordersOf(caseId)).toBe(1);
  });

  test("goes to people where the database refuses what it writes", async () => {
    const order = orderBooking("refused", (context) => insert(context, -1));
    await world.worker([order]);
    const caseId = await world.start(order);
    await world.rests(caseId, "in_review");
    expect(await failures(caseId)).toMatchObject([{ executed: "no" }]);
    expect(await ordersOf(caseId)).toBe(0);
  });

  test("that does not heed its deadline is rolled back and never confirmed late", async () => {
    let isOver = false;
    const order = orderBooking("slow", async (context) => {
      await insert(context);
      if (context.attempt > 1) return;
      await until("the next attempt", async () => (await failures(context.caseId)).length > 0);
      isOver = await insert(context, 2).then(
        () => false,
        () => true,
      );
    });
    await world.worker([order]);
    const caseId = await world.start(order);
    await world.rests(caseId, "done");
    await until("the first attempt to end", () => isOver);
    expect(await ordersOf(caseId)).toBe(1);
    expect(await world.kinds(caseId)).not.toContain("lateReport");
  });

  test("of a worker that was lost in the middle did not happen; the next one does it once", async () => {
    let isHeld = true;
    const order = orderBooking("lost", async (context) => {
      await insert(context);
      if (context.attempt === 1) await until("the test to let go", () => !isHeld);
    });
    const first = await world.worker([order], { name: "late" });
    const caseId = await world.start(order);
    await until("the first attempt", async () => (await world.kinds(caseId)).includes("attemptOpened"));
    // As the sweep does with a holder that fell silent.
    await world.store.endHolder(first.holderId, null);
    world.sweep();
    await world.worker([order], { name: "next" });
    await world.rests(caseId, "done");
    isHeld = false;
    await first.stop({ graceMs: 1_000 });
    expect(await ordersOf(caseId)).toBe(1);
    const kinds = await world.kinds(caseId);
    expect(kinds).toContain("claimLost");
    expect(kinds).toContain("checkAnswered");
    const reports = (await world.entries(caseId)).filter((entry) => entry.kind === "lateReport");
    expect(reports.map(({ outcome }) => outcome.kind)).not.toContain("succeeded");
  });

  test("finds its statements refused where its destination is another kind", async () => {
    const order = defineCase("elsewhere", { version: 1, owner: "shop", input }).step("book", {
      to: mail,
      run: (context) => insert(context),
    });
    await world.worker([order]);
    const caseId = await world.start(order);
    await world.rests(caseId, "in_review");
    expect((await failures(caseId))[0]?.sentence).toContain('idempotency: { by: "transaction" }');
  });
});
