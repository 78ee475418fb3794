import { expectTypeOf, test } from "vitest";
import type { Json } from "../core/json.ts";
import type { Jsonify, NoFields } from "./jsonify.ts";

test("what JSON holds already stays as it is", () => {
  expectTypeOf<Jsonify<string>>().toEqualTypeOf<string>();
  expectTypeOf<Jsonify<"a" | 1 | true | null>>().toEqualTypeOf<"a" | 1 | true | null>();
  expectTypeOf<Jsonify<{ a: string; b: readonly number[]; c: [string, boolean] }>>().toEqualTypeOf<{
    a: string;
    b: readonly number[];
    c: [string, boolean];
  }>();
  expectTypeOf<Jsonify<Json>>().toEqualTypeOf<Json>();
  expectTypeOf<Jsonify<{ [key: string]: number }>>().toEqualTypeOf<{ [key: string]: number }>();
});

test("toJSON is honored, a Date becomes its text", () => {
  expectTypeOf<Jsonify<Date>>().toEqualTypeOf<string>();
  expectTypeOf<Jsonify<{ at: Date }[]>>().toEqualTypeOf<{ at: string }[]>();
  expectTypeOf<Jsonify<URL>>().toEqualTypeOf<string>();
  expectTypeOf<Jsonify<{ toJSON(): { paidAt: Date } }>>().toEqualTypeOf<{ paidAt: string }>();
});

test("undefined is dropped from fields and null elsewhere", () => {
  expectTypeOf<Jsonify<undefined>>().toEqualTypeOf<null>();
  expectTypeOf<Jsonify<void>>().toEqualTypeOf<null>();
  expectTypeOf<Jsonify<(string | undefined)[]>>().toEqualTypeOf<(string | null)[]>();
  expectTypeOf<Jsonify<{ a?: Date; b: number | undefined; c: null }>>().toEqualTypeOf<{
    a?: string;
    b?: number;
    c: null;
  }>();
});

test("functions and symbol-named fields are dropped, fieldless objects are empty", () => {
  class Money {
    amount = 1;
    private secret = "s";
    format(): string {
      return this.secret;
    }
  }
  expectTypeOf<Jsonify<Money>>().toEqualTypeOf<{ amount: number }>();
  expectTypeOf<Jsonify<{ a: 1; f?: () => void; [Symbol.iterator]: number }>>().toEqualTypeOf<{ a: 1 }>();
  expectTypeOf<Jsonify<Map<string, number>>>().toEqualTypeOf<NoFields>();
  expectTypeOf<Jsonify<{ tags: Set<string> }>>().toEqualTypeOf<{ tags: NoFields }>();
});

test("any and unknown become Json, what cannot be stored becomes never", () => {
  expectTypeOf<Jsonify<unknown>>().toEqualTypeOf<Json>();
  expectTypeOf<Jsonify<ReturnType<typeof JSON.parse>>>().toEqualTypeOf<Json>();
  expectTypeOf<Jsonify<{ raw: unknown }>>().toEqualTypeOf<{ raw?: Json }>();
  expectTypeOf<Jsonify<bigint>>().toEqualTypeOf<never>();
  expectTypeOf<Jsonify<{ total: bigint }>>().toEqualTypeOf<{ total: never }>();
});

interface Tree {
  name: string;
  children: Tree[];
  changedAt: Date;
}

test("a recursive type stays recursive", () => {
  expectTypeOf<Jsonify<Tree>["children"][number]["children"][number]["changedAt"]>().toEqualTypeOf<string>();
});
