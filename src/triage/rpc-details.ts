/**
 * Details of a gRPC error as they come over the wire, in the trailer `grpc-status-details-bin`: a `google.rpc.Status` in
 * protobuf, which grpc-js hands on as bytes. Read are RetryInfo, QuotaFailure and BadRequest, in the shape that google-gax
 * decodes them into. Source: googleapis/google/rpc/status.proto and error_details.proto, 2026-11-30.
 */

import type { Json, JsonObject } from "../core/json.ts";

/** Longer trailers are not read, in bytes; servers and proxies seldom let more than this through. */
const BYTES_MAX = 16_384;
/** Details, and violations within one, that are read. */
const ITEMS_MAX = 50;
const TYPE_PREFIX = "type.googleapis.com/google.rpc.";

/** The details in such a trailer; null where it has none, or cannot be read. Never throws. */
export function rpcDetails(trailer: Uint8Array): readonly JsonObject[] | null {
  if (trailer.length > BYTES_MAX) return null;
  const status = decode(trailer);
  const details = messagesIn(status, 3).flatMap((any): readonly JsonObject[] => {
    const type = textOf(firstIn(any, 1));
    const value = firstIn(any, 2);
    const known =
      type?.startsWith(TYPE_PREFIX) === true ? detailOf(type.slice(TYPE_PREFIX.length), value) : null;
    return known === null ? [] : [{ "@type": type, ...known }];
  });
  return details.length === 0 ? null : details;
}

function detailOf(name: string, value: Field["value"]): JsonObject | null {
  if (!(value instanceof Uint8Array)) return null;
  const fields = decode(value);
  switch (name) {
    case "RetryInfo":
      return { retryDelay: durationOf(messagesIn(fields, 1)[0] ?? []) };
    case "QuotaFailure":
      return { violations: violationsOf(fields, "subject") };
    case "BadRequest":
      return { fieldViolations: violationsOf(fields, "field") };
    default:
      return null;
  }
}

function durationOf(fields: readonly Field[]): JsonObject {
  const [seconds = 0, nanos = 0] = [firstIn(fields, 1), firstIn(fields, 2)];
  return { seconds: typeof seconds === "number" ? seconds : 0, nanos: typeof nanos === "number" ? nanos : 0 };
}

function violationsOf(fields: readonly Field[], named: string): readonly Json[] {
  return messagesIn(fields, 1).map((one) => ({
    [named]: textOf(firstIn(one, 1)) ?? "",
    description: textOf(firstIn(one, 2)) ?? "",
  }));
}

/** One field of a message: a number, or the bytes of a text or of a message within. */
interface Field {
  readonly number: number;
  readonly value: number | Uint8Array | undefined;
}

function firstIn(fields: readonly Field[], number: number): Field["value"] {
  return fields.find((one) => one.number === number)?.value;
}

function messagesIn(fields: readonly Field[], number: number): readonly (readonly Field[])[] {
  const found = fields.filter((one) => one.number === number).slice(0, ITEMS_MAX);
  return found.flatMap(({ value }) => (value instanceof Uint8Array ? [decode(value)] : []));
}

function textOf(value: Field["value"]): string | null {
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : null;
}

/** The fields of a message, up to the first that cannot be read. */
function decode(bytes: Uint8Array): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let place = 1; at < bytes.length; place *= 128) {
      const byte = bytes[at] ?? 0;
      at += 1;
      value += (byte % 128) * place;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const tag = varint();
    const value = tag % 8 === 2 ? sliceOf(varint()) : tag % 8 === 0 ? varint() : Number.NaN;
    if (Number.isNaN(value) || !Number.isSafeInteger(tag)) break;
    fields.push({ number: Math.floor(tag / 8), value });
  }
  return fields;

  function sliceOf(length: number): Uint8Array | number {
    if (!(at + length <= bytes.length)) return Number.NaN;
    at += length;
    return bytes.subarray(at - length, at);
  }
}
