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
  const fitting = secrets.filter(({ secret }) => {
    const key = decodeStrictly(secret, "hex");
    return key !== null && items.every((item) => isSigned(item, key));
  });
  return matchOf(fitting);
}

function isSigned(item: Json, key: Buffer): boolean {
  const given = decodeStrictly(textAt(item, ["additionalData", "hmacSignature"]) ?? "", "base64");
  const fields = signedPaths.map((path) => textAt(item, path) ?? "");
  // The colon is not escaped, so a field that has one could be read as two.
  if (given === null || fields.some((field) => field.includes(":"))) return false;
  return areEqualBytes(createHmac("sha256", key).update(fields.join(":"), "utf8").digest(), given);
}
