import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readJsonSchema } from "./json-schema.ts";
import { validateWith } from "./schema.ts";

const validate = (value: unknown) => ({ value });

const own = (toJsonSchema: () => unknown) =>
  readJsonSchema({ "~standard": { version: 1, vendor: "own", validate }, toJsonSchema } as never);

describe("the JSON Schema of a schema", () => {
  it("is told by zod, of what goes in before defaults and transformations", () => {
    const schema = z.object({ vendor: z.string().min(1), copies: z.number().default(1) });
    expect(readJsonSchema(schema)).toMatchObject({
      kind: "schema",
      schema: { type: "object", properties: { vendor: { minLength: 1 } }, required: ["vendor"] },
    });
    expect(validateWith(schema).jsonSchema?.()).toEqual(readJsonSchema(schema));
  });

  it("is told by arktype", () => {
    expect(readJsonSchema(type({ vendor: "string", "amount?": "number > 0" }))).toMatchObject({
      kind: "schema",
      schema: { properties: { amount: { exclusiveMinimum: 0 } }, required: ["vendor"] },
    });
  });

  it("is not told by valibot alone, and what to do about it is", () => {
    expect(readJsonSchema(v.object({ vendor: v.string() }))).toEqual({
      kind: "none",
      why: "schemas of valibot do not tell their JSON Schema; wrap the schema in toStandardJsonSchema of @valibot/to-json-schema",
    });
  });

  it("is not told of what JSON Schema has no word for, and the library says why", () => {
    expect(readJsonSchema(z.object({ at: z.date() }))).toEqual({
      kind: "none",
      why: expect.stringContaining("zod cannot tell this schema as JSON Schema") as unknown,
    });
  });

  it("is asked by a method of the schema's own, and taken only where it is an object of JSON", () => {
    expect(own(() => ({ type: "string" }))).toEqual({ kind: "schema", schema: { type: "string" } });
    expect(own(() => true)).toEqual({ kind: "none", why: "what own gave is no JSON Schema" });
    expect(own(() => ({ big: 1n }))).toMatchObject({
      kind: "none",
      why: expect.stringContaining("no JSON") as unknown,
    });
  });
});
