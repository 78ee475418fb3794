import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import type { SealHead } from "../../src/core/seal.ts";
import { sealAll } from "../../src/desk/sealing.ts";
import { verifyAudit, type AuditVerdict } from "../../src/desk/verify-audit.ts";
import { systemPorts } from "../../src/engine/system.ts";
import { auditLineOf } from "./contract/audit.ts";
import { newCase, newCaseId, note } from "./made-cases.ts";
import { openPostgres, type PostgresSubject } from "./postgres-subject.ts";

const ports = systemPorts();
const [first, second] = [newCaseId(7), newCaseId(7)];
/** A shard without cases; lines that are about none are in it. */
const HOUSE = 0;

function entryAt(caseId: string, revision: number): string {
  return `case_id = '${caseId}' and revision = ${revision}`;
}

/** Something else than a column has, as SQL. */
function otherValue(column: string, type: string): string {
  if (column === "outcome") return "'refused'";
  if (column === "body_hash" || column === "sealed_as" || column === "hash" || column === "previous")
    return "sha256('other')";
  switch (type) {
    case "timestamp with time zone":
      return "timestamptz '2001-01-01'";
    case "bytea":
      return "'\\x7b7d'";
    case "jsonb":
      return `'{"ranges": [], "lines": []}'`;
    case "smallint":
      return "31::smallint";
    case "integer":
      return "77";
    case "bigint":
      return "77";
    default:
      return "'other'";
  }
}

