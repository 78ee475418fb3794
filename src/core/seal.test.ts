import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { Json } from "./json.ts";
import {
  checkEnd,
  checkErased,
  checkHead,
  checkLines,
  checkLink,
  checkRange,
  entryHash,
  erasureMark,
  FIRST_HEAD,
  headOf,
  lineHash,
  makeSeal,
  readSealBody,
  SealedSoFar,
  type EntryRange,
  type Seal,
  type SealedEntry,
  type SealedLine,
} from "./seal.ts";

/** 64 hexadecimal characters, good enough to tell small texts apart. */
function digest(text: string): string {
  const part = (seed: number): string => {
    let hash = seed;
    for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619) >>> 0;
    return hash.toString(16).padStart(8, "0");
  };
  return [2_166_136_261, 3, 5, 7, 11, 13, 17, 19].map(part).join("");
}

const entry = (revision: number, wishes: Partial<SealedEntry> = {}): SealedEntry => ({
  caseId: "07-a",
  revision,
  facts: ["noteAdded", revision * 100],
  bodyHash: `body ${revision}`,
  isIntact: true,
  sealedAs: null,
  ...wishes,
});

const line = (auditId: string, wishes: Partial<SealedLine> = {}): SealedLine => ({
  auditId,
  caseId: "07-a",
  facts: ["resume", 1_000],
  bodyHash: `body ${auditId}`,
  isIntact: true,
  sealedAs: null,
  ...wishes,
});

const start = { shard: 7, sealNo: 0, hash: FIRST_HEAD };
const entries = [1, 2, 3, 4].map((revision) => entry(revision));
const lines = [line("a"), line("b")];
const first = makeSeal(start, 5_000, { entries, lines }, digest);
const second = makeSeal(headOf(first), 6_000, { entries: [entry(5)], lines: [] }, digest);

function only<T>(all: readonly T[]): T {
  const [one] = all;
  if (one === undefined || all.length !== 1) throw new Error(`there are ${all.length}`);
  return one;
}
const range: EntryRange = only(first.body.ranges);

describe("a seal", () => {
  it("is over the entries of each case and over audit lines, and follows the one before", () => {
    expect(first).toMatchObject({ shard: 7, sealNo: 1, sealedAt: 5_000, previous: FIRST_HEAD });
    expect(range).toMatchObject({ caseId: "07-a", from: 1, to: 4 });
    expect(range.marks).toHaveLength(4 * 8);
    expect(first.body.lines.map(({ auditId }) => auditId)).toEqual(["a", "b"]);
    expect(second).toMatchObject({ sealNo: 2, previous: first.hash });
    expect(headOf(second)).toEqual({ shard: 7, sealNo: 2, hash: second.hash });
  });

  it("has a range for each case", () => {
    const others = [entry(9, { caseId: "07-b" }), entry(10, { caseId: "07-b" })];
    const { body } = makeSeal(start, 5_000, { entries: [...entries, ...others], lines: [] }, digest);
    expect(body.ranges.map(({ caseId, from, to }) => [caseId, from, to])).toEqual([
      ["07-a", 1, 4],
      ["07-b", 9, 10],
    ]);
  });

  it("holds for what was not touched", () => {
    expect(checkLink(start, first, digest)).toEqual([]);
    expect(checkLink(headOf(first), second, digest)).toEqual([]);
    expect(checkRange(first, range, entries, digest)).toEqual([]);
    expect(checkLines(first, first.body.lines, lines, digest)).toEqual([]);
    expect(checkEnd(headOf(second), headOf(second))).toEqual([]);
  });

  it("holds where a body was erased and its hash is still there: bodies are sealed by their hashes", () => {
    fc.assert(
      fc.property(fc.string(), (body) => {
        const erased = { ...entry(1), erased: body };
        expect(checkRange(first, range, [erased, ...entries.slice(1)], digest)).toEqual([]);
      }),
    );
  });
});

function at(revision: number): object {
  return { kind: "entry", caseId: "07-a", revision };
}

