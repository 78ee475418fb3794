import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, isJsonArray, isJsonObject, JSON_DEPTH_MAX, readJson, type Json } from "./json.ts";

const read = (value: unknown, charsMax = 10_000): Json => {
  const reading = readJson(value, charsMax);
  if (reading.kind === "unreadable") throw new Error(reading.why);
  return reading.value;
};

const why = (value: unknown, charsMax = 10_000): string => {
  const reading = readJson(value, charsMax);
  return reading.kind === "unreadable" ? reading.why : `readable: ${canonicalJson(reading.value)}`;
};

const nested = (depth: number): Json => (depth === 0 ? [] : [nested(depth - 1)]);

describe("readJson", () => {
  it("gives every JSON value back as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "grapheme" }), (value) => {
        const stored: unknown = JSON.parse(JSON.stringify(value));
        expect(read(stored, 1_000_000)).toEqual(stored);
        expect(JSON.parse(canonicalJson(read(stored, 1_000_000)))).toEqual(stored);
      }),
    );
  });

  it("drops undefined fields, and takes undefined and array holes as null", () => {
    const holes: unknown[] = [];
    holes[2] = 1;
    expect(read({ a: undefined, b: [undefined], c: holes })).toEqual({ b: [null], c: [null, null, 1] });
    expect(read(undefined)).toBeNull();
    expect(canonicalJson(read(holes))).toBe("[null,null,1]");
  });

  it("takes what toJSON gives, so a date becomes its ISO text", () => {
    expect(read({ at: new Date(0) })).toEqual({ at: "1970-01-01T00:00:00.000Z" });
    const itself = { a: 1, toJSON: (): unknown => itself };
    // A toJSON that gives the object back is a function in a field, which is no JSON.
    expect(why(itself)).toBe("toJSON is a function, which JSON cannot hold");
  });

  it("writes minus zero as zero, so that equal values have one text", () => {
    expect(Object.is(read(-0), 0)).toBe(true);
    expect(read([true, null])).toEqual([true, null]);
  });

  it("keeps a field named __proto__ as a field", () => {
    const value = read(JSON.parse('{"__proto__":{"isAdmin":true},"constructor":1}'));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(canonicalJson(value)).toBe('{"__proto__":{"isAdmin":true},"constructor":1}');
  });

  it.each([
    ["a BigInt", { id: 1n }, "id is a bigint, which JSON cannot hold"],
    ["a function", { items: [() => 1] }, "items[0] is a function, which JSON cannot hold"],
    ["a symbol", Symbol("x"), "it is a symbol, which JSON cannot hold"],
    ["NaN", { a: { b: NaN } }, "a.b is NaN, which JSON cannot hold"],
    ["infinity", -Infinity, "it is -Infinity, which JSON cannot hold"],
    ["a NUL", { text: "a\u0000b" }, "text has a NUL character"],
    ["a high surrogate alone", "a\uD800", "it has half a surrogate pair"],
    ["a low surrogate alone", ["\uDC00"], "[0] has half a surrogate pair"],
    ["a NUL in a field's name", { "\u0000": 1 }, "the name of a field of it has a NUL character"],
    [
      "a surrogate in a field's name",
      { a: { "\uD800": 1 } },
      "the name of a field of a has half a surrogate pair",
    ],
    ["a text over the limit", "x".repeat(99), "it is longer than the 100 characters allowed"],
  ])("finds %s unreadable and says where", (_name, value, expected) => {
    expect(why(value, 100)).toBe(expected);
  });

  it("takes a surrogate pair", () => {
    expect(read("\u{1F600}")).toBe("\u{1F600}");
  });

  it("finds cycles and too deep values unreadable", () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(why(cycle)).toMatch(/is nested deeper than 64 levels, or in a cycle$/);
    expect(readJson(nested(JSON_DEPTH_MAX), 1_000).kind).toBe("json");
    expect(readJson(nested(JSON_DEPTH_MAX + 1), 1_000).kind).toBe("unreadable");
    const chain = { toJSON: (): unknown => ({ ...chain }) };
    expect(why(chain)).toMatch(/in a cycle$/);
  });

  it("gives up on a few shared references that stand for more values than could ever be stored", () => {
    let value: unknown = [];
    for (let depth = 0; depth < 60; depth += 1) value = [value, value];
    expect(why(value, 1_000)).toBe("it is longer than the 1000 characters allowed");
    expect(why(Array.from({ length: 1_001 }), 1_000)).toBe("it is longer than the 1000 characters allowed");
  });

  it("finds unreadable whatever throws while it is read, and never throws itself", () => {
    const getter = {
      get a(): number {
        throw new Error("no");
      },
    };
    expect(why(getter)).toBe("reading it threw: Error: no");
    const unprintable: unknown = Object.create(null);
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw unprintable;
        },
      },
    );
    expect(why(hostile)).toBe("reading it threw: something that cannot be read");
  });
});

describe("canonicalJson", () => {
  it("gives one text to equal values, whatever the order of their fields", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const shuffled: unknown = JSON.parse(JSON.stringify(value), (_key, field: unknown) =>
          typeof field === "object" && field !== null && !Array.isArray(field)
            ? Object.fromEntries(Object.entries(field).toReversed())
            : field,
        );
        expect(canonicalJson(shuffled as Json)).toBe(
          canonicalJson(JSON.parse(JSON.stringify(value)) as Json),
        );
      }),
    );
  });

  it("sorts by UTF-16 units and leaves no white space", () => {
    expect(canonicalJson({ b: [1, { d: "x", c: null }], a: true })).toBe(
      '{"a":true,"b":[1,{"c":null,"d":"x"}]}',
    );
  });
});

describe("isJsonObject and isJsonArray", () => {
  it("tell objects, arrays and null apart", () => {
    const values: Json[] = [null, [], {}, "a", 1];
    expect(values.map(isJsonObject)).toEqual([false, false, true, false, false]);
    expect(values.map(isJsonArray)).toEqual([false, true, false, false, false]);
  });
});
