/** Effects in a PostgreSQL of somebody else, raced for real. */

import { Client, Pool } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { postgresEffects, type EffectContext, type PgClient } from "../../src/destinations.ts";
import { sortFailure } from "../../src/triage/sort.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";

const ZOMBIES = 100;
const TOKEN = 1_772_366_400_000;

let database: TestDatabase;
let pool: Pool;
const effects = postgresEffects();

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url, max: 20 });
  await pool.query("create table bookings (id int generated always as identity, key text, token bigint)");
  await effects.createTable(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

let count = 0;
let key = "";
beforeEach(() => {
  key = `K${(count += 1)}.book.1`;
});

function contextWith(given: Partial<EffectContext> = {}): EffectContext {
  const signal = new AbortController().signal;
  return { idempotencyKey: key, fencingToken: TOKEN, fingerprint: "f1", signal, ...given };
}

/** Books once more, whatever has been booked: nothing in the table keeps a second row out. */
function book({ idempotencyKey, fencingToken }: EffectContext) {
  return async (client: PgClient): Promise<{ token: number }> => {
    const values = [idempotencyKey, fencingToken];
    await client.query("insert into bookings (key, token) values ($1, $2)", values);
    return { token: fencingToken };
  };
}

const once = (context: EffectContext) => effects.once(pool, context, book(context));
const fenced = (context: EffectContext) => effects.fenced(pool, context, book(context));

async function bookings(): Promise<number> {
  const { rows } = await pool.query<{ n: number }>("select count(*)::int as n from bookings where key = $1", [
    key,
  ]);
  return rows[0]?.n ?? 0;
}

async function codesOf(all: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const ended = await Promise.allSettled(all);
  return ended.map((one) => (one.status === "rejected" ? (one.reason as { code: unknown }).code : "done"));
}

async function isAnyoneWaiting(): Promise<boolean> {
  const { rows } = await pool.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'");
  return rows.length > 0;
}

const tokens = Array.from({ length: ZOMBIES }, (_, index) => TOKEN - index - 1);

describe("an effect that is kept with its key", () => {
  test("is made once of 100 repeats at the same time, and each is given the one result", async () => {
    const results = await Promise.all(
      Array.from({ length: ZOMBIES }, (_, index) => once(contextWith({ fencingToken: TOKEN + index }))),
    );
    expect(await bookings()).toBe(1);
    expect(new Set(results.map(({ token }) => token)).size).toBe(1);
  });

  test("comes back as it is stored, also the first time", async () => {
    const give = () => effects.once(pool, contextWith(), () => ({ at: new Date(0), none: undefined }));
    const wanted = { at: "1970-01-01T00:00:00.000Z" };
    expect(await give()).toEqual(wanted);
    expect(await give()).toEqual(wanted);
    key += ".nothing";
    expect(await effects.once(pool, contextWith(), () => undefined)).toBeNull();
  });

  test("is rolled back with its key where the work throws, so that a repeat makes it", async () => {
    const failing = effects.once(pool, contextWith(), async (client) => {
      await book(contextWith())(client);
      throw new Error("out of stock");
    });
    await expect(failing).rejects.toThrow("out of stock");
    expect(await bookings()).toBe(0);
    await once(contextWith());
    expect(await bookings()).toBe(1);
  });

  test("is rolled back where a statement failed in it, also if the work takes that for granted", async () => {
    const failing = effects.once(pool, contextWith(), async (client) => {
      await book(contextWith())(client);
      await client.query("select 1 / 0").catch(() => undefined);
    });
    await expect(failing).rejects.toMatchObject({ code: "25P02" });
    expect(await bookings()).toBe(0);
  });

  test("is rolled back where its result cannot be stored", async () => {
    const failing = effects.once(pool, contextWith(), async (client) => {
      await book(contextWith())(client);
      return { total: 1n };
    });
    await expect(failing).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    expect(await bookings()).toBe(0);
  });

  test.each(["commit", "rollback"])("is refused where the work ends its transaction by %s", async (end) => {
    const failing = effects.once(pool, contextWith(), async (client) => {
      await client.query(end);
    });
    await expect(failing).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("ended from inside") as unknown,
    });
  });

  test("is not committed by a worker that was told to stop meanwhile, and not begun by one that was before", async () => {
    const stop = new AbortController();
    const context = contextWith({ signal: stop.signal });
    const stopped = effects.once(pool, context, async (client) => {
      await book(context)(client);
      stop.abort(new Error("the claim is lost"));
    });
    await expect(stopped).rejects.toThrow("the claim is lost");
    await expect(once(context)).rejects.toThrow("the claim is lost");
    expect(await bookings()).toBe(0);
  });

  test("is not taken for that of another request", async () => {
    await once(contextWith());
    const other = once(contextWith({ fingerprint: "f2" }));
    await expect(other).rejects.toMatchObject({ name: "DifferentRequestError", code: "DIFFERENT_REQUEST" });
    const failure = await other.catch((error: unknown) => sorted(error));
    expect(failure).toMatchObject({ kind: "conflict", executed: "no", rule: "foothold.DIFFERENT_REQUEST" });
  });

  test("needs READ COMMITTED, and takes it where the database begins otherwise", async () => {
    const strict = new Pool({
      connectionString: database.url,
      options: "-c default_transaction_isolation=serializable",
    });
    try {
      const all = Array.from({ length: 10 }, () => effects.once(strict, contextWith(), book(contextWith())));
      expect(new Set(await codesOf(all))).toEqual(new Set(["done"]));
      expect(await bookings()).toBe(1);
    } finally {
      await strict.end();
    }
  });
});

