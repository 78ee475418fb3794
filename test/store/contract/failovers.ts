import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/core/journal.ts";
import { changeOf, attemptOpened, commitOf, confirmed, intentOpened, newId, note } from "../made-cases.ts";
import { appending } from "./changes.ts";
import type { Bench } from "./contract.ts";

/** A failover to a standby that lags: the last commits are gone, the claim is as it was before them. */
export function testFailovers(bench: Bench): void {
  const append = async (caseId: string, entries: readonly Entry[], commitId = newId()): Promise<void> => {
    await bench.other.changeCase(caseId, changeOf(commitId), appending(entries, commitId));
  };

  describe("after a failover that lost the last commits", () => {
    test.each([
      ["nothing has taken their place", 0],
      ["as many others have taken their revisions", 2],
      ["the journal has gone beyond them", 3],
    ])("a commit made on them is a lost claim, and nothing of it is stored: %s", async (_, others) => {
      const claimed = await bench.startClaimed();
      const { caseId } = claimed.row;
      const at = await bench.store.now();
      const failOver = await bench.replicate();
      const opened = [intentOpened(), attemptOpened(at, claimed.row.claim?.claimId ?? "")];
      await bench.commitOne(commitOf(claimed, at, opened));
      const sight = await bench.load(caseId);
      await failOver();
      for (let n = 0; n < others; n += 1) await append(caseId, [note(`other ${n}`)]);
      const before = await bench.load(caseId);
      const outcome = commitOf(sight, at, [confirmed()], { outcomes: [confirmed()] });
      expect(await bench.commitOne(outcome)).toEqual({ kind: "claimLost" });
      expect(await bench.load(caseId)).toEqual(before);
    });

    test("a fact that is sent again keeps its id and does not hide that others stand before it", async () => {
      const claimed = await bench.startClaimed();
      const { caseId } = claimed.row;
      const at = await bench.store.now();
      const failOver = await bench.replicate();
      await bench.commitOne(commitOf(claimed, at, [note("lost")]));
      const commitId = newId();
      await append(caseId, [note("sent twice")], commitId);
      const sight = await bench.load(caseId);
      await failOver();
      await append(caseId, [note("in its place")]);
      await append(caseId, [note("sent twice")], commitId);
      const before = await bench.load(caseId);
      expect(before.journal.at(-1)).toMatchObject({ revision: sight.row.revision, commitId });
      const commit = commitOf(sight, at, [confirmed()], { outcomes: [confirmed()] });
      expect(await bench.commitOne(commit)).toEqual({ kind: "claimLost" });
      expect(await bench.load(caseId)).toEqual(before);
    });

    test("a commit made on what was kept is judged as ever", async () => {
      const claimed = await bench.startClaimed();
      const { caseId } = claimed.row;
      const at = await bench.store.now();
      const failOver = await bench.replicate();
      await append(caseId, [note("lost")]);
      await failOver();
      const commit = commitOf(claimed, at, [confirmed()], { outcomes: [confirmed()] });
      expect(await bench.commitOne(commit)).toMatchObject({ kind: "current", revision: 2 });
      await append(caseId, [note("new")]);
      const next = commitOf(claimed, at, [note("more")], { outcomes: [note("more")] });
      expect(await bench.commitOne(next)).toMatchObject({ kind: "moved", missed: [{ revision: 2 }, {}, {}] });
    });

    test("a commit whose reply was lost is stored once, whether the failover kept it or not", async () => {
      const claimed = await bench.startClaimed();
      const { caseId } = claimed.row;
      const at = await bench.store.now();
      const commit = commitOf(claimed, at, [confirmed()], { outcomes: [confirmed()] });
      const failOver = await bench.replicate();
      await bench.commitOne(commit);
      await failOver();
      expect(await bench.commitOne(commit)).toMatchObject({ kind: "current" });
      expect(await bench.commitOne(commit)).toMatchObject({ kind: "repeated" });
      expect((await bench.load(caseId)).journal).toHaveLength(2);
    });
  });
}
