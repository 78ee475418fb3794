/** Payloads that stand in a column of JSON: sealed, they are an object of mark and bytes. */

import { canonicalJson, type Json } from "../../core/json.ts";
import type { Payloads } from "./payloads.ts";

/** A value ready for its column. Throws a TypeError when it is no JSON value. */
export async function sealJson(payloads: Payloads, place: string, value: Json): Promise<string> {
  if (payloads.sealing === null) return JSON.stringify(value);
  const [stored] = await payloads.seal([{ place, bytes: Buffer.from(canonicalJson(value)) }], "json");
  return JSON.stringify({ codec: stored?.codec ?? "", sealed: stored?.body.toString("base64") ?? "" });
}

/**
 * The values of columns, opened. One that cannot be opened comes as `{ unreadable: why }`, so that it takes no list down;
 * no move takes that for its request.
 */
export async function openJson(
  payloads: Payloads,
  columns: readonly { readonly place: string; readonly value: Json }[],
): Promise<readonly Json[]> {
  const sealed = columns.flatMap(({ place, value }, index) => {
    const found = sealedIn(value);
    return found === null ? [] : [{ index, place, ...found }];
  });
  const values = columns.map(({ value }) => value);
  for (const [at, one] of (await payloads.open(sealed)).entries()) {
    const index = sealed[at]?.index ?? -1;
    values[index] =
      one.kind === "read" ? parse(one.body) : { unreadable: `This cannot be read: ${one.fault.what}.` };
  }
  return values;
}

/** The mark and bytes of a sealed value; null = it is as it was written. */
function sealedIn(value: Json): { readonly codec: string; readonly body: Buffer } | null {
  if (typeof value !== "object" || value === null || !("sealed" in value) || !("codec" in value)) return null;
  const { codec, sealed } = value;
  return typeof codec === "string" && typeof sealed === "string"
    ? { codec, body: Buffer.from(sealed, "base64") }
    : null;
}

function parse(body: Buffer): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `JSON.parse` gives, typed
  return JSON.parse(body.toString("utf8")) as Json;
}
