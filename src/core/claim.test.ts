import { describe, expect, it } from "vitest";
import { ACT_WITHIN_MS_MIN, actWithinMs, judgeCommit, trustedUntil } from "./claim.ts";

describe("the door's judgment of a holder's commit", () => {
  const view = { claimId: "c-1", revision: 7, hasCommit: false };

  it("stores everything when the claim is the holder's and nothing came in between", () => {
    expect(judgeCommit(view, { claimId: "c-1", revision: 7 })).toEqual({ kind: "current" });
  });

  it("stores only the outcomes when something came in between: an intent and a parking need the revision (R1, R2)", () => {
    expect(judgeCommit(view, { claimId: "c-1", revision: 6 })).toEqual({ kind: "moved" });
  });

  it("refuses whatever comes under another claim, also one of the same holder, also at the right revision", () => {
    expect(judgeCommit(view, { claimId: "c-0", revision: 7 })).toEqual({ kind: "claimLost" });
    expect(judgeCommit({ ...view, claimId: null }, { claimId: "c-1", revision: 7 })).toEqual({
      kind: "claimLost",
    });
  });

  it("refuses a commit made on entries that the journal no longer has, as after a failover", () => {
    expect(judgeCommit(view, { claimId: "c-1", revision: 8 })).toEqual({ kind: "claimLost" });
  });

  it("looks for the commit's id before any guard: a commit whose reply was lost is not judged again (R3)", () => {
    const stored = { ...view, hasCommit: true };
    for (const claimId of ["c-1", "c-0", null]) {
      expect(judgeCommit({ ...stored, claimId }, { claimId: "c-1", revision: 3 })).toEqual({
        kind: "repeated",
      });
    }
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
