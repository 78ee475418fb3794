import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { meetsCriteria, REVIEW_WORDS, type CaseCriteria } from "../../../src/core/case-criteria.ts";
import type { Review, ReviewReason } from "../../../src/core/journal.ts";
import type { Wait } from "../../../src/core/waits.ts";
import type { CaseSummary, RestingRow, RestingState, StoredState } from "../../../src/core/row.ts";
import type { ReadableState } from "../../../src/core/state.ts";
import { countSteps, type StepCount } from "../../../src/core/step-counts.ts";
import type { StoredHolder, StoredRow } from "../../../src/store/port.ts";
import { TAG } from "../../../src/core/search-outline.ts";
import type { SearchValue } from "../../../src/core/search-values.ts";
import type { SoughtValue } from "../../../src/core/sought.ts";
import { newCase, newCaseId, newId } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

const CASES = 480;
/** One in so many is being canceled. */
const CANCELED_EVERY = 6;
const QUESTIONS = 150;
const SEED = 20_261_201;
const LONG_FROM_NOW = 4_000_000_000_000;

const name = fc.constantFrom("approve", "createRecord", "notify");
const person = fc.constantFrom("purchasing", "finance", 'o"wn\\er', "Ü");
const tenant = fc.constantFrom("acme", "beta", "ten'ant");
const caseType = fc.constantFrom("purchase", "refund");
const businessKey = fc.constantFrom("PO-1", "po-2", "Ärger", "100%_");
const sentence = fc.constantFrom("The ERP refused VENDOR.", "status 503", "Größe: 3 µm", "%_");
const text = fc.constantFrom("", "erp", "PO", "po-", "%", "ÄRGER", "Ärger", "µ", "0", "refused v");
const due = fc.constantFrom(null, 1_000, 2_000, LONG_FROM_NOW);
// The tables have every member of their unions: the compiler says so.
const reason = fc.constantFrom(...(Object.keys(REVIEW_WORDS) as ReviewReason[]));
const readables: Readonly<Record<ReadableState, true>> = {
  Running: true,
  "Will retry": true,
  "Waiting for event": true,
  "Waiting for child": true,
  "Waiting for approval": true,
  "Waiting until": true,
  "Held back": true,
  Paused: true,
  "Worker lost": true,
  "Outcome unknown": true,
  "Needs correction": true,
  "Needs access": true,
  "Needs review": true,
  "Being repaired": true,
  Undoing: true,
  Done: true,
  "Done after repair": true,
  Canceled: true,
};
const readable = fc.constantFrom(...(Object.keys(readables) as ReadableState[]));

const review: fc.Arbitrary<Review> = fc
  .record({ step: name, reason, sentence, owner: person, nextCheckAllowedAt: due })
  .chain((one) =>
    fc
      .option(
        fc.record({
          dueAt: fc.constantFrom(1_000, LONG_FROM_NOW),
          resendSafeUntilAt: fc.constant(LONG_FROM_NOW),
        }),
      )
      .map((window) => (window === null ? one : { ...one, window })),
  );

const waits: { readonly [Kind in Wait["kind"]]: fc.Arbitrary<Extract<Wait, { kind: Kind }>> } = {
  retry: fc.record({
    kind: fc.constant("retry" as const),
    step: name,
    dueAt: fc.nat(9),
    attempt: fc.constant(1),
    attemptsMax: fc.constant(5),
    by: fc.constantFrom("backoff", "provider"),
  }),
  check: fc.record({ kind: fc.constant("check" as const), step: name, dueAt: fc.nat(9) }),
  probe: fc.record({
    kind: fc.constant("probe" as const),
    step: name,
    dueAt: fc.nat(9),
    condition: name,
    why: sentence,
  }),
  approval: fc
    .record({
      kind: fc.constant("approval" as const),
      step: name,
      dueAt: fc.option(fc.nat(9)),
      by: person,
    })
    .map((one) =>
      one.dueAt === null
        ? one
        : { ...one, escalation: { to: "purchasing", at: one.dueAt < 5 ? 1_000 : LONG_FROM_NOW } },
    ),
  event: fc.record({ kind: fc.constant("event" as const), step: name, dueAt: fc.nat(9), eventType: name }),
  poll: fc.record({
    kind: fc.constant("poll" as const),
    step: name,
    dueAt: fc.nat(9),
    untilAt: fc.constant(9),
    destination: name,
    why: sentence,
  }),
  timer: fc.record({ kind: fc.constant("timer" as const), step: name, dueAt: fc.nat(9) }),
  child: fc.record({
    kind: fc.constant("child" as const),
    step: name,
    dueAt: fc.constant(null),
    caseId: name,
    caseType: name,
    needsPeople: fc.boolean(),
  }),
  held: fc.record({
    kind: fc.constant("held" as const),
    step: name,
    dueAt: fc.nat(9),
    destination: name,
    credentialId: name,
  }),
  access: fc.record({
    kind: fc.constant("access" as const),
    step: name,
    dueAt: fc.nat(9),
    destination: name,
    credentialId: name,
    owner: person,
  }),
};

