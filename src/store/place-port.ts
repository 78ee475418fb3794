/** What the store keeps of keys that limit how many cases are worked on at once: their places, and who is held back. */

import type { KeyPlace } from "../core/key-places.ts";

/** A key of cases of one tenant and type. */
export interface ConcurrencyKey {
  readonly tenant: string;
  readonly caseType: string;
  readonly key: string;
}

/** Which held back cases to call. */
export type CallRequest =
  /** Those of these keys, at most {@link CALLED_KEYS_MAX}. */
  | { readonly keys: readonly ConcurrencyKey[] }
  /** Those of the next keys after this one, at most {@link CALLED_KEYS_MAX}; null = from the first. */
  | { readonly after: ConcurrencyKey | null };

/** What calling did. */
export interface CallReply {
  /** Cases that are due now and were not before. */
  readonly called: number;
  /** The key to go on after; null = all were looked at. */
  readonly next: ConcurrencyKey | null;
}

/** Who has the places of a key, and who waits for one. */
export interface KeyReading extends ConcurrencyKey {
  /** As it was when a place of the key was taken last. */
  readonly limit: number;
  /** Places that hold now, by slot. */
  readonly held: readonly KeyPlace[];
  /** Cases that are held back, counted up to {@link HELD_COUNT_MAX}. */
  readonly waiting: number;
}

/** Places of keys. */
export interface PlaceStore {
  /**
   * Makes held back cases due, of each key as many as it has places free, those first whose turn is first. A hint: each of them comes
   * due by itself all the same, and takes its place by a claim.
   */
  callNext(request: CallRequest): Promise<CallReply>;
  /** Of each of these keys, at most {@link CALLED_KEYS_MAX}, in their order. */
  read(keys: readonly ConcurrencyKey[]): Promise<readonly KeyReading[]>;
  /** Forgets places that hold no more and were taken before; at most 1,000 a call. Returns how many. */
  forget(takenBefore: number): Promise<number>;
}

/** Keys of one call. */
export const CALLED_KEYS_MAX = 500;
/** Up to where held back cases of one key are counted. */
export const HELD_COUNT_MAX = 1_000;
