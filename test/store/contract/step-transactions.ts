import { describe, expect, test } from "vitest";
import { changeOf, commitOf, confirmed, newId, note, writeOf } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

/** What every store promises of the transactions that steps write in; what is written there is each store's own. */
export function testStepTransactions(bench: Bench): void {
  describe("the transaction of a step", () => {
    test("stores the commit that confirms it", async () => {
      const stored = await bench.startClaimed();
      const transaction = await bench.store.begin();
      const commit = commitOf(stored, await bench.store.now(), [confirmed()]);
      expect(await transaction.commit(commit)).toEqual({ kind: "current", revision: 2 });
      expect((await bench.load(stored.row.caseId)).journal.at(-1)).toMatchObject({
        commitId: commit.commitId,
      });
    });

    test("stores the outcome alone on a case that moved", async () => {
      const stored = await bench.startClaimed();
      const { caseId } = stored.row;
      const transaction = await bench.store.begin();
      const commitId = newId();
      await bench.other.changeCase(caseId, changeOf(commitId), (one, now) => ({
        kind: "write",
        commitId,
        claim: "keep",
        reply: null,
        entries: [note("seen")],
        at: now,
        row: writeOf(one, commitId, [note("seen")], { kind: "free" }, now).row,
      }));
      const at = await bench.store.now();
      const reply = await transaction.commit(
        commitOf(stored, at, [note("onward")], { outcomes: [confirmed()] }),
      );
      expect(reply).toMatchObject({ kind: "moved", missed: [{ revision: 2 }, { revision: 3 }] });
      expect((await bench.load(caseId)).journal.map(({ entry }) => entry.kind)).toEqual([
        "caseStarted",
        "noteAdded",
        "stepConfirmed",
      ]);
    });

    test("is refused once the claim is another's, and over once it was rolled back", async () => {
      const stored = await bench.startClaimed();
      const commit = { ...commitOf(stored, await bench.store.now(), [confirmed()]), claimId: "another" };
      const late = await bench.store.begin();
      expect(await late.commit(commit)).toEqual({ kind: "claimLost" });
      const ended = await bench.store.begin();
      await ended.rollBack();
      await ended.rollBack();
      expect(await ended.commit(commitOf(stored, await bench.store.now(), [confirmed()]))).toEqual({
        kind: "claimLost",
      });
      expect((await bench.load(stored.row.caseId)).journal).toHaveLength(1);
    });

    test("of which the reply was lost is found, and one that was not stored is not", async () => {
      const stored = await bench.startClaimed();
      const commit = commitOf(stored, await bench.store.now(), [confirmed()]);
      expect(await bench.store.findCommit(commit)).toBeNull();
      await (await bench.store.begin()).commit(commit);
      expect(await bench.other.findCommit(commit)).toMatchObject({
        kind: "repeated",
        claimId: commit.claimId,
        missed: [{ revision: 2, commitId: commit.commitId }],
      });
      expect(await bench.store.findCommit({ ...commit, caseId: "00-000000000000", shard: 0 })).toBeNull();
    });
  });
}
