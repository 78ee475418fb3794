/** Reads the events of one delivery from its bytes: what each is, what names it, what it is about. */

import { isJsonArray, type Json } from "../core/json.ts";
import { headerText, type Arrival } from "./arrival.ts";
import { readCloudEvents } from "./cloud-events.ts";
import { textAt, valueAt } from "./fields.ts";
import { readJsonBytes, readJsonText, textOf, type JsonTextReading } from "./json-text.ts";
import type { Preset, Where } from "./preset.ts";
import { timeOf } from "./verify.ts";

/** Events of one delivery. */
const DELIVERY_EVENTS_MAX = 1_000;
/** Longest id, key part, type or subject of an event, in characters. */
const PART_CHARS_MAX = 400;
/** Fields of one form. */
const FORM_FIELDS_MAX = 1_000;

/** One event of a delivery. */
export interface ReadEvent {
  /** Its place in the delivery, from 0. */
  readonly itemNo: number;
  readonly data: Json;
  readonly eventType: string;
  /** What the provider names it by; null where a part is missing. */
  readonly deliveryKey: readonly string[] | null;
  readonly businessKey: readonly string[] | null;
  readonly subject: string | null;
  /** Epoch ms, as the provider says. Not an order. */
  readonly occurredAt: number | null;
}

/** What reading a delivery's events gave. */
export type EventsReading =
  | { readonly kind: "events"; readonly events: readonly ReadEvent[] }
  | { readonly kind: "unreadable"; readonly why: string };

/** Reads the body as its kind and content type say. `why` ends a sentence that begins with the body. */
export async function readBody(arrival: Arrival, preset: Preset): Promise<JsonTextReading> {
  if (preset.body === "cloudEvents") return readCloudEvents(arrival);
  const type = headerText(arrival.headers, "content-type") ?? "";
  const isForm = preset.body !== "json" && /^application\/x-www-form-urlencoded\b/i.test(type);
  return isForm ? readForm(arrival.body) : readJsonBytes(arrival.body);
}

/** The events in a body that was read. */
export function eventsIn(body: Json, arrival: Arrival, preset: Preset): EventsReading {
  const items = itemsIn(body, preset);
  if (items === null) return { kind: "unreadable", why: "the list of its events is missing" };
  if (items.length > DELIVERY_EVENTS_MAX) {
    return { kind: "unreadable", why: `it has ${items.length} events, more than ${DELIVERY_EVENTS_MAX}` };
  }
  const events = items.map((data, itemNo) => readEvent(data, itemNo, { body, arrival, preset }));
  return { kind: "events", events };
}

function itemsIn(body: Json, { items }: Preset): readonly Json[] | null {
  if (items === null) return [body];
  const list = valueAt(body, items.list);
  if (list === undefined || !isJsonArray(list)) return null;
  return list.map((one) => valueAt(one, items.item) ?? null);
}

interface Surroundings {
  readonly body: Json;
  readonly arrival: Arrival;
  readonly preset: Preset;
}

function readEvent(data: Json, itemNo: number, around: Surroundings): ReadEvent {
  const { preset } = around;
  const find = (where: Where): string | null => textWhere(where, data, around);
  const type = preset.eventType.map(find).filter((part) => part !== null);
  const { occurredAt } = preset;
  const occurred = occurredAt === null ? null : find(occurredAt.where);
  return {
    itemNo,
    data,
    // An event without a type is of a type too: it stays visible, and nothing takes it by accident.
    eventType: type.length === 0 ? "(no type)" : type.join("."),
    deliveryKey: wholeKey(preset.deliveryKey, find),
    businessKey: preset.businessKey === null ? null : wholeKey(preset.businessKey, find),
    subject: preset.subject === null ? null : (wholeKey(preset.subject, find)?.join(" ") ?? null),
    occurredAt: occurredAt === null || occurred === null ? null : timeOf(occurred, occurredAt.unit),
  };
}

function textWhere(where: Where, data: Json, { body, arrival }: Surroundings): string | null {
  const found = readWhere(where, data, body, arrival);
  return found === null || found.length > PART_CHARS_MAX || /\p{Cc}/u.test(found) ? null : found;
}

function readWhere(where: Where, data: Json, body: Json, arrival: Arrival): string | null {
  if ("header" in where) return headerText(arrival.headers, where.header);
  if ("path" in where) return textAt(data, where.path);
  if ("bodyPath" in where) return textAt(body, where.bodyPath);
  return where.text;
}

/** All parts, or null: a key with a part missing would be the key of every event that lacks it. */
function wholeKey(parts: readonly Where[], find: (where: Where) => string | null): readonly string[] | null {
  const found = parts.map(find).filter((part) => part !== null);
  return found.length === parts.length && parts.length > 0 ? found : null;
}

/** A form as an object of texts. A form that only carries JSON in its field `payload` is that JSON. */
async function readForm(bytes: Uint8Array): Promise<JsonTextReading> {
  const text = textOf(bytes);
  if (text === null) return { kind: "unreadable", why: "it is not UTF-8" };
  const form = new URLSearchParams(text);
  if (form.size > FORM_FIELDS_MAX) {
    return { kind: "unreadable", why: `it has more than ${FORM_FIELDS_MAX} fields` };
  }
  const payload = form.get("payload");
  if (payload !== null && form.size === 1) return readJsonText(payload);
  return objectOf(form);
}

function objectOf(form: URLSearchParams): JsonTextReading {
  const fields: Record<string, Json> = {};
  for (const name of new Set(form.keys())) {
    const values = form.getAll(name);
    if (name === "__proto__") return { kind: "unreadable", why: "it has a field __proto__" };
    if ([name, ...values].some((one) => one.includes("\0"))) {
      return { kind: "unreadable", why: "a field has a NUL character" };
    }
    fields[name] = values.length === 1 ? (values[0] ?? "") : values;
  }
  return { kind: "json", value: fields };
}
