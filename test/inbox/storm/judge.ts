/** Judges a storm from the tables: stored once, work closed or in sight, done means done, forged means nothing. */

import type { Pool } from "pg";
import { foldJournal } from "../../../src/core/fold.ts";
import type { Store } from "../../../src/store/port.ts";
import type { StormDelivery } from "./deliveries.ts";

/** What there is to judge. */
export interface StormTraces {
  readonly pool: Pool;
  readonly store: Store;
  /** Every event that was really told, by the inbox's id of it. */
  readonly wanted: ReadonlyMap<string, StormDelivery>;
  /** Answers with a success, by the provider's id. */
  readonly successes: ReadonlyMap<string, number>;
  readonly accounts: readonly string[];
  readonly settleWithinMs: number;
}

interface StoredLine {
  readonly event_id: string;
  readonly sightings: number;
  readonly states: readonly string[];
}

/** Waits until the work is closed or in review and no shipment runs, then judges. */
export async function judgeStorm(
  traces: StormTraces,
): Promise<{ readonly violations: readonly string[]; readonly attached: number }> {
  const violations: string[] = [];
  const open = await waitForRest(traces);
  if (open !== null) violations.push(open);
  const { rows } = await traces.pool.query<StoredLine>(`
    select e.event_id, e.sightings, array_agg(w.state::text) filter (where w.state is not null) as states
    from foothold.inbox_events as e
    left join foothold.inbox_work as w on w.shard = e.shard and w.event_id = e.event_id
    group by e.shard, e.event_id`);
  const stored = new Map(rows.map((row) => [row.event_id, row]));
  for (const eventId of stored.keys())
    if (!traces.wanted.has(eventId)) violations.push(`${eventId} is stored, and nobody told it`);
  for (const [eventId, delivery] of traces.wanted)
    violations.push(...judgeEvent(delivery, stored.get(eventId), traces));
  violations.push(...(await judgeShipments(traces)));
  const accounts = await judgeAccounts(traces);
  return { violations: [...violations, ...accounts.violations], attached: accounts.attached };
}

function judgeEvent(
  { id }: StormDelivery,
  row: StoredLine | undefined,
  { successes }: StormTraces,
): readonly string[] {
  if (row === undefined) return [`${id} was answered with ${successes.get(id) ?? 0} successes and is lost`];
  const found: string[] = [];
  const [state, ...more] = row.states ?? [];
  if (state !== "done" || more.length > 0) found.push(`${id} has work that is ${row.states?.join(", ")}`);
  if (row.sightings < (successes.get(id) ?? 0))
    found.push(`${id}: ${successes.get(id)} successes, ${row.sightings} sightings`);
  return found;
}

async function judgeShipments({ pool, wanted }: StormTraces): Promise<readonly string[]> {
  const { rows } = await pool.query<{ readonly event: string; readonly keys: number }>(
    "select event, count(*)::integer as keys from shipped group by event",
  );
  const shipped = new Map(rows.map(({ event, keys }) => [event, keys]));
  const expected = [...wanted.values()].filter(({ source }) => source === "stripe").map(({ id }) => id);
  const wrong = expected
    .filter((id) => shipped.get(id) !== 1)
    .map((id) => `${id} was shipped ${shipped.get(id) ?? 0} times`);
  const strange = [...shipped.keys()]
    .filter((event) => !expected.includes(event))
    .map((event) => `${event} was shipped, and nobody told it`);
  return [...wrong, ...strange];
}

/** Each event is applied to its account once, and nothing else is. */
async function judgeAccounts({
  store,
  wanted,
  accounts,
}: StormTraces): Promise<{ readonly violations: readonly string[]; readonly attached: number }> {
  const expected = new Set(
    [...wanted].filter(([, { source }]) => source === "github").map(([id]) => `inbox:github:${id}`),
  );
  const seen = new Set<string>();
  const violations: string[] = [];
  let attached = 0;
  for (const caseId of accounts) {
    const journal = (await store.loadCase(caseId))?.journal ?? [];
    attached += journal.filter(({ entry }) => entry.kind === "eventAttached").length;
    for (const { sourceId } of foldJournal(caseId, journal).events) {
      if (seen.has(sourceId)) violations.push(`${sourceId} is applied twice`);
      if (!expected.has(sourceId)) violations.push(`${sourceId} is applied, and nobody told it`);
      seen.add(sourceId);
    }
  }
  for (const sourceId of expected) if (!seen.has(sourceId)) violations.push(`${sourceId} is not applied`);
  return { violations, attached };
}

/** Null once nothing is open; else what still is. */
async function waitForRest({ pool, settleWithinMs }: StormTraces): Promise<string | null> {
  const until = performance.now() + settleWithinMs;
  for (;;) {
    const { rows } = await pool.query<{ readonly works: number; readonly cases: number }>(`
      select
        (select count(*)::integer from foothold.inbox_work where state in ('ready', 'claimed', 'waiting')) as works,
        (select count(*)::integer from foothold.cases where case_type = 'shipment' and state <> 'done') as cases`);
    const [open] = rows;
    if (open !== undefined && open.works + open.cases === 0) return null;
    if (performance.now() > until)
      return `after ${settleWithinMs} ms ${open?.works} pieces of work and ${open?.cases} cases are still open`;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
