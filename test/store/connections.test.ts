import { connect } from "node:net";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { isFootholdError } from "../../src/core/errors.ts";
import type { Store } from "../../src/store/port.ts";
import type { PostgresStoreOptions } from "../../src/store/postgres/connection.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { startBreakingProxy, type BreakingProxy } from "./breaking-proxy.ts";
import { appending } from "./contract/changes.ts";
import { Bench, waitUntil } from "./contract/contract.ts";
import { changeOf, commitOf, confirmed, newCase, newId, note } from "./made-cases.ts";
import { openPostgres, type PostgresSubject } from "./postgres-subject.ts";

const bench = new Bench();
let subject: PostgresSubject;
let proxy: BreakingProxy;
let proxied: Store;

beforeAll(async () => {
  subject = await openPostgres(inject("databaseUrl"));
  bench.set(subject);
  const url = new URL(subject.url);
  const folder = url.searchParams.get("host");
  proxy = await startBreakingProxy(`${folder}/.s.PGSQL.${url.port}`);
  url.searchParams.delete("host");
  url.hostname = "127.0.0.1";
  url.port = String(proxy.port);
  proxied = postgresStore({ url: url.href, poolMax: 2 });
});
beforeEach(() => subject.clear());
afterAll(async () => {
  await proxied.close();
  await proxy.close();
  await subject.close();
});

