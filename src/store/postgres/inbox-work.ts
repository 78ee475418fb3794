/** The work of the inbox: claiming, settling, freeing it. */

import { invariant } from "../../core/errors.ts";
import {
  MATCHES_MAX,
  SWEEP_MAX,
  LOST_FACT_DELAY_MS,
  LOST_FACT_SENTENCE,
  WORK_CLAIM_MAX,
  WORK_LOSSES_MAX,
  type CaseTarget,
  type FurtherKey,
  type InboxStore,
  type NewWork,
  type SeenWork,
  type WorkOutcome,
  type WorkRequest,
} from "../inbox-port.ts";
import type { Database } from "./database.ts";
import { shardIn, toEvent, toWork, type EventRow, type WorkRow } from "./inbox-rows.ts";
import type { Hinting } from "./listener.ts";

type Claimed = Awaited<ReturnType<InboxStore["claimWork"]>>;
type ClaimedRow = WorkRow & { readonly now: number; readonly lane: string | null };

/** How long a claim that met another in its lane waits, in ms. */
const LANE_WAIT_MS = 250;

/** Claims work as the port says. */
export async function claimWork(database: Database, request: WorkRequest): Promise<Claimed> {
  const { claimIds, consumers, holderId, actWithinMs } = request;
  invariant(claimIds.length <= WORK_CLAIM_MAX, `${claimIds.length} pieces of work were asked for`);
  const which = [
    consumers.map(({ tenant }) => tenant),
    consumers.map(({ source }) => source),
    consumers.map(({ consumer }) => consumer),
  ];
  const rows = await database.run<ClaimedRow>("claim_work", [...which, holderId, actWithinMs, claimIds]);
  const mine = await leaveLanes(database, rows);
  const events = await loadEvents(database, mine);
  const claimed = mine.flatMap((row) => {
    const event = events.get(row.event_id);
    return event === undefined ? [] : [{ work: toWork(row), event: toEvent(event) }];
  });
  const [first] = rows;
  if (first !== undefined && rows.length === claimIds.length) {
    return { claimed, nextDueAt: first.now, now: first.now };
  }
  const [next] = await database.run<{ readonly now: number; readonly next_due_at: number | null }>(
    "next_work",
    which,
  );
  invariant(next !== undefined, "next_work returned no row");
  return { claimed, nextDueAt: next.next_due_at, now: next.now };
}

/** Two claims of one lane at the same moment did not see each other: each that sees the other now steps back. */
async function leaveLanes(database: Database, rows: readonly ClaimedRow[]): Promise<readonly ClaimedRow[]> {
  const laned = rows.filter(({ lane }) => lane !== null).map(({ claim_id }) => claim_id);
  if (laned.length === 0) return rows;
  const rivals = await database.run<{ readonly claim_id: string }>("find_lane_rivals", [laned]);
  const given = new Set(rivals.map(({ claim_id }) => claim_id));
  const left = rows.filter(({ claim_id }) => claim_id !== null && given.has(claim_id));
  if (left.length > 0) {
    await settleWork(
      database,
      left.map((row) => ({
        ...toWork(row),
        claimId: row.claim_id ?? "",
        state: "waiting",
        dueInMs: LANE_WAIT_MS,
        sourceId: null,
        sentence: "Another event of the same subject is being worked on.",
      })),
    );
  }
  return rows.filter((row) => !left.includes(row));
}

async function loadEvents(
  database: Database,
  rows: readonly WorkRow[],
): Promise<ReadonlyMap<string, EventRow>> {
  if (rows.length === 0) return new Map();
  const ids = [...new Set(rows.map(({ event_id }) => event_id))];
  const events = await database.run<EventRow>("load_events", [ids.map(shardIn), ids]);
  return new Map(events.map((event) => [event.event_id, event]));
}

/** Settles work as the port says. */
export async function settleWork(
  database: Database,
  outcomes: readonly WorkOutcome[],
): Promise<readonly boolean[]> {
  invariant(outcomes.length <= WORK_CLAIM_MAX, `${outcomes.length} outcomes were settled at once`);
  if (outcomes.length === 0) return [];
  const sorted = outcomes
    .map((outcome, index) => ({ outcome, index }))
    .toSorted((one, other) => (placeOf(one.outcome) < placeOf(other.outcome) ? -1 : 1));
  const all = sorted.map(({ outcome }) => outcome);
  const rows = await database.run<{ readonly n: number }>("settle_work", [
    all.map(({ eventId }) => shardIn(eventId)),
    all.map(({ eventId }) => eventId),
    all.map(({ consumer }) => consumer),
    all.map(({ claimId }) => claimId),
    all.map(({ state }) => state),
    all.map(({ dueInMs }) => dueInMs),
    all.map(({ attempts }) => attempts),
    all.map(({ sentence }) => sentence),
    all.map(({ errorClass }) => errorClass),
    all.map(({ caseIds }) => JSON.stringify(caseIds)),
    all.map(({ waitsFor }) => waitsFor?.shard ?? null),
    all.map(({ waitsFor }) => waitsFor?.tenant ?? null),
    all.map(({ waitsFor }) => waitsFor?.caseType ?? null),
    all.map(({ waitsFor }) => waitsFor?.key ?? null),
    all.map(({ sourceId }) => sourceId),
    LOST_FACT_SENTENCE,
    LOST_FACT_DELAY_MS,
  ]);
  const stored = new Set(rows.map(({ n }) => sorted[n - 1]?.index));
  return outcomes.map((_, index) => stored.has(index));
}

