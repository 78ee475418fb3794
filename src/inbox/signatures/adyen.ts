/** Adyen signs eight fields of each item. Everything else of an item is unsigned. */

import { createHmac } from "node:crypto";
import { isJsonArray, type Json } from "../../core/json.ts";
import { textAt, valueAt } from "../fields.ts";
import { areEqualBytes, decodeStrictly } from "../signing.ts";
import { matchOf, noMatch, type Match } from "./match.ts";

/** Items of one notification. */
const ITEMS_MAX = 100;

const signedPaths: readonly (readonly string[])[] = [
  ["pspReference"],
  ["originalReference"],
  ["merchantAccountCode"],
  ["merchantReference"],
  ["amount", "value"],
  ["amount", "currency"],
  ["eventCode"],
  ["success"],
];

/** Which secret signed every item. */
export function verifyAdyen(
  body: Json,
  secrets: readonly { readonly id: string; readonly secret: string }[],
): Match {
  const list = valueAt(body, ["notificationItems"]);
  if (list === undefined || !isJsonArray(list) || list.length === 0 || list.length > ITEMS_MAX)
    return noMatch("malformed");
  const items = list.map((one) => valueAt(one, ["NotificationRequestItem"]) ?? null);
  const fitting = secrets.filter(({ secret }) => items.every((item) => isSigned(item, secret)));
  return matchOf(fitting);
}

function isSigned(item: Json, secret: string): boolean {
  const given = decodeStrictly(textAt(item, ["additionalData", "hmacSignature"]) ?? "", "base64");
  const expected = signatureOfItem(item, secret);
  return given !== null && expected !== null && areEqualBytes(expected, given);
}

/** What Adyen signs an item with; null where the secret is not hexadecimal, or an item could be read in two ways. */
export function signatureOfItem(item: Json, secret: string): Buffer | null {
  const key = decodeStrictly(secret, "hex");
  const fields = signedPaths.map((path) => textAt(item, path) ?? "");
  // The colon is not escaped, so a field that has one could be read as two.
  if (key === null || fields.some((field) => field.includes(":"))) return null;
  return createHmac("sha256", key).update(fields.join(":"), "utf8").digest();
}
