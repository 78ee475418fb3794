import { describe, expect, test } from "vitest";
import { foldEntries } from "../../../src/core/fold.ts";
import type { Entry } from "../../../src/core/journal.ts";
import type { ConcurrencyOutline } from "../../../src/core/concurrency-outline.ts";
import { rowOf } from "../../../src/core/row.ts";
import type { ClaimChange, NewCase, StoredRow } from "../../../src/store/port.ts";
import { changeOf, newId, note, parkedUntil, person } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

const KEY = { tenant: "default", caseType: "purchase", key: "c-7" };
const done: Entry = { kind: "caseDone" };
const REDONE: Entry = { kind: "redoOrdered", step: "createRecord", by: person, reason: "again" };
const SECOND = 1_000;

function types(concurrency: Partial<ConcurrencyOutline> | null): {
  readonly caseTypes: readonly {
    readonly name: string;
    readonly version: number;
    readonly concurrency?: ConcurrencyOutline;
  }[];
} {
  const limits =
    concurrency === null ? {} : { concurrency: { limit: 1, freedBy: "rest", ...concurrency } as const };
  return { caseTypes: [{ name: "purchase", version: 1, ...limits }] };
}

const one = types({});
const untilEnd = types({ freedBy: "end" });

/** A case of a key that became due so many seconds ago. */
async function due(bench: Bench, secondsAgo: number, concurrencyKey = KEY.key): Promise<NewCase> {
  return bench.start({ at: (await bench.store.now()) - secondsAgo * SECOND, concurrencyKey });
}

async function claim(
  bench: Bench,
  count: number,
  wishes: Parameters<Bench["claim"]>[1] = one,
): Promise<string[]> {
  const { cases } = await bench.claim(count, wishes);
  return cases.map(({ row }) => row.caseId);
}

/** Writes entries and gives the claim back, or does something else to it. */
async function write(
  bench: Bench,
  caseId: string,
  entries: readonly Entry[],
  change: ClaimChange = "free",
): Promise<void> {
  const commitId = newId();
  await bench.store.changeCase(caseId, changeOf(commitId), ({ state }, now) => {
    const numbered = entries.map((entry, index) => ({
      revision: state.revision + index + 1,
      at: now,
      commitId,
      entry,
    }));
    const row = rowOf(foldEntries(state, numbered));
    return { kind: "write", commitId, entries, at: now, row, claim: change, reply: null };
  });
}

async function rowOfCase(bench: Bench, { identity }: NewCase): Promise<StoredRow> {
  const row = await bench.store.loadRow(identity.caseId);
  if (row === null) throw new Error("the case is not there");
  return row;
}

const idOf = ({ identity }: NewCase): string => identity.caseId;

