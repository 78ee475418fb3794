/** The tools for destinations in the hands of the real worker: answers that get lost, workers that are lost or late. */

import { Pool } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "../../src/define/builder.ts";
import type { CaseType, RunContext } from "../../src/define/case-type.ts";
import { defineDestination, type Destination, type Idempotency } from "../../src/define/destination.ts";
import {
  fetchOk,
  findByReference,
  keyedFetch,
  postgresEffects,
  readAnswer,
  readEtag,
  writeIfMatch,
  type PgClient,
  type RequestContext,
} from "../../src/destinations.ts";
import { memoryStore } from "../../src/store/memory/store.ts";
import { startProxy } from "../engine/proxy.ts";
import { input, until, World } from "../engine/world.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { startShelf, type Shelf } from "./shelf.ts";

let database: TestDatabase;
let pool: Pool;
let shelf: Shelf;
let world: World;
const effects = postgresEffects();

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url });
  await effects.createTable(pool);
  await pool.query("create table bookings (case_id text, attempt int)");
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  shelf = await startShelf();
  world = new World(memoryStore());
});
afterEach(async () => {
  await world.close();
  await shelf.stop();
});

function destinationWith(idempotency: Idempotency): Destination {
  return defineDestination(`by-${idempotency.by}`, {
    idempotency,
    readLag: "50ms",
    retry: { firstDelay: "10ms", maxAttempts: 6 },
  });
}

/** What a step is told, as far as these steps use it. */
type Sending = Omit<RunContext, "events" | "results" | "input" | "transaction" | "request">;
/** Stands around the one send of a step; it may make it heed another signal, through another fetch. */
type Around = (context: Sending, send: (line: RequestContext) => Promise<unknown>) => Promise<unknown>;

/** One kind of destination: a case type with one step that sends there, and what is there afterwards. */
interface Subject {
  readonly caseType: (around: Around) => CaseType;
  readonly effects: (caseId: string) => Promise<number>;
}

const found = z.object({ path: z.string(), body: z.object({ fingerprint: z.string() }) });

/** Looks up what was written at `path`. */
function lookUp(path: (context: { caseId: string }) => string) {
  return findByReference({
    find: async (context: RequestContext & { readonly caseId: string }) =>
      found.parse(await readAnswer(await fetchOk(context, `${shelf.url}${path(context)}`))),
    result: (one) => ({ path: one.path }),
    fingerprint: ({ body }) => body.fingerprint,
  });
}

async function writtenFor(caseId: string): Promise<number> {
  return Promise.resolve(
    shelf.written.filter(({ path, body }) => path.includes(caseId) || caseIn(body) === caseId).length,
  );
}

function caseIn(body: unknown): unknown {
  return typeof body === "object" && body !== null && "caseId" in body ? body.caseId : null;
}

async function bookedFor(caseId: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    "select count(*)::int as n from bookings where case_id = $1",
    [caseId],
  );
  return rows[0]?.n ?? 0;
}

function book({ caseId, attempt }: Sending) {
  return async (client: PgClient): Promise<{ attempt: number }> => {
    await client.query("insert into bookings values ($1, $2)", [caseId, attempt]);
    return { attempt };
  };
}

const start = { version: 1, owner: "ops", input } as const;

const SUBJECTS: Readonly<Record<string, Subject>> = {
  "under its key": {
    caseType: (around) =>
      defineCase("keyed", start).step("order", {
        to: destinationWith({ by: "key", window: "24h" }),
        run: (context) =>
          around(context, async (line) => {
            const { caseId } = context;
            return readAnswer(
              await keyedFetch({ ...context, ...line }, `${shelf.url}/orders`, { json: { caseId } }),
            );
          }),
      }),
    effects: writtenFor,
  },
  "under a name that is there once": {
    caseType: (around) =>
      defineCase("named", start).step("invoice", {
        to: destinationWith({ by: "unique" }),
        run: (context) =>
          around(context, async (line) => {
            const { caseId, fingerprint } = context;
            const url = `${shelf.url}/invoices/${caseId}`;
            await fetchOk(line, url, { method: "POST", json: { fingerprint } });
            return { path: `/invoices/${caseId}` };
          }),
        check: lookUp(({ caseId }) => `/invoices/${caseId}`),
      }),
    effects: writtenFor,
  },
  "on condition that nothing has changed": {
    caseType: (around) =>
      defineCase("conditional", start).step("update", {
        to: destinationWith({ by: "if-match" }),
        version: (context) => readEtag(context, `${shelf.url}/accounts/${context.caseId}`),
        run: (context) =>
          around(context, async (line) => {
            const { caseId, fingerprint } = context;
            const url = `${shelf.url}/accounts/${caseId}`;
            await writeIfMatch({ ...context, ...line }, url, { json: { fingerprint } });
            return { path: `/accounts/${caseId}` };
          }),
        check: lookUp(({ caseId }) => `/accounts/${caseId}`),
      }),
    effects: writtenFor,
  },
  "to a database that keeps its key": {
    caseType: (around) =>
      defineCase("kept", start).step("book", {
        to: destinationWith({ by: "key", window: "24h" }),
        run: (context) =>
          around(context, ({ signal }) => effects.once(pool, { ...context, signal }, book(context))),
      }),
    effects: bookedFor,
  },
  "to a database with a fence": {
    caseType: (around) =>
      defineCase("fenced", start).step("book", {
        to: destinationWith({ by: "fence" }),
        run: (context) =>
          around(context, ({ signal }) => effects.fenced(pool, { ...context, signal }, book(context))),
        check: (context) => effects.check(pool, context),
      }),
    effects: bookedFor,
  },
};

