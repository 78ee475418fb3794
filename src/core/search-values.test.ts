import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { numbered, person, START, worker } from "./case.fixture.ts";
import { foldJournal } from "./fold.ts";
import type { Entry } from "./journal.ts";
import type { Json } from "./json.ts";
import { rowOf } from "./row.ts";
import { mayBeMasked, type SearchOutline } from "./search-outline.ts";
import type { SearchValue } from "./search-values.ts";
import { meetsSought, readSought, type SoughtValue } from "./sought.ts";

const nothing: SearchOutline = { attributes: [], tags: [], masked: { input: [], results: {} } };

function started(input: Json, search: Partial<SearchOutline>): Entry {
  return {
    kind: "caseStarted",
    caseType: "purchase",
    definitionVersion: 1,
    tenant: "default",
    businessKey: null,
    input,
    by: person,
    search: { ...nothing, ...search },
  };
}

function confirmed(step: string, value: Json, intentVersion: number): readonly Entry[] {
  return [
    {
      kind: "intentOpened",
      step,
      intentVersion,
      idempotencyKey: `k${intentVersion}`,
      destination: "erp",
      credentialId: "erp",
      basis: "b",
      fingerprint: "f",
      request: null,
    },
    {
      kind: "attemptOpened",
      step,
      intentVersion,
      attempt: 1,
      fencingToken: intentVersion,
      sendDeadlineAt: START + 1,
      claimId: "c",
      holder: worker,
    },
    {
      kind: "stepConfirmed",
      step,
      intentVersion,
      basis: "b",
      result: { kind: "value", value },
      evidence: null,
      by: { how: "response", attempt: 1 },
    },
  ];
}

function foundBy(...entries: readonly Entry[]): readonly SearchValue[] {
  return rowOf(foldJournal("case-1", numbered(entries, { from: 1, at: START }))).summary.search ?? [];
}

const of = (type: "text" | "number" | "time" | "boolean", input: Json): readonly SearchValue[] =>
  foundBy(started({ it: input }, { attributes: [{ name: "it", type, step: null, path: ["it"] }] }));

