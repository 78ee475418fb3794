/** Field errors, as problem documents, validators and providers put them into a body. */

import type { FieldFault } from "../core/errors.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { inside, objectsInside, textInside } from "./plain-data.ts";

/** Fields of one answer that are shown. */
const FIELDS_MAX = 20;

/** Names of the place and of the reason, the most telling first. */
const PLACES = ["field", "path", "pointer", "param", "in", "loc"];
const REASONS = ["message", "detail", "description", "msg", "code"];

/** The fields that a body names, and what is wrong with them. */
export function fieldsOf(body: Json): readonly FieldFault[] {
  const found = [
    ...listed(inside(body, "errors")),
    ...named(inside(body, "errors")),
    // Google over HTTP and gRPC, Stripe and OpenAI, Salesforce, GraphQL.
    ...objectsInside(body, "error", "details").flatMap((one) => listed(one["fieldViolations"])),
    ...objectsInside(body, "statusDetails").flatMap((one) => listed(one["fieldViolations"])),
    ...parameter(inside(body, "error")),
    ...objectsInside(body).flatMap(salesforce),
    ...mutations(inside(body, "data")),
  ];
  return found.slice(0, FIELDS_MAX);
}

/** A list of objects, each with its field. */
function listed(list: Json | undefined): readonly FieldFault[] {
  return objectsInside(list).map((one) => ({ path: placeIn(one), message: reasonIn(one) }));
}

/** Messages by the name of the field. */
function named(errors: Json | undefined): readonly FieldFault[] {
  if (errors === undefined || !isJsonObject(errors)) return [];
  return Object.entries(errors).flatMap(([path, said]) =>
    (isJsonArray(said) ? said : [said])
      .filter((message) => typeof message === "string")
      .map((message) => ({ path, message })),
  );
}

/** One error with its parameter. */
function parameter(error: Json | undefined): readonly FieldFault[] {
  const path = textInside(error, "param");
  if (path === null || error === undefined || !isJsonObject(error)) return [];
  return [{ path, message: reasonIn(error) }];
}

function salesforce(error: JsonObject): readonly FieldFault[] {
  const fields = error["fields"];
  if (fields === undefined || !isJsonArray(fields)) return [];
  return fields
    .filter((path) => typeof path === "string")
    .map((path) => ({ path, message: reasonIn(error) }));
}

function mutations(data: Json | undefined): readonly FieldFault[] {
  if (data === undefined || !isJsonObject(data)) return [];
  return Object.values(data).flatMap((one) => listed(inside(one, "userErrors")));
}

function placeIn(error: JsonObject): string {
  for (const name of PLACES) {
    const place = error[name];
    if (typeof place === "string") return place;
    if (place !== undefined && isJsonArray(place)) return place.map(String).join(".");
  }
  return "";
}

function reasonIn(error: JsonObject): string {
  return REASONS.map((name) => textInside(error, name)).find((one) => one !== null) ?? "is not accepted";
}