/** Holds the first attempt of a case, of a worker that is then given up for lost, before or after it has sent. */
class LateWorker {
  readonly #holds: "beforeSend" | "afterSend";
  isAt = false;
  #isReleased = false;
  #ended: unknown = null;

  constructor(holds: "beforeSend" | "afterSend") {
    this.#holds = holds;
  }

  readonly around: Around = async (context, send) => {
    if (context.attempt > 1) return send(context);
    // A request that is under way in a stopped process, or in the network, heeds no signal.
    const late = (): Promise<unknown> => send({ signal: new AbortController().signal, fetch });
    const before = this.#holds === "afterSend" ? await late() : null;
    this.isAt = true;
    await until("the test to let go", () => this.#isReleased);
    if (this.#holds === "afterSend") return before;
    this.#ended = late().then(
      () => "done",
      (error: unknown) => error,
    );
    return this.#ended;
  };

  /** Lets go, and tells how a late send ended; null where there was none. */
  async letGo(): Promise<unknown> {
    this.#isReleased = true;
    if (this.#holds === "beforeSend") await until("the late send", () => this.#ended !== null);
    return this.#ended;
  }
}

async function loseWorker(caseType: CaseType, late: LateWorker): Promise<string> {
  const first = await world.worker([caseType], { name: "late" });
  const caseId = await world.start(caseType);
  await until("the first attempt", () => late.isAt);
  // As the sweep does with a holder that fell silent.
  await world.store.endHolder(first.holderId, null);
  world.sweep();
  await world.worker([caseType], { name: "next" });
  await world.rests(caseId, "done");
  return caseId;
}

async function expectQuiet(caseId: string): Promise<void> {
  const { summary, state } = await world.row(caseId);
  expect({ state, reviews: summary.reviews }).toEqual({ state: "done", reviews: [] });
  expect(world.reports.filter(({ kind }) => kind === "bug")).toEqual([]);
}

describe.each(Object.entries(SUBJECTS))("a step that writes %s", (_, subject) => {
  test("has one effect though the answer to its first attempt is lost", async () => {
    let isLost = false;
    const caseType = subject.caseType(async (context, send) => {
      if (context.attempt > 1) return send(context);
      isLost = true;
      shelf.loseAnswers(1);
      await send(context);
      // Where there is no server of ours in between, the answer gets lost on this side of the line.
      throw Object.assign(new Error("the line was cut"), { code: "ECONNRESET", syscall: "read" });
    });
    await world.worker([caseType]);
    const caseId = await world.start(caseType);
    await world.rests(caseId, "done");
    expect(isLost).toBe(true);
    expect(await subject.effects(caseId)).toBe(1);
    await expectQuiet(caseId);
  });

  test("has one effect though its worker was lost before it sent, and sends late", async () => {
    const late = new LateWorker("beforeSend");
    const caseType = subject.caseType(late.around);
    const caseId = await loseWorker(caseType, late);
    expect(await subject.effects(caseId)).toBe(1);
    expect(await late.letGo()).not.toBeNull();
    expect(await subject.effects(caseId)).toBe(1);
    await expectQuiet(caseId);
  });

  test("has one effect though its worker was lost after it sent, and tells so late", async () => {
    const late = new LateWorker("afterSend");
    const caseType = subject.caseType(late.around);
    const caseId = await loseWorker(caseType, late);
    expect(await subject.effects(caseId)).toBe(1);
    await late.letGo();
    await expectQuiet(caseId);
  });
});

const justSend: Around = (context, send) => send(context);

function subjectOf(name: keyof typeof SUBJECTS): Subject {
  const subject = SUBJECTS[name];
  if (subject === undefined) throw new Error(`no subject ${name}`);
  return subject;
}

describe("what the tools find out", () => {
  test("a name that somebody else has taken is shown to a person, and nothing is overwritten", async () => {
    const caseType = subjectOf("under a name that is there once").caseType(async (context, send) => {
      shelf.write(`/invoices/${context.caseId}`, { fingerprint: "of somebody else" });
      return send(context);
    });
    await world.worker([caseType]);
    const caseId = await world.start(caseType);
    const { summary } = await world.rests(caseId, "in_review");
    expect(summary.reviews).toMatchObject([
      { reason: "conflict", sentence: expect.stringContaining("for another request") as unknown },
    ]);
    expect(shelf.written).toHaveLength(1);
  });

  test("a thing that somebody changed meanwhile is written on its new version", async () => {
    const caseType = subjectOf("on condition that nothing has changed").caseType(async (context, send) => {
      if (context.attempt === 1) shelf.write(`/accounts/${context.caseId}`, { fingerprint: "theirs" });
      return send(context);
    });
    await world.worker([caseType]);
    const caseId = await world.start(caseType);
    await world.rests(caseId, "done");
    expect(shelf.requests.flatMap(({ headers }) => headers["if-match"] ?? [])).toEqual(['"v0"', '"v1"']);
    await expectQuiet(caseId);
  });

  test("a version that cannot be conditional is asked for again, then left to a person, and nothing is written", async () => {
    shelf.weakenTags();
    const caseType = subjectOf("on condition that nothing has changed").caseType(justSend);
    await world.worker([caseType]);
    const caseId = await world.start(caseType);
    await world.rests(caseId, "in_review");
    const reasons = (await world.entries(caseId)).flatMap((entry) =>
      entry.kind === "conditionAnswered" && entry.answer.kind === "cannotTell" ? [entry.answer.why] : [],
    );
    expect(reasons[0]).toContain('the ETag W/"v0", which is not a strong one');
    expect(shelf.written).toEqual([]);
  });

  test("a fence that has seen a newer token lifts ours above it, and the step goes on by itself", async () => {
    const ahead = Date.now() + 3_600_000;
    const caseType = subjectOf("to a database with a fence").caseType(async (context, send) => {
      // As after a failover that forgot the highest token of this case.
      if (context.attempt === 1) await effects.check(pool, { ...context, fencingToken: ahead });
      return send(context);
    });
    await world.worker([caseType]);
    const caseId = await world.start(caseType);
    await world.rests(caseId, "done");
    expect(await bookedFor(caseId)).toBe(1);
    const tokens = (await world.entries(caseId)).flatMap((entry) =>
      entry.kind === "attemptOpened" ? [entry.fencingToken] : [],
    );
    expect(tokens[0]).toBeLessThan(ahead);
    expect(tokens.slice(1)).toEqual([ahead + 1]);
    await expectQuiet(caseId);
  });
});

test("a network that loses answers of the destination's database makes no effect twice and loses none", async () => {
  const proxy = await startProxy(database.url);
  const shaky = new Pool({ connectionString: proxy.url, max: 4, query_timeout: 2_000 });
  shaky.on("error", () => undefined);
  const twice = defineCase("shaky", start)
    .step("keep", {
      to: destinationWith({ by: "key", window: "24h" }),
      run: (context) => effects.once(shaky, context, book(context)),
    })
    .step("fence", {
      to: destinationWith({ by: "fence" }),
      run: (context) => effects.fenced(shaky, context, book(context)),
      check: (context) => effects.check(shaky, context),
    });
  try {
    const ids: string[] = [];
    for (let n = 0; n < 30; n += 1) ids.push(await world.start(twice));
    await world.worker([twice], { concurrency: 4 });
    proxy.lose(20);
    for (const caseId of ids) await world.rests(caseId, "done", "in_review");
    expect(proxy.lost()).toBeGreaterThan(10);
    const counts = await Promise.all(ids.map(async (caseId) => bookedFor(caseId)));
    expect(counts).toEqual(ids.map(() => 2));
    for (const caseId of ids) await expectQuiet(caseId);
  } finally {
    await world.close();
    await shaky.end();
    await proxy.stop();
  }
});