const searchValue: fc.Arbitrary<SearchValue> = fc.oneof(
  fc.record({
    name: fc.constantFrom("vendor", TAG),
    type: fc.constant("text" as const),
    value: fc.constantFrom("acme", "Ärger", 'o"wn\\er', "7"),
  }),
  fc
    .constantFrom(-1.5, 0, 7, 1e21, 1_800_000_000_123)
    .map((number) => ({ name: "amount", type: "number" as const, value: String(number), number })),
);
const end = fc.option(fc.constantFrom(-1.5, 0, 6.5, 7, 1e21), { freq: 2 });
const sought: fc.Arbitrary<SoughtValue> = fc.oneof(
  searchValue.map(({ name: of, value }) => ({ name: of, value, from: null, to: null })),
  fc.record({ name: fc.constantFrom("amount", "vendor"), value: fc.constant(null), from: end, to: end }),
);

const problem = fc.record({
  step: name,
  kind: reason,
  destination: fc.constant(null),
  cause: sentence,
  sinceAt: fc.constantFrom(1_000, LONG_FROM_NOW),
});

const always: fc.Arbitrary<CaseSummary> = fc.record({
  confirmed: fc.nat(3),
  waits: fc.array(fc.oneof(...Object.values(waits)), { maxLength: 2 }),
  reviews: fc.oneof(fc.constant([]), fc.array(review, { maxLength: 2 })),
  unsettled: fc.uniqueArray(name, { maxLength: 1 }),
  lastFailure: fc.option(
    fc.record({
      step: name,
      attempt: fc.constant(1),
      at: fc.constant(1_000),
      kind: fc.constantFrom("transient", "rejected", "unknown"),
      executed: fc.constantFrom("no", "maybe"),
      sentence,
    }),
    { freq: 2 },
  ),
  losses: fc.nat(1),
  isRepaired: fc.boolean(),
  repair: fc.option(fc.record({ name: person, events: fc.nat(2) }), { freq: 2 }),
  stoppedBy: fc.constant(null),
});

