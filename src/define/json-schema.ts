/** JSON Schema of what people fill in, from any library that can give it for its own schemas. */

import type { StandardSchemaV1 } from "@standard-schema/spec";
import { readJson, type JsonObject } from "../core/json.ts";
import { describeThrown } from "./describe-value.ts";

/** The longest JSON Schema that is told, in UTF-16 units of its canonical JSON. */
const SCHEMA_CHARS_MAX = 256 * 1024;
/** Characters of an error of the library that are told. */
const WHY_CHARS_MAX = 300;

/** What a form can be made of. */
export type JsonSchemaReading =
  /** JSON Schema 2020-12 of what goes in, before defaults and transformations. */
  | { readonly kind: "schema"; readonly schema: JsonObject }
  /** The whole value must be given as JSON; it is checked all the same. */
  | { readonly kind: "none"; readonly why: string };

/**
 * Asks a schema for its JSON Schema: by Standard JSON Schema (`~standard.jsonSchema`: zod from 4.2, arktype from 2.1.28, and
 * valibot through `toStandardJsonSchema` of @valibot/to-json-schema), else by a `toJsonSchema` of its own. Never throws.
 */
export function readJsonSchema(schema: StandardSchemaV1): JsonSchemaReading {
  const { vendor } = schema["~standard"];
  try {
    const converted = convert(schema);
    if (converted === undefined) return { kind: "none", why: sayMissing(vendor) };
    const read = readJson(converted, SCHEMA_CHARS_MAX);
    if (read.kind !== "json") return { kind: "none", why: `what ${vendor} gave is no JSON: ${read.why}` };
    if (isObject(read.value)) return { kind: "schema", schema: read.value };
    return { kind: "none", why: `what ${vendor} gave is no JSON Schema` };
  } catch (error) {
    const why = describeThrown(error).slice(0, WHY_CHARS_MAX);
    return { kind: "none", why: `${vendor} cannot tell this schema as JSON Schema: ${why}` };
  }
}

function convert(schema: StandardSchemaV1): unknown {
  const standard: object = schema["~standard"];
  const converter: unknown = "jsonSchema" in standard ? standard.jsonSchema : undefined;
  if (typeof converter === "object" && converter !== null && "input" in converter) {
    const { input } = converter;
    if (typeof input === "function") return call(input, converter, { target: "draft-2020-12" });
  }
  if ("toJsonSchema" in schema && typeof schema.toJsonSchema === "function") {
    return call(schema.toJsonSchema, schema, undefined);
  }
  return undefined;
}

/** A function of a schema library, of which only that it is one is known. */
function call(convertWith: object, owner: object, options: object | undefined): unknown {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `typeof` said that it is a function
  const convertAs = convertWith as (options?: object) => unknown;
  return Reflect.apply(convertAs, owner, options === undefined ? [] : [options]);
}

function sayMissing(vendor: string): string {
  const hint =
    vendor === "valibot" ? "; wrap the schema in toStandardJsonSchema of @valibot/to-json-schema" : "";
  return `schemas of ${vendor} do not tell their JSON Schema${hint}`;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