describe("an effect behind a fence", () => {
  test("is not made by any of 100 late writes once a newer token was shown", async () => {
    expect(await effects.check(pool, contextWith())).toEqual({ kind: "didNotHappen" });
    const ended = await codesOf(tokens.map((fencingToken) => fenced(contextWith({ fencingToken }))));
    expect(new Set(ended)).toEqual(new Set(["NEWER_TOKEN"]));
    expect(await bookings()).toBe(0);
  });

  test("is made once of 100 late writes that race with the question and with the newest one", async () => {
    for (let round = 0; round < 5; round += 1) {
      key = `${key}-${round}`;
      const late = tokens.map((fencingToken) => fenced(contextWith({ fencingToken })));
      const answer = await effects.check<{ token: number }>(pool, contextWith());
      // As the engine does: only after a "no" is it sent again, with a token above the one that was shown.
      const again = answer.kind === "didNotHappen" ? [fenced(contextWith({ fencingToken: TOKEN + 1 }))] : [];
      const ended = await codesOf([...late, ...again]);
      expect(await bookings()).toBe(1);
      expect(["happened", "didNotHappen"]).toContain(answer.kind);
      expect(ended.filter((one) => one !== "done" && one !== "NEWER_TOKEN")).toEqual([]);
    }
  });

  test("answers the truth to a late write after it was made: what it gave, and nothing more is done", async () => {
    await fenced(contextWith());
    const results = await Promise.all(tokens.map((fencingToken) => fenced(contextWith({ fencingToken }))));
    expect(new Set(results.map(({ token }) => token))).toEqual(new Set([TOKEN]));
    expect(await bookings()).toBe(1);
  });

  test("takes the token that was shown to it, and a newer one", async () => {
    await effects.check(pool, contextWith());
    await fenced(contextWith());
    expect(await bookings()).toBe(1);
  });

  test("tells a late writer how far it must raise its token, as a failure that did nothing", async () => {
    await effects.check(pool, contextWith());
    const failure = await fenced(contextWith({ fencingToken: TOKEN - 5 })).catch(sorted);
    expect(failure).toMatchObject({
      kind: "transient",
      executed: "no",
      instruction: { kind: "newerToken", seen: TOKEN, source: "foothold.NEWER_TOKEN" },
    });
  });

  test("is found with its fingerprint and what it was made under", async () => {
    await fenced(contextWith());
    expect(await effects.check(pool, contextWith({ fencingToken: TOKEN + 9, fingerprint: "f2" }))).toEqual({
      kind: "happened",
      result: { token: TOKEN },
      fingerprint: "f1",
      evidence: {
        fencingToken: TOKEN,
        happenedAt: expect.stringMatching(/^20\d\d-.*T.*\.\d{3}Z$/) as unknown,
      },
    });
  });

  test("is not denied by a question that is older than one asked before", async () => {
    await effects.check(pool, contextWith({ fencingToken: TOKEN + 7 }));
    expect(await effects.check(pool, contextWith())).toEqual({
      kind: "cannotTell",
      why: `a newer fencing token, ${TOKEN + 7}, was shown there`,
    });
  });

  test("is waited for by the question while it is still being written", async () => {
    const context = contextWith({ fencingToken: TOKEN - 1 });
    let isWritten = false;
    let isWaitedFor = false;
    const writing = effects.fenced(pool, context, async (client) => {
      const made = await book(context)(client);
      isWritten = true;
      await vi.waitUntil(() => isWaitedFor, { timeout: 10_000 });
      return made;
    });
    await vi.waitUntil(() => isWritten, { timeout: 10_000 });
    const asked = effects.check(pool, contextWith());
    await vi.waitUntil(isAnyoneWaiting, { timeout: 10_000 });
    isWaitedFor = true;
    await writing;
    expect(await asked).toMatchObject({ kind: "happened", result: { token: TOKEN - 1 } });
  });
});

