/** The type of a value after it was stored as JSON and read back. */

import type { Json } from "../core/json.ts";

/**
 * What `T` is after it was stored and read back: `toJSON` is honored (a Date becomes its ISO text), `undefined`
 * becomes null, fields that may be undefined become optional, fields that hold functions and fields named by symbols
 * are dropped, a Map, Set, Error or RegExp becomes an object without fields, `any` and `unknown` become {@link Json}.
 * `never` for what cannot be stored: a bigint, a symbol, a function.
 */
export type Jsonify<T> = [Json] extends [T] ? Json : JsonifyMember<T>;

/** An object without fields. */
export interface NoFields {
  readonly [field: string]: never;
}

/** Distributes over unions; the conditions are in the order in which values are read. */
type JsonifyMember<T> = T extends string | number | boolean | null
  ? T
  : T extends undefined | void
    ? null
    : T extends { toJSON(key: string): infer Replaced }
      ? Jsonify<Replaced>
      : T extends bigint | symbol | Callable
        ? never
        : T extends Fieldless
          ? NoFields
          : T extends readonly unknown[]
            ? { [Index in keyof T]: Jsonify<T[Index]> }
            : JsonifyFields<T>;

/** The second step shows the intersection as one object in the compiler's messages. */
type JsonifyFields<T> = SplitFields<T> extends infer Fields ? { [Key in keyof Fields]: Fields[Key] } : never;

type SplitFields<T> = { [Key in keyof T as KeptField<T, Key>]: Jsonify<T[Key]> } & {
  [Key in keyof T as OptionalField<T, Key>]?: Jsonify<Exclude<T[Key], undefined | void>>;
};

/** The key of a field that is always there. */
type KeptField<T, Key extends keyof T> =
  IsStored<T[Key]> extends true ? (undefined extends T[Key] ? never : Exclude<Key, symbol>) : never;

/** The key of a field that is not there when it is undefined. */
type OptionalField<T, Key extends keyof T> =
  IsStored<T[Key]> extends true ? (undefined extends T[Key] ? Exclude<Key, symbol> : never) : never;

/** False for a field that holds nothing but a function. */
type IsStored<Field> = [Exclude<Field, undefined>] extends [Callable]
  ? IsNever<Exclude<Field, undefined>>
  : true;

type IsNever<T> = [T] extends [never] ? true : false;

type Callable = (...parameters: never) => unknown;

/** Objects whose content is not in their own enumerable fields. */
type Fieldless =
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | WeakMap<WeakKey, unknown>
  | WeakSet<WeakKey>
  | Promise<unknown>
  | RegExp
  | Error
  | ArrayBuffer;
