import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JSON_VALUES_MAX, readJsonBytes } from "./json-text.ts";

const read = (text: string): ReturnType<typeof readJsonBytes> => readJsonBytes(Buffer.from(text, "utf8"));

describe("the reader of strangers' JSON", () => {
  test("reads what JSON.parse reads, wherever a double holds it", async () => {
    // What JSON.parse would change is refused or kept as text, and tested below.
    const values = fc.jsonValue({ maxDepth: 6, stringUnit: "grapheme" }).filter((value) => {
      const text = JSON.stringify(value);
      return !/__proto__|\\u0000|\d{17}/i.test(text);
    });
    await fc.assert(
      fc.asyncProperty(values, fc.constantFrom(0, 2), async (given, indent) => {
        const text = JSON.stringify(given, null, indent);
        const value: unknown = JSON.parse(text);
        expect(await read(text)).toEqual({ kind: "json", value });
      }),
      { numRuns: 500 },
    );
  });

  test("gives a number that a double would change as its own text", async () => {
    const text =
      '{"id":820982911946154508,"small":9007199254740991,"big":1e400,"price":0.1,"long":3.14159265358979323846}';
    expect(await read(text)).toEqual({
      kind: "json",
      value: {
        id: "820982911946154508",
        small: 9_007_199_254_740_991,
        big: "1e400",
        price: 0.1,
        long: "3.14159265358979323846",
      },
    });
  });

  test("takes what is in every plain object for a field like any other", async () => {
    expect(await read('{"constructor":{"prototype":1},"toString":2}')).toEqual({
      kind: "json",
      value: { constructor: { prototype: 1 }, toString: 2 },
    });
  });

  test.each([
    ["a field twice", '{"a":1,"a":2}', 'it has the field "a" twice'],
    ["a field twice, once in escapes", '{"a":1,"\\u0061":2}', 'it has the field "a" twice'],
    ["__proto__", '{"__proto__":{"isAdmin":true}}', "it has a field __proto__"],
    ["NUL in escapes", '{"a":"\\u0000"}', "a text has a NUL character"],
    ["NUL as it is", '{"a":"\u0000"}', "a text has a control character"],
    ["half a surrogate pair", '{"a":"\\ud800"}', "a text has half a surrogate pair"],
    ["depth", "[".repeat(100_000), "it is nested deeper than 64 levels"],
    ["an end in the middle", '{"a":', "it ends too early"],
    ["an end within a text", '{"a":"b', "it ends within a text"],
    ["an end within an escape", '"\\', "it ends within a text"],
    ["something after the end", "{} {}", "something follows the end"],
    ["a comma too many", "[1,]", "no value begins"],
    ["a comma too few", "[1 2]", "a comma is missing"],
    ["a word of JavaScript", '{"a":NaN}', "no value begins"],
    ["a number with a zero in front", "01", "something follows the end"],
    ["an unknown escape", '"\\x41"', "a text has an escape that JSON does not know"],
    ["nothing", "", "it ends too early"],
  ])("refuses %s", async (_name, text, why) => {
    const reading = await read(text);
    expect(reading.kind === "unreadable" ? reading.why : "read").toContain(why);
  });

  test("refuses bytes that are not UTF-8, and skips a byte order mark", async () => {
    expect(await readJsonBytes(Buffer.from([0x22, 0xff, 0x22]))).toEqual({
      kind: "unreadable",
      why: "it is not UTF-8",
    });
    expect(await read("\uFEFF{}")).toEqual({ kind: "json", value: {} });
  });

  test("refuses more values than it has bounds for", async () => {
    expect(await read(`[${"1,".repeat(JSON_VALUES_MAX)}1]`)).toMatchObject({
      why: `it has more than ${JSON_VALUES_MAX} values`,
    });
  });

  test("lets other work in while it reads something long", async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const item = JSON.stringify({ name: "x".repeat(100), list: [1, 2, 3] });
    const reading = await read(`[${Array.from({ length: 20_000 }, () => item).join(",")}]`);
    isDone = true;
    expect(reading.kind).toBe("json");
    expect(turns).toBeGreaterThan(10);
  });
});