/** A store with other options, closed at the end of `work`. */
async function withStore<T>(options: PostgresStoreOptions, work: (store: Store) => Promise<T>): Promise<T> {
  const store = postgresStore(options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Ends the connections to our database that fit; how many there were. */
async function terminate(where: string): Promise<number> {
  const { rows } = await subject.client.query<{ pid: number }>(
    `select pid, pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and ${where}`,
  );
  return rows.length;
}

describe("an address", () => {
  test("that is no URL of PostgreSQL is refused at once, and its password is not told", () => {
    for (const url of [
      "",
      "localhost",
      "mysql://u:s3cret@h/d",
      "http://u:s3cret@h/d",
      "postgres://u:s3cret%@h/d",
      "postgres://u:s3cret@h:port/d",
    ]) {
      const fault = catchError(() => postgresStore({ url }));
      expect(fault).toMatchObject({ code: "DATABASE_URL_INVALID" });
      expect(String(fault)).not.toContain("s3cret");
    }
  });

  test("where nobody listens is told with host and database and without the password", async () => {
    const url = `postgres://ada:s3cret@127.0.0.1:${await closedPort()}/orders`;
    await withStore({ url }, async (store) => {
      expect(store.description).toContain("/orders");
      const fault: unknown = await store.checkSchema().catch((error: unknown) => error);
      expect(fault).toMatchObject({ code: "DATABASE_UNAVAILABLE", cause: { code: "ECONNREFUSED" } });
      expect(String(fault)).toContain("127.0.0.1");
      expect(`${String(fault)}${JSON.stringify(fault)}${store.description}`).not.toContain("s3cret");
    });
  });

  test("with a host that has no name is told", async () => {
    await withStore({ url: "postgres://ada@no-such-host.invalid/orders" }, async (store) => {
      await expect(store.now()).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
    });
  });

  test("of a database or user that is not there is told with what to do", async () => {
    const url = new URL(subject.url);
    url.pathname = "nowhere";
    await withStore({ url: url.href }, async (store) => {
      await expect(store.checkSchema()).rejects.toMatchObject({
        code: "DATABASE_UNAVAILABLE",
        message: expect.stringContaining("createdb") as unknown,
      });
    });
    url.pathname = new URL(subject.url).pathname;
    url.username = "nobody_such";
    await withStore({ url: url.href }, async (store) => {
      await expect(store.checkSchema()).rejects.toMatchObject({
        code: "DATABASE_UNAVAILABLE",
        message: expect.stringContaining("user") as unknown,
      });
    });
  });

  test("may be given in parts", async () => {
    const url = new URL(subject.url);
    const parts = {
      host: url.searchParams.get("host") ?? "",
      port: Number(url.port),
      user: url.username,
      database: url.pathname.slice(1),
    };
    const found = await withStore({ url: parts }, (store) => store.countCases());
    expect(found).toEqual([]);
  });
});

describe("a lost reply", () => {
  test("of a commit that was stored is resolved by its commit id", async () => {
    const stored = await bench.startClaimed();
    const commit = commitOf(stored, await bench.store.now(), [confirmed()], { outcomes: [confirmed()] });
    const before = proxy.broken();
    proxy.breakAt(commit.commitId, "after");
    await expect(proxied.commit([commit])).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
    expect(proxy.broken()).toBe(before + 1);
    expect((await bench.load(stored.row.caseId)).row.revision).toBe(2);
    expect(await proxied.commit([commit])).toMatchObject([{ kind: "repeated", claimId: commit.claimId }]);
    expect((await bench.load(stored.row.caseId)).journal).toHaveLength(2);
  });

  test("of a commit that never arrived is resolved by sending it again", async () => {
    const stored = await bench.startClaimed();
    const commit = commitOf(stored, await bench.store.now(), [confirmed()]);
    proxy.breakAt(commit.commitId, "before");
    await expect(proxied.commit([commit])).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
    expect((await bench.load(stored.row.caseId)).row.revision).toBe(1);
    expect(await proxied.commit([commit])).toEqual([{ kind: "current", revision: 2 }]);
  });

  test("of a whole batch is resolved commit by commit", async () => {
    for (let n = 0; n < 6; n += 1) await bench.start();
    const at = await bench.store.now();
    const { cases } = await bench.claim(6);
    const commits = cases.map((stored) => commitOf(stored, at, [confirmed()], { outcomes: [confirmed()] }));
    proxy.breakAt(commits[3]?.commitId ?? "", "after");
    await expect(proxied.commit(commits)).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
    const replies = await proxied.commit(commits);
    expect(replies.map(({ kind }) => kind)).toEqual(commits.map(() => "repeated"));
  });

  test("of a start and of a change is resolved by their commit ids", async () => {
    const start = newCase({ at: await bench.store.now(), businessKey: "PO-1" });
    proxy.breakAt(start.commitId, "after");
    await expect(proxied.insertCase(start)).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
    expect(await proxied.insertCase(start)).toEqual({ kind: "repeated" });
    const commitId = newId();
    const change = (): ReturnType<Store["changeCase"]> =>
      proxied.changeCase(start.identity.caseId, changeOf(commitId), appending([note("one")], commitId));
    proxy.breakAt("commit\u0000", "after");
    await expect(change()).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
    expect(await change()).toEqual({ kind: "repeated" });
    expect((await bench.load(start.identity.caseId)).journal).toHaveLength(2);
  });

  test("of a claim leaves it with its holder, whose heartbeat tells it", async () => {
    await bench.start();
    const holderId = newId();
    await bench.store.registerHolder({
      holderId,
      kind: "worker",
      name: "w",
      host: "h",
      build: "b",
      leaseMs: 3_000,
      caseTypes: [],
      destinations: [],
    });
    const claimId = newId();
    proxy.breakAt(claimId, "after");
    const request = {
      holderId,
      claimIds: [claimId],
      caseTypes: [{ name: "purchase", version: 1 }],
      engineVersion: 1,
      actWithinMs: 60_000,
    };
    await expect(proxied.claimDue(request)).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
    expect(await proxied.beat(holderId)).toMatchObject({ kind: "alive", claims: [{ claimId }] });
  });
});

describe("a connection", () => {
  test("that the server ends while it is idle fails nothing later and crashes nobody", async () => {
    await Promise.all(Array.from({ length: 5 }, () => bench.store.now()));
    expect(await terminate("application_name = 'foothold'")).toBeGreaterThan(0);
    await waitUntil(async () => {
      const { rows } = await subject.client.query<{ n: number }>(
        "select count(*)::int as n from pg_stat_activity where datname = current_database()",
      );
      return rows[0]?.n === 1;
    });
    // A connection that has not noticed yet may fail one statement each.
    const faults: unknown[] = [];
    await waitUntil(async () => {
      const now = await bench.store.now().catch((error: unknown) => faults.push(error) && 0);
      return now > 0;
    });
    expect(faults.every((fault) => isFootholdError(fault) && fault.code === "DATABASE_UNAVAILABLE")).toBe(
      true,
    );
    expect(await bench.store.countCases()).toEqual([]);
  });

  test("that the server ends in the middle of a change takes all of it back", async () => {
    const { identity } = await bench.start();
    const commitId = newId();
    await subject.client.query("begin");
    await subject.client.query("select from foothold.cases for update");
    const change = bench.store
      .changeCase(identity.caseId, changeOf(commitId), appending([note("never")], commitId))
      .catch((error: unknown) => error);
    await waitUntil(async () => (await terminate("wait_event_type = 'Lock'")) > 0);
    await subject.client.query("rollback");
    expect(await change).toMatchObject({ code: "DATABASE_UNAVAILABLE", cause: { code: "57P01" } });
    expect((await bench.load(identity.caseId)).journal).toHaveLength(1);
    expect(
      await bench.store.changeCase(identity.caseId, changeOf(commitId), appending([note("again")], commitId)),
    ).toMatchObject({ kind: "decided" });
  });

  test("that does not answer in time is given up, and the next one works", async () => {
    const { identity } = await bench.start();
    await withStore({ url: subject.url, poolMax: 1, queryTimeoutMs: 200 }, async (store) => {
      await subject.client.query("begin");
      await subject.client.query("select from foothold.cases for update");
      const commitId = newId();
      await expect(
        store.changeCase(identity.caseId, changeOf(commitId), appending([note("slow")], commitId)),
      ).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
      expect(await store.now()).toBeGreaterThan(0);
      await subject.client.query("rollback");
      expect(
        await store.changeCase(identity.caseId, changeOf(commitId), appending([note("quick")], commitId)),
      ).toMatchObject({ kind: "decided" });
    });
  });

  test("that cannot be had in time is told, and nobody waits for it forever", async () => {
    await withStore({ url: subject.url, poolMax: 1, connectTimeoutMs: 200 }, async (store) => {
      // As every process does first; it looks at the keys of payloads too, which the change would else begin with.
      await store.checkSchema();
      const { identity } = await bench.start();
      await subject.client.query("begin");
      await subject.client.query("select from foothold.cases for update");
      const commitId = newId();
      const blocked = store.changeCase(
        identity.caseId,
        changeOf(commitId),
        appending([note("blocked")], commitId),
      );
      // By then it has the only connection.
      await new Promise((resolve) => setImmediate(resolve));
      await expect(store.now()).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
      await subject.client.query("rollback");
      expect(await blocked).toMatchObject({ kind: "decided" });
    });
  });

  test("to listen comes back by itself, and one hint stands for what was missed", async () => {
    let hints = 0;
    const stop = await bench.store.listen(() => (hints += 1));
    expect(await terminate("query like 'listen%'")).toBe(1);
    await waitUntil(() => hints > 0);
    const seen = hints;
    await bench.start();
    await waitUntil(() => hints > seen);
    await stop();
  });

  test("to listen that cannot be had gives no hints and fails nothing", async () => {
    const url = `postgres://ada@127.0.0.1:${await closedPort()}/orders`;
    await withStore({ url }, async (store) => {
      const stop = await store.listen(() => {
        throw new Error("there is nobody who could hint");
      });
      await stop();
      const unused = await store.listen(() => {});
      expect(unused).toBeTypeOf("function");
    });
  });

  test("closed twice is closed, and a store that is closed says so", async () => {
    const store = postgresStore({ url: subject.url });
    expect(await store.now()).toBeGreaterThan(0);
    await Promise.all([store.close(), store.close()]);
    await store.close();
    await expect(store.now()).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
  });

  test("whatever the database is set to show, values are read right", async () => {
    const name = new URL(subject.url).pathname.slice(1);
    const settings = [
      "datestyle = 'German'",
      "bytea_output = 'escape'",
      "timezone = 'Asia/Kathmandu'",
      "extra_float_digits = -3",
    ];
    for (const setting of settings) await subject.client.query(`alter database ${name} set ${setting}`);
    await withStore({ url: subject.url }, async (store) => {
      const start = newCase({
        at: (await bench.store.now()) - 1,
        entries: [note("tab\t \\ \u0001 née 日本")],
      });
      await store.insertCase(start);
      expect(await store.loadCase(start.identity.caseId)).toEqual(
        await bench.store.loadCase(start.identity.caseId),
      );
      expect((await store.loadCase(start.identity.caseId))?.row).toMatchObject({ startedAt: start.at });
    });
    for (const setting of settings) {
      await subject.client.query(`alter database ${name} reset ${setting.split(" ")[0] ?? ""}`);
    }
  });
});

describe("a deadlock", () => {
  test("of a batch is resolved by sending its commits one by one", async () => {
    for (let n = 0; n < 2; n += 1) await bench.start({ shard: n });
    const at = await bench.store.now();
    const { cases } = await bench.claim(2);
    const sorted = cases.toSorted((a, b) => (a.row.caseId < b.row.caseId ? -1 : 1));
    const lock = "select from foothold.cases where case_id = $1 for update";
    await subject.client.query("begin");
    await subject.client.query(lock, [sorted[1]?.row.caseId]);
    const commits = bench.store.commit(sorted.map((stored) => commitOf(stored, at, [confirmed()])));
    const watcher = new Client(subject.url);
    await watcher.connect();
    await waitUntil(async () => {
      const { rows } = await watcher.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows.length === 1;
    });
    await watcher.end();
    // The batch holds the first and waits for the second; this asks for the first, and the server ends the batch.
    await subject.client.query(lock, [sorted[0]?.row.caseId]);
    await subject.client.query("commit");
    expect(await commits).toEqual([
      { kind: "current", revision: 2 },
      { kind: "current", revision: 2 },
    ]);
  });
});

function catchError(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

/** A port at which nobody listens, found by trying. */
async function closedPort(): Promise<number> {
  for (let port = 1; port < 1_000; port += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => resolve(false));
    });
    if (!isOpen) return port;
  }
  throw new Error("every port is taken");
}
