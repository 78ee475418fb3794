/**
 * How turns are shared when more is due than workers take. What belongs to one case type and tenant is a group. While a
 * worker is behind, half of the places of each claim go round the groups, so that what one has piled up holds no other up;
 * the other half goes to the first turns of all, by priority and by how long each is due.
 */

import { turnAt, type Priority } from "./starting.ts";

/** Cases of one type and tenant. */
export interface TurnGroup {
  readonly caseType: string;
  readonly tenant: string;
}

/** Groups that one claim looks at. */
export const TURN_GROUPS_MAX = 32;

/** What a worker keeps in mind between its claims. */
export interface TurnRound {
  /** The last claim brought as many as it wanted, so more may be due. */
  readonly isBehind: boolean;
  /** The last claim shared places among the groups. */
  readonly hasShared: boolean;
  /** The group that was looked at last; null = the round begins. */
  readonly after: TurnGroup | null;
}

/** Before its first claim. */
export const FIRST_ROUND: TurnRound = { isBehind: false, hasShared: false, after: null };

/** How many places of a claim go round the groups. Where there is only one, every other claim's. */
export function sharedPlaces({ isBehind, hasShared }: TurnRound, places: number): number {
  if (!isBehind) return 0;
  if (places === 1) return hasShared ? 0 : 1;
  return Math.floor(places / 2);
}

/** What a claim came to. */
interface Claimed {
  /** Places that were to go round. */
  readonly shared: number;
  readonly sharedTo: TurnGroup | null;
  readonly isBehind: boolean;
}

/** What is kept in mind after a claim. */
export function afterClaim({ after }: TurnRound, { shared, sharedTo, isBehind }: Claimed): TurnRound {
  const hasShared = shared > 0;
  return { isBehind, hasShared, after: hasShared ? sharedTo : after };
}

/** A case that is due. */
export interface DueCase extends TurnGroup {
  readonly dueAt: number;
  readonly priority: Priority;
}

/** What a claim wants. */
interface TurnWishes {
  readonly places: number;
  /** How many of them go round. */
  readonly shared: number;
  /** The group to go on after; null = from the first. */
  readonly after: TurnGroup | null;
  /** Groups in which anything has a time, due or not. Each once, in any order. */
  readonly groups: readonly TurnGroup[];
}

/** Whose turn it is. */
export interface Turns<Due> {
  readonly taken: readonly Due[];
  /** The group to go on after; null = all were looked at. */
  readonly sharedTo: TurnGroup | null;
}

/**
 * Whose turn it is among those that are due. At most {@link TURN_GROUPS_MAX} groups are looked at, and those of them with
 * something due get equal parts of the shared places, the first ones one more. As claim_shared, in SQL; a test keeps the two
 * equal.
 */
export function takeTurns<Due extends DueCase>(due: readonly Due[], wishes: TurnWishes): Turns<Due> {
  const { places, shared, after, groups } = wishes;
  const inOrder = due.toSorted((one, other) => turnOf(one) - turnOf(other));
  const looked = groups
    .filter((group) => after === null || compareGroups(group, after) > 0)
    .toSorted(compareGroups)
    .slice(0, TURN_GROUPS_MAX);
  const withDue = looked
    .map((group) => inOrder.filter((one) => compareGroups(one, group) === 0))
    .filter((ofGroup) => ofGroup.length > 0);
  const each = Math.ceil(shared / Math.max(1, withDue.length));
  const rounds = Array.from({ length: each }, (_, nth) =>
    withDue.flatMap((ofGroup) => ofGroup.slice(nth, nth + 1)),
  );
  const atTheirTurn = new Set(rounds.flat().slice(0, shared));
  const first = inOrder.filter((one) => !atTheirTurn.has(one)).slice(0, places - atTheirTurn.size);
  return { taken: [...atTheirTurn, ...first], sharedTo: lastShared(looked, withDue, shared) };
}

function lastShared(
  looked: readonly TurnGroup[],
  withDue: readonly (readonly TurnGroup[])[],
  shared: number,
): TurnGroup | null {
  const isLeftOut = withDue.length > shared;
  if (!isLeftOut && looked.length < TURN_GROUPS_MAX) return null;
  const last = isLeftOut ? withDue[shared - 1]?.[0] : looked.at(-1);
  return last === undefined ? null : { caseType: last.caseType, tenant: last.tenant };
}

function turnOf({ dueAt, priority }: DueCase): number {
  return turnAt(dueAt, priority);
}

/** The order of rounds: by type, then by tenant. */
export function compareGroups(one: TurnGroup, other: TurnGroup): number {
  return compareTexts(one.caseType, other.caseType) || compareTexts(one.tenant, other.tenant);
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