export function testKeys(bench: Bench): void {
  describe("cases of one key", () => {
    test("are claimed one at a time, longest due first; the others are held back until it rests, whatever it rests for", async () => {
      const [second, first, third] = [await due(bench, 8), await due(bench, 9), await due(bench, 7)];
      const reply = await bench.claim(5, one);
      expect(reply.cases.map(({ row }) => row.caseId)).toEqual([idOf(first)]);
      expect(reply.nextDueAt).toBe(reply.now);
      const held = await rowOfCase(bench, second);
      expect(held).toMatchObject({ state: "ready", heldSinceAt: second.at });
      expect((held.dueAt ?? 0) - reply.now).toBeGreaterThan(29 * SECOND);
      expect((held.dueAt ?? 0) - reply.now).toBeLessThan(31 * SECOND);
      expect(await bench.store.places.callNext({ keys: [KEY] })).toEqual({ called: 0, next: null });
      expect(await claim(bench, 5)).toEqual([]);

      await write(bench, idOf(first), [parkedUntil(null)]);
      expect(await bench.store.places.callNext({ keys: [KEY, KEY] })).toEqual({ called: 1, next: null });
      expect(await rowOfCase(bench, second)).toMatchObject({ dueAt: second.at, heldSinceAt: second.at });
      const { cases } = await bench.claim(5, one);
      expect(cases.map(({ row }) => row)).toMatchObject([{ caseId: idOf(second), dueAt: second.at }]);
      expect(cases[0]?.row.heldSinceAt).toBeUndefined();

      await write(bench, idOf(second), [done]);
      expect(await bench.store.places.callNext({ after: null })).toEqual({ called: 1, next: null });
      expect(await bench.store.places.callNext({ after: KEY })).toEqual({ called: 0, next: null });
      expect(await claim(bench, 5)).toEqual([idOf(third)]);
    });

    test("are as many as the limit, of those in one claim the longest due", async () => {
      const all = [await due(bench, 6), await due(bench, 9), await due(bench, 8), await due(bench, 7)];
      const two = types({ limit: 2 });
      expect((await claim(bench, 4, two)).toSorted()).toEqual(
        [all[1], all[2]].map((c) => (c ? idOf(c) : "")).toSorted(),
      );
      expect(await bench.store.places.read([KEY])).toMatchObject([
        { ...KEY, limit: 2, waiting: 2, held: [{ slot: 1, caseId: all[1] && idOf(all[1]) }, { slot: 2 }] },
      ]);
    });

    test("of another key, tenant or type, without a key and of a type without a limit are not held back", async () => {
      const at = (await bench.store.now()) - SECOND;
      const others = [
        await bench.start({ at, concurrencyKey: "c-7" }),
        await bench.start({ at, concurrencyKey: "c-8" }),
        await bench.start({ at, concurrencyKey: "c-7", tenant: "acme" }),
        await bench.start({ at, concurrencyKey: "c-7", caseType: "refund" }),
        await bench.start({ at }),
        await bench.start({ at }),
      ];
      const caseTypes = [
        ...one.caseTypes,
        { name: "refund", version: 1, concurrency: { limit: 1, freedBy: "rest" } as const },
      ];
      expect((await claim(bench, 9, { caseTypes })).toSorted()).toEqual(others.map(idOf).toSorted());
      const more = await due(bench, 1);
      expect(await claim(bench, 9)).toEqual([]);
      expect(await claim(bench, 9, { ...types(null), now: (await bench.store.now()) + 60 * SECOND })).toEqual(
        [idOf(more)],
      );
    });

    test.each(["rest", "end"] as const)(
      "whose places %s frees are never more than the limit, however many claim at the same time, and none is left",
      async (freedBy) => {
        const waiting = new Set<string>();
        for (let n = 0; n < 12; n += 1) waiting.add(idOf(await due(bench, 20 - n, `k-${n % 2}`)));
        const two = types({ limit: 2, freedBy });
        for (let round = 0; round < 60 && waiting.size > 0; round += 1) {
          const stores = [bench.store, bench.other, bench.store, bench.other];
          const request = { holderId: "holder-1", engineVersion: 2, actWithinMs: 60_000, ...two };
          const replies = await Promise.all(
            stores.map((store, n) =>
              store.claimDue({
                ...request,
                claimIds: Array.from({ length: 3 }, newId),
                ...(n % 2 === 0 ? {} : { share: { places: 1, after: null } }),
              }),
            ),
          );
          const claimed = replies.flatMap(({ cases }) => cases.map(({ row }) => row));
          for (const key of ["k-0", "k-1"]) {
            expect(
              claimed.filter(({ summary }) => summary.concurrencyKey === key).length,
            ).toBeLessThanOrEqual(2);
          }
          for (const { caseId } of claimed) {
            waiting.delete(caseId);
            await write(bench, caseId, [done]);
          }
          await bench.store.places.callNext({ after: null });
        }
        expect([...waiting]).toEqual([]);
      },
    );

    test("take turns by priority and time, a new one after those that have been held back, but it waits for them only once", async () => {
      const holder = await due(bench, 9);
      expect(await claim(bench, 1)).toEqual([idOf(holder)]);
      const other = await bench.start({
        at: (await bench.store.now()) - 2 * SECOND,
        concurrencyKey: "c-7",
        definitionVersion: 2,
      });
      const both = { caseTypes: one.caseTypes.map((type) => ({ ...type, version: 2 })) };
      expect(await claim(bench, 5, both)).toEqual([]);
      await write(bench, idOf(holder), [done]);
      // It goes before the new one, and this worker cannot take it.
      const late = await due(bench, 1);
      expect(await claim(bench, 5)).toEqual([]);
      expect((await rowOfCase(bench, late)).heldSinceAt).toBe(late.at);
      expect(await claim(bench, 5, { ...one, now: (await bench.store.now()) + 60 * SECOND })).toEqual([
        idOf(late),
      ]);
      expect((await rowOfCase(bench, other)).heldSinceAt).toBe(other.at);
    });

    test("keep their place until the end where only that frees it, and others are not begun", async () => {
      const [first, second] = [await due(bench, 9), await due(bench, 8)];
      expect(await claim(bench, 5, untilEnd)).toEqual([idOf(first)]);
      await write(bench, idOf(first), [parkedUntil(1)]);
      expect(await bench.store.places.callNext({ keys: [KEY] })).toEqual({ called: 0, next: null });
      expect(await claim(bench, 5, { ...untilEnd, now: (await bench.store.now()) + 60 * SECOND })).toEqual([
        idOf(first),
      ]);
      await write(bench, idOf(first), [parkedUntil(null)]);
      expect(await bench.store.places.read([KEY])).toMatchObject([
        { held: [{ caseId: idOf(first), freedBy: "end" }] },
      ]);
      await write(bench, idOf(first), [done]);
      expect((await bench.store.places.callNext({ keys: [KEY] })).called).toBe(1);
      expect(await claim(bench, 5, untilEnd)).toEqual([idOf(second)]);
      // Done and begun again, it takes its turn like any other.
      await write(bench, idOf(first), [REDONE]);
      expect(await claim(bench, 5, untilEnd)).toEqual([]);
      expect(await bench.store.places.read([KEY])).toMatchObject([{ held: [{ caseId: idOf(second) }] }]);
    });

    test("go on where the limit is lower by now, and none is begun until fewer are at work", async () => {
      const all = [await due(bench, 9), await due(bench, 8), await due(bench, 7)];
      const three = types({ limit: 3, freedBy: "end" });
      expect(await claim(bench, 5, three)).toHaveLength(3);
      const [first, second, third] = all;
      if (first === undefined || second === undefined || third === undefined)
        throw new Error("three were started");
      await write(bench, idOf(first), [done]);
      await write(bench, idOf(third), [parkedUntil(1)]);
      const late = await due(bench, 1);
      expect(await claim(bench, 5, untilEnd)).toEqual([idOf(third)]);
      expect((await rowOfCase(bench, late)).heldSinceAt).toBe(late.at);
      expect((await bench.store.places.read([KEY]))[0]?.held.map(({ slot }) => slot)).toEqual([2, 3]);
    });

    test("are free to go on once a claim was taken from its holder, and a person's claim takes no place", async () => {
      const [lost, second] = [await due(bench, 9), await due(bench, 8)];
      expect(await claim(bench, 1)).toEqual([idOf(lost)]);
      await write(bench, idOf(lost), [parkedUntil(null)]);
      await write(bench, idOf(lost), [], {
        kind: "take",
        claimId: newId(),
        holderId: "page-1",
        actWithinMs: 60_000,
      });
      expect(await claim(bench, 5)).toEqual([idOf(second)]);
    });

    test("that are held back are written to as any other, and keep the time they were due", async () => {
      const [holder, held] = [await due(bench, 9), await due(bench, 8)];
      await claim(bench, 5);
      await write(bench, idOf(held), [note("fact")], "keep");
      const row = await rowOfCase(bench, held);
      expect(row).toMatchObject({ state: "ready", dueAt: held.at });
      expect(row.heldSinceAt).toBeUndefined();
      expect(await claim(bench, 5)).toEqual([]);
      await write(bench, idOf(holder), [done]);
      await bench.store.places.callNext({ keys: [KEY] });
      expect(await claim(bench, 5)).toEqual([idOf(held)]);
    });

    test("leave no place for ever: one that holds no more is forgotten, one that holds is not", async () => {
      const [first, other] = [await due(bench, 9), await due(bench, 8, "c-8")];
      await claim(bench, 5);
      await write(bench, idOf(first), [done]);
      const later = (await bench.store.now()) + 60 * SECOND;
      expect(await bench.store.places.forget(later - 120 * SECOND)).toBe(0);
      expect(await bench.store.places.forget(later)).toBe(1);
      expect(await bench.store.places.forget(later)).toBe(0);
      expect(await bench.store.places.read([{ ...KEY, key: "c-8" }, KEY])).toMatchObject([
        { limit: 1, held: [{ caseId: idOf(other) }] },
        { limit: 1, held: [], waiting: 0 },
      ]);
      expect(await bench.store.places.read([])).toEqual([]);
    });

    test("have their places again as they were after a failover", async () => {
      const [first, second] = [await due(bench, 9), await due(bench, 8)];
      await claim(bench, 1);
      const failOver = await bench.replicate();
      await write(bench, idOf(first), [done]);
      expect(await claim(bench, 1)).toEqual([idOf(second)]);
      await failOver();
      expect(await bench.store.places.read([KEY])).toMatchObject([{ held: [{ caseId: idOf(first) }] }]);
      expect(await claim(bench, 5)).toEqual([]);
    });
  });
}
