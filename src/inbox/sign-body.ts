/** Makes a body as its provider would send it, where the proof stands within the body or the body is no JSON. */

import { FootholdError } from "../core/errors.ts";
import { isJsonArray, isJsonObject, readJson, type Json } from "../core/json.ts";
import { VALUE_CHARS_MAX } from "../define/schema.ts";
import type { Preset } from "./preset.ts";
import { signatureOfItem } from "./signatures/adyen.ts";

/**
 * The bytes that a provider of this preset would send: as given, unless its proof stands in the body (Adyen, Microsoft
 * Graph), or it sends forms and an object in JSON is given (Twilio). Throws `INVALID_REQUEST` where the body has no place
 * for the proof.
 */
export function signBody(
  preset: Preset,
  { body, secret }: { readonly body: Uint8Array; readonly secret: string },
): Uint8Array {
  const [scheme] = preset.schemes;
  if (scheme?.kind === "adyen") return written(withSignatures(jsonOf(preset, body), preset, secret));
  if (scheme?.kind === "bodyToken")
    return written(withToken(jsonOf(preset, body), preset, scheme.path, secret));
  return scheme?.kind === "twilio" ? formOf(body) : body;
}

function written(value: Json): Uint8Array {
  return Buffer.from(JSON.stringify(value), "utf8");
}

function jsonOf(preset: Preset, body: Uint8Array): Json {
  const read = parsed(body);
  if (read !== undefined) return read;
  throw cannot(preset, "it is no JSON");
}

function parsed(body: Uint8Array): Json | undefined {
  try {
    const read = readJson(JSON.parse(Buffer.from(body).toString("utf8")), VALUE_CHARS_MAX);
    return read.kind === "json" ? read.value : undefined;
  } catch {
    return undefined;
  }
}

function withSignatures(body: Json, preset: Preset, secret: string): Json {
  const items = isJsonObject(body) ? body["notificationItems"] : undefined;
  if (!isJsonObject(body) || items === undefined || !isJsonArray(items) || items.length === 0)
    throw cannot(preset, 'give { "notificationItems": [{ "NotificationRequestItem": { … } }] }');
  return { ...body, notificationItems: items.map((one) => withSignature(one, preset, secret)) };
}

function withSignature(one: Json, preset: Preset, secret: string): Json {
  const item = isJsonObject(one) ? one["NotificationRequestItem"] : undefined;
  if (!isJsonObject(one) || item === undefined || !isJsonObject(item))
    throw cannot(preset, "an item has no NotificationRequestItem");
  const signature = signatureOfItem(item, secret);
  if (signature === null)
    throw cannot(preset, "the secret is not hexadecimal, or a field that is signed has a colon");
  const { additionalData = {} } = item;
  const more = isJsonObject(additionalData) ? additionalData : {};
  const proof = { ...more, hmacSignature: signature.toString("base64") };
  return { ...one, NotificationRequestItem: { ...item, additionalData: proof } };
}

/** A number in the path stands for each item of a list. */
function withToken(value: Json, preset: Preset, path: readonly string[], token: string): Json {
  const [name, ...rest] = path;
  if (name === undefined) return token;
  if (isJsonArray(value) && value.length > 0) return value.map((one) => withToken(one, preset, rest, token));
  if (isJsonObject(value) && (rest.length === 0 || value[name] !== undefined))
    return { ...value, [name]: withToken(value[name] ?? null, preset, rest, token) };
  throw cannot(preset, `it has no ${name} for its proof`);
}

/** What is a form already stays one. */
function formOf(body: Uint8Array): Uint8Array {
  const value = parsed(body);
  if (value === undefined || !isJsonObject(value)) return body;
  const form = new URLSearchParams();
  for (const [name, one] of Object.entries(value))
    form.append(name, typeof one === "string" ? one : JSON.stringify(one));
  return Buffer.from(form.toString(), "utf8");
}

function cannot({ name }: Preset, why: string): FootholdError {
  return new FootholdError("INVALID_REQUEST", `A body of the preset ${name} cannot be made of this: ${why}.`);
}
