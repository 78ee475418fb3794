/** A value as fields of a form, and back again: pure. What is no plain record is filled in as JSON. */

import { findInexactNumber } from "../../../src/client.ts";
import type { Json } from "../api.ts";

/** One field. `text` is what stands in the form. */
export interface FormField {
  readonly name: string;
  readonly kind: "text" | "number" | "flag" | "json";
  readonly text: string;
  /** Values that the schema allows, where it lists them. */
  readonly choices: readonly string[];
  /** True where an empty field means that it is left out. */
  readonly canBeLeftOut: boolean;
}

/** More fields than this are filled in as JSON. */
const FIELDS_MAX = 60;

type JsonRecord = Readonly<Record<string, Json>>;

/**
 * The fields of a record: those of the value, and those that its JSON Schema names beside. Null where there is nothing to
 * make fields of. `value` is null for a form that starts empty.
 */
export function fieldsOf(value: Json, schema: Json): readonly FormField[] | null {
  if (value !== null && !isRecord(value)) return null;
  const named = propertiesOf(schema);
  const names = [...new Set([...Object.keys(value ?? {}), ...Object.keys(named.properties)])];
  if (names.length === 0 || names.length > FIELDS_MAX) return null;
  return names.map((name) => fieldOf(name, value?.[name], named));
}

interface Named {
  readonly properties: JsonRecord;
  readonly required: readonly Json[];
}

/** What a schema says of a record; one that may also be null is read as the record. */
function propertiesOf(schema: Json): Named {
  if (!isRecord(schema)) return { properties: {}, required: [] };
  const { properties, required, anyOf } = schema;
  if (properties !== undefined && isRecord(properties)) {
    return { properties, required: listOf(required) };
  }
  const record = listOf(anyOf).find((one) => isRecord(one) && isRecord(one["properties"] ?? null));
  return propertiesOf(record ?? null);
}

function fieldOf(name: string, value: Json | undefined, { properties, required }: Named): FormField {
  const schema = properties[name] ?? null;
  const choices = choicesOf(schema);
  const kind = kindOf(value, schema);
  const canBeLeftOut = value === undefined && !required.includes(name);
  return { name, kind, text: textOf(value, kind), choices, canBeLeftOut };
}

function kindOf(value: Json | undefined, schema: Json): FormField["kind"] {
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "flag";
  if (value !== undefined) return "json";
  const type = isRecord(schema) ? schema["type"] : undefined;
  if (type === "string") return "text";
  if (type === "number" || type === "integer") return "number";
  return type === "boolean" ? "flag" : "json";
}

function textOf(value: Json | undefined, kind: FormField["kind"]): string {
  if (value === undefined) return "";
  return kind === "text" && typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function choicesOf(schema: Json): readonly string[] {
  const listed = listOf(isRecord(schema) ? schema["enum"] : undefined);
  const texts = listed.filter((one) => typeof one === "string");
  return texts.length === listed.length ? texts : [];
}

function listOf(value: Json | undefined): readonly Json[] {
  // A list within JSON holds JSON; the guard alone makes it a list of anything.
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function isRecord(value: Json): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What is wrong with a field, or what the destination said of it. */
export interface FieldNote {
  readonly path: string;
  readonly message: string;
}

/** What was filled in, or which fields cannot be read. */
export type ReadForm =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "unreadable"; readonly faults: readonly FieldNote[] };

/** Reads the fields back. */
export function readFields(fields: readonly FormField[]): ReadForm {
  const faults: FieldNote[] = [];
  const entries = fields
    .filter(({ canBeLeftOut, text }) => !(canBeLeftOut && text === ""))
    .map(({ name, kind, text }): [string, Json] => {
      if (kind === "text") return [name, text];
      const read = readJson(text);
      if (read.kind === "json" && (kind !== "number" || typeof read.value === "number"))
        return [name, read.value];
      const why = read.kind === "json" ? NO_JSON : read.why;
      faults.push({ path: name, message: kind === "number" && why === NO_JSON ? "is no number" : why });
      return [name, null];
    });
  return faults.length > 0
    ? { kind: "unreadable", faults }
    : { kind: "value", value: Object.fromEntries(entries) };
}

/** What a text is as JSON, or why it is none; `why` follows the name of what was filled in. */
export type ReadText =
  { readonly kind: "json"; readonly value: Json } | { readonly kind: "unreadable"; readonly why: string };

const NO_JSON = "is no JSON";

/** Reads a text as JSON, but none of which reading would change a number. */
export function readJson(text: string): ReadText {
  let value: Json;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse gives is Json
    value = JSON.parse(text) as Json;
  } catch {
    return { kind: "unreadable", why: NO_JSON };
  }
  const inexact = findInexactNumber(text);
  if (inexact === null) return { kind: "json", value };
  return {
    kind: "unreadable",
    why: `has the number ${inexact.slice(0, 60)}, which would be changed on reading; write it as a text`,
  };
}

/** The notes about a field of the form: those whose path has its name in it. */
export function notesFor(name: string, notes: readonly FieldNote[]): readonly FieldNote[] {
  return notes.filter(({ path }) => partsOf(path).includes(name));
}

/** The notes that no field of the form answers to. */
export function notesForNone(names: readonly string[], notes: readonly FieldNote[]): readonly FieldNote[] {
  return notes.filter(({ path }) => !names.some((name) => partsOf(path).includes(name)));
}

function partsOf(path: string): readonly string[] {
  return path.split(/[.[\]/]+/).filter((part) => part !== "");
}