describe("what a case is found by", () => {
  it.each<["text" | "number" | "time" | "boolean", Json, string | null, number?]>([
    ["text", "A-7", "A-7"],
    ["text", "x".repeat(201), null],
    ["text", " ", null],
    ["text", "two\nlines", null],
    ["text", 7, null],
    ["text", ["A-7"], null],
    ["text", null, null],
    ["boolean", false, "false"],
    ["boolean", "false", null],
    ["number", 12.5, "12.5", 12.5],
    ["number", "12.5", null],
    ["time", "2027-01-31T09:05:00+01:00", "2027-01-31T08:05:00Z", Date.UTC(2027, 0, 31, 8, 5)],
    ["time", "2027-01-31", "2027-01-31T00:00:00Z", Date.UTC(2027, 0, 31)],
    ["time", 1_500, "1970-01-01T00:00:01.500Z", 1_500],
    ["time", -1, "1969-12-31T23:59:59.999Z", -1],
    ["time", 1.5, null],
    ["time", 1e15, null],
    ["time", -1e15, null],
    ["time", "2027-01-31T09:05:00", null],
    ["time", "tomorrow", null],
    ["time", true, null],
  ])("of type %s, of the input %j, is %j", (type, input, value, number) => {
    const wanted = { name: "it", type, value, ...(number === undefined ? {} : { number }) };
    expect(of(type, input)).toEqual(value === null ? [] : [wanted]);
  });

  it("is where its path leads, through objects alone", () => {
    const attributes = [{ name: "it", type: "text", step: null, path: ["a", "b"] }] as const;
    const at = (input: Json): readonly string[] =>
      foundBy(started(input, { attributes })).map((one) => one.value);
    expect(at({ a: { b: "x" } })).toEqual(["x"]);
    expect(at({ a: [{ b: "x" }] })).toEqual([]);
    expect(at({ a: "x" })).toEqual([]);
    expect(at({})).toEqual([]);
    expect(
      foundBy(
        started({}, { attributes: [{ name: "it", type: "text", step: null, path: ["toString", "name"] }] }),
      ),
    ).toEqual([]);
  });

  it("has each tag once, whether alone or in a list, and twenty at most", () => {
    const tags = [["channel"], ["customer", "segments"], ["missing"]];
    const input = { channel: "web", customer: { segments: ["vip", "web", 7, "", "old"] } };
    const all = ["web", "vip", "old"].map((value) => ({ name: "tag", type: "tag", value }));
    expect(foundBy(started(input, { tags }))).toEqual(all);
    const many = Array.from({ length: 30 }, (_, index) => `t${index}`);
    expect(foundBy(started({ channel: many }, { tags }))).toHaveLength(20);
  });

  it("of a result is there once that is confirmed, and the last one counts", () => {
    const attributes = [{ name: "no", type: "text", step: "create", path: ["id"] }] as const;
    const first = started({}, { attributes });
    expect(foundBy(first)).toEqual([]);
    const once = [first, ...confirmed("create", { id: "R-1" }, 1)];
    expect(foundBy(...once).map(({ value }) => value)).toEqual(["R-1"]);
    const lapsed: Entry = {
      kind: "stepLapsed",
      step: "create",
      because: { kind: "ordered", by: "ann", reason: "no" },
      confirmedAtRevision: 4,
    };
    expect(foundBy(...once, lapsed).map(({ value }) => value)).toEqual(["R-1"]);
  });

  it("of a result that cannot be read is not there", () => {
    const attributes = [{ name: "no", type: "text", step: "create", path: ["id"] }] as const;
    const unreadable = confirmed("create", null, 1).map((entry): Entry =>
      entry.kind === "stepConfirmed" ? { ...entry, result: { kind: "unreadable", why: "a cycle" } } : entry,
    );
    expect(foundBy(started({}, { attributes }), ...unreadable)).toEqual([]);
  });

  it("follows a correction of the input", () => {
    const attributes = [{ name: "no", type: "text", step: null, path: ["no"] }] as const;
    const corrected: Entry = { kind: "inputCorrected", input: { no: "B" }, reason: "typo", by: person };
    expect(foundBy(started({ no: "A" }, { attributes }), corrected).map(({ value }) => value)).toEqual(["B"]);
  });

  it("is what the version declares that acts on the case", () => {
    const first = started({ no: "A" }, {});
    const search = {
      ...nothing,
      attributes: [{ name: "no", type: "text", step: null, path: ["no"] }],
    } as const;
    const later: Entry = { kind: "definitionChanged", version: 2, renamed: [], search, by: worker };
    expect(foundBy(first, later).map(({ value }) => value)).toEqual(["A"]);
    const without: Entry = { kind: "definitionChanged", version: 3, renamed: [], by: worker };
    expect(foundBy(first, later, without)).toEqual([]);
  });

  it("repeats nothing that is masked in another place", () => {
    const attributes = [
      { name: "ref", type: "text", step: null, path: ["ref"] },
      { name: "other", type: "text", step: null, path: ["other"] },
    ] as const;
    const masked = { input: [["iban"]], results: { create: [["secret"]] } };
    const first = started({ iban: "DE4711", ref: "pay DE4711", other: "token-99" }, { attributes, masked });
    expect(foundBy(first).map(({ name }) => name)).toEqual(["other"]);
    expect(foundBy(first, ...confirmed("create", { secret: "token-99" }, 1))).toEqual([]);
  });

  it("is nothing where nothing is declared", () => {
    const { search, ...bare } = { search: undefined, ...started({ no: "A" }, {}) };
    expect(search).toBeDefined();
    expect(rowOf(foldJournal("case-1", numbered([bare], { from: 1, at: START }))).summary).not.toHaveProperty(
      "search",
    );
  });
});

describe("a declared path", () => {
  it.each([
    ["customer.iban", "customer.iban", true],
    ["customer.iban", "customer", true],
    ["customer.iban", "customer.*", true],
    ["customer.iban", "**.iban", true],
    ["iban", "**.iban", true],
    ["customer.iban", "**", true],
    ["names", "names.*", true],
    ["names", "names.0", true],
    ["names", "names.**", true],
    ["customer", "customer.iban", false],
    ["customer.name", "customer.iban", false],
    ["customer.name", "**.iban", false],
    ["iban", "customer.iban", false],
    ["customer.name", "name", false],
  ])("%s may be masked by %s: %j", (path, masked, isMasked) => {
    expect(mayBeMasked(path.split("."), [masked.split(".")])).toBe(isMasked);
  });
});

