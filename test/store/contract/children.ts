import { describe, expect, test } from "vitest";
import type { FoldedCase, NewCase, StepTransaction } from "../../../src/store/port.ts";
import {
  changeOf,
  commitOf,
  confirmed,
  newCase,
  newCaseId,
  newId,
  note,
  person,
  reviewOpened,
  writeOf,
} from "../made-cases.ts";
import type { Bench } from "./contract.ts";

const changing = (open: StepTransaction, caseId: string) => {
  const commitId = newId();
  return open.changeCase(caseId, changeOf(commitId), (one, now) => {
    const at = Math.max(now, one.state.changedAt);
    const { row, entries } = writeOf(one, commitId, [note("seen")], { kind: "free" }, at);
    return { kind: "write", commitId, entries, at, row, claim: "keep", reply: one.row.caseId };
  });
};

const append = async (
  bench: Bench,
  caseId: string,
  ...entries: Parameters<typeof writeOf>[2]
): Promise<void> => {
  const commitId = newId();
  await bench.store.changeCase(caseId, changeOf(commitId), (one, now) => {
    const at = Math.max(now, one.state.changedAt);
    const { row } = writeOf(one, commitId, entries, { kind: "free" }, at);
    return { kind: "write", commitId, entries, at, row, claim: "keep", reply: null };
  });
};

