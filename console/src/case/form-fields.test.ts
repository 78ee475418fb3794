import { describe, expect, test } from "vitest";
import { fieldsOf, notesFor, notesForNone, readFields, readJson } from "./form-fields.ts";

const schema = {
  type: "object",
  properties: {
    vendor: { type: "string" },
    speed: { enum: ["slow", "fast"] },
    note: { type: "string" },
    limit: { type: "number" },
    mixed: { enum: ["a", 1] },
  },
  required: ["vendor", "limit"],
};
const input = { vendor: "ACME", amount: 12.5, isUrgent: false, lines: [{ sku: "x" }], gone: null };

describe("a record as fields", () => {
  test("comes back as it was where nothing was changed", () => {
    const fields = fieldsOf(input, null) ?? [];
    expect(fields.map(({ kind }) => kind)).toEqual(["text", "number", "flag", "json", "json"]);
    expect(readFields(fields)).toEqual({ kind: "value", value: input });
  });

  test("keeps a text that looks like a number a text, and an empty text a text", () => {
    const fields = fieldsOf({ zip: "01234", name: "" }, null) ?? [];
    expect(readFields(fields)).toEqual({ kind: "value", value: { zip: "01234", name: "" } });
  });

  test("has fields for what the schema names and the value has not; what may be left out is, while empty", () => {
    const fields = fieldsOf({ vendor: "ACME" }, schema) ?? [];
    expect(fields).toMatchObject([
      { name: "vendor", canBeLeftOut: false },
      { name: "speed", canBeLeftOut: true, choices: ["slow", "fast"] },
      { name: "note", canBeLeftOut: true },
      { name: "limit", canBeLeftOut: false, kind: "number" },
      { name: "mixed", choices: [] },
    ]);
    const filled = fields.map((field) => (field.name === "limit" ? { ...field, text: "5" } : field));
    expect(readFields(filled)).toEqual({ kind: "value", value: { vendor: "ACME", limit: 5 } });
  });

  test("reads a schema that allows null as the record that it also allows", () => {
    const names = fieldsOf(null, { anyOf: [{ type: "null" }, schema] })?.map(({ name }) => name);
    expect(names).toEqual(["vendor", "speed", "note", "limit", "mixed"]);
  });

  test.each([["a text"], [5], [[1]], [{}], [null]])("is none for %j, which is filled in as JSON", (value) => {
    expect(fieldsOf(value, null)).toBeNull();
  });

  test("is refused where a number is none and a JSON value is none, each named", () => {
    const fields = fieldsOf({ amount: 1, lines: [] }, null) ?? [];
    const broken = fields.map((field) => ({ ...field, text: field.kind === "number" ? "12,5" : "[" }));
    expect(readFields(broken)).toEqual({
      kind: "unreadable",
      faults: [
        { path: "amount", message: "is no number" },
        { path: "lines", message: "is no JSON" },
      ],
    });
    expect(readJson("")).toEqual({ kind: "unreadable", why: "is no JSON" });
  });

  test("is refused where reading would change a number, which is named", () => {
    const fields = fieldsOf({ amount: 1, lines: [] }, null) ?? [];
    const long = fields.map((field) => ({
      ...field,
      text: field.kind === "number" ? "9007199254740993" : "[9007199254740993]",
    }));
    const message = "has the number 9007199254740993, which would be changed on reading; write it as a text";
    expect(readFields(long)).toEqual({
      kind: "unreadable",
      faults: [
        { path: "amount", message },
        { path: "lines", message },
      ],
    });
  });
});

test("notes of a destination find their field by any part of their path; the others are told apart", () => {
  const notes = [
    { path: "/data/vendor", message: "is unknown" },
    { path: "lines[0].sku", message: "is sold out" },
    { path: "", message: "is refused as a whole" },
    { path: "vendors", message: "is another field" },
  ];
  expect(notesFor("vendor", notes)).toEqual([notes[0]]);
  expect(notesForNone(["vendor", "lines"], notes)).toEqual([notes[2], notes[3]]);
});