describe("what a table of effects works on", () => {
  const clients: Client[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end().catch(() => undefined);
  });
  async function connected(): Promise<Client> {
    const client = new Client(database.url);
    clients.push(client);
    await client.connect();
    return client;
  }

  test("is one connection too, for one effect at a time", async () => {
    const client = await connected();
    const context = contextWith();
    const inside = effects.once(client, context, async (own) => {
      expect(own).toBe(client);
      await expect(effects.once(client, context, () => 1)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
      return book(context)(own);
    });
    expect(await inside).toEqual({ token: TOKEN });
    expect(await effects.once(client, context, book(context))).toEqual({ token: TOKEN });
    expect(client.listenerCount("error")).toBe(0);
  });

  test("is given back to its pool whole, and thrown away where it broke in the middle", async () => {
    const small = new Pool({ connectionString: database.url, max: 1 });
    small.on("error", () => undefined);
    try {
      const broken = effects.once(small, contextWith(), async (client) => {
        await book(contextWith())(client);
        await client.query("select pg_terminate_backend(pg_backend_pid())");
      });
      const failure = await broken.catch(sorted);
      expect(failure).toMatchObject({ kind: "unknown", executed: "maybe" });
      expect(small.totalCount).toBe(0);
      expect(await effects.once(small, contextWith(), book(contextWith()))).toEqual({ token: TOKEN });
      expect(small.idleCount).toBe(1);
      expect(await bookings()).toBe(1);
    } finally {
      await small.end();
    }
  });

  test("is not lent again by its pool while a statement that nobody waits for still runs in it", async () => {
    const hasty = new Pool({ connectionString: database.url, max: 1, query_timeout: 200 });
    hasty.on("error", () => undefined);
    try {
      const slow = effects.once(hasty, contextWith(), async (client) => client.query("select pg_sleep(1)"));
      await expect(slow).rejects.toThrow(/timeout/);
      expect(hasty.totalCount).toBe(0);
    } finally {
      await hasty.end();
    }
  });

  test("ends no process when a connection of one's own breaks in the middle", async () => {
    const client = await connected();
    const broken = effects.once(client, contextWith(), async (own) => {
      await own.query("select pg_terminate_backend(pg_backend_pid())");
    });
    // Without a listener the error of the connection would be nobody's, and fail this run.
    await expect(broken).rejects.toThrow(/terminat/);
    expect(client.listenerCount("error")).toBe(0);
  });

  test("may be made by several at once, and stand in a schema", async () => {
    await pool.query("create schema crm");
    const own = postgresEffects({ table: "crm.effects" });
    await Promise.all(Array.from({ length: 8 }, () => own.createTable(pool)));
    await own.createTable(pool);
    await own.once(pool, contextWith(), book(contextWith()));
    const { rows } = await pool.query("select key, fence from crm.effects");
    expect(rows).toEqual([{ key, fence: "0" }]);
  });

  test.each(["", "Effects", 'e"; drop table bookings; --', "a.b.c", "1st", "x".repeat(64)])(
    "has a name that cannot mean anything else: not %j",
    (table) => {
      expect(() => postgresEffects({ table })).toThrow(/cannot be the table of effects/);
    },
  );

  test("must be there", async () => {
    const missing = postgresEffects({ table: "nowhere" });
    const failure = await missing.once(pool, contextWith(), () => 1).catch(sorted);
    expect(failure).toMatchObject({ kind: "bug", executed: "no", rule: "postgres.42" });
  });
});

function sorted(error: unknown) {
  const input = { destination: "crm", stopped: null, now: TOKEN, evidence: null, sorters: [] };
  return sortFailure(error, input);
}
