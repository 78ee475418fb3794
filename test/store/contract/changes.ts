import { describe, expect, test } from "vitest";
import type { CaseChange, ClaimChange, FoldedCase } from "../../../src/store/port.ts";
import { changeOf, commitOf, newCaseId, newId, note, parkedUntil, person, writeOf } from "../made-cases.ts";
import { waitUntil, type Bench } from "./contract.ts";
import type { Entry } from "../../../src/core/journal.ts";

/** Decides to append these entries. */
export function appending(
  entries: readonly Entry[],
  commitId: string,
  claim: ClaimChange = "keep",
): (stored: FoldedCase, now: number) => CaseChange<string> {
  return (stored, now) => {
    const { row } = writeOf(stored, commitId, entries, { kind: "free" }, now);
    return { kind: "write", commitId, entries, at: now, row, claim, reply: "written" };
  };
}

const received = (sourceId: string): Entry => ({
  kind: "eventReceived",
  eventType: "approval.revoked",
  sourceId,
  payload: { why: "too dear" },
  by: person,
  ignored: null,
});

function taken(holderId: string): Extract<ClaimChange, { kind: "take" }> {
  return { kind: "take", claimId: newId(), holderId, actWithinMs: 90_000 };
}

function never(): CaseChange<null> {
  throw new Error("there is nothing to decide");
}

