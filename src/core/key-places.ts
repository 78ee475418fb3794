/**
 * How many cases of one key are worked on at once. A key has as many places as its case type allows; a worker's claim of a case
 * that has a key takes one of them in the same statement, or does not take the case. A place says for which claim it was taken,
 * and whether it still holds follows from its case: so nobody has to give one back, and nobody can forget to.
 */

import type { PlaceFreedBy } from "./concurrency-outline.ts";
import type { RestingState, StoredState } from "./row.ts";
import { turnAt, type Priority } from "./starting.ts";

/** Largest limit of a key. */
export const CONCURRENCY_LIMIT_MAX = 1_000;

/** An engine below this one would claim a case that has a key without a place (R12). */
export const KEYED_ENGINE_VERSION = 2;

/** The engine version that a case needs. */
export function engineVersionFor(concurrencyKey: string | null): number {
  return concurrencyKey === null ? 1 : KEYED_ENGINE_VERSION;
}

/** Shortest and longest time after which a case that is held back comes due again by itself, in ms. */
const LOOK_AGAIN_MS_MIN = 30_000;
const LOOK_AGAIN_MS_MAX = 600_000;

/**
 * When a case that its key holds back comes due by itself: after as long as it has waited, within bounds, so that many that wait
 * for one key do not keep workers busy. It is called before that when a place is free.
 */
export function lookAgainAt(heldSinceAt: number, now: number): number {
  return now + Math.min(Math.max(now - heldSinceAt, LOOK_AGAIN_MS_MIN), LOOK_AGAIN_MS_MAX);
}

/** A place as it was taken last. */
export interface KeyPlace {
  /** 1 for the first one. */
  readonly slot: number;
  readonly caseId: string;
  readonly claimId: string;
  readonly freedBy: PlaceFreedBy;
}

/**
 * Whether a place still holds; `holder` is its case as it is now, null where there is none. A claim id never comes back, so a place
 * that is freed by rest and holds no more never holds again unless it is taken anew.
 */
export function isPlaceHeld(
  { claimId, freedBy }: KeyPlace,
  holder: { readonly state: StoredState | RestingState; readonly claimId: string | null } | null,
): boolean {
  if (holder === null) return false;
  switch (freedBy) {
    case "rest":
      return holder.claimId === claimId;
    case "end":
      return holder.state !== "done" && holder.state !== "canceled";
  }
}

/** A case that is due and has a key. */
export interface InLine {
  readonly caseId: string;
  readonly dueAt: number;
  /** When it was due before its key held it back; null = it has just become due. */
  readonly heldSinceAt: number | null;
  readonly priority: Priority;
}

/** What is known of a key when cases of it are claimed. */
export interface KeySeen {
  readonly limit: number;
  /** Those that hold, by slot. */
  readonly held: readonly KeyPlace[];
  /** Turn of the first of its cases that are held back and not in line; null = there is none. */
  readonly firstBehindAt: number | null;
}

/** When a case in line has its turn among those of its key. */
export function keyTurnAt({ dueAt, heldSinceAt, priority }: InLine): number {
  return turnAt(heldSinceAt ?? dueAt, priority);
}

/**
 * Which place each case of one key gets, by case id; a case that is not named gets none. A case that has its place keeps it, whatever
 * the limit is by now. The others take free ones by their turns. One that has just become due lets those go first that have been held
 * back for longer, once: so nothing waits for ever for a case that no worker can take.
 */
export function givePlaces(
  inLine: readonly InLine[],
  { limit, held, firstBehindAt }: KeySeen,
): ReadonlyMap<string, number> {
  const given = new Map<string, number>();
  const newcomers: InLine[] = [];
  for (const one of inLine) {
    const own = held.find(({ caseId }) => caseId === one.caseId);
    if (own !== undefined) given.set(one.caseId, own.slot);
    else if (one.heldSinceAt !== null || firstBehindAt === null || keyTurnAt(one) <= firstBehindAt)
      newcomers.push(one);
  }
  const taken = new Set(held.map(({ slot }) => slot));
  const inTurn = newcomers.toSorted(byTurn).slice(0, Math.max(0, limit - held.length));
  let slot = 1;
  for (const { caseId } of inTurn) {
    while (taken.has(slot)) slot += 1;
    given.set(caseId, slot);
    slot += 1;
  }
  return given;
}

function byTurn(one: InLine, other: InLine): number {
  return keyTurnAt(one) - keyTurnAt(other) || (one.caseId < other.caseId ? -1 : 1);
}
