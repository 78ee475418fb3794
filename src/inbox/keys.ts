/**
 * What makes two deliveries the same. Keys are lists of parts, written so that no two lists look alike, and scoped by
 * tenant and source: what one sender names must never hide what another sends.
 */

import { SHARD_COUNT } from "../store/port.ts";
import { sha256Hex } from "./signing.ts";

/** What a key is made of. */
export type KeyKind = "delivery" | "business" | "body";

/** A key as stored: 40 letters and digits. */
export function keyHash(
  scope: { readonly tenant: string; readonly source: string },
  kind: KeyKind,
  parts: readonly string[],
): string {
  const text = JSON.stringify([scope.tenant, scope.source, kind, ...parts]);
  return sha256Hex(text).slice(0, 40);
}

/** The shard of a key. */
export function shardOfKey(hash: string): number {
  return Number.parseInt(hash.slice(0, 8), 16) % SHARD_COUNT;
}

/** The id of the event with this suppressing key: the same for every delivery of it. Begins with its shard. */
export function eventIdOf(hash: string): string {
  return `e${String(shardOfKey(hash)).padStart(2, "0")}-${hash.slice(8, 40)}`;
}

/** The shard of an event, from its id. Null = this is no id of an event. */
export function shardOfEvent(eventId: string): number | null {
  const found = /^e(\d\d)-[0-9a-f]{32}$/.exec(eventId)?.[1];
  const shard = found === undefined ? Number.NaN : Number(found);
  return shard < SHARD_COUNT ? shard : null;
}