describe("what is asked for", () => {
  const types = { no: "text", paid: "boolean", amount: "number", placedAt: "time" } as const;
  const typesOf = (name: string): readonly ("text" | "number" | "time" | "boolean")[] =>
    Object.entries(types).flatMap(([one, type]) => (one === name ? [type] : []));
  const day = Date.UTC(2027, 0, 31);

  it.each<[string, Omit<SoughtValue, "name">]>([
    ["no:A-7", { value: "A-7", from: null, to: null }],
    ["no:a:b..c", { value: "a:b..c", from: null, to: null }],
    ["tag:vip", { value: "vip", from: null, to: null }],
    ["paid:true", { value: "true", from: null, to: null }],
    ["paid:false", { value: "false", from: null, to: null }],
    ["amount:7", { value: null, from: 7, to: 7 }],
    ["amount:-1.5e3..", { value: null, from: -1_500, to: null }],
    ["amount:..7", { value: null, from: null, to: 7 }],
    ["amount:1..7", { value: null, from: 1, to: 7 }],
    ["placedAt:2027-01-31", { value: null, from: day, to: day + 86_399_999 }],
    ["placedAt:2027-01-31T00:00:00Z", { value: null, from: day, to: day }],
    ["placedAt:2027-01-31..", { value: null, from: day, to: null }],
  ])("as %s is read", (text, wanted) => {
    expect(readSought(text, typesOf)).toEqual({
      kind: "sought",
      sought: { name: text.slice(0, text.indexOf(":")), ...wanted },
    });
  });

  it.each([
    ["", "give NAME:VALUE"],
    ["no", "give NAME:VALUE"],
    ["no:", "give NAME:VALUE"],
    [":A", "give NAME:VALUE"],
    ["other:A", 'there is no attribute "other"'],
    ["paid:yes", "paid is true or false"],
    ["amount:much", "give amount as 100 or"],
    ["amount:1e999", "give amount as 100 or"],
    ["amount:..", "give amount as 100 or"],
    ["amount:x..7", "give amount as 100 or"],
    ["amount:1..x", "give amount as 100 or"],
    ["amount:1..2..3", "give amount as 100 or"],
    ["placedAt:2027-02-30", "give placedAt as 2027"],
  ])("as %j is refused: %s", (text, why) => {
    const read = readSought(text, typesOf);
    expect(read.kind === "unreadable" ? read.why : read).toContain(why);
  });

  it("by a name that has two types names both", () => {
    const read = readSought("no:7", () => ["text", "number", "text"]);
    expect(read).toMatchObject({
      why: expect.stringContaining("text in one case type and number in another") as unknown,
    });
  });

  it("is met by one value, and a range by a number in it, ends included", () => {
    const value: SearchValue = { name: "amount", type: "number", value: "7", number: 7 };
    const text: SearchValue = { name: "no", type: "text", value: "7" };
    const ask = (from: number | null, to: number | null, name = "amount"): boolean =>
      meetsSought([text, value], { name, value: null, from, to });
    expect([ask(7, 7), ask(null, 7), ask(7, null), ask(8, null), ask(null, 6), ask(7, 7, "no")]).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(meetsSought([text], { name: "no", value: "7", from: null, to: null })).toBe(true);
    expect(meetsSought([text], { name: "no", value: "8", from: null, to: null })).toBe(false);
  });

  it("finds every number and time by its own value", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const [value] = of("number", number);
        const read = readSought(`amount:${value?.value ?? ""}`, typesOf);
        expect(
          read.kind === "sought" &&
            value !== undefined &&
            meetsSought([{ ...value, name: "amount" }], read.sought),
        ).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (at) => {
        const [value] = of("time", at);
        const read = readSought(`placedAt:${value?.value ?? ""}`, typesOf);
        expect(read).toMatchObject({ sought: { from: at, to: at } });
      }),
    );
  });
});
