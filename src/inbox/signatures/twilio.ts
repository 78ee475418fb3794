/** Twilio signs the address and the sorted fields of the form, or the address with the hash of the body in it. */

import { createHmac } from "node:crypto";
import { headerText, readHeader, type Arrival } from "../arrival.ts";
import { textOf } from "../json-text.ts";
import { areEqualBytes, decodeStrictly, sha256 } from "../signing.ts";
import { matchOf, noMatch, type Match } from "./match.ts";

/** Fields of one form that are signed over. */
const FIELDS_MAX = 1_000;

/** Which secret signed it. */
export function verifyTwilio(
  arrival: Arrival,
  secrets: readonly { readonly id: string; readonly secret: string }[],
): Match {
  const header = readHeader(arrival.headers, "x-twilio-signature");
  if (header.kind === "absent") return noMatch("unsigned");
  const signature = header.kind === "value" ? decodeStrictly(header.value, "base64") : null;
  if (signature === null || arrival.url === null) return noMatch("malformed");
  const fields = signedFields(arrival);
  if (fields === null) return noMatch("malformed");
  const messages = addressForms(arrival.url).map((url) => url + fields);
  const fitting = secrets.filter(({ secret }) => {
    const isSigned = (message: string): boolean =>
      areEqualBytes(createHmac("sha1", secret).update(message, "utf8").digest(), signature);
    return secret !== "" && messages.filter(isSigned).length > 0;
  });
  return matchOf(fitting);
}

/** What is signed after the address; null when the body is not what the signed hash says. */
function signedFields({ url, headers, body }: Arrival): string | null {
  const claimed = url === null ? null : new URL(url).searchParams.get("bodySHA256");
  if (claimed !== null) {
    const hash = decodeStrictly(claimed, "hex");
    return hash !== null && areEqualBytes(hash, sha256(body)) ? "" : null;
  }
  const type = headerText(headers, "content-type") ?? "";
  if (body.length > 0 && !type.startsWith("application/x-www-form-urlencoded")) return null;
  const text = textOf(body);
  if (text === null) return null;
  const form = new URLSearchParams(text);
  if (form.size > FIELDS_MAX) return null;
  return signedForm(form);
}

/** What is signed of a form: its fields by name, and what came several times once for each value. */
export function signedForm(form: URLSearchParams): string {
  const names = [...new Set(form.keys())].toSorted();
  return names
    .flatMap((name) => [...new Set(form.getAll(name))].toSorted().map((value) => name + value))
    .join("");
}

/** Twilio signs the address with or without its port, depending on the product. */
function addressForms(url: string): readonly string[] {
  const parsed = new URL(url);
  if (parsed.port !== "") return [url, url.replace(`:${parsed.port}`, "")];
  const port = parsed.protocol === "https:" ? 443 : 80;
  return [url, url.replace(parsed.host, `${parsed.host}:${port}`)];
}