describe("whoever changes sealed rows is found, with the row and what was done to it", () => {
  const [e1, e2, e3, e4] = entries;
  if (e1 === undefined || e2 === undefined || e3 === undefined || e4 === undefined) throw new Error("four");
  test.each<[string, readonly SealedEntry[], readonly (readonly [string, number])[]]>([
    ["a body alone", [e1, { ...e2, isIntact: false }, e3, e4], [["edited", 2]]],
    ["a body with its hash", [e1, e2, { ...e3, bodyHash: "other" }, e4], [["edited", 3]]],
    ["another column", [{ ...e1, facts: ["noteAdded", 101] }, e2, e3, e4], [["edited", 1]]],
    ["an entry deleted", [e1, e2, e4], [["deleted", 3]]],
    [
      "the last entries deleted",
      [e1, e2],
      [
        ["deleted", 3],
        ["deleted", 4],
      ],
    ],
    [
      "two exchanged",
      [e1, { ...e3, revision: 2 }, { ...e2, revision: 3 }, e4],
      [
        ["moved", 2],
        ["moved", 3],
      ],
    ],
    [
      "one inserted, and those behind it moved",
      [e1, entry(2, { bodyHash: "new" }), { ...e2, revision: 3 }, { ...e3, revision: 4 }],
      [
        ["edited", 2],
        ["moved", 3],
        ["moved", 4],
      ],
    ],
    [
      "all gone, with their case",
      [],
      [
        ["deleted", 1],
        ["deleted", 2],
        ["deleted", 3],
        ["deleted", 4],
      ],
    ],
  ])("%s", (_, now, expected) => {
    const found = checkRange(first, range, now, digest);
    expect(found.map(({ kind, at: where }) => [kind, where])).toEqual(
      expected.map(([kind, revision]) => [kind, at(revision)]),
    );
    for (const { sentence } of found) expect(sentence).toMatch(/^Entry \d of case 07-a .*\.$/);
  });

  test("an entry of which the first characters of the hash happen to be the same", () => {
    const forged = { ...range, hash: digest("of other entries") };
    expect(only(checkRange(first, forged, entries, digest))).toMatchObject({ kind: "edited", at: at(1) });
  });

  test("any single change of any entry", () => {
    fc.assert(
      fc.property(fc.nat(3), fc.constantFrom("facts", "bodyHash"), fc.string(), (index, column, value) => {
        const changed = entries.map((one, place) =>
          place === index ? { ...one, [column]: column === "facts" ? [value] : `${value}!` } : one,
        );
        expect(checkRange(first, range, changed, digest)).toMatchObject([{ at: at(index + 1) }]);
      }),
    );
  });

  test.each<[string, readonly SealedLine[], readonly (readonly [string, string])[]]>([
    ["a line's body", [line("a", { isIntact: false }), line("b")], [["edited", "a"]]],
    ["a line's column", [line("a"), line("b", { facts: ["cancel", 1_000] })], [["edited", "b"]]],
    ["a line deleted", [line("b")], [["deleted", "a"]]],
    ["a line put in", [line("a"), line("b"), line("c")], [["inserted", "c"]]],
  ])("%s", (_, now, expected) => {
    const found = checkLines(first, first.body.lines, now, digest);
    expect(found.map(({ kind, at: where }) => [kind, where])).toEqual(
      expected.map(([kind, auditId]) => [kind, { kind: "line", auditId }]),
    );
  });
});

describe("whoever changes the seals is found", () => {
  test.each<[string, Partial<Seal>]>([
    ["its time", { sealedAt: 6_001 }],
    ["what it is over", { body: { ranges: [], lines: [] } }],
    ["its hash", { hash: FIRST_HEAD }],
  ])("%s", (_, change) => {
    expect(checkLink(headOf(first), { ...second, ...change }, digest)).toMatchObject([
      { kind: "sealBroken", sealNo: 2, sentence: "Seal 2 is not as it was made." },
    ]);
  });

  test("one that was made anew no longer fits the next one", () => {
    const forged = makeSeal(start, 5_000, { entries: entries.slice(0, 3), lines }, digest);
    expect(checkLink(start, forged, digest)).toEqual([]);
    expect(only(checkLink(headOf(forged), second, digest)).kind).toBe("sealBroken");
  });

  test("one that is missing in between, at the end, or instead of which another stands at the end", () => {
    expect(only(checkLink(start, second, digest))).toMatchObject({ kind: "sealMissing", sealNo: 1 });
    expect(only(checkEnd(headOf(first), headOf(second)))).toMatchObject({ kind: "sealMissing" });
    expect(only(checkEnd(headOf(second), headOf(first)))).toMatchObject({ kind: "sealBroken" });
  });

  test("a chain that ends before an exported head, or has another seal in its place", () => {
    expect(checkHead(headOf(second), null)).toMatchObject({ kind: "truncated", sealNo: 2 });
    expect(checkHead(headOf(second), { ...headOf(second), hash: first.hash })).toMatchObject({
      kind: "headDiffers",
    });
    expect(checkHead(headOf(second), headOf(second))).toBeNull();
    expect(checkHead(start, null)).toBeNull();
  });
});