describe("a database that somebody changed by hand", () => {
  let subject: PostgresSubject;
  beforeAll(async () => {
    subject = await openPostgres(inject("databaseUrl"));
  });
  afterAll(() => subject.close());

  const seal = (): ReturnType<typeof sealAll> => sealAll({ store: subject.store, ports });
  const verify = (exported: readonly SealHead[] = []): Promise<AuditVerdict> =>
    verifyAudit({ store: subject.store, digest: ports.digest, exported });
  const told = async (exported: readonly SealHead[] = []): Promise<readonly string[]> =>
    (await verify(exported)).findings.map(({ kind, at, sealNo }) => {
      if (at === null) return `${kind} seal ${sealNo}`;
      return at.kind === "line" ? `${kind} ${at.auditId}` : `${kind} ${nameOf(at.caseId)} ${at.revision}`;
    });
  const nameOf = (caseId: string): string => ({ [first]: "first", [second]: "second" })[caseId] ?? caseId;
  const tamper = async (sql: string): Promise<void> => void (await subject.client.query(sql));

  /** Two cases in one shard with four entries each, three lines, in two seals of the shard and one of the house's. */
  beforeEach(async () => {
    await subject.clear();
    const { store } = subject;
    const entries = [note("two"), note("three"), note("four")];
    await store.insertCase(newCase({ caseId: first, at: 1_000, entries }));
    await store.audit.append(auditLineOf({ auditId: "a-1", caseId: first, act: "note" }));
    await seal();
    await store.insertCase(newCase({ caseId: second, at: 2_000, entries }));
    await store.audit.append(auditLineOf({ auditId: "a-2", caseId: second, act: "cancel" }));
    await store.audit.append(auditLineOf({ auditId: "a-3", act: "signIn" }));
    await seal();
  });

  test("is told from one that nobody did", async () => {
    expect(await verify()).toMatchObject({ findings: [], seals: 3, entries: 8, lines: 3 });
  });

  test.each<[string, string, readonly string[]]>([
    [
      "an entry's body",
      `update foothold.journal set body = convert_to('{}', 'UTF8') where ${entryAt(first, 2)}`,
      ["edited first 2"],
    ],
    [
      "its body and hash",
      `update foothold.journal set body = '\\x7b7d', body_hash = sha256('\\x7b7d') where ${entryAt(second, 3)}`,
      ["edited second 3"],
    ],
    [
      "its time",
      `update foothold.journal set at = at + interval '1 ms' where ${entryAt(first, 1)}`,
      ["edited first 1"],
    ],
    [
      "its commit",
      `update foothold.journal set commit_id = 'other' where ${entryAt(first, 4)}`,
      ["edited first 4"],
    ],
    [
      "its tenant",
      `update foothold.journal set tenant = 'other' where ${entryAt(first, 4)}`,
      ["edited first 4"],
    ],
    ["an entry deleted", `delete from foothold.journal where ${entryAt(first, 3)}`, ["deleted first 3"]],
    [
      "the end of a journal deleted, with its case's revision",
      `delete from foothold.journal where case_id = '${second}' and revision > 2;
       update foothold.cases set revision = 2 where case_id = '${second}'`,
      ["deleted second 3", "deleted second 4"],
    ],
    [
      "a whole case deleted",
      `delete from foothold.cases where case_id = '${first}'; delete from foothold.journal where case_id = '${first}'`,
      ["deleted first 1", "deleted first 2", "deleted first 3", "deleted first 4"],
    ],
    [
      "two entries exchanged",
      `update foothold.journal set revision = 100 where ${entryAt(first, 2)};
       update foothold.journal set revision = 2 where ${entryAt(first, 3)};
       update foothold.journal set revision = 3 where ${entryAt(first, 100)}`,
      ["moved first 2", "moved first 3"],
    ],
    [
      "an entry inserted between",
      `update foothold.journal set revision = 5 where ${entryAt(first, 4)};
       update foothold.journal set revision = 4 where ${entryAt(first, 3)};
       insert into foothold.journal
         select shard, case_id, 3, at, kind, step, commit_id, tenant, definition_version, engine_version, credential_id,
           codec, '\\x7b7d', sha256('\\x7b7d'), null
         from foothold.journal where ${entryAt(first, 2)}`,
      ["edited first 3", "moved first 4", "inserted first 5"],
    ],
    [
      "an entry of another case put in the place of one",
      `delete from foothold.journal where ${entryAt(first, 2)};
       update foothold.journal set case_id = '${first}', revision = 2 where ${entryAt(second, 4)}`,
      ["edited first 2", "deleted second 4"],
    ],
    ["who acted", `update foothold.audit set who = 'ben' where audit_id = 'a-1'`, ["edited a-1"]],
    ["why", `update foothold.audit set body = '\\x7b7d' where audit_id = 'a-3'`, ["edited a-3"]],
    [
      "a refusal made a deed",
      `update foothold.audit set outcome = 'refused' where audit_id = 'a-2'`,
      ["edited a-2"],
    ],
    ["a line deleted", `delete from foothold.audit where audit_id = 'a-2'`, ["deleted a-2"]],
    [
      "a line taken out of its seal",
      `update foothold.audit set seal_no = null where audit_id = 'a-2'`,
      ["deleted a-2"],
    ],
    [
      "a line moved to another seal",
      `update foothold.audit set seal_no = 1 where audit_id = 'a-2'`,
      ["inserted a-2", "deleted a-2"],
    ],
    [
      "a line inserted",
      `insert into foothold.audit
         select shard, 'a-9', at, act, outcome, code, who, person_id, case_id, about, plan, codec, body, body_hash, seal_no
         from foothold.audit where audit_id = 'a-1'`,
      ["inserted a-9"],
    ],
    ["a seal deleted", `delete from foothold.seals where shard = 7 and seal_no = 1`, ["sealMissing seal 1"]],
    [
      "the last seal deleted",
      `delete from foothold.seals where shard = 7 and seal_no = 2`,
      ["sealMissing seal 2"],
    ],
    [
      "a seal's time",
      `update foothold.seals set sealed_at = sealed_at + interval '1 h' where seal_no = 2`,
      ["sealBroken seal 2"],
    ],
    [
      "a seal's list",
      `update foothold.seals set body = jsonb_set(body, '{lines}', '[]') where shard = 7 and seal_no = 1;
       delete from foothold.audit where audit_id = 'a-1'`,
      ["sealBroken seal 1"],
    ],
  ])("is found out: %s", async (_, sql, expected) => {
    await tamper(sql);
    expect((await told()).toSorted()).toEqual(expected.toSorted());
  });

  test("is found out in whatever column of whatever sealed row", async () => {
    const { rows } = await subject.client.query<{ table: string; column: string; type: string }>(
      `select c.table_name as table, c.column_name as column, c.data_type as type
       from information_schema.columns as c
       where c.table_schema = 'foothold' and c.table_name in ('journal', 'audit', 'seals')
       order by c.table_name, c.column_name`,
    );
    expect(rows.length).toBeGreaterThan(30);
    const missed: string[] = [];
    for (const { table, column, type } of rows) {
      await tamper(`create table foothold.kept as select * from foothold.${table}`);
      const other = otherValue(column, type);
      // Of one row, so that all that follow it are as they were.
      await tamper(
        `update foothold.${table} set ${column} = ${other}
         where ctid = (select min(ctid) from foothold.${table} where ${column} is distinct from ${other})`,
      );
      if ((await told()).length === 0) missed.push(`${table}.${column}`);
      await tamper(
        `delete from foothold.${table}; insert into foothold.${table} select * from foothold.kept;
         drop table foothold.kept`,
      );
      expect(await told()).toEqual([]);
    }
    expect(missed).toEqual([]);
  });

  test("is found out when an entry is taken away before it is sealed, and what follows is sealed no further", async () => {
    const late = newCaseId(7);
    await subject.store.insertCase(
      newCase({ caseId: late, at: 3_000, entries: [note("two"), note("three")] }),
    );
    await tamper(`delete from foothold.journal where ${entryAt(late, 2)}`);
    expect(await told()).toEqual([`deleted ${late} 2`]);
    await seal();
    expect(await told()).toEqual([`deleted ${late} 2`]);
    expect(await subject.store.audit.countUnsealed()).toEqual({ entries: 2, lines: 0 });
  });

  test("is found out when entries are hidden from the sealer", async () => {
    const { identity, ...rest } = newCase({ caseId: newCaseId(7), at: 3_000, entries: [note("two")] });
    await subject.store.insertCase({ identity, ...rest });
    await tamper(`insert into foothold.sealed_cases values (7, '${identity.caseId}', 1)`);
    await seal();
    expect(await told()).toEqual([`gap ${identity.caseId} 1`]);
  });

  test("is found out against heads that were exported when the chain is cut or made anew as a whole", async () => {
    const exported = await subject.store.audit.readHeads();
    expect(await told(exported)).toEqual([]);
    await subject.store.audit.append(auditLineOf({ auditId: "a-4" }));
    await seal();
    expect(await told(exported)).toEqual([]);
    // Who can do everything takes the last acts away with all that is known of them.
    await tamper(`
      delete from foothold.audit where shard = 7;
      delete from foothold.seals where shard = 7 and seal_no = 2;
      update foothold.seal_heads as h set seal_no = 1, hash = s.hash
        from foothold.seals as s where s.shard = 7 and s.seal_no = 1 and h.shard = 7;
      delete from foothold.journal where case_id = '${second}';
      delete from foothold.cases where case_id = '${second}';
      delete from foothold.sealed_cases where case_id = '${second}'`);
    expect(await told()).toEqual(["deleted a-1"]);
    expect(await told(exported)).toEqual(["deleted a-1", "truncated seal 2"]);
    await tamper(`
      truncate foothold.seals, foothold.sealed_cases;
      update foothold.audit set seal_no = null;
      update foothold.seal_heads set seal_no = 0, hash = decode(repeat('00', 32), 'hex')`);
    await seal();
    await subject.store.audit.append(auditLineOf({ auditId: "a-5", caseId: first }));
    await seal();
    expect(await told()).toEqual([]);
    expect(await told(exported)).toEqual(["headDiffers seal 1", "headDiffers seal 2"]);
  });

  test("is no worse off for a transaction that was begun before a seal and ends after it", async () => {
    const { client, store } = subject;
    const late = newCaseId(7);
    await client.query("begin");
    try {
      await client.query(`
        insert into foothold.audit
          select shard, 'a-late', at - interval '1 h', act, outcome, code, who, person_id, case_id, about, plan, codec,
            body, body_hash, null
          from foothold.audit where audit_id = 'a-1';
        insert into foothold.journal
          select shard, case_id, 5, at - interval '1 h', kind, step, 'late', tenant, definition_version, engine_version,
            credential_id, codec, body, body_hash, null
          from foothold.journal where ${entryAt(first, 4)};
        update foothold.cases set revision = 5 where case_id = '${first}'`);
      await store.insertCase(newCase({ caseId: late, at: 3_000 }));
      expect(await seal()).toEqual({ seals: 1, entries: 1, lines: 0 });
    } finally {
      await client.query("commit");
    }
    expect(await store.audit.countUnsealed()).toEqual({ entries: 1, lines: 1 });
    expect(await seal()).toEqual({ seals: 1, entries: 1, lines: 1 });
    expect(await verify()).toMatchObject({ findings: [], unsealed: { entries: 0, lines: 0 } });
    expect((await store.audit.readHeads())[HOUSE]?.sealNo).toBe(1);
  });
});
