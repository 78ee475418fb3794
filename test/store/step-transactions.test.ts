/** What a step writes in its transaction is stored with its confirmation or not at all, in a real database. */

import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import type { Transaction } from "../../src/core/ports.ts";
import type { HolderCommit, Store } from "../../src/store/port.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { startBreakingProxy, type BreakingProxy } from "./breaking-proxy.ts";
import { Bench, waitUntil } from "./contract/contract.ts";
import { commitOf, confirmed } from "./made-cases.ts";
import { openPostgres, type PostgresSubject } from "./postgres-subject.ts";

const bench = new Bench();
let subject: PostgresSubject;
let proxy: BreakingProxy;
let proxied: Store;

beforeAll(async () => {
  subject = await openPostgres(inject("databaseUrl"));
  bench.set(subject);
  const url = new URL(subject.url);
  proxy = await startBreakingProxy(`${url.searchParams.get("host")}/.s.PGSQL.${url.port}`);
  url.searchParams.delete("host");
  url.hostname = "127.0.0.1";
  url.port = String(proxy.port);
  proxied = postgresStore({ url: url.href, poolMax: 4 });
  await subject.client.query("create table shipments (case_id text, note text)");
  await subject.client.query(
    "alter table shipments add constraint once unique (case_id) deferrable initially deferred",
  );
});
beforeEach(async () => {
  await subject.clear();
  await subject.client.query("truncate shipments");
});
afterAll(async () => {
  await proxied.close();
  await proxy.close();
  await subject.close();
});

async function confirming(): Promise<HolderCommit> {
  const stored = await bench.startClaimed();
  return commitOf(stored, await bench.store.now(), [confirmed()]);
}

async function ship(transaction: Transaction, { caseId }: HolderCommit): Promise<void> {
  const { rowCount } = await transaction.query("insert into shipments values ($1, $2)", [caseId, "sent"]);
  expect(rowCount).toBe(1);
}

async function shipped(): Promise<number> {
  const { rows } = await subject.client.query<{ n: string }>("select count(*) as n from shipments");
  return Number(rows[0]?.n);
}

describe("what a step writes", () => {
  test("is there with its confirmation", async () => {
    const commit = await confirming();
    const transaction = await subject.store.begin();
    await ship(transaction, commit);
    expect(await shipped()).toBe(0);
    expect(await transaction.commit(commit)).toMatchObject({ kind: "current" });
    expect(await shipped()).toBe(1);
  });

  test("is read back as the driver reads it, with plain parameters", async () => {
    const transaction = await subject.store.begin();
    const { rows } = await transaction.query(
      "select $1::int as n, $2::jsonb as j, now() - now() = '0' as t",
      [7, "{}"],
    );
    expect(rows).toEqual([{ n: 7, j: {}, t: true }]);
    await transaction.rollBack();
  });

  test("is rolled back when the door refuses a late worker", async () => {
    const commit = await confirming();
    const transaction = await subject.store.begin();
    await ship(transaction, commit);
    expect(await transaction.commit({ ...commit, claimId: "another" })).toEqual({ kind: "claimLost" });
    expect(await shipped()).toBe(0);
  });

  test("is rolled back when a constraint is broken only at the commit", async () => {
    const commit = await confirming();
    const transaction = await subject.store.begin();
    await ship(transaction, commit);
    await ship(transaction, commit);
    expect(await transaction.commit(commit)).toMatchObject({
      kind: "refused",
      why: expect.stringContaining("23505") as unknown,
    });
    expect(await shipped()).toBe(0);
    expect((await bench.load(commit.caseId)).journal).toHaveLength(1);
  });

  test("is rolled back when it is given up, also while a statement of it runs", async () => {
    const commit = await confirming();
    const transaction = await subject.store.begin();
    await ship(transaction, commit);
    const slow = transaction.query("select pg_sleep(60)").catch((error: unknown) => error);
    await waitUntil(async () => {
      const { rows } = await subject.client.query(
        "select 1 from pg_stat_activity where query like '%pg_sleep(60)' and state = 'active' and pid <> pg_backend_pid()",
      );
      return rows.length > 0;
    });
    await transaction.rollBack();
    expect(await slow).toBeInstanceOf(Error);
    await expect(ship(transaction, commit)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    expect(await shipped()).toBe(0);
  });

  test.each([
    "commit",
    "  COMMIT AND CHAIN",
    "rollback",
    "/* x */ end",
    "-- note\nabort",
    ";begin",
    "start transaction",
    "prepare transaction 'x'",
    "set search_path to nowhere",
    "set session statement_timeout = 0",
    "reset all",
    "discard all",
    "listen other",
  ])("cannot end its transaction or change its session: %j is refused", async (text) => {
    const commit = await confirming();
    const transaction = await subject.store.begin();
    await ship(transaction, commit);
    await expect(transaction.query(text)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await transaction.rollBack();
    expect(await shipped()).toBe(0);
  });

  test("is one command at a time: a text of several is refused, whatever hides in it", async () => {
    const transaction = await subject.store.begin();
    await expect(transaction.query("select 1; commit")).rejects.toMatchObject({ code: "42601" });
    await transaction.rollBack();
  });

  test("fails with what the driver threw, so that it can be sorted", async () => {
    const transaction = await subject.store.begin();
    await expect(transaction.query("insert into nowhere values (1)")).rejects.toMatchObject({
      code: "42P01",
    });
    await transaction.rollBack();
  });
});

describe("a lost reply", () => {
  test.each([
    ["before the commit reached the server", "before", 0],
    ["after the server committed", "after", 1],
  ] as const)("is told apart: %s", async (_, when, count) => {
    for (let round = 0; round < 20; round += 1) {
      await subject.clear();
      await subject.client.query("truncate shipments");
      const commit = await confirming();
      const transaction = await proxied.begin();
      await ship(transaction, commit);
      // The text of the message that commits; our own statements never hold it in lower case alone.
      proxy.breakAt("commit\0", when);
      await expect(transaction.commit(commit)).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
      const found = await subject.store.findCommit(commit);
      expect(found?.kind ?? "none").toBe(count === 1 ? "repeated" : "none");
      expect(await shipped()).toBe(count);
    }
  });
});

describe("transactions that are open", () => {
  test("leave half of all connections to claims, commits and beats; the next one waits its turn", async () => {
    const first = await proxied.begin();
    const second = await proxied.begin();
    let isIn = false;
    const third = proxied.begin().then((one) => {
      isIn = true;
      return one;
    });
    expect(await proxied.now()).toBeGreaterThan(0);
    expect(isIn).toBe(false);
    await first.rollBack();
    await (await third).rollBack();
    await second.rollBack();
  });
});
