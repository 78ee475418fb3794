import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { readStatements, type StatementName } from "../../src/store/sql/statements.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { waitUntil } from "./contract/contract.ts";
import { commitOf, newCase, newId, note } from "./made-cases.ts";

/**
 * What each hot statement must read its tables by; nothing else may read `cases`, `journal`,
 * `key_places`, `snapshots` or `search_values`.
 */
const hot: readonly (readonly [StatementName, readonly string[]])[] = [
  ["claim_due", ["cases_due_of_type", "cases_pkey", "journal_pkey", "snapshots_pkey"]],
  [
    "claim_shared",
    ["cases_due_of_type", "cases_due_in_group", "cases_pkey", "journal_pkey", "snapshots_pkey"],
  ],
  [
    "claim_due_in_places",
    [
      "cases_due_of_type",
      "cases_held_by_key",
      "cases_pkey",
      "journal_pkey",
      "key_places_pkey",
      "snapshots_pkey",
    ],
  ],
  [
    "claim_shared_in_places",
    [
      "cases_due_of_type",
      "cases_due_in_group",
      "cases_held_by_key",
      "cases_pkey",
      "journal_pkey",
      "key_places_pkey",
      "snapshots_pkey",
    ],
  ],
  ["call_keys", ["cases_held_by_key", "cases_pkey", "key_places_pkey"]],
  ["call_held", ["cases_held_by_key", "cases_pkey", "key_places_pkey"]],
  ["read_keys", ["cases_held_by_key", "cases_pkey", "key_places_pkey"]],
  ["next_due", ["cases_due_of_type"]],
  ["commit_one", ["cases_pkey"]],
  ["commit_batch", ["cases_pkey"]],
  ["lock_case", ["cases_pkey"]],
  ["read_journal", ["journal_pkey"]],
  ["read_tail", ["journal_pkey", "journal_source", "snapshots_pkey"]],
  ["write_case", ["cases_pkey"]],
  ["find_start", ["journal_pkey", "cases_key_held"]],
  ["load_case", ["cases_pkey", "journal_pkey"]],
  ["load_row", ["cases_pkey"]],
  ["set_aside", ["cases_pkey"]],
  ["beat_holder", ["cases_claimed"]],
  ["list_claims", ["cases_claimed"]],
  ["list_by_business_key", ["cases_business_key"]],
  ["list_children", ["cases_parent"]],
];

/** These need a full table to be worth an index. */
const hotWhenFull: readonly (readonly [StatementName, readonly string[]])[] = [
  ["list_cases", ["cases_started"]],
  ["list_reviews", ["cases_review"]],
  ["list_milestones", ["cases_pkey", "journal_milestones"]],
  ["count_steps", ["cases_review", "cases_due", "cases_open_ended", "cases_paused", "cases_claimed"]],
  ["list_untold", ["cases_untold"]],
  ["note_told", ["cases_pkey", "journal_source"]],
  ["find_by_value", ["cases_pkey", "search_values_value"]],
  ["count_by_value", ["cases_pkey", "search_values_value"]],
  ["find_in_range", ["cases_pkey", "search_values_number"]],
  ["count_in_range", ["cases_pkey", "search_values_number"]],
];

