import { describe, expect, test } from "vitest";
import { foldJournal } from "../../../src/core/fold.ts";
import { rowOf } from "../../../src/core/row.ts";
import {
  COMMIT_ENTRIES_MAX,
  type FoldedCase,
  type HolderCommit,
  type StoredCase,
} from "../../../src/store/port.ts";
import {
  changeOf,
  attemptOpened,
  commitOf,
  confirmed,
  intentOpened,
  newId,
  note,
  parkedUntil,
  reviewOpened,
  writeOf,
} from "../made-cases.ts";
import type { Bench } from "./contract.ts";

export function testCommits(bench: Bench): void {
  const addNote = async (caseId: string, text = "seen"): Promise<void> => {
    const commitId = newId();
    await bench.other.changeCase(caseId, changeOf(commitId), (stored, now) => ({
      kind: "write",
      commitId,
      claim: "keep",
      reply: null,
      ...pick(writeOf(stored, commitId, [note(text)], { kind: "free" }, now)),
    }));
  };

  const expectRebuilt = async (caseId: string): Promise<StoredCase> => {
    const stored = await bench.load(caseId);
    const { state, ...row } = rowOf(foldJournal(caseId, stored.journal));
    expect(stored.row).toMatchObject({ ...row, state: stored.row.claim === null ? state : "claimed" });
    return stored;
  };

  const startMany = async (count: number): Promise<readonly FoldedCase[]> => {
    for (let n = 0; n < count; n += 1) await bench.start({ shard: n % 32 });
    return (await bench.claim(count)).cases;
  };

  describe("a holder's commit", () => {
    test("on an unmoved case stores everything and keeps the claim", async () => {
      const stored = await bench.startClaimed();
      const at = await bench.store.now();
      const claimId = stored.row.claim?.claimId ?? "";
      const commit = commitOf(stored, at, [intentOpened(), attemptOpened(at, claimId)]);
      expect(await bench.commitOne(commit)).toEqual({ kind: "current", revision: 3 });
      const { row, journal } = await expectRebuilt(stored.row.caseId);
      expect(row).toMatchObject({ state: "claimed", revision: 3, claim: { claimId } });
      expect(journal.slice(1)).toEqual([
        { revision: 2, at, commitId: commit.commitId, entry: commit.current.entries[0] },
        { revision: 3, at, commitId: commit.commitId, entry: commit.current.entries[1] },
      ]);
    });

    test("that keeps the claim starts its act-by time anew; one that frees ends it", async () => {
      const stored = await bench.startClaimed();
      const [before] = await bench.store.listClaims(10);
      const at = await bench.store.now();
      const first = commitOf(stored, at, [note("one")]);
      await bench.commitOne({
        ...first,
        current: { ...first.current, claim: { kind: "keep", actWithinMs: 600_000 } },
      });
      const [after] = await bench.store.listClaims(10);
      expect(before).toMatchObject({ touches: 0, actWithinMs: 60_000 });
      expect(after).toMatchObject({ touches: 1, actWithinMs: 600_000, claimedAt: before?.claimedAt });
      expect(after?.actByAt).toBeGreaterThanOrEqual((before?.claimedAt ?? 0) + 600_000);
      const next = commitOf(await bench.load(stored.row.caseId), at, [parkedUntil(null)], { isFreed: true });
      expect(await bench.commitOne(next)).toEqual({ kind: "current", revision: 3 });
      expect(await bench.store.listClaims(10)).toEqual([]);
      const { row } = await expectRebuilt(stored.row.caseId);
      expect(row).toMatchObject({ state: "waiting", claim: null });
    });

    test("on a case that moved stores the outcomes alone, on top of what came", async () => {
      const stored = await bench.startClaimed();
      const { caseId } = stored.row;
      await addNote(caseId, "one");
      await addNote(caseId, "two");
      const at = await bench.store.now();
      const commit = commitOf(stored, at, [confirmed(), intentOpened("notify")], { outcomes: [confirmed()] });
      const reply = await bench.commitOne(commit);
      expect(reply.kind).toBe("moved");
      const missed = reply.kind === "moved" ? reply.missed : [];
      expect(missed.map(({ revision, entry }) => [revision, entry.kind])).toEqual([
        [2, "noteAdded"],
        [3, "noteAdded"],
        [4, "stepConfirmed"],
      ]);
      const { row, journal } = await expectRebuilt(caseId);
      expect(row).toMatchObject({ state: "claimed", revision: 4 });
      expect(journal.slice(1)).toEqual(missed);
      expect((await bench.store.listClaims(1))[0]).toMatchObject({ touches: 1, revision: 4 });
    });

    test("that gives up a claim on a case that moved makes it ready, due now (no lost wake-up)", async () => {
      const stored = await bench.startClaimed();
      await addNote(stored.row.caseId);
      const at = await bench.store.now();
      const commit = commitOf(stored, at, [confirmed(), parkedUntil(null)], { outcomes: [], isFreed: true });
      expect(await bench.commitOne(commit)).toMatchObject({ kind: "moved", missed: [{ revision: 2 }] });
      const { row } = await expectRebuilt(stored.row.caseId);
      expect(row).toMatchObject({ state: "ready", claim: null, revision: 2 });
      expect((await bench.claim(1)).cases).toHaveLength(1);
    });

    test("under a claim that is lost is refused, whatever the revision", async () => {
      const stored = await bench.startClaimed();
      const { caseId } = stored.row;
      const at = await bench.store.now();
      const commit = commitOf(stored, at, [confirmed()], { outcomes: [confirmed()] });
      const before = await bench.load(caseId);
      expect(await bench.commitOne({ ...commit, claimId: newId() })).toEqual({ kind: "claimLost" });
      expect(await bench.load(caseId)).toEqual(before);
      await bench.commitOne(commitOf(stored, at, [parkedUntil(1)], { isFreed: true }));
      const again = await bench.claim(1);
      expect(again.cases).toHaveLength(1);
      expect(await bench.commitOne(commit)).toEqual({ kind: "claimLost" });
      expect((await bench.load(caseId)).row.claim).toEqual(again.cases[0]?.row.claim);
    });

    test("on a case that is not there is a lost claim", async () => {
      const stored = await bench.startClaimed();
      const commit = commitOf(stored, 1, [confirmed()]);
      expect(await bench.commitOne({ ...commit, caseId: "07-nothere", shard: 7 })).toEqual({
        kind: "claimLost",
      });
    });

    test("sent again is told to be a repeat, also when the claim is gone and the case moved on", async () => {
      const stored = await bench.startClaimed();
      const { caseId } = stored.row;
      const at = await bench.store.now();
      const commit = commitOf(stored, at, [confirmed(), parkedUntil(at)], { isFreed: true });
      expect(await bench.commitOne(commit)).toMatchObject({ kind: "current" });
      expect(await bench.commitOne(commit)).toMatchObject({ kind: "repeated", claimId: null });
      const { cases } = await bench.claim(1);
      await addNote(caseId);
      const reply = await bench.commitOne(commit);
      expect(reply).toMatchObject({ kind: "repeated", claimId: cases[0]?.row.claim?.claimId });
      expect(reply.kind === "repeated" ? reply.missed.map(({ revision }) => revision) : []).toEqual([
        2, 3, 4,
      ]);
      expect((await bench.load(caseId)).journal).toHaveLength(4);
    });

    test("sent twice at the same time is stored once", async () => {
      const stored = await bench.startClaimed();
      const commit = commitOf(stored, await bench.store.now(), [confirmed()], { outcomes: [confirmed()] });
      const replies = await Promise.all([bench.store.commit([commit]), bench.other.commit([commit])]);
      expect(
        replies
          .flat()
          .map(({ kind }) => kind)
          .toSorted(),
      ).toEqual(["current", "repeated"]);
      expect((await bench.load(stored.row.caseId)).journal).toHaveLength(2);
    });

    test("that moved is found by its id as well when it is sent again", async () => {
      const stored = await bench.startClaimed();
      await addNote(stored.row.caseId);
      const commit = commitOf(stored, await bench.store.now(), [confirmed()], { outcomes: [confirmed()] });
      const first = await bench.commitOne(commit);
      const second = await bench.commitOne(commit);
      expect(first.kind).toBe("moved");
      expect(second).toEqual({
        kind: "repeated",
        missed: first.kind === "moved" ? first.missed : null,
        claimId: commit.claimId,
      });
    });

    test("whose data cannot be stored is refused and nothing of it is", async () => {
      const stored = await bench.startClaimed();
      const before = await bench.load(stored.row.caseId);
      const at = await bench.store.now();
      for (const commit of poisonous(stored, at)) {
        expect(await bench.commitOne(commit)).toMatchObject({ kind: "refused" });
      }
      expect(await bench.load(stored.row.caseId)).toEqual(before);
    });
  });

  describe("a batch of commits", () => {
    test("is answered in its order, each commit by itself", async () => {
      const cases = await startMany(5);
      const at = await bench.store.now();
      const commits = cases.map((stored) => commitOf(stored, at, [confirmed()], { outcomes: [confirmed()] }));
      const [first, second, third, fourth, fifth] = commits;
      if (!first || !second || !third || !fourth || !fifth) throw new Error("five were claimed");
      await bench.commitOne(second);
      await addNote(third.caseId);
      const batch = [fifth, second, third, { ...fourth, claimId: newId() }, first];
      const replies = await bench.store.commit(batch);
      expect(replies.map(({ kind }) => kind)).toEqual([
        "current",
        "repeated",
        "moved",
        "claimLost",
        "current",
      ]);
      for (const { row } of cases) await expectRebuilt(row.caseId);
    });

    test("with poisonous ones stores all the others", async () => {
      const cases = await startMany(6);
      const at = await bench.store.now();
      const [bad, ...good] = cases;
      if (!bad) throw new Error("six were claimed");
      for (const poison of poisonous(bad, at)) {
        const fresh = await Promise.all(good.map(({ row }) => bench.load(row.caseId)));
        const commits = fresh.map((stored) => commitOf(stored, at, [note("more")]));
        const replies = await bench.store.commit([...commits.slice(0, 2), poison, ...commits.slice(2)]);
        expect(replies.map(({ kind }) => kind)).toEqual([
          "current",
          "current",
          "refused",
          "current",
          "current",
          "current",
        ]);
      }
      for (const { row } of cases) await expectRebuilt(row.caseId);
    });

    test("of two processes with the same cases in opposite order never blocks both", async () => {
      const cases = await startMany(40);
      for (let round = 0; round < 5; round += 1) {
        const at = await bench.store.now();
        const fresh = await Promise.all(cases.map(({ row }) => bench.load(row.caseId)));
        const commits = fresh.map((stored) => commitOf(stored, at, [note("again")]));
        const replies = await Promise.all([
          bench.store.commit(commits),
          bench.other.commit(commits.toReversed()),
        ]);
        const kinds = replies.flat().map(({ kind }) => kind);
        expect(kinds.filter((kind) => kind === "current")).toHaveLength(40);
        expect(kinds.filter((kind) => kind === "repeated")).toHaveLength(40);
      }
    });

    test("is refused whole when it has two commits of one case", async () => {
      const [stored] = await startMany(1);
      if (!stored) throw new Error("one was claimed");
      const commits = [1, 2].map(() => commitOf(stored, 1, [confirmed()]));
      await expect(bench.store.commit(commits)).rejects.toMatchObject({ code: "INVARIANT_BROKEN" });
    });

    test("may be empty", async () => {
      expect(await bench.store.commit([])).toEqual([]);
    });
  });
}

function pick({
  entries,
  at,
  row,
}: HolderCommit["current"]): Pick<HolderCommit["current"], "entries" | "at" | "row"> {
  return { entries, at, row };
}

/** Commits that no store can store: too many entries, a value that JSON lacks, a text that jsonb refuses. */
function poisonous(stored: FoldedCase, at: number): readonly HolderCommit[] {
  const base = commitOf(stored, at, [note("never"), reviewOpened()]);
  const { summary } = base.current.row;
  const [review] = summary.reviews;
  if (review === undefined) throw new Error("a review was opened");
  const spoiled = { ...summary, reviews: [{ ...review, sentence: "a NUL \u0000" }] };
  return [
    commitOf(
      stored,
      at,
      Array.from({ length: COMMIT_ENTRIES_MAX + 1 }, () => note("too many")),
    ),
    commitOf(stored, at, [
      { ...confirmed(), evidence: 1n as unknown as number } as ReturnType<typeof confirmed>,
    ]),
    {
      ...base,
      commitId: newId(),
      current: { ...base.current, row: { ...base.current.row, summary: spoiled } },
    },
  ];
}
