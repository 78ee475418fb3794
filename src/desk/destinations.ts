/** Destinations as people see them: what each may be sent now and why, what is under way there, and who waits for it. */

import { nameWithoutKey } from "../core/part-name.ts";
import { sendsOf } from "../core/sends.ts";
import { destinationKey, withinPolicy, type Denial, type DestinationState } from "../core/in-flight.ts";
import type { DestinationOutline, Owners } from "../core/outline.ts";
import { isHeldBack } from "../core/plan-hold.ts";
import type { DestinationReading } from "../core/state.ts";
import { sendsTo, type Registry } from "../define/registry.ts";
import type { DestinationsReply, HeldCount } from "../store/destination-port.ts";
import type { Store, StoredRow } from "../store/port.ts";
import { LIST_LIMIT_MAX } from "../store/port.ts";
import type { DestinationStanding } from "../store/sample-port.ts";
import type { DeskParts } from "./desk-parts.ts";

/** Pages of claimed cases that are looked through for what is under way. */
const CLAIMED_PAGES_MAX = 4;

/** One destination under one credential. Times are epoch ms. */
export interface DestinationView {
  readonly destination: string;
  readonly credentialId: string;
  readonly standing: DestinationStanding;
  /** Such as "erp is down since 10:04; 37 cases wait; next check allowed at 10:06". */
  readonly sentence: string;
  /** Attempts that all workers together may have under way now; null where steps write in the engine's own database. */
  readonly limit: number | null;
  readonly limitMax: number | null;
  /** Attempts under way, as far as their cases say; of the first 2,000 claimed cases. */
  readonly inFlight: number;
  /** Workers alive that may send there. */
  readonly workers: number;
  readonly downSinceAt: number | null;
  /** Nothing is sent before; null = at once. */
  readonly notBeforeAt: number | null;
  readonly lastFailure: DestinationState["lastFailure"];
  readonly denial: Denial | null;
  /** Cases that are held back or wait for access, of those looked at within 15 min. */
  readonly heldBack: number;
  /** When the first of them is looked at again; null = there is none. */
  readonly nextLookAt: number | null;
  readonly owners: Owners;
}

/** Everything about destinations. */
export interface DestinationsView {
  readonly now: number;
  /** Those that loaded case types send to, by name. */
  readonly destinations: readonly DestinationView[];
}

/** Reads every destination that loaded case types send to. */
export async function readDestinations(parts: DeskParts): Promise<DestinationsView> {
  const { store, registry } = parts;
  const [known, held, claimed] = await Promise.all([
    store.readDestinations(),
    store.countHeld(),
    claimedRows(store),
  ]);
  const underWay = inFlightOf(registry, claimed);
  const outlines = sendsTo(registry.all.map(({ outline }) => outline)).toSorted(byName);
  const destinations = outlines.map((outline) => viewDestination(parts, { outline, known, held, underWay }));
  return { now: known.now, destinations };
}

function byName(one: DestinationOutline, other: DestinationOutline): number {
  return one.name === other.name
    ? one.credentialId.localeCompare(other.credentialId)
    : one.name.localeCompare(other.name);
}

/** What readings of these rows need to know of destinations; undefined where none of them waits for one. */
export async function readingsFor(
  { store }: Pick<DeskParts, "store">,
  rows: readonly StoredRow[],
): Promise<ReadonlyMap<string, DestinationReading> | undefined> {
  if (!rows.some(({ summary }) => summary.waits.some(isHeldBack))) return undefined;
  const [known, held] = await Promise.all([store.readDestinations(), store.countHeld()]);
  const waiting = new Map(held.map((one) => [destinationKey(one.destination, one.credentialId), one.cases]));
  return new Map(
    known.destinations.map(({ destination, credentialId, state }) => {
      const key = destinationKey(destination, credentialId);
      const { downSinceAt, notBeforeAt, notBeforeBy, denial } = state;
      // What is over says nothing any more.
      const isOver = downSinceAt === null && (notBeforeAt ?? 0) <= known.now;
      return [
        key,
        {
          downSinceAt,
          notBeforeAt: isOver ? null : notBeforeAt,
          notBeforeBy: isOver ? null : notBeforeBy,
          denial,
          waiting: waiting.get(key) ?? 0,
        },
      ];
    }),
  );
}

