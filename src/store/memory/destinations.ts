/** What a memory store knows of destinations, and the cases that they hold back. */

import { destinationKey, type DestinationState } from "../../core/in-flight.ts";
import { isHeldBack } from "../../core/plan-hold.ts";
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
import { storedRow, type MemoryCase } from "./cases.ts";
import { frozenCopy } from "./frozen.ts";
import { refill } from "./holders.ts";

/** Destinations in one answer, and deleted by one call, at most. */
const DESTINATIONS_MAX = 1_000;

/** What is known of destinations, by name and credential. */
export class MemoryDestinations {
  private readonly known = new Map<string, StoredDestination>();

  /** Takes what is known now; the function given makes it so again. */
  replicate(): () => void {
    const known = [...this.known];
    return () => refill(this.known, known);
  }

  /** Everything known, and who sends there. */
  read(now: number, senders: readonly Sender[]): DestinationsReply {
    const sorted = [...this.known].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return { now, destinations: sorted.slice(0, DESTINATIONS_MAX).map(([, stored]) => stored), senders };
  }

  /** Changes what is known of one. */
  change<Reply>(
    id: DestinationId,
    now: number,
    decide: (state: DestinationState | null, now: number) => DestinationChange<Reply>,
  ): Reply {
    const { destination, credentialId } = id;
    const key = destinationKey(destination, credentialId);
    const before = this.known.get(key)?.state ?? null;
    const { state, reply } = decide(before, now);
    if (state !== null && state !== before) {
      this.known.set(key, frozenCopy({ destination, credentialId, state, changedAt: now }));
    }
    return reply;
  }

  /** Deletes what nobody has changed since. */
  forget(changedBefore: number): number {
    const old = [...this.known].filter(([, { changedAt }]) => changedAt < changedBefore);
    const forgotten = old.slice(0, DESTINATIONS_MAX);
    for (const [key] of forgotten) this.known.delete(key);
    return forgotten.length;
  }
}

/** Makes held back cases due sooner, as the port says. */
export function hastenHeld(
  cases: Map<string, MemoryCase>,
  { destination, credentialId, count, gapMs }: HastenRequest,
  now: number,
): number {
  const held = heldCases(cases.values(), now).filter(({ one, dueAt }) => {
    const isThere = one.row.summary.waits.some(
      (wait) => isHeldBack(wait) && wait.destination === destination && wait.credentialId === credentialId,
    );
    return isThere && dueAt > now;
  });
  const hastened = held.slice(0, count);
  hastened.forEach(({ one, dueAt }, index) => {
    const sooner = Math.min(dueAt, now + index * gapMs);
    cases.set(one.identity.caseId, Object.freeze({ ...one, row: { ...one.row, dueAt: sooner } }));
  });
  return hastened.length;
}

/** How many cases are held back where, as the port says. */
export function countHeld(cases: Iterable<MemoryCase>, now: number): readonly HeldCount[] {
  const counts = new Map<string, HeldCount>();
  for (const { one, dueAt } of heldCases(cases, now)) {
    const places = new Map(
      one.row.summary.waits.flatMap((wait): readonly (readonly [string, DestinationId])[] =>
        isHeldBack(wait) ? [[destinationKey(wait.destination, wait.credentialId), wait]] : [],
      ),
    );
    for (const [key, { destination, credentialId }] of places) {
      const { cases: before = 0, nextDueAt = dueAt } = counts.get(key) ?? {};
      counts.set(key, {
        destination,
        credentialId,
        cases: before + 1,
        nextDueAt: Math.min(nextDueAt, dueAt),
      });
    }
  }
  return [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
}

interface Held {
  readonly one: MemoryCase;
  readonly dueAt: number;
}

/** Soonest due first. */
function heldCases(cases: Iterable<MemoryCase>, now: number): readonly Held[] {
  const held = [...cases].flatMap((one): readonly Held[] => {
    const { state, dueAt, summary } = storedRow(one);
    const isHeld = state === "waiting" && dueAt !== null && dueAt <= now + HELD_MS_MAX;
    return isHeld && summary.waits.some(isHeldBack) ? [{ one, dueAt }] : [];
  });
  return held.toSorted(
    (a, b) => a.dueAt - b.dueAt || (a.one.identity.caseId < b.one.identity.caseId ? -1 : 1),
  );
}
