import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldEntries } from "../../../src/core/fold.ts";
import type { Entry } from "../../../src/core/journal.ts";
import { rowOf } from "../../../src/core/row.ts";
import { PRIORITY_STEP_MS, type KeyFreedBy, type Priority } from "../../../src/core/starting.ts";
import { takeTurns, TURN_GROUPS_MAX } from "../../../src/core/turns.ts";
import type { NewCase } from "../../../src/store/port.ts";
import { changeOf, newCase, newId, parkedUntil, person } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

/** A case that starts with these; it was due at `at`. */
function starting(
  at: number,
  with_: {
    readonly priority?: Priority;
    readonly keyFreedBy?: KeyFreedBy;
    readonly businessKey?: string;
    readonly caseType?: string;
    readonly tenant?: string;
  } = {},
): NewCase {
  const { businessKey = null, caseType = "purchase", tenant = "default", ...more } = with_;
  const made = newCase({ at, businessKey, caseType, tenant });
  const [first, ...others] = made.entries;
  if (first?.kind !== "caseStarted") throw new Error("it begins with its start");
  return { ...made, entries: [{ ...first, ...more }, ...others] };
}

const canceled: Entry = { kind: "canceled", by: person, reason: null };
const done: Entry = { kind: "caseDone" };

async function claim(bench: Bench, count: number): Promise<readonly string[]> {
  const { cases } = await bench.claim(count);
  return cases.map(({ row }) => row.caseId);
}

function idsOf(cases: readonly NewCase[]): ReadonlySet<string> {
  return new Set(cases.map(({ identity }) => identity.caseId));
}

async function end(bench: Bench, start: NewCase, entry: Entry): Promise<void> {
  const commitId = newId();
  await bench.store.changeCase(start.identity.caseId, changeOf(commitId), ({ state }, now) => {
    const entries = [{ revision: state.revision + 1, at: now, commitId, entry }];
    const row = rowOf(foldEntries(state, entries));
    return { kind: "write", commitId, entries: [entry], at: now, row, claim: "free", reply: null };
  });
}

