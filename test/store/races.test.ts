import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { appending } from "./contract/changes.ts";
import { Bench } from "./contract/contract.ts";
import { changeOf, newCase, newId, note } from "./made-cases.ts";
import { openPostgres, type PostgresSubject } from "./postgres-subject.ts";

/** Due cases of a type that nobody takes: a claim reads past them, long enough for others to write meanwhile. */
const PASSED_BY = 8_000;
/** Claims made while others write to the very case: so many that one is read between two of their writes. */
const CLAIMS = 150;
/** How long it is tried, in ms. */
const CLAIM_MS_MAX = 60_000;
const WRITERS = 4;

describe("a claim", () => {
  const bench = new Bench();
  let subject: PostgresSubject;
  beforeAll(async () => {
    subject = await openPostgres(inject("databaseUrl"));
    bench.set(subject);
    await subject.client.query(
      `insert into foothold.cases (
         shard, case_id, tenant, case_type, definition_version, engine_version, state, due_at, revision, lineage, started_at,
         changed_at, summary, has_review
       )
       select 1, '01-' || n, 'default', 'taken by nobody', 1, 1, 'ready', now() - interval '1 hour', 1, '0', now(), now(), '{}',
         false
       from generate_series(1, $1) as n`,
      [PASSED_BY],
    );
  });
  afterAll(() => subject.close());

  test("of a case that others write to while it is being claimed gives its whole journal", async () => {
    const { identity } = await bench.start();
    const over = new AbortController();
    const write = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const commitId = newId();
        await bench.other.changeCase(
          identity.caseId,
          changeOf(commitId),
          appending([note("fact")], commitId),
        );
      }
    };
    let claimed = 0;
    const claimAndFree = async (): Promise<void> => {
      const startedAt = performance.now();
      // What others have locked just now is passed over: on a busy machine that may be every time for a while.
      for (let claims = 0; claims < CLAIMS || claimed === 0; claims += 1) {
        if (performance.now() - startedAt > CLAIM_MS_MAX) break;
        const { cases, unreadable } = await bench.claim(1);
        expect(unreadable).toEqual([]);
        const [stored] = cases;
        if (stored === undefined) continue;
        claimed += 1;
        expect(stored.state.revision).toBe(stored.row.revision);
        const commitId = newId();
        await bench.store.changeCase(identity.caseId, changeOf(commitId), appending([], commitId, "free"));
      }
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, write));
    try {
      await claimAndFree();
    } finally {
      over.abort();
      await writing;
    }
    expect(claimed).toBeGreaterThan(0);
    const { row, journal } = await bench.load(identity.caseId);
    expect(journal.length).toBe(row.revision);
  });
});

describe("starts that go together in one statement", () => {
  const bench = new Bench();
  let subject: PostgresSubject;
  beforeAll(async () => {
    subject = await openPostgres(inject("databaseUrl"));
    bench.set(subject);
  });
  afterAll(() => subject.close());

  test("are stored but for the one that the database cannot hold, and that one is refused", async () => {
    const at = await bench.store.now();
    const starts = Array.from({ length: 40 }, () => newCase({ at }));
    const unstorable = newCase({ at, definitionVersion: 2 ** 31 });
    const [refused, ...replies] = await Promise.allSettled(
      [unstorable, ...starts].map((start) => bench.store.insertCase(start)),
    );
    expect(refused).toMatchObject({ status: "rejected", reason: { code: "INVALID_REQUEST" } });
    expect(replies).toEqual(starts.map(() => ({ status: "fulfilled", value: { kind: "started" } })));
    expect(await bench.store.loadRow(unstorable.identity.caseId)).toBeNull();
  });

  test("are sent in parts, with no more of them waiting than may wait", async () => {
    const at = await bench.store.now();
    const starts = Array.from({ length: 5_000 }, () => newCase({ at }));
    const replies = await Promise.allSettled(starts.map((start) => bench.store.insertCase(start)));
    const started = replies.filter(({ status }) => status === "fulfilled");
    expect(started.length).toBeGreaterThanOrEqual(4_096);
    expect(started.length).toBeLessThan(5_000);
    const refused = replies.flatMap((reply) =>
      reply.status === "rejected" ? [reply.reason as unknown] : [],
    );
    const code = "DATABASE_UNAVAILABLE";
    expect(refused).toEqual(refused.map(() => expect.objectContaining({ code }) as unknown));
    const { rows } = await subject.client.query("select count(*)::integer as n from foothold.cases");
    // Of the test before and of this one.
    expect(rows).toEqual([{ n: started.length + 40 }]);
  });
});
