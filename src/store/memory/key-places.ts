/** The places of keys in a memory store. */

import type { ConcurrencyOutline } from "../../core/concurrency-outline.ts";
import { invariant } from "../../core/errors.ts";
import {
  givePlaces,
  isPlaceHeld,
  keyTurnAt,
  lookAgainAt,
  type InLine,
  type KeyPlace,
} from "../../core/key-places.ts";
import { isClaimable } from "../../core/row.ts";
import { priorityIn } from "../../core/start-entry.ts";
import type { ClaimRequest } from "../port.ts";
import {
  CALLED_KEYS_MAX,
  HELD_COUNT_MAX,
  type CallReply,
  type CallRequest,
  type ConcurrencyKey,
  type KeyReading,
} from "../place-port.ts";
import type { MemoryCase } from "./cases.ts";

/** Places deleted by one call. */
const FORGOTTEN_MAX = 1_000;

interface MemoryPlace extends KeyPlace {
  readonly key: ConcurrencyKey;
  readonly limit: number;
  readonly takenAt: number;
}

/** A case that is to be claimed, and the claim id it would get. */
export interface Wanted {
  readonly stored: MemoryCase;
  readonly claimId: string;
}

/** The key of a case; null = nothing limits it. */
function keyOfCase({ identity, row }: MemoryCase): ConcurrencyKey | null {
  const { tenant, caseType } = identity;
  const { concurrencyKey: key } = row.summary;
  return key === undefined ? null : { tenant, caseType, key };
}

function nameOf({ tenant, caseType, key }: ConcurrencyKey): string {
  return JSON.stringify([tenant, caseType, key]);
}

function inLine(stored: MemoryCase): InLine {
  const { identity, row, heldSinceAt, journal } = stored;
  return {
    caseId: identity.caseId,
    dueAt: row.dueAt ?? 0,
    heldSinceAt: heldSinceAt ?? null,
    priority: priorityIn(journal.slice(0, 1).map(({ entry }) => entry)),
  };
}

/** Which places were taken last, and for whom. */
export class MemoryKeyPlaces {
  /** By key and slot. */
  private readonly places = new Map<string, MemoryPlace>();
  private readonly cases: Map<string, MemoryCase>;

  constructor(cases: Map<string, MemoryCase>) {
    this.cases = cases;
  }

  /** Takes what is there now; the function given makes it so again. */
  replicate(): () => void {
    const places = [...this.places];
    return () => {
      this.places.clear();
      for (const [name, place] of places) this.places.set(name, place);
    };
  }

  /** Takes places for the cases that have a key with a limit; gives those that may be claimed. The others are held back. */
  take(wanted: readonly Wanted[], { caseTypes }: ClaimRequest, now: number): readonly Wanted[] {
    const limits = new Map(caseTypes.map(({ name, concurrency }) => [name, concurrency ?? null]));
    const byKey = new Map<string, { readonly key: ConcurrencyKey; readonly line: Wanted[] }>();
    const given = new Set<string>();
    for (const one of wanted) {
      const key = keyOfCase(one.stored);
      if (key === null || (limits.get(key.caseType) ?? null) === null) given.add(one.claimId);
      else {
        const group = byKey.get(nameOf(key)) ?? { key, line: [] };
        group.line.push(one);
        byKey.set(nameOf(key), group);
      }
    }
    for (const { key, line } of byKey.values()) {
      const outline = limits.get(key.caseType) ?? null;
      invariant(outline !== null, `${key.caseType} has a limit`);
      for (const claimId of this.takeOf(key, line, { outline, now })) given.add(claimId);
    }
    return wanted.filter(({ claimId }) => given.has(claimId));
  }

  private takeOf(
    key: ConcurrencyKey,
    line: readonly Wanted[],
    { outline, now }: { readonly outline: ConcurrencyOutline; readonly now: number },
  ): readonly string[] {
    const { limit, freedBy } = outline;
    const ids = new Set(line.map(({ stored }) => stored.identity.caseId));
    const behind = this.heldBack(key).filter(({ caseId }) => !ids.has(caseId));
    const slots = givePlaces(
      line.map(({ stored }) => inLine(stored)),
      {
        limit,
        held: this.held(key),
        firstBehindAt: behind.length === 0 ? null : Math.min(...behind.map(keyTurnAt)),
      },
    );
    return line.flatMap(({ stored, claimId }) => {
      const { caseId } = stored.identity;
      const slot = slots.get(caseId);
      if (slot === undefined) {
        this.holdBack(stored, now);
        return [];
      }
      this.places.set(`${nameOf(key)} ${slot}`, { key, slot, caseId, claimId, freedBy, limit, takenAt: now });
      return [claimId];
    });
  }