async function claimedRows(store: Store): Promise<readonly StoredRow[]> {
  const rows: StoredRow[] = [];
  let after: string | undefined;
  for (let page = 0; page < CLAIMED_PAGES_MAX; page += 1) {
    const filter = { states: ["claimed"], limit: LIST_LIMIT_MAX } as const;
    const found = await store.listCases({ ...filter, ...(after === undefined ? {} : { after }) });
    rows.push(...found.rows);
    if (found.next === null) break;
    after = found.next;
  }
  return rows;
}

/** Claimed cases with an attempt whose outcome is not known, by destination. */
function inFlightOf(registry: Registry, claimed: readonly StoredRow[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { caseType, summary } of claimed) {
    const sends = registry.find(caseType)?.outline.steps.flatMap(sendsOf);
    const unsettled = summary.unsettled.map(nameWithoutKey);
    for (const { name, destination } of sends ?? []) {
      if (!unsettled.includes(name)) continue;
      const key = destinationKey(destination.name, destination.credentialId);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

interface Seen {
  readonly outline: DestinationOutline;
  readonly known: DestinationsReply;
  readonly held: readonly HeldCount[];
  readonly underWay: ReadonlyMap<string, number>;
}

function viewDestination(parts: DeskParts, { outline, known, held, underWay }: Seen): DestinationView {
  const { name, credentialId, inFlight: policy, owners, repeatSafety } = outline;
  const key = destinationKey(name, credentialId);
  const isHere = (one: { readonly destination: string; readonly credentialId: string }): boolean =>
    one.destination === name && one.credentialId === credentialId;
  const state = withinPolicy(known.destinations.find(isHere)?.state ?? null, policy);
  const count = held.find(isHere);
  const isLimited = repeatSafety.by !== "transaction";
  const standing = standingOf(state, known.now);
  const isShut = standing === "down" || standing === "throttled" || standing === "quota";
  const view = {
    destination: name,
    credentialId,
    standing,
    limit: isLimited ? Math.floor(state.limit) : null,
    limitMax: isLimited ? policy.max : null,
    inFlight: underWay.get(key) ?? 0,
    workers: known.senders.filter(({ destinations }) => destinations.includes(key)).length,
    downSinceAt: state.downSinceAt,
    notBeforeAt: isShut ? state.notBeforeAt : null,
    lastFailure: state.lastFailure,
    denial: state.denial,
    heldBack: count?.cases ?? 0,
    nextLookAt: count?.nextDueAt ?? null,
    owners,
  };
  return { ...view, sentence: say(view, parts.formatTime) };
}

function standingOf(state: DestinationState, now: number): DestinationStanding {
  if (state.denial !== null) return "denied";
  if (state.downSinceAt !== null) return "down";
  const isWaiting = (state.notBeforeAt ?? 0) > now;
  if (isWaiting && state.notBeforeBy === "throttled") return "throttled";
  if (isWaiting && state.notBeforeBy === "quota") return "quota";
  return state.failures > 0 ? "failing" : "up";
}

function say(view: Omit<DestinationView, "sentence">, formatTime: (at: number) => string): string {
  const { destination, credentialId, heldBack, notBeforeAt, denial, downSinceAt } = view;
  const wait = heldBack === 1 ? "; 1 case waits" : `; ${heldBack} cases wait`;
  const waiting = heldBack === 0 ? "" : wait;
  const next = notBeforeAt === null ? "" : `; next check allowed at ${formatTime(notBeforeAt)}`;
  switch (view.standing) {
    case "denied": {
      const what = denial?.cause === "quota" ? "has used up its quota" : "is refused access";
      const since = denial === null ? "" : ` since ${formatTime(denial.sinceAt)}`;
      return `${credentialId} ${what} at ${destination}${since}${waiting}`;
    }
    case "down":
      return `${destination} is down${downSinceAt === null ? "" : ` since ${formatTime(downSinceAt)}`}${waiting}${next}`;
    case "throttled":
      return `${destination} asked to slow down${waiting}${next}`;
    case "quota":
      return `the quota of ${credentialId} at ${destination} is used up${waiting}${next}`;
    case "failing":
      return `${destination} fails now and then${waiting}`;
    case "up":
      return `${destination} is up${waiting}`;
  }
}