describe("the body of a seal as it is read back", () => {
  it("is what was written", () => {
    expect(readSealBody(JSON.parse(JSON.stringify(first.body)) as Json)).toEqual(first.body);
  });

  test.each<[string, Json]>([
    ["nothing", null],
    ["other parts", { ranges: 1, lines: "a" }],
    ["parts of another kind", { ranges: [{ caseId: 1, from: "1", to: 0.5, hash: null }], lines: [7, {}] }],
  ])("is no body that was sealed where it holds %s", (_, body) => {
    const read = { ...first, body: readSealBody(body) };
    expect(checkLink(start, read, digest)).toMatchObject([{ kind: "sealBroken" }]);
  });
});

function taking(...froms: readonly (readonly [number, number])[]): readonly string[] {
  const soFar = new SealedSoFar();
  return froms.flatMap(([from, to]) =>
    soFar
      .take({ shard: 7, sealNo: 1, body: { ranges: [{ ...range, from, to }], lines: [] } })
      .map(({ sentence }) => sentence),
  );
}

describe("no entry is left out of the seals, and none is in two", () => {
  test.each<[string, readonly (readonly [number, number])[], readonly string[]]>([
    [
      "one after the other",
      [
        [1, 4],
        [5, 5],
        [6, 9],
      ],
      [],
    ],
    [
      "a gap",
      [
        [1, 4],
        [7, 9],
      ],
      ["Entries 5 to 6 of case 07-a were never sealed."],
    ],
    ["none of the first", [[2, 3]], ["Entries 1 to 1 of case 07-a were never sealed."]],
    [
      "twice",
      [
        [1, 4],
        [3, 6],
      ],
      ["Entries 3 to 4 of case 07-a were sealed twice."],
    ],
  ])("%s", (_, ranges, sentences) => {
    expect(taking(...ranges)).toEqual(sentences);
  });
});

describe("what is left of an erased case", () => {
  const rows = { entries: [entry(1, { sealedAs: "a" })], lines: [line("l", { sealedAs: "b" })] };
  const of = { shard: 7, caseId: "07-a" };
  const mark = erasureMark(rows, digest);

  test("is as its erasure left it, and its seal is compared with the hash that it had", () => {
    expect(checkErased(of, rows, ["another", mark], digest)).toBeNull();
    const seal = makeSeal(
      { shard: 7, sealNo: 0, hash: FIRST_HEAD },
      1,
      { entries: [entry(1)], lines: [line("l")] },
      digest,
    );
    const sealed = only(seal.body.ranges);
    const erased = entry(1, { bodyHash: "erased", sealedAs: entryHash(entry(1), digest) });
    const left = line("l", { bodyHash: "erased", sealedAs: lineHash(line("l"), digest) });
    expect(checkRange(seal, sealed, [erased], digest)).toEqual([]);
    expect(checkLines(seal, seal.body.lines, [left], digest)).toEqual([]);
  });

  test.each([
    [
      "changed afterwards",
      of,
      { ...rows, entries: [entry(1, { sealedAs: "a", bodyHash: "other" })] },
      [mark],
      "not as",
    ],
    [
      "with a body that is none of its own",
      of,
      { ...rows, entries: [entry(1, { sealedAs: "a", isIntact: false })] },
      [mark],
      "not as",
    ],
    ["that nobody erased", of, rows, [], "no erasure is on record"],
    ["of which lines alone stand as erased", of, { ...rows, entries: [] }, [], "no erasure is on record"],
    ["that is about no case", { shard: 0, caseId: null }, { entries: [], lines: [] }, [], "about no case"],
  ])("is found where it is %s", (_, about, left, marks, words) => {
    const finding = checkErased(about, left, marks, digest);
    expect(finding).toMatchObject({ kind: "edited", shard: about.shard });
    expect(finding?.sentence).toContain(words);
  });
});
