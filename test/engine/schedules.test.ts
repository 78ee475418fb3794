import { afterAll, beforeAll, expect, test } from "vitest";
import { LIST_LIMIT_MAX, type Store } from "../../src/store/port.ts";
import type { StoredSlot } from "../../src/store/schedule-port.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { startOwnProcess, type OwnProcess } from "../setup/own-process.ts";
import { quarters } from "./quarters.ts";

/** Bound of every wait, in ms: a machine under load starts processes slowly. */
const WAIT_MS_MAX = 120_000;

const script = new URL("schedule-process.ts", import.meta.url).pathname;
const boundaries = [1, 2, 3].flatMap((write) => ["before", "after"].map((when) => [String(write), when]));

let database: TestDatabase;
let store: Store;
const processes: OwnProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  store = postgresStore({ url: database.url });
  await store.migrate();
}, WAIT_MS_MAX);

afterAll(async () => {
  for (const one of processes) await one.end();
  await store.close();
  await database.drop();
});

async function waitUntil(what: string, holds: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedAt > WAIT_MS_MAX)
      throw new Error(`after ${WAIT_MS_MAX} ms not yet: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function allSlots(): Promise<readonly StoredSlot[]> {
  const found: StoredSlot[] = [];
  let after: StoredSlot | null = null;
  for (;;) {
    const page: readonly StoredSlot[] = await store.schedules.listSlots({
      schedule: "tick",
      outcome: null,
      after,
      limit: 200,
    });
    found.unshift(...page.toReversed());
    if (page.length < 200) return found;
    after = page.at(-1) ?? null;
  }
}

async function allCases(): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await store.listCases({ limit: LIST_LIMIT_MAX, ...(after === undefined ? {} : { after }) });
    ids.push(...page.rows.map(({ caseId }) => caseId));
    if (page.next === null) return ids;
    after = page.next;
  }
}

test(
  "servers killed with -9 before and after each write of a turn leave one case for every slot, and no slot without",
  { timeout: 4 * WAIT_MS_MAX },
  async () => {
    const doomed = boundaries.map((kill) => startOwnProcess(script, [database.url, ...kill]));
    const steady = startOwnProcess(script, [database.url]);
    processes.push(steady, ...doomed);
    await steady.nextLine(WAIT_MS_MAX);
    // A fault that was not hit proves nothing: each of them has died of its own hand.
    await Promise.all(doomed.map((one) => one.ended()));
    expect(doomed.map(({ child }) => child.signalCode)).toEqual(boundaries.map(() => "SIGKILL"));
    const killedAt = await store.now();
    await waitUntil("the slots after the last kill are started", async () => {
      const state = (await store.schedules.load("tick"))?.state;
      return state !== undefined && state.decidedUntilAt > killedAt + 2_000 && state.open.length === 0;
    });
    await steady.end();
    const state = (await store.schedules.load("tick"))?.state;
    const slots = (await allSlots()).filter(({ outcome }) => outcome.kind !== "starting");
    const started = slots.map(({ slotAt, outcome }) => [slotAt, outcome.kind]);
    // Each slot from the first to the last, with none between left out.
    const [first] = slots;
    const expected = [];
    for (
      let at: number | null = first?.slotAt ?? 0;
      at !== null && expected.length < slots.length;
      at = quarters.next(at)
    ) {
      expected.push([at, "started"]);
    }
    expect(started).toEqual(expected);
    const fixed = slots.map(({ start }) => start?.caseId ?? "");
    const open = (state?.open ?? []).map(({ start }) => start.caseId);
    const cases = await allCases();
    expect(new Set(fixed).size).toBe(slots.length);
    // No case but those of its slots; of what was under way at the end there may be one already.
    expect(cases.filter((caseId) => !fixed.includes(caseId) && !open.includes(caseId))).toEqual([]);
    expect(fixed.filter((caseId) => !cases.includes(caseId))).toEqual([]);
    expect(slots.length).toBeGreaterThan(8);
  },
);