function placeOf({ eventId, consumer }: WorkOutcome): string {
  return `${eventId} ${consumer}`;
}

/** Takes a key as the port says. */
export async function takeKey(
  database: Database,
  eventId: string,
  { kind, hash }: FurtherKey,
): Promise<string | null> {
  const shard = Number.parseInt(hash.slice(0, 8), 16) % 32;
  const [row] = await database.run<{ readonly event_id: string }>("take_key", [shard, hash, kind, eventId]);
  invariant(row !== undefined, "take_key returned no row");
  if (row.event_id === eventId) return null;
  const sighting = kind === "business" ? "sameFact" : "sameBody";
  await database.run("note_sighting", [shardIn(row.event_id), row.event_id, sighting, eventId, null, null]);
  return row.event_id;
}

/** Releases work as the port says. */
export async function releaseWork(
  database: Database,
  holderId: string,
  known: readonly string[],
): Promise<number> {
  invariant(known.length <= WORK_CLAIM_MAX, `a holder knows ${known.length} claims`);
  return (await database.run("release_work", [holderId, known])).length;
}

/** Lists holders as the port says. */
export async function listWorkHolders(database: Database): Promise<readonly string[]> {
  const rows = await database.run<{ readonly holder_id: string }>("list_work_holders", [SWEEP_MAX]);
  return rows.map(({ holder_id }) => holder_id);
}

/** Frees work as the port says. */
export async function freeWork(database: Database, endedHolders: readonly string[]): Promise<number> {
  return (await database.run("free_work", [endedHolders, WORK_LOSSES_MAX, SWEEP_MAX])).length;
}

/** Expires work as the port says. */
export async function expireWork(database: Database): Promise<number> {
  return (await database.run("expire_work", [SWEEP_MAX])).length;
}

/** Matches work again as the port says. */
export async function rematchWork(database: Database): Promise<number> {
  return (await database.run("rematch_work", [SWEEP_MAX])).length;
}

/** Opens work again as the port says. */
export async function reopenWork(
  database: Database,
  eventId: string,
  work: readonly NewWork[],
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<readonly string[]> {
  const shard = shardIn(eventId);
  return database.transact("begin_change", async (session) => {
    const opened = await session.run<{ readonly consumer: string }>("reopen_work", [
      shard,
      eventId,
      work.map(({ consumer }) => consumer),
      work.map(({ lane }) => lane),
      work.map(({ owner }) => owner),
      work.map(({ withinMs }) => withinMs),
    ]);
    const consumers = opened.map(({ consumer }) => consumer);
    await session.run("note_sighting", [shard, eventId, "replayed", consumers.join(", "), by, reason]);
    return consumers;
  });
}

/** Ignores work as the port says. */
export async function ignoreWork(
  database: Database,
  eventId: string,
  seen: readonly SeenWork[],
  { by, reason, sentence }: { readonly by: string; readonly reason: string; readonly sentence: string },
): Promise<readonly string[]> {
  if (seen.length === 0) return [];
  const shard = shardIn(eventId);
  return database.transact("begin_change", async (session) => {
    const ignored = await session.run<{ readonly consumer: string }>("ignore_work", [
      shard,
      eventId,
      seen.map(({ consumer }) => consumer),
      seen.map(({ state }) => state),
      seen.map(({ claimId }) => claimId),
      sentence,
    ]);
    const consumers = ignored.map(({ consumer }) => consumer).toSorted();
    if (consumers.length > 0)
      await session.run("note_sighting", [shard, eventId, "ignored", consumers.join(", "), by, reason]);
    return consumers;
  });
}

/** Hints as the port says. */
export async function hintWork(database: Database, hinting: Hinting): Promise<void> {
  hinting.hint();
  await database.run("hint_work", [hinting.payload]);
}

/** Finds cases as the port says. */
export async function findCases(database: Database, target: CaseTarget): Promise<readonly string[]> {
  const { shard, key, caseType, tenant } = target;
  const rows = await database.run<{ readonly case_id: string }>("find_cases", [
    shard,
    key,
    caseType,
    tenant,
    MATCHES_MAX,
  ]);
  return rows.map(({ case_id }) => case_id);
}

/** Links a case as the port says. */
export async function linkCase(
  database: Database,
  hinting: Hinting,
  caseId: string,
  targets: readonly CaseTarget[],
): Promise<void> {
  if (targets.length === 0) return;
  const hinted = await database.run("link_case", [
    targets.map(({ shard }) => shard),
    targets.map(({ key }) => key),
    targets.map(({ caseType }) => caseType),
    targets.map(({ tenant }) => tenant),
    caseId,
    hinting.payload,
  ]);
  if (hinted.length > 0) hinting.hint();
}