/** With what is left out where there is nothing. */
const summary: fc.Arbitrary<CaseSummary> = fc
  .tuple(
    always,
    fc.record(
      {
        problems: fc.array(problem, { minLength: 1, maxLength: 2 }),
        assignee: fc.record({ id: person, label: person }),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([one, more]) => ({ ...one, ...more }));

const resting: fc.Arbitrary<Pick<RestingRow, "state" | "dueAt" | "summary">> = fc.record({
  state: fc.constantFrom<RestingState>("ready", "waiting", "paused", "in_review", "done", "canceled"),
  dueAt: due,
  summary,
});

/** A row whose due time and reviews are of its state. */
function whole(drawn: Pick<RestingRow, "state" | "dueAt" | "summary">): typeof drawn {
  const isEmpty = drawn.state === "in_review" && drawn.summary.reviews.length === 0;
  const row: typeof drawn = isEmpty ? { ...drawn, state: "waiting" } : drawn;
  if (row.state === "ready") return { ...row, dueAt: row.dueAt ?? 1_000 };
  return row.state === "waiting" || row.state === "paused" ? row : { ...row, dueAt: null };
}

const KEYS_MAX = 2;

/** One or two criteria at a time: more would leave nothing to compare. */
const criteria: fc.Arbitrary<CaseCriteria> = fc
  .record({
    tenant,
    caseType,
    states: fc.uniqueArray(
      fc.constantFrom<StoredState>("ready", "claimed", "waiting", "paused", "in_review", "done", "canceled"),
    ),
    withReview: fc.boolean(),
    awaitsSecond: fc.boolean(),
    businessKey,
    readable: fc.uniqueArray(readable, { maxLength: 4 }),
    owner: person,
    atSteps: fc.array(fc.record({ caseType, step: fc.option(name, { freq: 2 }) }), { maxLength: 2 }),
    failureKind: fc.constantFrom("transient", "rejected", "unknown", "gone"),
    unchangedSinceAt: fc.constantFrom(1_499, 1_500, 1_501),
    text,
    search: fc.array(sought, { minLength: 1, maxLength: 2 }),
    assignees: fc.uniqueArray(fc.option(person, { freq: 2 }), { maxLength: 3 }),
    isOpen: fc.boolean(),
    needsPeople: fc.boolean(),
    overdueAfterMs: fc.constantFrom(0, 60_000, LONG_FROM_NOW),
    visible: fc.array(
      fc.record({
        tenants: fc.option(fc.uniqueArray(tenant)),
        caseTypes: fc.option(fc.uniqueArray(caseType)),
      }),
      { maxLength: 2 },
    ),
  })
  .chain((all) =>
    fc
      .shuffledSubarray(Object.keys(all), { minLength: 1, maxLength: KEYS_MAX })
      .map((keys) => Object.fromEntries(Object.entries(all).filter(([key]) => keys.includes(key)))),
  );

/** Cases of every kind, some claimed by workers and pages that are alive, silent, ended or forgotten. */
async function fill(bench: Bench): Promise<readonly StoredHolder[]> {
  const { store } = bench;
  const holderIds: string[] = [];
  for (const { kind, leaseMs, isEnded } of [
    { kind: "worker", leaseMs: 3_600_000, isEnded: false },
    { kind: "worker", leaseMs: 1, isEnded: false },
    { kind: "worker", leaseMs: 3_600_000, isEnded: true },
    { kind: "page", leaseMs: 3_600_000, isEnded: false },
  ] as const) {
    const holderId = newId();
    await store.registerHolder({
      holderId,
      kind,
      leaseMs,
      name: "w",
      host: "h",
      build: "b",
      caseTypes: [],
      destinations: [],
    });
    if (isEnded) await store.endHolder(holderId, null);
    holderIds.push(holderId);
  }
  holderIds.push("a holder that nobody knows");
  const wishes = fc.record({
    tenant,
    caseType,
    businessKey: fc.option(businessKey, { freq: 2 }),
    resting,
    holder: fc.option(fc.nat(holderIds.length - 1), { freq: 2 }),
    at: fc.constantFrom(1_000, 1_500, 2_000),
  });
  const searches = fc.sample(fc.array(searchValue, { maxLength: 3 }), { numRuns: CASES, seed: SEED });
  for (const [index, drawn] of fc.sample(wishes, { numRuns: CASES, seed: SEED }).entries()) {
    const wish = index % CANCELED_EVERY === 0 ? beingCanceled(drawn) : drawn;
    const shard = 7;
    const { holder } = wish;
    const isOpen = wish.resting.state !== "done" && wish.resting.state !== "canceled";
    const holderId = holder === null || !isOpen ? undefined : holderIds[holder];
    const claim =
      holderId === undefined ? {} : { claim: { claimId: newId(), holderId, actWithinMs: 60_000 } };
    const made = newCase({ ...wish, shard, caseId: newCaseId(shard), ...claim });
    const row = { ...made.row, ...whole(wish.resting) };
    const search = searches[index] ?? [];
    await store.insertCase({ ...made, row: { ...row, summary: { ...row.summary, search } } });
  }
  return store.listHolders();
}

/** Asks for a move of some: open, over by time, or answered. Until when each of the cases waits. */
async function askSeconds(
  { store }: Bench,
  rows: readonly StoredRow[],
): Promise<ReadonlyMap<string, number>> {
  const until = new Map<string, number>();
  const askedBy = { kind: "person", name: "ada" } as const;
  for (const [index, { caseId }] of rows.entries()) {
    if (index % 5 > 2) continue;
    const requestId = `s${caseId.slice(0, 3)}${index}`;
    const lastsMs = index % 5 === 1 ? -1 : 3_600_000;
    const asking = {
      requestId,
      caseId,
      move: "cancel",
      request: {},
      step: null,
      plan: "p",
      reason: null,
    } as const;
    await store.seconds.ask({ ...asking, askedBy, lastsMs });
    if (index % 5 === 2) {
      await store.seconds.settle({ requestId, to: "declined", by: { ...askedBy, name: "ben" }, why: null });
    } else {
      until.set(caseId, (await store.now()) + lastsMs);
    }
  }
  return until;
}

function beingCanceled<Wish extends { readonly resting: Pick<RestingRow, "state" | "dueAt" | "summary"> }>(
  wish: Wish,
): Wish {
  const { resting: row } = wish;
  return { ...wish, resting: { ...row, summary: { ...row.summary, undoing: { undone: 0, of: 2 } } } };
}

export function testCriteria(bench: Bench): void {
  describe("criteria", () => {
    test("keep exactly the cases that the pure function keeps, and count them", async () => {
      const holders = await fill(bench);
      const { rows } = await bench.store.listCases({ limit: 500 });
      expect(rows.length).toBeGreaterThan(100);
      const asked = await askSeconds(bench, rows);
      const now = await bench.store.now();
      let kept = 0;
      for (const one of fc.sample(criteria, { numRuns: QUESTIONS, seed: SEED })) {
        const wanted = rows.filter((row) =>
          meetsCriteria(row, one, {
            holder: holderOf(row, holders),
            now,
            secondUntilAt: asked.get(row.caseId) ?? null,
          }),
        );
        const found = await bench.store.listCases({ ...one, limit: 500 });
        expect({ one, ids: idsOf(found.rows) }).toEqual({ one, ids: idsOf(wanted) });
        expect(await bench.store.countFound(one, 500)).toBe(wanted.length);
        kept += wanted.length;
      }
      expect(kept).toBeGreaterThan(500);
    });

    test("each word that people read finds the cases that read so, and no other", async () => {
      const holders = await fill(bench);
      const { rows } = await bench.store.listCases({ limit: 500 });
      const asked = new Map<string, number>();
      const now = await bench.store.now();
      for (const word of Object.keys(readables) as ReadableState[]) {
        const wanted = rows.filter((row) =>
          meetsCriteria(
            row,
            { readable: [word] },
            { holder: holderOf(row, holders), now, secondUntilAt: asked.get(row.caseId) ?? null },
          ),
        );
        expect([word, wanted.length > 0]).toEqual([word, true]);
        const found = await bench.store.listCases({ readable: [word], limit: 500 });
        expect([word, ...idsOf(found.rows)]).toEqual([word, ...idsOf(wanted)]);
      }
    });

    test("each count by step is the number of cases that a list of that step and state shows", async () => {
      const holders = await fill(bench);
      const { rows } = await bench.store.listCases({ limit: 500 });
      const { now, counts, isWhole } = await bench.store.samples.countSteps();
      expect(isWhole).toBe(true);
      const seen = rows.map((row) => ({ row, holder: holderOf(row, holders) }));
      expect(sorted(counts)).toEqual(sorted(countSteps(seen, now)));
      expect(counts.length).toBeGreaterThan(20);
      for (const { caseType: type, step, reading, cases } of counts) {
        const open = { caseType: type, atSteps: [{ caseType: type, step }], readable: [reading] };
        const found = await bench.store.listCases({ ...open, limit: 500 });
        expect([step, reading, found.rows.length]).toEqual([step, reading, cases]);
      }
    });

    test("go on over pages, and a count ends at its bound", async () => {
      await fill(bench);
      const all = idsOf((await bench.store.listCases({ text: "", limit: 500 })).rows);
      const paged: string[] = [];
      let after: string | undefined;
      do {
        const page = await bench.store.listCases({
          text: "",
          limit: 37,
          ...(after === undefined ? {} : { after }),
        });
        paged.push(...idsOf(page.rows));
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(paged).toEqual(all);
      expect(await bench.store.countFound({}, 10)).toBe(10);
    });
  });
}

function sorted(counts: readonly StepCount[]): readonly StepCount[] {
  return counts.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

function keyOf({ caseType: type, step, reading }: StepCount): string {
  return JSON.stringify([type, step, reading]);
}

function holderOf({ claim }: StoredRow, holders: readonly StoredHolder[]): StoredHolder | null {
  return holders.find(({ holderId }) => holderId === claim?.holderId) ?? null;
}

function idsOf(rows: readonly StoredRow[]): readonly string[] {
  return rows.map(({ caseId }) => caseId);
}
