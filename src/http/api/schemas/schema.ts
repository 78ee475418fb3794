/**
 * How the API's schemas are written: each is held to a type of ours in both directions, so that neither can change without
 * the other, and each with a name becomes a part of the description.
 */

import { z } from "zod";
import type { Json } from "../../../core/json.ts";

const byName = new Map<string, z.ZodType>();

/** The schemas that have a name in the description. */
export const NAMED_SCHEMAS: ReadonlyMap<string, z.ZodType> = byName;

/** True where both types say the same; else what a mistake is told as. */
type Same<Told, Ours> = [Ours] extends [Told] ? [] : ["the schema does not allow all that the type does"];

/** Takes a schema that says exactly what a type does. */
type Holds<Ours> = <S extends z.ZodType<Ours>>(
  schema: S,
  ...same: Same<z.output<S>, Ours>
) => z.ZodType<Ours>;

/** Gives a schema a name in the description, held to a type. */
export function named<Ours>(id: string): Holds<Ours> {
  return function hold<S extends z.ZodType<Ours>>(
    schema: S,
    ..._same: Same<z.output<S>, Ours>
  ): z.ZodType<Ours> {
    byName.set(id, schema);
    return schema;
  };
}

/** The same without a name, for parts of others. */
export function typed<Ours>(): Holds<Ours> {
  return function hold<S extends z.ZodType<Ours>>(
    schema: S,
    ..._same: Same<z.output<S>, Ours>
  ): z.ZodType<Ours> {
    return schema;
  };
}

/** One of a closed list of texts; the table has each member of the type and no other. */
export function oneOf<Text extends string>(table: Readonly<Record<Text, true>>): z.ZodType<Text> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a record over a union are its members
  return z.enum(Object.keys(table) as [Text, ...Text[]]);
}

/** A list; its bound is the server's own where none is named. */
export function list<Item>(item: z.ZodType<Item>, itemsMax?: number): z.ZodType<readonly Item[]> {
  const items = z.array(item);
  return itemsMax === undefined ? items : items.max(itemsMax);
}

/** Epoch milliseconds, by the database's clock. */
export const time: z.ZodType<number> = z.int();
/** The same, or no time. */
export const timeOrNone: z.ZodType<number | null> = z.int().nullable();
/** A whole number from 0. */
export const count: z.ZodType<number> = z.int().min(0);
/** A text. */
export const text: z.ZodType<string> = z.string();
/** A text, or none. */
export const textOrNone: z.ZodType<string | null> = z.string().nullable();

/** Any JSON value. */
export const json: z.ZodType<Json> = z.json();
byName.set("Json", json);
