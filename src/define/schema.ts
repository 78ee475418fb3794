/** Schemas of any library that speaks Standard Schema, as the rest of Foothold uses them. */

import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { FieldFault } from "../core/errors.ts";
import { readJson } from "../core/json.ts";
import type { Validate, Validation } from "./case-type.ts";
import { describeThrown } from "./describe-value.ts";
import { readJsonSchema } from "./json-schema.ts";

/** The longest input, event payload, approval form, request, result or evidence: 256 Ki characters (UTF-16 units) of canonical JSON. */
export const VALUE_CHARS_MAX: number = 256 * 1024;

/** Faults of one value that are named; further ones are counted. */
export const FAULTS_MAX = 100;

/** Characters of a schema's message that are kept. */
const MESSAGE_CHARS_MAX = 500;

/** True for a schema of Standard Schema version 1. Some libraries make functions, others objects. */
export function isSchema(value: unknown): value is StandardSchemaV1 {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  if (!("~standard" in value)) return false;
  const standard: unknown = value["~standard"];
  if (typeof standard !== "object" || standard === null || !("version" in standard)) return false;
  return standard.version === 1 && "validate" in standard && typeof standard.validate === "function";
}

/**
 * Makes a {@link Validate} of a schema. The value it gives is the schema's output (defaults applied, values
 * transformed) as JSON. A schema that throws or rejects, or gives something that is neither a value nor issues, makes
 * the value invalid with one fault of the whole and the thrown error as `cause`: after a send nothing may be thrown.
 */
export function validateWith(schema: StandardSchemaV1): Validate {
  const validate = async (value: unknown): Promise<Validation> => {
    try {
      return readResult(await schema["~standard"].validate(value));
    } catch (error) {
      return { ...invalid(`the schema itself failed: ${messageOf(error)}`), cause: error };
    }
  };
  return Object.assign(validate, { jsonSchema: () => readJsonSchema(schema) });
}

function readResult(result: StandardSchemaV1.Result<unknown>): Validation {
  // The specification: issues that are falsy mean success, whatever else is there.
  if (result.issues) return { kind: "invalid", faults: faultsOf(result.issues) };
  const read = readJson(result.value, VALUE_CHARS_MAX);
  return read.kind === "json" ? { kind: "valid", value: read.value } : invalid(read.why);
}

function invalid(message: string): Extract<Validation, { kind: "invalid" }> {
  return { kind: "invalid", faults: [{ path: "", message }] };
}

function faultsOf(issues: readonly StandardSchemaV1.Issue[]): readonly FieldFault[] {
  const faults = issues.slice(0, FAULTS_MAX).map(({ path, message }) => ({
    // A path may be of a class of its own, whose `map` makes another of that class: only its items are asked for.
    path: Array.from(path ?? [], (segment) => String(keyOf(segment))).join("."),
    message: message.slice(0, MESSAGE_CHARS_MAX),
  }));
  const further = issues.length - faults.length;
  // A library that reports a failure without any issue still refused the value.
  if (faults.length === 0) return [{ path: "", message: "the schema refused it without saying why" }];
  return further > 0 ? [...faults, { path: "", message: `and ${further} further faults` }] : faults;
}

function keyOf(segment: PropertyKey | StandardSchemaV1.PathSegment): PropertyKey {
  return typeof segment === "object" ? segment.key : segment;
}

function messageOf(error: unknown): string {
  return describeThrown(error).slice(0, MESSAGE_CHARS_MAX);
}
