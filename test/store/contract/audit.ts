import { describe, expect, test } from "vitest";
import { FIRST_HEAD, headOf, makeSeal } from "../../../src/core/seal.ts";
import { sealAll } from "../../../src/desk/sealing.ts";
import { verifyAudit, type AuditVerdict } from "../../../src/desk/verify-audit.ts";
import { systemPorts } from "../../../src/engine/system.ts";
import type { AuditFilter, NewAuditLine } from "../../../src/store/audit-port.ts";
import { changeOf, commitOf, newCaseId, newId, note, writeOf } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

const ports = systemPorts();

export function auditLineOf(wishes: Partial<NewAuditLine> = {}): NewAuditLine {
  return {
    auditId: newId(),
    act: "resume",
    outcome: "done",
    code: null,
    who: "ada",
    personId: "p-1",
    caseId: null,
    about: null,
    plan: null,
    why: "asked the supplier",
    sentence: null,
    before: { revision: 3 },
    after: { revision: 4, née: "ü" },
    ...wishes,
  };
}

function lineAbout(name: string): NewAuditLine {
  return auditLineOf({ about: name });
}

export function testAudit(bench: Bench): void {
  const audit = (): typeof bench.store.audit => bench.store.audit;
  const seal = (): ReturnType<typeof sealAll> => sealAll({ store: bench.store, ports });
  const verify = async (): Promise<AuditVerdict> => {
    const told: (readonly [number, number])[] = [];
    const onSeals = (looked: number, of: number): void => void told.push([looked, of]);
    const verdict = await verifyAudit({ store: bench.store, digest: ports.digest, exported: [], onSeals });
    const { seals, findings } = verdict;
    // How far it is is told to the end, where nothing keeps it from getting there.
    if (findings.length === 0 && seals > 0) expect(told.at(-1)).toEqual([seals, seals]);
    return verdict;
  };
  const listed = async (filter: Partial<AuditFilter> = {}): Promise<readonly string[]> =>
    (await audit().list({ limit: 100, ...filter })).lines.map(({ auditId }) => auditId);

  describe("audit lines", () => {
    test("are read back as they were written, once however often they come", async () => {
      const line = auditLineOf({ caseId: newCaseId(7), about: "createRecord", plan: "p3.0123456789abcdef" });
      await audit().append(line);
      await audit().append({ ...line, why: "another one" });
      const { lines, next } = await audit().list({ limit: 10 });
      expect(lines).toMatchObject([{ ...line, sealNo: null }]);
      expect(Math.abs((lines[0]?.at ?? 0) - (await bench.store.now()))).toBeLessThan(60_000);
      expect(next).toBeNull();
    });

    test("are found by act, outcome, name or id, case, what they are about, and time", async () => {
      const caseId = newCaseId(3);
      const wishes: readonly Partial<NewAuditLine>[] = [
        { act: "cancel", outcome: "refused", code: "NOT_ALLOWED", who: "ben", personId: null },
        { caseId, who: "eve (ci)", personId: "p-2" },
        { about: "erp", outcome: "requested" },
      ];
      const lines = wishes.map(auditLineOf);
      for (const line of lines) await audit().append(line);
      const [refused, onCase, about] = lines.map(({ auditId }) => auditId);
      const now = await bench.store.now();
      expect(await listed({ act: "cancel" })).toEqual([refused]);
      expect(await listed({ outcome: "refused" })).toEqual([refused]);
      expect(await listed({ who: "ben" })).toEqual([refused]);
      expect(await listed({ who: "p-2" })).toEqual([onCase]);
      expect(await listed({ caseId })).toEqual([onCase]);
      expect(await listed({ about: "erp" })).toEqual([about]);
      expect(await listed({ act: "resume", outcome: "requested" })).toEqual([about]);
      expect(await listed({ sinceAt: now - 60_000 })).toHaveLength(3);
      expect(await listed({ sinceAt: now + 60_000 })).toEqual([]);
      expect(await listed({ untilAt: now + 60_000 })).toHaveLength(3);
      expect(await listed({ untilAt: now - 60_000 })).toEqual([]);
    });

    test("come by pages, newest first, each once", async () => {
      const ids = Array.from({ length: 7 }, newId);
      for (const auditId of ids) await audit().append(auditLineOf({ auditId }));
      const all = await listed();
      expect(all.toSorted()).toEqual(ids.toSorted());
      const first = await audit().list({ limit: 4 });
      const second = await audit().list({ limit: 4, after: first.next ?? "" });
      expect([...first.lines, ...second.lines].map(({ auditId }) => auditId)).toEqual(all);
      expect(second.next).toBeNull();
      expect(await listed({ after: "no cursor of ours" })).toEqual([]);
    });

    test("are written with the change that they tell of, and with none that is left", async () => {
      const stored = await bench.load((await bench.start()).identity.caseId);
      const { caseId } = stored.row;
      const line = auditLineOf({ caseId });
      const at = await bench.store.now();
      const commitId = newId();
      const write = writeOf(stored, commitId, [note("hello")], { kind: "free" }, at);
      const change = { ...write, kind: "write", commitId, claim: "keep", reply: "done", line } as const;
      await bench.store.changeCase(caseId, changeOf(commitId), () => change);
      expect(await listed({ caseId })).toEqual([line.auditId]);
      await bench.store.changeCase(caseId, changeOf(commitId), () => change);
      await bench.store.changeCase(caseId, changeOf(newId()), () => ({ kind: "leave", reply: "no" }));
      expect(await listed({ caseId })).toEqual([line.auditId]);
    });

    test("are written with changes to people and tokens, and not where there was nothing to change", async () => {
      const { people } = bench.store;
      const ada = { personId: newId(), name: "ada", passwordHash: null, roles: ["viewer"] };
      const token = { tokenId: newId(), tokenHash: newId(), label: "ci", personId: ada.personId };
      const session = { sessionHash: newId(), personId: ada.personId, idleMs: 1_000, lastsMs: 1_000 };
      await people.addPerson(ada, lineAbout("added"));
      await people.addPerson(ada, lineAbout("added again"));
      await people.changePerson("ada", { roles: ["admin"] }, lineAbout("changed"));
      await people.changePerson("eve", { roles: ["admin"] }, lineAbout("nobody"));
      await people.openSession(session, lineAbout("signed in"));
      await people.addToken({ ...token, scopes: null, lastsMs: null }, lineAbout("token"));
      await people.revokeToken(token.tokenId, lineAbout("revoked"));
      await people.revokeToken(token.tokenId, lineAbout("revoked again"));
      const { lines } = await audit().list({ limit: 100 });
      expect(new Set(lines.map((line) => line.about))).toEqual(
        new Set(["added", "changed", "revoked", "signed in", "token"]),
      );
      expect(lines).toHaveLength(5);
    });
  });

  describe("seals", () => {
    test("begin empty in every shard", async () => {
      const heads = await audit().readHeads();
      expect(heads).toHaveLength(32);
      expect(heads[7]).toEqual({ shard: 7, sealNo: 0, hash: FIRST_HEAD });
      expect(await audit().countUnsealed()).toEqual({ entries: 0, lines: 0 });
      expect(await seal()).toEqual({ seals: 0, entries: 0, lines: 0 });
    });

    test("take all entries and lines once, and what comes later with the next", async () => {
      const stored = await bench.startClaimed({ shard: 7 });
      await bench.start({ shard: 3 });
      await audit().append(auditLineOf({ caseId: newCaseId(7) }));
      await audit().append(auditLineOf());
      expect(await audit().countUnsealed()).toEqual({ entries: 2, lines: 2 });
      expect(await seal()).toEqual({ seals: 3, entries: 2, lines: 2 });
      expect(await seal()).toEqual({ seals: 0, entries: 0, lines: 0 });
      await bench.commitOne(commitOf(stored, await bench.store.now(), [note("one"), note("two")]));
      expect(await audit().countUnsealed()).toEqual({ entries: 2, lines: 0 });
      expect(await seal()).toEqual({ seals: 1, entries: 2, lines: 0 });
      expect((await audit().readHeads()).filter(({ sealNo }) => sealNo > 0)).toMatchObject([
        { shard: 0, sealNo: 1 },
        { shard: 3, sealNo: 1 },
        { shard: 7, sealNo: 2 },
      ]);
      expect((await audit().list({ limit: 9, caseId: stored.row.caseId })).lines).toEqual([]);
      expect(await verify()).toEqual({
        findings: [],
        seals: 4,
        entries: 4,
        lines: 2,
        erased: 0,
        unsealed: { entries: 0, lines: 0 },
      });
    });

    test("are added by one of two sealers that saw the same end, and read back as they were made", async () => {
      const head = { shard: 7, sealNo: 0, hash: FIRST_HEAD };
      const line = { auditId: "a", caseId: null, facts: [], bodyHash: "b", isIntact: true, sealedAs: null };
      const mine = makeSeal(head, 1_000, { entries: [], lines: [line] }, ports.digest);
      const yours = makeSeal(head, 2_000, { entries: [], lines: [line] }, ports.digest);
      const added = await Promise.all([audit().writeSeal(mine), bench.other.audit.writeSeal(yours)]);
      expect(added.filter((isAdded) => isAdded)).toHaveLength(1);
      const [only] = await audit().readSeals(7, 0, 10);
      const winner = added[0] ? mine : yours;
      expect(only).toEqual(winner);
      expect((await audit().readHeads())[7]).toEqual(headOf(winner));
    });

    test("do no harm when several make them while others write", async () => {
      const writing = Array.from({ length: 12 }, async (_, index) => {
        const stored = await bench.load((await bench.start({ shard: index % 3 })).identity.caseId);
        const { caseId } = stored.row;
        const at = await bench.store.now();
        const commitId = newId();
        const write = writeOf(stored, commitId, [note("hello"), note("again")], { kind: "free" }, at);
        const line = auditLineOf({ caseId });
        const change = { ...write, kind: "write", commitId, claim: "keep", reply: null, line } as const;
        await bench.store.changeCase(caseId, changeOf(commitId), () => change);
      });
      const sealing = [bench.store, bench.other, bench.store].map((store) => sealAll({ store, ports }));
      await Promise.all([...writing, ...sealing]);
      await seal();
      expect(await verify()).toMatchObject({
        findings: [],
        entries: 36,
        lines: 12,
        erased: 0,
        unsealed: { entries: 0, lines: 0 },
      });
    });

    test("look through cases by pages, to the last one", async () => {
      for (const shard of [1, 1, 2, 9]) await bench.start({ shard });
      const first = await audit().findUnsealed(null, 3);
      expect(first.cases).toHaveLength(3);
      expect(first.cases[0]).toMatchObject({ shard: 1, revision: 1, sealedRevision: 0 });
      const second = await audit().findUnsealed(first.next, 3);
      expect(second).toMatchObject({ cases: [{ shard: 9 }], next: null });
      await seal();
      // The last one that was looked at tells where to go on, sealed or not.
      const after = await audit().findUnsealed(null, 3);
      expect(after.cases).toEqual([]);
      expect(after.next).toMatchObject({ shard: 2 });
    });
  });
}