export function testChanges(bench: Bench): void {
  describe("a change under the case's lock", () => {
    test("sees the case and the store's time, and what it decides is stored", async () => {
      const start = await bench.start({ entries: [parkedUntil(null)] });
      const { caseId } = start.identity;
      const commitId = newId();
      const before = await bench.load(caseId);
      const earliest = await bench.store.now();
      const seen: { readonly stored: FoldedCase; readonly now: number }[] = [];
      const reply = await bench.store.changeCase(caseId, changeOf(commitId), (stored, now) => {
        seen.push({ stored, now });
        return appending([received("evt-1")], commitId)(stored, now);
      });
      expect(reply).toEqual({ kind: "decided", reply: "written" });
      expect(seen).toHaveLength(1);
      expect(seen[0]?.stored).toEqual({ row: before.row, state: before.state });
      expect(seen[0]?.now).toBeGreaterThanOrEqual(earliest);
      const { row, journal } = await bench.load(caseId);
      expect(row).toMatchObject({ state: "ready", dueAt: seen[0]?.now, revision: 3 });
      expect(journal.at(-1)).toMatchObject({ commitId, entry: received("evt-1"), revision: 3 });
    });

    test("sent again is a repeat: it is not even asked", async () => {
      const { identity } = await bench.start();
      const commitId = newId();
      await bench.store.changeCase(identity.caseId, changeOf(commitId), appending([note("once")], commitId));
      const before = await bench.load(identity.caseId);
      const reply = await bench.other.changeCase(identity.caseId, changeOf(commitId), () => {
        throw new Error("asked again");
      });
      expect(reply).toEqual({ kind: "repeated" });
      expect(await bench.load(identity.caseId)).toEqual(before);
    });

    test("that decides to leave, or throws, changes nothing and frees the lock", async () => {
      const { identity } = await bench.start();
      const before = await bench.load(identity.caseId);
      expect(
        await bench.store.changeCase(identity.caseId, changeOf(newId()), () => ({ kind: "leave", reply: 5 })),
      ).toEqual({ kind: "decided", reply: 5 });
      const fault = new RangeError("the caller's own");
      await expect(
        bench.store.changeCase(identity.caseId, changeOf(newId()), () => {
          throw fault;
        }),
      ).rejects.toBe(fault);
      expect(await bench.load(identity.caseId)).toEqual(before);
      const commitId = newId();
      expect(
        await bench.other.changeCase(
          identity.caseId,
          changeOf(commitId),
          appending([note("free")], commitId),
        ),
      ).toEqual({ kind: "decided", reply: "written" });
    });

    test("of a case that is not there is null", async () => {
      expect(await bench.store.changeCase(newCaseId(4), changeOf(newId()), never)).toBeNull();
      expect(await bench.store.changeCase("nonsense", changeOf(newId()), never)).toBeNull();
    });

    test("keeps a live claim untouched, with its due time for later", async () => {
      const stored = await bench.startClaimed();
      const [claimBefore] = await bench.store.listClaims(5);
      const commitId = newId();
      await bench.other.changeCase(
        stored.row.caseId,
        changeOf(commitId),
        appending([received("evt-1")], commitId),
      );
      const { row } = await bench.load(stored.row.caseId);
      expect(row).toMatchObject({ state: "claimed", claim: stored.row.claim, revision: 2 });
      expect(await bench.store.listClaims(5)).toEqual([{ ...claimBefore, revision: 2 }]);
      expect((await bench.claim(1)).cases).toEqual([]);
    });

    test("that frees a claim without an entry puts back the row that follows from the journal", async () => {
      for (const entries of [
        [],
        [parkedUntil(1)],
        [{ kind: "paused", by: person, reason: "x", untilAt: 1 }],
      ] as const) {
        const start = await bench.start({ entries });
        const before = await bench.load(start.identity.caseId);
        const { cases } = await bench.claim(1);
        expect(cases[0]?.row).toEqual({ ...before.row, state: "claimed", claim: cases[0]?.row.claim });
        const commitId = newId();
        await bench.store.changeCase(
          start.identity.caseId,
          changeOf(commitId),
          appending([], commitId, "free"),
        );
        expect(await bench.load(start.identity.caseId)).toEqual(before);
        await bench.claim(1);
      }
    });

    test("changes at the same time come one after the other, each on top of the one before", async () => {
      const { identity } = await bench.start();
      const replies = await Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const commitId = newId();
          const store = index % 2 === 0 ? bench.store : bench.other;
          return store.changeCase(
            identity.caseId,
            changeOf(commitId),
            appending([note(`${index}`)], commitId),
          );
        }),
      );
      expect(replies).toEqual(Array.from({ length: 12 }, () => ({ kind: "decided", reply: "written" })));
      const { journal } = await bench.load(identity.caseId);
      expect(journal.map(({ revision }) => revision)).toEqual(Array.from({ length: 13 }, (_, n) => n + 1));
      const times = journal.map(({ at }) => at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    });

    test("whose data cannot be stored is refused and changes nothing", async () => {
      const { identity } = await bench.start();
      const before = await bench.load(identity.caseId);
      const commitId = newId();
      const change = bench.store.changeCase(
        identity.caseId,
        changeOf(commitId),
        appending(
          Array.from({ length: 65 }, () => note("too many")),
          commitId,
        ),
      );
      await expect(change).rejects.toMatchObject({ code: "INVALID_REQUEST" });
      expect(await bench.load(identity.caseId)).toEqual(before);
    });
  });

  describe("a change that takes the case for a holder", () => {
    test("makes the claim by the store's clock, keeps the resting state below it, and stops others from claiming", async () => {
      for (const entries of [
        [],
        [parkedUntil(1)],
        [{ kind: "paused", by: person, reason: "x", untilAt: 1 }],
      ] as const) {
        const { identity } = await bench.start({ entries });
        const { caseId } = identity;
        const before = await bench.load(caseId);
        const [commitId, claim, earliest] = [newId(), taken("page-1"), await bench.store.now()];
        await bench.store.changeCase(caseId, changeOf(commitId), appending([], commitId, claim));
        const { row } = await bench.load(caseId);
        const claimedAt = row.claim?.claimedAt ?? 0;
        expect(claimedAt).toBeGreaterThanOrEqual(earliest);
        const { claimId, holderId } = claim;
        expect(row).toEqual({
          ...before.row,
          state: "claimed",
          claim: { claimId, holderId, claimedAt, actByAt: claimedAt + 90_000 },
        });
        expect((await bench.claim(1)).cases).toEqual([]);
        const held = (await bench.store.listClaims(5)).find((one) => one.caseId === caseId);
        expect(held).toMatchObject({ claimId, actWithinMs: 90_000, touches: 0 });
        const free = newId();
        await bench.store.changeCase(caseId, changeOf(free), appending([], free, "free"));
        expect(await bench.load(caseId)).toEqual(before);
        await bench.claim(1);
      }
    });

    test("ends the claim that was there: its holder's next commit is a lost claim", async () => {
      const stored = await bench.startClaimed();
      const [commitId, claim] = [newId(), taken("page-1")];
      await bench.other.changeCase(
        stored.row.caseId,
        changeOf(commitId),
        appending([note("taken over")], commitId, claim),
      );
      expect(await bench.commitOne(commitOf(stored, await bench.store.now(), [note("late")]))).toEqual({
        kind: "claimLost",
      });
      const { row } = await bench.load(stored.row.caseId);
      expect(row).toMatchObject({ state: "claimed", claim: { claimId: claim.claimId }, revision: 2 });
    });

    test("is a compare-and-set: of many at the same time each sees the claim of the one before", async () => {
      const { identity } = await bench.start();
      const seen: (string | null)[] = [];
      const claims = Array.from({ length: 8 }, (_, index) => taken(`page-${index}`));
      const replies = await Promise.all(
        claims.map((claim, index) => {
          const commitId = newId();
          const store = index % 2 === 0 ? bench.store : bench.other;
          return store.changeCase(identity.caseId, changeOf(commitId), (stored, now): CaseChange<string> => {
            seen.push(stored.row.claim?.claimId ?? null);
            if (stored.row.claim !== null) return { kind: "leave", reply: "held" };
            return appending([note("mine")], commitId, claim)(stored, now);
          });
        }),
      );
      const won = replies.filter((reply) => reply?.kind === "decided" && reply.reply === "written");
      expect(won).toHaveLength(1);
      expect(seen.filter((claimId) => claimId === null)).toHaveLength(1);
      expect((await bench.load(identity.caseId)).row.revision).toBe(2);
    });

    test("and one that touches the claim: act-by starts anew, and the sweep sees a sign of life", async () => {
      const { identity } = await bench.start();
      const [first, second, third] = [newId(), newId(), newId()];
      const claim = taken("page-1");
      await bench.store.changeCase(identity.caseId, changeOf(first), appending([], first, claim));
      const touch = { kind: "touch", actWithinMs: 120_000 } as const;
      await bench.store.changeCase(
        identity.caseId,
        changeOf(second),
        appending([note("a move")], second, touch),
      );
      const [held] = await bench.store.listClaims(5);
      expect(held).toMatchObject({
        claimId: claim.claimId,
        holderId: "page-1",
        actWithinMs: 120_000,
        touches: 1,
      });
      expect(held?.actByAt).toBeGreaterThanOrEqual((held?.claimedAt ?? 0) + 120_000);
      await bench.store.changeCase(identity.caseId, changeOf(third), appending([], third, "free"));
      const fourth = newId();
      await bench.store.changeCase(
        identity.caseId,
        changeOf(fourth),
        appending([note("nobody's")], fourth, touch),
      );
      expect((await bench.load(identity.caseId)).row).toMatchObject({ state: "ready", claim: null });
    });

    test("refuses a case that is done, which nobody can hold", async () => {
      const { identity } = await bench.start({ entries: [{ kind: "caseDone" }] });
      const before = await bench.load(identity.caseId);
      const commitId = newId();
      await expect(
        bench.store.changeCase(
          identity.caseId,
          changeOf(commitId),
          appending([note("x")], commitId, taken("page-1")),
        ),
      ).rejects.toMatchObject({ code: "INVARIANT_BROKEN" });
      expect(await bench.load(identity.caseId)).toEqual(before);
    });
  });

  describe("hints", () => {
    test("come when a case starts due or becomes due by a change, until nobody listens", async () => {
      let hints = 0;
      const stop = await bench.other.listen(() => (hints += 1));
      await bench.start();
      await waitUntil(() => hints === 1);
      const parked = await bench.start({ entries: [parkedUntil(null)] });
      const commitId = newId();
      await bench.store.changeCase(
        parked.identity.caseId,
        changeOf(commitId),
        appending([received("e")], commitId),
      );
      await waitUntil(() => hints === 2);
      await stop();
      await stop();
      await bench.start();
      // A second listener gets the hint of that start; the first one, had it listened on, would have got it before.
      let later = 0;
      const stopLater = await bench.other.listen(() => (later += 1));
      await bench.start();
      await waitUntil(() => later > 0);
      expect(hints).toBe(2);
      await stopLater();
    });

    test("of a store itself come once, without a way over the database", async () => {
      let hints = 0;
      const stop = await bench.store.listen(() => (hints += 1));
      let others = 0;
      const stopOther = await bench.other.listen(() => (others += 1));
      await bench.start();
      await waitUntil(() => hints > 0 && others > 0);
      await bench.start();
      await waitUntil(() => others === 2);
      expect(hints).toBe(2);
      await Promise.all([stop(), stopOther()]);
    });

    test("do not come for what is not due or is claimed", async () => {
      let hints = 0;
      const stop = await bench.other.listen(() => (hints += 1));
      await bench.start({ entries: [parkedUntil(null)] });
      await bench.start({ claim: { claimId: newId(), holderId: "h", actWithinMs: 1_000 } });
      const claimed = await bench.startClaimed();
      await waitUntil(() => hints === 1);
      const commitId = newId();
      await bench.store.changeCase(
        claimed.row.caseId,
        changeOf(commitId),
        appending([received("e")], commitId),
      );
      await bench.start();
      await waitUntil(() => hints === 2);
      await stop();
      expect(hints).toBe(2);
    });
  });
}
