import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { FAULTS_MAX, isSchema, validateWith, VALUE_CHARS_MAX } from "./schema.ts";

const zodPurchase = z.object({
  vendor: z.object({ name: z.string().min(1) }),
  amount: z.number().positive(),
  currency: z.string().default("EUR"),
  due: z.coerce.date(),
});

const valibotPurchase = v.object({
  vendor: v.object({ name: v.pipe(v.string(), v.minLength(1)) }),
  amount: v.pipe(v.number(), v.minValue(0.01)),
  currency: v.optional(v.string(), "EUR"),
  due: v.pipe(
    v.string(),
    v.transform((text) => new Date(text)),
  ),
});

const arktypePurchase = type({
  vendor: { name: "string > 0" },
  amount: "number > 0",
  currency: "string = 'EUR'",
  due: "string.date.parse",
});

/** A schema that does what it is told, in the shape of the specification. */
function schemaOf(validate: (value: unknown) => unknown): StandardSchemaV1 {
  return { "~standard": { version: 1, vendor: "test", validate } } as StandardSchemaV1;
}

describe.each<[string, StandardSchemaV1]>([
  ["zod", zodPurchase],
  ["valibot", valibotPurchase],
  ["arktype", arktypePurchase],
])("a schema of %s", (_, schema) => {
  const validate = validateWith(schema);

  test("gives its output as JSON, with defaults applied and a Date as its text", async () => {
    const value = { vendor: { name: "Ruiz" }, amount: 12.5, due: "2026-03-01T00:00:00.000Z" };
    expect(isSchema(schema)).toBe(true);
    expect(await validate(value)).toEqual({
      kind: "valid",
      value: { ...value, currency: "EUR" },
    });
  });

  test("names every faulty field with its dotted path", async () => {
    const validation = await validate({ vendor: { name: "" }, amount: -1, due: "2026-03-01T00:00:00.000Z" });
    expect(validation).toMatchObject({ kind: "invalid" });
    const paths = validation.kind === "invalid" ? validation.faults.map(({ path }) => path) : [];
    expect(paths.toSorted()).toEqual(["amount", "vendor.name"]);
  });

  test("refuses what is no object with a fault of the whole", async () => {
    const validation = await validate("all of it");
    expect(validation.kind === "invalid" && validation.faults[0]?.path).toBe("");
  });
});

test("an asynchronous schema is waited for", async () => {
  const known = z
    .string()
    .refine(async (name) => Promise.resolve(name === "Ruiz"), "nobody knows this vendor");
  const validate = validateWith(z.object({ vendor: known }));
  expect(await validate({ vendor: "Ruiz" })).toEqual({ kind: "valid", value: { vendor: "Ruiz" } });
  expect(await validate({ vendor: "Lehm" })).toEqual({
    kind: "invalid",
    faults: [{ path: "vendor", message: "nobody knows this vendor" }],
  });
});

test("paths of keys, indexes and segments are dotted alike", async () => {
  const issues = [{ message: "no", path: ["lines", 2, { key: "price" }] }];
  expect(await validateWith(schemaOf(() => ({ issues })))(1)).toEqual({
    kind: "invalid",
    faults: [{ path: "lines.2.price", message: "no" }],
  });
});

describe("a schema that fails", () => {
  const down = new TypeError("the vendor list is down");

  test.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw down;
      },
    ],
    ["rejects", () => Promise.reject(down)],
  ])("and %s makes the value invalid and keeps what it threw", async (_, validate) => {
    expect(await validateWith(schemaOf(validate))(1)).toEqual({
      kind: "invalid",
      faults: [{ path: "", message: "the schema itself failed: TypeError: the vendor list is down" }],
      cause: down,
    });
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
  ])("and gives %s refuses the value", async (_, result) => {
    expect(await validateWith(schemaOf(() => result))(1)).toMatchObject({ kind: "invalid" });
  });

  test("and has no issue to name still refuses the value", async () => {
    expect(await validateWith(schemaOf(() => ({ issues: [] })))(1)).toEqual({
      kind: "invalid",
      faults: [{ path: "", message: "the schema refused it without saying why" }],
    });
  });

  test("in very many places names a bounded number of them, and counts the rest", async () => {
    const issues = Array.from({ length: FAULTS_MAX + 7 }, (_, index) => ({
      message: "x".repeat(10_000),
      path: [index],
    }));
    const validation = await validateWith(schemaOf(() => ({ issues })))(1);
    const faults = validation.kind === "invalid" ? validation.faults : [];
    expect(faults).toHaveLength(FAULTS_MAX + 1);
    expect(faults[0]?.message).toHaveLength(500);
    expect(faults.at(-1)).toEqual({ path: "", message: "and 7 further faults" });
  });
});

test.each([
  ["a bigint", 10n, "it is a bigint, which JSON cannot hold"],
  ["a text with NUL", "a\u0000b", "it has a NUL character"],
  ["more than 256 Ki characters", "x".repeat(VALUE_CHARS_MAX), "longer than the 262144 characters allowed"],
])("an output that is %s is refused", async (_, output, why) => {
  const validation = await validateWith(schemaOf(() => ({ value: output })))(1);
  expect(validation.kind === "invalid" && validation.faults[0]?.message).toContain(why);
});

test.each([
  undefined,
  null,
  {},
  () => 1,
  { "~standard": null },
  { "~standard": { version: 2, validate: () => 1 } },
])("%j is no schema", (value) => {
  expect(isSchema(value)).toBe(false);
});
