/** What is known of destinations, and the cases that they hold back. */

import { invariant } from "../../core/errors.ts";
import type { DestinationState } from "../../core/in-flight.ts";
import {
  HELD_MS_MAX,
  type DestinationChange,
  type DestinationId,
  type DestinationsReply,
  type HastenRequest,
  type HeldCount,
  type Sender,
  type StoredDestination,
} from "../destination-port.ts";
import type { Database } from "./database.ts";

/** Everything known of destinations, and who sends there. */
export async function readDestinations(database: Database): Promise<DestinationsReply> {
  const [row] = await database.run<{
    readonly now: number;
    readonly destinations: readonly StoredDestination[];
    readonly senders: readonly Sender[];
  }>("read_destinations", []);
  invariant(row !== undefined, "read_destinations returned no row");
  return row;
}

/** Changes what is known of one destination, under its lock. */
export async function changeDestination<Reply>(
  database: Database,
  { destination, credentialId }: DestinationId,
  decide: (state: DestinationState | null, now: number) => DestinationChange<Reply>,
): Promise<Reply> {
  return database.transact("begin_change", async (session) => {
    const [row] = await session.run<{ readonly state: DestinationState | null; readonly now: number }>(
      "lock_destination",
      [destination, credentialId],
    );
    invariant(row !== undefined, "lock_destination returned no row");
    const change = decide(row.state, row.now);
    if (change.state !== row.state) {
      await session.run("write_destination", [destination, credentialId, JSON.stringify(change.state)]);
    }
    return change.reply;
  });
}

/** Deletes what nobody has changed for long; how many. */
export async function forgetDestinations(database: Database, changedBefore: number): Promise<number> {
  return (await database.run("forget_destinations", [changedBefore])).length;
}

/** Makes held back cases due sooner; how many. */
export async function hastenHeld(
  database: Database,
  { destination, credentialId, count, gapMs }: HastenRequest,
): Promise<number> {
  const waits = JSON.stringify([{ destination, credentialId }]);
  return (await database.run("hasten_held", [waits, count, gapMs, HELD_MS_MAX])).length;
}

/** How many cases are held back where. */
export async function countHeld(database: Database): Promise<readonly HeldCount[]> {
  const rows = await database.run<{
    readonly destination: string;
    readonly credential_id: string;
    readonly cases: number;
    readonly next_due_at: number;
  }>("count_held", [HELD_MS_MAX]);
  return rows.map((row) => ({
    destination: row.destination,
    credentialId: row.credential_id,
    cases: row.cases,
    nextDueAt: row.next_due_at,
  }));
}
