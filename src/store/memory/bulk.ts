/** Bulk acts and what people say of problems, in memory. */

import { ERASED } from "../../core/erasure.ts";
import { invariant } from "../../core/errors.ts";
import {
  BULK_CASES_MAX,
  BULK_ITEMS_MAX,
  PROBLEM_MARKS_MAX,
  type BulkAct,
  type BulkItem,
  type BulkStore,
  type ProblemMark,
} from "../bulk-port.ts";
import { frozenJsonb } from "./frozen.ts";

interface Act {
  readonly act: Omit<BulkAct, "counts">;
  readonly items: readonly Item[];
  /** Acts made in one millisecond are told apart by it. */
  readonly made: number;
}

interface Item {
  readonly item: BulkItem;
  readonly claim: { readonly claimId: string; readonly untilAt: number } | null;
}

/** The store over it. */
export function memoryBulk(bulk: MemoryBulk, now: () => number): BulkStore {
  return {
    create: async (act, caseIds) => bulk.create(act, caseIds),
    load: async (bulkId) => bulk.load(bulkId),
    list: async (limit) => bulk.all().toReversed().slice(0, limit).map(withCounts),
    listItems: async (bulkId, page) => bulk.listItems(bulkId, page),
    shift: async (change) => bulk.shift(change),
    claim: async (request) => bulk.claim(request),
    settle: async (outcome) => bulk.settle(outcome),
    listTrying: async () => bulk.listTrying(),
    finish: async () => bulk.finish(),
    mark: async (mark) => {
      bulk.marks.set(mark.problemId, Object.freeze({ ...mark, at: now() }));
    },
    listMarks: async (problemIds) => {
      invariant(
        problemIds.length <= PROBLEM_MARKS_MAX,
        `marks of ${problemIds.length} problems were asked for`,
      );
      return problemIds.flatMap((id) => bulk.marks.get(id) ?? []);
    },
  };
}

/** All of it. */
export class MemoryBulk {
  readonly marks: Map<string, ProblemMark> = new Map();
  readonly #now: () => number;
  readonly #acts = new Map<string, Act>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Oldest first. */
  all(): readonly Act[] {
    return [...this.#acts.values()].toSorted((one, other) => one.made - other.made);
  }

  /** Those with a case in them. */
  with(caseId: string): readonly Act["act"][] {
    return this.all().flatMap(({ act, items }) =>
      items.some(({ item }) => item.caseId === caseId) ? [act] : [],
    );
  }

  /** Erases what those with a case in them were made with, and what became of it. */
  erase(caseId: string): void {
    for (const { bulkId } of this.with(caseId)) {
      const found = this.#acts.get(bulkId);
      if (found === undefined) continue;
      const items = found.items.map((one): Item => {
        if (one.item.caseId !== caseId || one.item.sentence === null) return one;
        return { ...one, item: Object.freeze({ ...one.item, sentence: ERASED }) };
      });
      const reason = found.act.reason === null ? null : ERASED;
      const act = Object.freeze({ ...found.act, request: {}, filter: {}, reason });
      this.#acts.set(bulkId, { ...found, act, items });
    }
  }

  create(...[act, caseIds]: Parameters<BulkStore["create"]>): void {
    invariant(caseIds.length <= BULK_CASES_MAX, `a bulk act of ${caseIds.length} cases was to be stored`);
    if (this.#acts.has(act.bulkId)) return;
    const now = this.#now();
    const { bulkId, state } = act;
    const isTried = state === "running";
    const stored = { ...act, why: null, isTried, createdAt: now, changedAt: now };
    const items = caseIds.map((caseId, place): Item => {
      const item = {
        bulkId,
        caseId,
        place,
        state: "open",
        code: null,
        sentence: null,
        endedAt: null,
      } as const;
      return { item, claim: null };
    });
    this.#acts.set(bulkId, { act: frozenJsonb(stored), items, made: this.#acts.size });
  }

  load(bulkId: string): BulkAct | null {
    const found = this.#acts.get(bulkId);
    return found === undefined ? null : withCounts(found);
  }

  listItems(
    ...[bulkId, { afterPlace, limit, state }]: Parameters<BulkStore["listItems"]>
  ): readonly BulkItem[] {
    invariant(limit <= BULK_ITEMS_MAX, `${limit} items of a bulk act were asked for`);
    return (this.#acts.get(bulkId)?.items ?? [])
      .map(({ item }) => item)
      .filter((item) => item.place > afterPlace && (state === undefined || item.state === state))
      .slice(0, limit);
  }

  shift({ bulkId, from, to, why, isTried }: Parameters<BulkStore["shift"]>[0]): boolean {
    const found = this.#acts.get(bulkId);
    if (found === undefined || !from.includes(found.act.state)) return false;
    const act = {
      ...found.act,
      state: to,
      why,
      isTried: found.act.isTried || isTried,
      changedAt: this.#now(),
    };
    this.#acts.set(bulkId, { ...found, act: Object.freeze(act) });
    return true;
  }

  claim({ claimId, limit, holdMs }: Parameters<BulkStore["claim"]>[0]): readonly BulkItem[] {
    invariant(limit <= BULK_ITEMS_MAX, `${limit} items of bulk acts were to be claimed`);
    const now = this.#now();
    const claimed: BulkItem[] = [];
    for (const found of this.all()) {
      const { state } = found.act;
      if (state !== "trying" && state !== "running") continue;
      const items = found.items.map((one): Item => {
        const isOpen = one.item.state === "open" || (one.claim !== null && one.claim.untilAt <= now);
        const isMeant = state === "running" || one.item.place === 0;
        if (claimed.length >= limit || !isOpen || !isMeant) return one;
        const item = Object.freeze({ ...one.item, state: "claimed" as const });
        claimed.push(item);
        return { item, claim: { claimId, untilAt: now + holdMs } };
      });
      this.#acts.set(found.act.bulkId, { ...found, items });
    }
    return claimed;
  }

  settle({ bulkId, caseId, claimId, state, code, sentence }: Parameters<BulkStore["settle"]>[0]): boolean {
    const found = this.#acts.get(bulkId);
    const one = found?.items.find(({ item }) => item.caseId === caseId);
    if (found === undefined || one === undefined || one.claim?.claimId !== claimId) return false;
    const item = Object.freeze({ ...one.item, state, code, sentence, endedAt: this.#now() });
    const items = found.items.map((other) => (other === one ? { item, claim: null } : other));
    this.#acts.set(bulkId, { ...found, items });
    return true;
  }

  listTrying(): readonly { readonly act: BulkAct; readonly first: BulkItem }[] {
    return this.all().flatMap((found) => {
      const first = found.items[0]?.item;
      const isActedOn = first?.state === "done" || first?.state === "refused";
      return found.act.state === "trying" && isActedOn ? [{ act: withCounts(found), first }] : [];
    });
  }

  finish(): readonly string[] {
    const over = this.all().filter(
      ({ act, items }) => act.state === "running" && items.every(({ item }) => item.endedAt !== null),
    );
    const ids = over.map(({ act }) => act.bulkId);
    for (const bulkId of ids)
      this.shift({ bulkId, from: ["running"], to: "done", why: null, isTried: false });
    return ids;
  }
}

function withCounts({ act, items }: Act): BulkAct {
  const inState = (...states: readonly BulkItem["state"][]): number =>
    items.filter(({ item }) => states.includes(item.state)).length;
  const counts = {
    total: items.length,
    open: inState("open", "claimed"),
    done: inState("done"),
    refused: inState("refused"),
  };
  return { ...act, counts };
}
