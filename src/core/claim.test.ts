import { describe, expect, it } from "vitest";
import { ACT_WITHIN_MS_MIN, actWithinMs, judgeCommit, trustedUntil } from "./claim.ts";
import type { JournalEntry } from "./journal.ts";
import { extendLineage, FIRST_LINEAGE } from "./lineage.ts";

function entryOf(commitId: string, revision: number): JournalEntry {
  return { revision, at: 1, commitId, entry: { kind: "caseDone" } };
}

describe("the door's judgment of a holder's commit", () => {
  const [first, fact] = [entryOf("first", 1), entryOf("fact", 2)];
  const known = extendLineage(FIRST_LINEAGE, [first]);
  const commit = { commitId: "mine", claimId: "c-1", lineage: known };
  const view = { claimId: "c-1", lineage: known, missed: [] };
  const moved = { ...view, lineage: extendLineage(known, [fact]), missed: [fact] };

  it("stores everything when the claim is the holder's and nothing came in between", () => {
    expect(judgeCommit(view, commit)).toEqual({ kind: "current" });
  });

  it("stores only the outcomes when something came in between: an intent and a parking need the revision (R1, R2)", () => {
    expect(judgeCommit(moved, commit)).toEqual({ kind: "moved" });
  });

  it("refuses whatever comes under another claim, also one of the same holder, also at the right revision", () => {
    for (const claimId of ["c-0", null])
      expect(judgeCommit({ ...view, claimId }, commit)).toEqual({ kind: "claimLost" });
  });

  it("refuses a commit made on entries that the journal no longer has, as after a failover", () => {
    const lost = { ...commit, lineage: extendLineage(known, [entryOf("lost", 2)]) };
    expect(judgeCommit(view, lost)).toEqual({ kind: "claimLost" });
    expect(judgeCommit({ ...moved, missed: [] }, lost)).toEqual({ kind: "claimLost" });
    const beyond = entryOf("beyond", 3);
    const further = { ...moved, lineage: extendLineage(moved.lineage, [beyond]), missed: [beyond] };
    expect(judgeCommit(further, lost)).toEqual({ kind: "claimLost" });
  });

  it("looks for the commit's id before any guard: a commit whose reply was lost is not judged again (R3)", () => {
    const mine = entryOf("mine", 2);
    const stored = { lineage: extendLineage(known, [mine]), missed: [mine] };
    for (const claimId of ["c-1", "c-0", null])
      expect(judgeCommit({ ...stored, claimId }, commit)).toEqual({ kind: "repeated" });
  });
});

describe("time of a claim", () => {
  it("a lease is trusted from when its beat was sent, less a fifth (R7)", () => {
    expect(trustedUntil(1_000_000, 10_000)).toBe(1_008_000);
  });

  it("a claim may go without a commit for 60 s, or its longest send and one lease (R8)", () => {
    expect(actWithinMs([], 10_000)).toBe(ACT_WITHIN_MS_MIN);
    expect(actWithinMs([30_000, 20_000], 10_000)).toBe(60_000);
    expect(actWithinMs([30_000, 300_000], 10_000)).toBe(310_000);
  });
});
