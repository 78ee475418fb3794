/** What of a delivery's body is wanted at its arrival: what its events are and what names them, but not all that they say. */

import { isJsonArray, isJsonObject, type Json } from "../core/json.ts";
import type { Arrival } from "./arrival.ts";
import type { Preset } from "./preset.ts";
import { eventsIn, readBody, type ReadEvent } from "./read-events.ts";
import { sha256Hex } from "./signing.ts";

/** Bytes from which on a body is read in a thread of its own. */
export const LARGE_BODY_BYTES: number = 256 * 1024;
/** Values of a body that are handed from one thread to another as a whole. */
const WHOLE_VALUES_MAX = 10_000;
/** What is handed on of a larger one: levels, fields of each object, items of each list. */
const SKELETON_LEVELS = 4;
const SKELETON_FIELDS = 200;
const SKELETON_ITEMS = 6;

/** One event, without what it says. */
export interface EventOutline extends Omit<ReadEvent, "data"> {
  /** Of what the event alone says; null where it is all of the body. */
  readonly itemHash: string | null;
}

/** What reading gave. */
export type Content =
  | {
      readonly kind: "content";
      readonly events:
        | { readonly kind: "events"; readonly events: readonly EventOutline[] }
        | { readonly kind: "unreadable"; readonly why: string };
      /** For proofs and challenges within the body. Of a large body only its beginning. */
      readonly value: Json;
    }
  /** `why` ends a sentence that begins with the body. */
  | { readonly kind: "unreadable"; readonly why: string };

/** Reads a plain body. Lets other work in between where it is long. */
export async function readContent(arrival: Arrival, preset: Preset): Promise<Content> {
  const body = await readBody(arrival, preset);
  if (body.kind === "unreadable") return body;
  const { value } = body;
  const found = eventsIn(value, arrival, preset);
  if (found.kind === "unreadable") return { kind: "content", events: found, value };
  const isAlone = found.events.length === 1;
  const events = found.events.map(({ data, ...outline }) => ({
    ...outline,
    itemHash: isAlone ? null : sha256Hex(JSON.stringify(data)),
  }));
  return { kind: "content", events: { kind: "events", events }, value };
}

/** The content as it is handed to another thread: taking over half a million values would stall it. */
export function withoutBulk(content: Content): Content {
  if (content.kind === "unreadable" || hasAtMost(content.value, WHOLE_VALUES_MAX)) return content;
  return { ...content, value: skeletonOf(content.value, SKELETON_LEVELS) };
}

function hasAtMost(value: Json, valuesMax: number): boolean {
  const waiting: Json[] = [value];
  let values = 0;
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    values += 1;
    const inner = isJsonArray(one) ? one : isJsonObject(one) ? Object.values(one) : [];
    if (values + waiting.length + inner.length > valuesMax) return false;
    for (const each of inner) waiting.push(each);
  }
  return true;
}

function skeletonOf(value: Json, levels: number): Json {
  if (isJsonArray(value))
    return levels === 0 ? [] : value.slice(0, SKELETON_ITEMS).map((one) => skeletonOf(one, levels - 1));
  if (!isJsonObject(value)) return value;
  if (levels === 0) return {};
  const fields = Object.entries(value).slice(0, SKELETON_FIELDS);
  return Object.fromEntries(fields.map(([name, one]) => [name, skeletonOf(one, levels - 1)]));
}