/** What every store promises of cases that other cases start. */
export function testChildren(bench: Bench): void {
  const childOf = async (caseId: string, businessKey = `${caseId}.ship.1`): Promise<NewCase> =>
    newCase({
      at: await bench.store.now(),
      shard: 9,
      businessKey,
      parent: { caseId, step: "ship", intentVersion: 1, depth: 1 },
    });
  const begun = async (): Promise<{ stored: FoldedCase; open: StepTransaction }> => ({
    stored: await bench.startClaimed(),
    open: await bench.store.begin(),
  });
  const commit = async (stored: FoldedCase) => commitOf(stored, await bench.store.now(), [confirmed()]);
  const untold = (unchangedMs = 0) => bench.store.children.listUntold({ limit: 10, unchangedMs });

  const started = async (): Promise<string> => {
    const parent = await bench.start();
    const child = await childOf(parent.identity.caseId);
    await bench.store.insertCase(child);
    return child.identity.caseId;
  };

  describe("a case that is started in the transaction of a step", () => {
    test("is there with its commit, and not before, and due at once", async () => {
      const { stored, open } = await begun();
      const child = await childOf(stored.row.caseId);
      expect(await open.startCase(child)).toEqual({ kind: "started" });
      expect(await bench.other.loadRow(child.identity.caseId)).toBeNull();
      expect((await open.commit(await commit(stored))).kind).toBe("current");
      expect(await bench.other.loadRow(child.identity.caseId)).toMatchObject({
        state: "ready",
        businessKey: `${stored.row.caseId}.ship.1`,
        summary: { parent: { caseId: stored.row.caseId, step: "ship" } },
      });
      expect((await bench.claim(1)).cases).toMatchObject([{ row: { caseId: child.identity.caseId } }]);
    });

    test("is not there where the commit was refused, or the transaction rolled back", async () => {
      const { stored, open } = await begun();
      const child = await childOf(stored.row.caseId);
      await open.startCase(child);
      expect(await open.commit({ ...(await commit(stored)), claimId: "another" })).toEqual({
        kind: "claimLost",
      });
      const second = await bench.store.begin();
      await second.startCase(child);
      await second.rollBack();
      expect(await bench.store.loadRow(child.identity.caseId)).toBeNull();
    });

    test("is found where another one has its key or its id", async () => {
      const { stored, open } = await begun();
      const { caseId } = stored.row;
      const taken = await bench.start({ businessKey: `${caseId}.ship.1`, shard: 9 });
      expect(await open.startCase(await childOf(caseId))).toEqual({
        kind: "exists",
        caseId: taken.identity.caseId,
      });
      expect(await open.startCase(taken)).toEqual({ kind: "repeated" });
      const other = await childOf(caseId, "other");
      const twin = { ...other, identity: { ...other.identity, caseId: taken.identity.caseId } };
      expect(await open.startCase(twin)).toEqual({ kind: "idTaken" });
      await open.rollBack();
    });
  });

  describe("a case that is changed in the transaction of another one's step", () => {
    test("is changed with its commit, and not before", async () => {
      const { stored, open } = await begun();
      const { identity } = await bench.start({ shard: 9 });
      expect(await changing(open, identity.caseId)).toEqual({ kind: "decided", reply: identity.caseId });
      expect((await bench.load(identity.caseId)).row.revision).toBe(1);
      await open.commit(await commit(stored));
      expect((await bench.load(identity.caseId)).row.revision).toBe(2);
    });

    test("is as it was where the transaction was rolled back, and not there where it is none", async () => {
      const { open } = await begun();
      const { identity } = await bench.start({ shard: 9 });
      await changing(open, identity.caseId);
      expect(await changing(open, newCaseId(3))).toBeNull();
      expect(await changing(open, "no id")).toBeNull();
      await open.rollBack();
      expect((await bench.load(identity.caseId)).row.revision).toBe(1);
    });
  });

  describe("how a child stands", () => {
    test("is told as running at first, and listed once it stands otherwise, until that is noted", async () => {
      const caseId = await started();
      expect(await untold()).toEqual([]);
      await append(bench, caseId, reviewOpened());
      expect(await untold()).toEqual([{ caseId, standing: "inReview" }]);
      expect(await untold(60_000)).toEqual([]);
      await bench.store.children.noteTold(caseId, "inReview", { kind: "nothing" });
      expect(await untold()).toEqual([]);
      await append(bench, caseId, { kind: "canceled", by: { kind: "person", name: "ada" }, reason: null });
      expect(await untold()).toEqual([{ caseId, standing: "canceled" }]);
    });

    test("is listed once it comes back from its end: its parent may have heard of that end without a note of it", async () => {
      const caseId = await started();
      await append(bench, caseId, { kind: "caseDone" });
      await append(bench, caseId, { kind: "cancelRequested", by: person, reason: null, byParent: true });
      expect(await untold()).toEqual([{ caseId, standing: "running" }]);
      await bench.store.children.noteTold(caseId, "running", { kind: "nothing" });
      expect(await untold()).toEqual([]);
      const plain = await bench.start();
      await append(bench, plain.identity.caseId, { kind: "caseDone" });
      await append(bench, plain.identity.caseId, { kind: "cancelRequested", by: person, reason: null });
      expect(await untold()).toEqual([]);
    });

    test("is not noted as told where a failover lost what the parent was told", async () => {
      const parent = await bench.start();
      const { caseId: parentId } = parent.identity;
      const child = await childOf(parentId);
      const { caseId } = child.identity;
      await bench.store.insertCase(child);
      await append(bench, caseId, { kind: "caseDone" });
      const sourceId = `case ${caseId} at 2`;
      const { children } = bench.store;
      await children.noteTold(caseId, "done", { kind: "told", sourceId });
      await children.noteTold(caseId, "done", { kind: "ended" });
      expect(await untold()).toEqual([{ caseId, standing: "done" }]);
      const commitId = newId();
      await bench.store.changeCase(parentId, { commitId, sourceId }, (one, now) => {
        const at = Math.max(now, one.state.changedAt);
        const { row, entries } = writeOf(one, commitId, [note("told")], { kind: "free" }, at);
        return { kind: "write", commitId, entries, at, row, claim: "keep", reply: null };
      });
      await children.noteTold(caseId, "done", { kind: "told", sourceId });
      expect(await untold()).toEqual([]);
    });

    test("is noted where the parent has ended, and is told nothing any more", async () => {
      const caseId = await started();
      const parentId = (await bench.load(caseId)).row.summary.parent?.caseId ?? "";
      await append(bench, caseId, { kind: "caseDone" });
      await append(bench, parentId, { kind: "caseDone" });
      await bench.store.children.noteTold(caseId, "done", { kind: "ended" });
      expect(await untold()).toEqual([]);
    });

    test("is listed of so many at most, and of no case without a parent", async () => {
      const plain = await bench.start();
      await append(bench, plain.identity.caseId, { kind: "caseDone" });
      const first = await started();
      await append(bench, first, { kind: "caseDone" });
      await append(bench, await started(), { kind: "caseDone" });
      expect(await bench.store.children.listUntold({ limit: 1, unchangedMs: 0 })).toEqual([
        { caseId: first, standing: "done" },
      ]);
      await bench.store.children.noteTold(plain.identity.caseId, "done", { kind: "nothing" });
      await bench.store.children.noteTold("no id", "done", { kind: "nothing" });
      expect(await untold()).toHaveLength(2);
    });

    test("is listed and counted by its parent", async () => {
      const parent = await bench.start();
      const { caseId } = parent.identity;
      const child = await childOf(caseId);
      await bench.store.insertCase(child);
      await started();
      const { rows } = await bench.store.listCases({ parentId: caseId, limit: 10 });
      expect(rows.map((row) => row.caseId)).toEqual([child.identity.caseId]);
      expect(await bench.store.countFound({ parentId: caseId }, 10)).toBe(1);
    });
  });
}
