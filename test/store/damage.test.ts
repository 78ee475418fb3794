import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { sha256 } from "./sha256.ts";
import { Bench } from "./contract/contract.ts";
import { appending } from "./contract/changes.ts";
import { changeOf, commitOf, confirmed, newId, note } from "./made-cases.ts";
import { openPostgres, type PostgresSubject } from "./postgres-subject.ts";

/** Ways to damage the second entry of a case, and what is said then. */
const damages: readonly (readonly [name: string, sql: string, says: string])[] = [
  ["a changed body", "update foothold.journal set body = body || ' ' where revision = 2", "revision 2"],
  ["a changed hash", `update foothold.journal set body_hash = sha256('x') where revision = 2`, "revision 2"],
  ["a missing entry", "delete from foothold.journal where revision = 2", "revision 2"],
  ["a missing last entry", "delete from foothold.journal where revision = 3", "revision 3"],
  ["no entry at all", "delete from foothold.journal", "revision 1"],
  ["an unknown kind", setBody('{"kind":"fromTheFuture"}'), "fromTheFuture"],
  ["a body that is no object", setBody("null"), "revision 2"],
  ["a body that is no JSON", setBody('{"kind"'), "revision 2"],
  ["an unknown codec", "update foothold.journal set codec = 'zip' where revision = 2", "zip"],
];

function setBody(body: string): string {
  return `update foothold.journal set body = '${body}', body_hash = '\\x${sha256(body)}' where revision = 2`;
}

describe("a damaged journal", () => {
  const bench = new Bench();
  let subject: PostgresSubject;
  beforeAll(async () => {
    subject = await openPostgres(inject("databaseUrl"));
    bench.set(subject);
  });
  beforeEach(() => subject.clear());
  afterAll(() => subject.close());

  const damage = async (sql: string): Promise<string> => {
    const { identity } = await bench.start({ entries: [note("two"), note("three")] });
    await subject.client.query(sql);
    return identity.caseId;
  };

  test.each(damages)("with %s is named wherever it is read, and changed by nothing", async (_, sql, says) => {
    const caseId = await damage(sql);
    const told = { code: "CORRUPT_JOURNAL", message: expect.stringContaining(caseId) as unknown };
    await expect(bench.store.loadCase(caseId)).rejects.toMatchObject(told);
    await expect(bench.store.loadCase(caseId)).rejects.toThrow(says);
    const commitId = newId();
    await expect(
      bench.store.changeCase(caseId, changeOf(commitId), appending([note("on top")], commitId)),
    ).rejects.toMatchObject(told);
    const { rows } = await bench.store.listCases({ limit: 5 });
    expect(rows).toMatchObject([{ caseId, revision: 3, state: "ready" }]);
  });

  test.each(damages)(
    "with %s stops no claim of the others, and can be put in sight",
    async (_, sql, says) => {
      const caseId = await damage(sql);
      const others = [await bench.start(), await bench.start()];
      const { cases, unreadable } = await bench.claim(5);
      expect(cases.map(({ row }) => row.caseId).toSorted()).toEqual(
        others.map(({ identity }) => identity.caseId).toSorted(),
      );
      expect(unreadable).toMatchObject([
        {
          row: { caseId, state: "claimed", claim: { holderId: "holder-1" } },
          fault: { code: "CORRUPT_JOURNAL" },
        },
      ]);
      expect(unreadable[0]?.fault.message).toContain(says);
      const row = unreadable[0]?.row;
      const isAside = await bench.store.setAside(
        caseId,
        row?.claim?.claimId ?? null,
        row?.summary ?? never(),
      );
      expect(isAside).toBe(true);
      expect(await bench.claim(5)).toMatchObject({ cases: [], unreadable: [] });
    },
  );

  test.each([
    ["a damaged entry", "update foothold.journal set codec = 'zip' where case_id = $1 and revision = 2"],
    ["a missing last entry", "delete from foothold.journal where case_id = $1 and revision = 2"],
  ])("with %s, found by a commit, refuses that one and stores the others", async (_, sql) => {
    const good = await bench.startClaimed();
    const bad = await bench.startClaimed();
    const commitId = newId();
    await bench.store.changeCase(bad.row.caseId, changeOf(commitId), appending([note("two")], commitId));
    await subject.client.query(sql, [bad.row.caseId]);
    const at = await bench.store.now();
    const commits = [bad, good].map((stored) =>
      commitOf(stored, at, [confirmed()], { outcomes: [confirmed()] }),
    );
    const [first, second] = await bench.store.commit(commits);
    expect(first).toMatchObject({ kind: "refused", why: expect.stringContaining(bad.row.caseId) as unknown });
    expect(second).toEqual({ kind: "current", revision: 2 });
  });

  test("that is repaired is read again", async () => {
    const caseId = await damage("update foothold.journal set codec = 'zip' where revision = 2");
    await subject.client.query("update foothold.journal set codec = 'json'");
    expect((await bench.load(caseId)).journal).toHaveLength(3);
    expect((await bench.claim(1)).cases).toHaveLength(1);
  });
});

function never(): never {
  throw new Error("the case was not claimed");
}
