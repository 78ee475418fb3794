import { describe, expect, test } from "vitest";
import { foldJournal } from "../../../src/core/fold.ts";
import type { Entry } from "../../../src/core/journal.ts";
import { SNAPSHOT_ENTRIES } from "../../../src/core/snapshot.ts";
import { COMMIT_ENTRIES_MAX, type FoldedCase } from "../../../src/store/port.ts";
import { changeOf, newId, note, person } from "../made-cases.ts";
import { appending } from "./changes.ts";
import type { Bench } from "./contract.ts";

const received = (sourceId: string, ignored: string | null = null): Entry => ({
  kind: "eventReceived",
  eventType: "approval.revoked",
  sourceId,
  payload: { why: "too dear" },
  by: person,
  ignored,
});

/** Adds this many entries to a case, in commits as large as they may be. */
async function grow(bench: Bench, caseId: string, entries: number): Promise<void> {
  for (let left = entries; left > 0; left -= COMMIT_ENTRIES_MAX) {
    const commitId = newId();
    const events = Array.from({ length: Math.min(left, COMMIT_ENTRIES_MAX) }, () => received(newId()));
    await bench.store.changeCase(caseId, changeOf(commitId), appending(events, commitId));
  }
}

/** A case as whoever changes it sees it. */
async function look(bench: Bench, caseId: string): Promise<FoldedCase> {
  const reply = await bench.other.changeCase(caseId, changeOf(newId()), (stored) => ({
    kind: "leave",
    reply: stored,
  }));
  if (reply?.kind !== "decided") throw new Error("it was not asked");
  return reply.reply;
}

/** Tells a case of an event; what became of it. */
async function tell(
  bench: Bench,
  caseId: string,
  sourceId: string,
  commitId = newId(),
): Promise<string | undefined> {
  const change = appending([received(sourceId)], commitId);
  return (await bench.store.changeCase(caseId, { commitId, sourceId }, change))?.kind;
}

/** How long journals are read. */
export function testSnapshots(bench: Bench): void {
  const expectAsFolded = async (caseId: string): Promise<void> => {
    const { row, state, journal } = await bench.load(caseId);
    expect(journal).toHaveLength(row.revision);
    expect(state).toEqual(foldJournal(caseId, journal));
    expect(await look(bench, caseId)).toEqual({ row, state });
  };

  describe("a long journal", () => {
    test("adds up to the same state wherever it is read from", async () => {
      const { identity } = await bench.start();
      for (const entries of [1, SNAPSHOT_ENTRIES - 2, 1, 1, SNAPSHOT_ENTRIES, 3, 2 * SNAPSHOT_ENTRIES]) {
        await grow(bench, identity.caseId, entries);
        await expectAsFolded(identity.caseId);
      }
      const { cases } = await bench.claim(1);
      const { row, state } = await bench.load(identity.caseId);
      expect(cases).toEqual([{ row, state }]);
    });

    test("is not taken to hold what a failover lost after it was read, when others stand there", async () => {
      const { identity } = await bench.start();
      const { caseId } = identity;
      const failOver = await bench.replicate();
      // So many that the last reading makes a snapshot, and none before it does.
      const entries = Math.ceil(SNAPSHOT_ENTRIES / COMMIT_ENTRIES_MAX) * COMMIT_ENTRIES_MAX;
      await grow(bench, caseId, entries);
      const lost = await look(bench, caseId);
      await failOver();
      await expectAsFolded(caseId);
      await grow(bench, caseId, entries);
      const present = await look(bench, caseId);
      expect(present.row.revision).toBe(lost.row.revision);
      expect(present.state.events).not.toEqual(lost.state.events);
      await expectAsFolded(caseId);
      await grow(bench, caseId, 5);
      await expectAsFolded(caseId);
    });
  });

  describe("a fact", () => {
    test("is stored once, whoever tells it how often and however much came since", async () => {
      const { identity } = await bench.start();
      const { caseId } = identity;
      const commitId = newId();
      expect(await tell(bench, caseId, "evt-1", commitId)).toBe("decided");
      expect(await tell(bench, caseId, "evt-1", commitId)).toBe("repeated");
      await grow(bench, caseId, 2 * SNAPSHOT_ENTRIES);
      await look(bench, caseId);
      expect(await tell(bench, caseId, "evt-1")).toBe("known");
      expect(await tell(bench, caseId, "evt-1", commitId)).toBe("repeated");
      expect(await tell(bench, caseId, "evt-2")).toBe("decided");
      const { journal } = await bench.load(caseId);
      const told = journal.flatMap(({ entry }) =>
        entry.kind === "eventReceived" && entry.sourceId.startsWith("evt-") ? [entry.sourceId] : [],
      );
      expect(told).toEqual(["evt-1", "evt-2"]);
    });

    test("told by many at the same time is stored once", async () => {
      const { identity } = await bench.start();
      const kinds = await Promise.all(Array.from({ length: 8 }, () => tell(bench, identity.caseId, "evt-1")));
      expect(kinds.filter((kind) => kind === "decided")).toHaveLength(1);
      expect(kinds.filter((kind) => kind === "known")).toHaveLength(7);
    });

    test("of one case is nothing to another", async () => {
      const cases = [await bench.start(), await bench.start()];
      for (const { identity } of cases) expect(await tell(bench, identity.caseId, "evt-1")).toBe("decided");
    });

    test("that a failover lost is stored when it is told again", async () => {
      const { identity } = await bench.start();
      const failOver = await bench.replicate();
      expect(await tell(bench, identity.caseId, "evt-1")).toBe("decided");
      await failOver();
      expect(await tell(bench, identity.caseId, "evt-1")).toBe("decided");
    });
  });

  test("a move that is sent again long after is a repeat", async () => {
    const { identity } = await bench.start();
    const commitId = newId();
    const change = appending([note("once")], commitId);
    await bench.store.changeCase(identity.caseId, changeOf(commitId), change);
    await grow(bench, identity.caseId, 2 * SNAPSHOT_ENTRIES);
    await look(bench, identity.caseId);
    expect(await bench.store.changeCase(identity.caseId, changeOf(commitId), change)).toEqual({
      kind: "repeated",
    });
  });

  test("a row is read without its journal", async () => {
    const { identity } = await bench.start();
    expect(await bench.store.loadRow(identity.caseId)).toEqual((await bench.load(identity.caseId)).row);
    expect(await bench.store.loadRow(`${identity.caseId}x`)).toBeNull();
    expect(await bench.store.loadRow("nonsense")).toBeNull();
  });
}