export function testTurns(bench: Bench): void {
  describe("whose turn it is", () => {
    test("the higher priority goes first, and one step of waiting outweighs one of priority", async () => {
      const now = await bench.store.now();
      const wanted = [
        starting(now - PRIORITY_STEP_MS - 5_000),
        starting(now - 2_000, { priority: "high" }),
        starting(now - 1_000, { priority: "high" }),
        starting(now - 4_000),
        starting(now - 3_000),
        starting(now - 9_000, { priority: "low" }),
      ];
      for (const one of wanted.toReversed()) await bench.store.insertCase(one);
      const taken: string[] = [];
      for (let turn = 0; turn < wanted.length; turn += 1) taken.push(...(await claim(bench, 1)));
      expect(taken).toEqual(wanted.map(({ identity }) => identity.caseId));
    });

    test("a claim of several takes of each priority as many as have the first turns", async () => {
      const now = await bench.store.now();
      const high = starting(now - 1_000, { priority: "high" });
      const normal = [3_000, 2_000, 1_500].map((ago) => starting(now - ago));
      const low = starting(now - 9_000, { priority: "low" });
      for (const one of [low, ...normal, high]) await bench.store.insertCase(one);
      expect(new Set(await claim(bench, 3))).toEqual(idsOf([high, ...normal.slice(0, 2)]));
      expect(new Set(await claim(bench, 9))).toEqual(idsOf([...normal.slice(2), low]));
      expect(await claim(bench, 9)).toEqual([]);
    });

    test("several claims at the same time take every case once, of whatever priority", async () => {
      const now = await bench.store.now();
      const priorities: readonly Priority[] = ["high", "normal", "low"];
      const all = Array.from({ length: 30 }, (_, n) =>
        starting(now - 1_000 - n, { priority: priorities[n % 3] ?? "normal" }),
      );
      await Promise.all(all.map((one) => bench.store.insertCase(one)));
      const taken: string[] = [];
      for (let round = 0; round < 30 && taken.length < all.length; round += 1) {
        const claims = await Promise.all(Array.from({ length: 4 }, () => claim(bench, 3)));
        taken.push(...claims.flat());
      }
      expect(taken.toSorted()).toEqual(all.map(({ identity }) => identity.caseId).toSorted());
    });
  });

  describe("places that go round", () => {
    const caseTypes = ["purchase", "refund"].map((name) => ({ name, version: 1 }));

    test("a case that is due later than all that another tenant or type has piled up is taken with the next claim", async () => {
      const now = await bench.store.now();
      const piledUp = Array.from({ length: 12 }, (_, n) => starting(now - 9_000 + n, { priority: "high" }));
      const late = [
        starting(now - 3, { tenant: "acme" }),
        starting(now - 2, { caseType: "refund" }),
        starting(now - 1, { caseType: "refund", tenant: "acme", priority: "low" }),
      ];
      for (const one of [...piledUp, ...late]) await bench.store.insertCase(one);
      const { cases, sharedTo } = await bench.claim(8, { caseTypes, share: { places: 4, after: null } });
      const taken = new Set(cases.map(({ row }) => row.caseId));
      expect(taken).toEqual(idsOf([...piledUp.slice(0, 5), ...late]));
      expect(sharedTo).toBeNull();
    });

    test("so many groups are looked at, and the next claim goes on after the last of them", async () => {
      const now = await bench.store.now();
      const parked = Array.from({ length: TURN_GROUPS_MAX }, (_, n) =>
        newCase({ at: now, tenant: `t${100 + n}`, entries: [parkedUntil(now + 600_000)] }),
      );
      const late = starting(now - 1, { tenant: "t999" });
      const piledUp = Array.from({ length: 6 }, (_, n) => starting(now - 9_000 + n, { tenant: "t131" }));
      for (const one of [...parked, late, ...piledUp]) await bench.store.insertCase(one);
      const first = await bench.claim(2, { share: { places: 1, after: null } });
      expect(first.sharedTo).toEqual({ caseType: "purchase", tenant: "t131" });
      expect(first.cases).toHaveLength(2);
      const second = await bench.claim(2, { share: { places: 1, after: first.sharedTo } });
      expect(new Set(second.cases.map(({ row }) => row.caseId))).toEqual(
        idsOf([late, ...piledUp.slice(2, 3)]),
      );
      expect(second.sharedTo).toBeNull();
    });

    test("a claim takes what takeTurns says, whatever is due", async () => {
      const aCase = fc.record({
        caseType: fc.constantFrom("purchase", "refund", "unknown"),
        tenant: fc.constantFrom("a", "b", "c", "d"),
        priority: fc.constantFrom<Priority>("high", "normal", "low"),
        isDue: fc.boolean(),
      });
      const group = fc.record({
        caseType: fc.constantFrom("ask", "purchase", "refund"),
        tenant: fc.constantFrom("a", "b", "x"),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(aCase, { minLength: 1, maxLength: 40 }),
          fc.integer({ min: 1, max: 12 }),
          fc.integer({ min: 0, max: 12 }),
          fc.option(group),
          async (wishes, places, wanted, after) => {
            const shared = Math.min(wanted, places);
            const now = await bench.store.now();
            const made = wishes.map(({ caseType, tenant, priority, isDue }, n) => {
              const dueAt = isDue ? now - (n + 1) * 7 : now + 600_000;
              const entries = isDue ? [] : [parkedUntil(dueAt)];
              const start = starting(now - (n + 1) * 7, { caseType, tenant, priority });
              const parked = newCase({ at: now, caseType, tenant, entries });
              return { start: isDue ? start : parked, caseType, tenant, priority, isDue, dueAt };
            });
            for (const { start } of made) await bench.store.insertCase(start);
            const due = made.filter(({ isDue, caseType }) => isDue && caseType !== "unknown");
            const groups = [
              ...new Map(made.map((one) => [`${one.caseType} ${one.tenant}`, one] as const)).values(),
            ];
            const expected = takeTurns(due, { places, shared, after, groups });
            const { cases, sharedTo } = await bench.claim(places, {
              now,
              caseTypes,
              share: { places: shared, after },
            });
            expect(new Set(cases.map(({ row }) => row.caseId))).toEqual(
              idsOf(expected.taken.map(({ start }) => start)),
            );
            const isTold = shared > 0 && cases.length > 0;
            expect(sharedTo).toEqual(isTold ? expected.sharedTo : null);
            // What is left must not be found by the next run.
            const all = [...caseTypes, { name: "unknown", version: 1 }];
            await bench.claim(100, { now: now + 1_000_000, caseTypes: all });
          },
        ),
        { numRuns: 25 },
      );
    });

    test("several claims at the same time take every case once, each as many as it wants", async () => {
      const now = await bench.store.now();
      const all = Array.from({ length: 32 }, (_, n) => starting(now - 1_000 - n, { tenant: `t${n % 5}` }));
      await Promise.all(all.map((one) => bench.store.insertCase(one)));
      const claims = await Promise.all(
        [bench.store, bench.other, bench.store, bench.other].map((store) =>
          store.claimDue({
            holderId: "holder-1",
            claimIds: Array.from({ length: 8 }, newId),
            caseTypes,
            engineVersion: 1,
            actWithinMs: 1_000,
            share: { places: 4, after: null },
          }),
        ),
      );
      const taken = claims.flatMap(({ cases }) => cases.map(({ row }) => row.caseId));
      expect(new Set(taken).size).toBe(taken.length);
      let left = all.length - taken.length;
      for (let round = 0; round < 8 && left > 0; round += 1) {
        const { cases } = await bench.claim(8, { share: { places: 4, after: null } });
        left -= cases.length;
      }
      expect(left).toBe(0);
    });
  });

  describe("a business key", () => {
    test.each([
      ["nothing", canceled, false],
      ["nothing", done, false],
      ["canceled", canceled, true],
      ["canceled", done, false],
      ["end", canceled, true],
      ["end", done, true],
    ] as const)("that is freed by %s, of a case with %j, is free: %j", async (keyFreedBy, entry, isFree) => {
      const at = await bench.store.now();
      const first = starting(at, { keyFreedBy, businessKey: "PO-7" });
      await bench.store.insertCase(first);
      const held = { kind: "exists", caseId: first.identity.caseId };
      expect(await bench.store.insertCase(starting(at, { keyFreedBy, businessKey: "PO-7" }))).toEqual(held);
      await end(bench, first, entry);
      const second = starting(at + 1, { keyFreedBy, businessKey: "PO-7" });
      expect(await bench.store.insertCase(second)).toEqual(isFree ? { kind: "started" } : held);
      const named = { shard: 7, key: "PO-7", caseType: "purchase", tenant: "default" };
      const last = isFree ? second : first;
      expect(await bench.store.inbox.findCases(named)).toEqual([last.identity.caseId]);
      const { rows } = await bench.store.listCases({ businessKey: "PO-7", limit: 9 });
      expect(rows).toHaveLength(isFree ? 2 : 1);
    });
  });
}
