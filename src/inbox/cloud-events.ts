/** CloudEvents 1.0 over HTTP: binary, structured and batched, each as a list of events with their attributes as fields. */

import { isJsonArray, isJsonObject, type Json } from "../core/json.ts";
import { headerText, type Arrival } from "./arrival.ts";
import { readJsonBytes, textOf, type JsonTextReading } from "./json-text.ts";

/** Attributes of one event in binary form. */
const ATTRIBUTES_MAX = 100;

/** Reads a request as its content type says. Null attributes are left out; `data` is JSON, text, or base64. */
export async function readCloudEvents(arrival: Arrival): Promise<JsonTextReading> {
  const type = headerText(arrival.headers, "content-type") ?? "";
  if (/^application\/cloudevents-batch\+json\b/i.test(type))
    return checkList(await readJsonBytes(arrival.body));
  if (/^application\/cloudevents\+json\b/i.test(type)) return asList(await readJsonBytes(arrival.body));
  if (arrival.headers.has("ce-id")) return readBinary(arrival, type);
  return {
    kind: "unreadable",
    why: "it is no CloudEvent: it has neither their content type nor a header ce-id",
  };
}

function checkList(reading: JsonTextReading): JsonTextReading {
  if (reading.kind === "unreadable" || isJsonArray(reading.value)) return reading;
  return { kind: "unreadable", why: "it is no list of events" };
}

function asList(reading: JsonTextReading): JsonTextReading {
  if (reading.kind === "unreadable") return reading;
  if (!isJsonObject(reading.value)) return { kind: "unreadable", why: "it is no event" };
  return { kind: "json", value: [reading.value] };
}

async function readBinary(arrival: Arrival, type: string): Promise<JsonTextReading> {
  const attributes: Record<string, Json> = {};
  for (const [name, values] of arrival.headers) {
    const [value] = values;
    if (!/^ce-[a-z0-9]{1,20}$/.test(name) || value === undefined) continue;
    const decoded = values.length === 1 ? decodeAttribute(value) : null;
    if (decoded === null) return { kind: "unreadable", why: `its header ${name} cannot be read` };
    attributes[name.slice(3)] = decoded;
  }
  if (Object.keys(attributes).length > ATTRIBUTES_MAX)
    return { kind: "unreadable", why: "it has too many attributes" };
  if (type !== "") attributes["datacontenttype"] = type;
  const data = await readData(arrival.body, type);
  if (data.kind === "unreadable") return data;
  return { kind: "json", value: [{ ...attributes, data: data.value }] };
}

async function readData(body: Uint8Array, type: string): Promise<JsonTextReading> {
  if (body.length === 0) return { kind: "json", value: null };
  if (/^[^;]*[/+]json\b/i.test(type)) return readJsonBytes(body);
  const text = textOf(body);
  const isText = text !== null && !text.includes("\0");
  return { kind: "json", value: isText ? text : Buffer.from(body).toString("base64") };
}

/** A header's value as the binding writes it: percent-encoded UTF-8, perhaps in quotes. Null = not valid. */
export function decodeAttribute(value: string): string | null {
  const quoted = /^"(.*)"$/.exec(value)?.[1];
  const plain = quoted === undefined ? value : quoted.replaceAll(/\\(.)/g, "$1");
  const bytes: number[] = [];
  const encoded = Buffer.from(plain, "latin1");
  for (let at = 0; at < encoded.length; at += 1) {
    const byte = encoded[at] ?? 0;
    if (byte !== 0x25) {
      bytes.push(byte);
      continue;
    }
    const hex = encoded.subarray(at + 1, at + 3).toString("latin1");
    if (!/^[0-9a-f]{2}$/i.test(hex)) return null;
    bytes.push(Number.parseInt(hex, 16));
    at += 2;
  }
  const text = textOf(Uint8Array.from(bytes));
  return text === null || text.includes("\0") ? null : text;
}
