import { describe, expect, test } from "vitest";
import { foldEntries } from "../../../src/core/fold.ts";
import type { Entry } from "../../../src/core/journal.ts";
import { rowOf } from "../../../src/core/row.ts";
import { PRIORITY_STEP_MS, type KeyFreedBy, type Priority } from "../../../src/core/starting.ts";
import type { NewCase } from "../../../src/store/port.ts";
import { changeOf, newCase, newId, person } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

/** A case that starts with these; it was due at `at`. */
function starting(
  at: number,
  with_: {
    readonly priority?: Priority;
    readonly keyFreedBy?: KeyFreedBy;
    readonly businessKey?: string;
  } = {},
): NewCase {
  const { businessKey, ...more } = with_;
  const made = newCase({ at, businessKey: businessKey ?? null });
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