describe("plans", () => {
  const statements = readStatements("foothold");
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client(database.url);
    await client.connect();
    const store = postgresStore({ url: database.url });
    await store.migrate();
    await store.close();
    // A plan that is kept must be good for any parameters, so that is the one looked at.
    await client.query("set plan_cache_mode = force_generic_plan");
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const explain = async (name: StatementName): Promise<string> => {
    const { text } = statements(name);
    const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
    await client.query(`prepare looked_at as ${text}`);
    const values = Array.from({ length: Math.max(0, ...numbers) }, () => "null").join(", ");
    const { rows } = await client.query<{ "QUERY PLAN": string }>(
      `explain execute looked_at${values === "" ? "" : `(${values})`}`,
    );
    await client.query("deallocate looked_at");
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  };

  /** The plan of a statement, the indexes of our tables in it, and whether it reads either from end to end. */
  const lookAt = async (
    name: StatementName,
  ): Promise<{ readonly indexes: readonly string[]; readonly isScan: boolean }> => {
    const plan = await explain(name);
    const used = [...plan.matchAll(/(?:using|Bitmap Index Scan on) (\w+)/g)].map(([, index]) => index ?? "");
    const ours = used.filter((index) => /^(cases|journal|key_places|snapshots|search_values)_/.test(index));
    return {
      indexes: sorted(new Set(ours)),
      isScan: /Seq Scan on (cases|journal|key_places|snapshots|search_values)/.test(plan),
    };
  };

  const counts = async (): Promise<{ readonly updates: number; readonly hot: number } | undefined> => {
    const { rows } = await client.query<{ updates: number; hot: number }>(
      "select n_tup_upd::int as updates, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'cases'",
    );
    return rows[0];
  };

  test.each(hot)("%s takes its indexes even when it was planned on empty tables", async (name, indexes) => {
    expect(await lookAt(name)).toEqual({ indexes: sorted(indexes), isScan: false });
  });

  describe("on 20,000 cases of which 200 are claimed", () => {
    beforeAll(async () => {
      await client.query(`
        insert into foothold.cases (
          shard, case_id, tenant, case_type, business_key, definition_version, engine_version, state, due_at, revision, lineage,
          started_at, changed_at, summary, has_review, claim_id, holder_id, claimed_at, act_by_at, act_within_ms,
          claim_touches, resting_state, priority
        )
        select
          n % 32, lpad((n % 32)::text, 2, '0') || '-' || n, 'default', 'purchase', 'PO-' || n, 1, 1,
          case when n % 100 = 0 then 'claimed' when n % 2 = 0 then 'done' else 'waiting' end,
          case when n % 2 = 1 then now() + (n - 1000) * interval '1 second' end,
          4, '0', now() - n * interval '1 second', now(), '{"reviews": []}', n % 500 = 0,
          case when n % 100 = 0 then 'claim-' || n end, case when n % 100 = 0 then 'holder-' || n % 4 end,
          case when n % 100 = 0 then now() end, case when n % 100 = 0 then now() end,
          case when n % 100 = 0 then 60000 end, case when n % 100 = 0 then 0 end,
          case when n % 100 = 0 then 'ready' end, n % 3 - 1
        from generate_series(1, 20000) as n;
        insert into foothold.journal (
          shard, case_id, revision, at, kind, commit_id, tenant, definition_version, engine_version, codec, body,
          body_hash
        )
        select shard, case_id, r, now(), 'noteAdded', 'c', 'default', 1, 1, 'json', 'x', sha256('x'::bytea)
        from foothold.cases cross join generate_series(1, 4) as r;
        insert into foothold.search_values (shard, case_id, name, value, number, started_at)
        select shard, case_id, name, n::text, n, started_at
        from foothold.cases
        cross join lateral (select substr(case_id, 4)::integer as n) as numbered
        cross join (values ('amount'), ('weight'), ('total')) as a (name);
        analyze foothold.cases, foothold.journal, foothold.search_values;
      `);
    });

    test.each([...hot, ...hotWhenFull])("%s takes its indexes", async (name, indexes) => {
      expect(await lookAt(name)).toEqual({ indexes: sorted(indexes), isScan: false });
    });

    test("a claim looks at no more cases than it wants, for each priority, however many are due", async () => {
      await client.query(`prepare claiming as ${statements("claim_due").text}`);
      const { rows } = await client.query<{ "QUERY PLAN": string }>(
        `explain (analyze, costs off, timing off)
         execute claiming(extract(epoch from now() + interval '9 days') * 1000, 1, '{purchase}', '{1}', 'h', 1, '{a,b,c,d}', 1)`,
      );
      // It has claimed; what was counted of that is told now, and not in the middle of another test.
      await client.query("deallocate claiming; select pg_stat_force_next_flush()");
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      const looks = [...plan.matchAll(/using cases_due[^\n]*actual rows=([\d.]+) loops=(\d+)/g)];
      const looked = looks.map(([, seen, loops]) => Number(seen) * Number(loops));
      expect(looked.length).toBeGreaterThan(0);
      expect(looked.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(3 * 4 + 4);
      expect(plan).not.toContain("Rows Removed by Filter");
    });

    test("what is due or waits of other types is looked past by nobody", async () => {
      const claimed = `'{rare}', '{1}', 'h', 1, '{m,n,o,p}', 1`;
      for (const [name, values] of [
        ["next_due", "'{rare}', '{1}'"],
        ["claim_due", claimed],
        ["claim_shared", `${claimed}, 2, null, null`],
      ] as const) {
        await client.query(`prepare looking as ${statements(name).text}`);
        const { rows } = await client.query<{ "QUERY PLAN": string }>(
          `explain (analyze, costs off, timing off) execute looking(null, 1, ${values})`,
        );
        await client.query("deallocate looking");
        const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
        expect(plan).toMatch(/using cases_due_of_type[^\n]*actual rows=0/);
        // Of the groups that were looked at.
        expect(plan.replaceAll(/Scan on looked[^]*?Rows Removed by Filter: 1\n/g, "")).not.toContain(
          "Rows Removed",
        );
      }
    });

    test("a claim whose places go round looks at its groups and its places alone, however much one tenant has piled up", async () => {
      // One tenant has nearly all, so that what the planner knows speaks against the index of groups.
      await client.query(`
        insert into foothold.cases (
          shard, case_id, tenant, case_type, definition_version, engine_version, state, due_at, revision, lineage,
          started_at, changed_at, summary, has_review
        )
        select 1, '01-late-' || n, 'tenant-' || n, 'purchase', 1, 1, 'waiting', now() + interval '8 days', 4, '0', now(), now(),
          '{"reviews": []}', false
        from generate_series(1, 3) as n;
        analyze foothold.cases;
        prepare claiming as ${statements("claim_shared").text}`);
      const { rows } = await client.query<{ "QUERY PLAN": string }>(
        `explain (analyze, costs off, timing off)
         execute claiming(extract(epoch from now() + interval '9 days') * 1000, 1, '{purchase}', '{1}', 'h', 1,
           '{e,f,g,h,i,j,k,l}', 1, 4, null, null)`,
      );
      await client.query("deallocate claiming; select pg_stat_force_next_flush()");
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      const looks = [...plan.matchAll(/using (cases_due\w*)[^\n]*actual rows=([\d.]+) loops=(\d+)/g)];
      const seenBy = (index: string): number =>
        looks
          .filter(([, name]) => name === index)
          .reduce((sum, [, , seen, loops]) => sum + Number(seen) * Number(loops), 0);
      // The four groups, a case of each that is due, and one of each priority of each.
      expect(seenBy("cases_due_in_group")).toBeGreaterThan(0);
      expect(seenBy("cases_due_in_group")).toBeLessThanOrEqual(4 + 4 + 3 * 4);
      // Those that have a place already are passed by.
      expect(seenBy("cases_due_of_type")).toBeLessThanOrEqual(3 * 4 + 4);
      const passedBy = [
        ...plan.matchAll(/Filter: [^\n]*case_id <> ALL[^\n]*\n *Rows Removed by Filter: (\d+)/g),
      ];
      expect(passedBy.reduce((sum, [, removed]) => sum + Number(removed), 0)).toBeLessThanOrEqual(4 * 3);
    });

    test("the batch commit goes case by case, in the order it was given, so it locks in that order", async () => {
      const plan = await explain("commit_batch");
      expect(plan).toMatch(/Nested Loop[^\n]*\n[^\n]*Function Scan on i\b[^]*Index Scan using cases_pkey/);
    });
  });

  test("a commit under a claim changes no indexed column, so it writes to no index", async () => {
    await client.query("select pg_stat_reset_single_table_counters('foothold.cases'::regclass)");
    const store = postgresStore({ url: database.url, poolMax: 1 });
    const claim = { claimId: newId(), holderId: "h", actWithinMs: 1_000 };
    const start = newCase({ at: 5, claim });
    await store.insertCase(start);
    // As many versions of the row as surely fit into what its page keeps free.
    const commits = 3;
    for (let n = 0; n < commits; n += 1) {
      const stored = await store.loadCase(start.identity.caseId);
      if (stored === null) throw new Error("it was started");
      expect(await store.commit([commitOf(stored, 10 + n, [note("on")])])).toMatchObject([
        { kind: "current" },
      ]);
    }
    await store.close();
    // A backend tells its counts when it ends, a moment after its client.
    await waitUntil(async () => (await counts())?.updates === commits);
    expect(await counts()).toEqual({ updates: commits, hot: commits });
  });
});

function sorted(names: Iterable<string>): readonly string[] {
  return [...names].toSorted((a, b) => (a < b ? -1 : 1));
}