  private holdBack(stored: MemoryCase, now: number): void {
    const { row } = stored;
    const since = stored.heldSinceAt ?? row.dueAt ?? now;
    this.cases.set(
      stored.identity.caseId,
      Object.freeze({ ...stored, row: { ...row, dueAt: lookAgainAt(since, now) }, heldSinceAt: since }),
    );
  }

  /** Places of a key that hold, by slot. */
  private held(key: ConcurrencyKey): readonly MemoryPlace[] {
    return this.of(key)
      .filter((place) => this.isHeld(place))
      .toSorted((one, other) => one.slot - other.slot);
  }

  private of(key: ConcurrencyKey): readonly MemoryPlace[] {
    return [...this.places.values()].filter((place) => nameOf(place.key) === nameOf(key));
  }

  private isHeld(place: MemoryPlace): boolean {
    const holder = this.cases.get(place.caseId);
    return isPlaceHeld(
      place,
      holder === undefined ? null : { state: holder.row.state, claimId: holder.claim?.claimId ?? null },
    );
  }

  private allHeldBack(): readonly MemoryCase[] {
    return [...this.cases.values()].filter(({ heldSinceAt }) => (heldSinceAt ?? null) !== null);
  }

  /** Cases of a key that are held back, first turns first. */
  private heldBack(key: ConcurrencyKey): readonly InLine[] {
    return this.allHeldBack()
      .filter((one) => {
        const own = keyOfCase(one);
        return own !== null && nameOf(own) === nameOf(key);
      })
      .map(inLine)
      .toSorted((one, other) => keyTurnAt(one) - keyTurnAt(other) || (one.caseId < other.caseId ? -1 : 1));
  }

  private limitOf(key: ConcurrencyKey): number {
    const newest = this.of(key).toSorted((one, other) => other.takenAt - one.takenAt)[0];
    return newest?.limit ?? 1;
  }

  /** As the port says. */
  callNext(request: CallRequest, now: number): CallReply {
    const { keys, next } = "keys" in request ? { keys: request.keys, next: null } : this.walk(request.after);
    let called = 0;
    for (const key of keys) {
      const free = this.limitOf(key) - this.held(key).length;
      for (const { caseId } of this.heldBack(key).slice(0, Math.max(0, free))) {
        const stored = this.cases.get(caseId);
        const since = stored?.heldSinceAt ?? null;
        if (stored === undefined || since === null || isClaimable(stored.row, now)) continue;
        this.cases.set(caseId, Object.freeze({ ...stored, row: { ...stored.row, dueAt: since } }));
        called += 1;
      }
    }
    return { called, next };
  }

  private walk(after: ConcurrencyKey | null): {
    readonly keys: readonly ConcurrencyKey[];
    readonly next: ConcurrencyKey | null;
  } {
    const all = new Map<string, ConcurrencyKey>();
    for (const one of this.allHeldBack()) {
      const key = keyOfCase(one);
      if (key !== null) all.set(nameOf(key), key);
    }
    const keys = [...all.values()]
      .filter((key) => after === null || compareKeys(key, after) > 0)
      .toSorted(compareKeys)
      .slice(0, CALLED_KEYS_MAX);
    return { keys, next: keys.length === CALLED_KEYS_MAX ? (keys.at(-1) ?? null) : null };
  }

  /** As the port says. */
  read(keys: readonly ConcurrencyKey[]): readonly KeyReading[] {
    return keys.slice(0, CALLED_KEYS_MAX).map(({ tenant, caseType, key }) => {
      const named = { tenant, caseType, key };
      return {
        ...named,
        limit: this.limitOf(named),
        held: this.held(named).map(({ slot, caseId, claimId, freedBy }) => ({
          slot,
          caseId,
          claimId,
          freedBy,
        })),
        waiting: Math.min(this.heldBack(named).length, HELD_COUNT_MAX),
      };
    });
  }

  /** What a case that is erased had. */
  erase(caseId: string): void {
    for (const [name, place] of this.places) if (place.caseId === caseId) this.places.delete(name);
  }

  /** As the port says. */
  forget(takenBefore: number): number {
    const old = [...this.places]
      .filter(([, place]) => place.takenAt < takenBefore && !this.isHeld(place))
      .slice(0, FORGOTTEN_MAX);
    for (const [name] of old) this.places.delete(name);
    return old.length;
  }
}

function compareKeys(one: ConcurrencyKey, other: ConcurrencyKey): number {
  const [left, right] = [one, other].map(({ tenant, caseType, key }) => [tenant, caseType, key]);
  for (const [index, part] of (left ?? []).entries()) {
    const against = right?.[index] ?? "";
    if (part !== against) return part < against ? -1 : 1;
  }
  return 0;
}
