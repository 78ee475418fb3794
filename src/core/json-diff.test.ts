import { describe, expect, it } from "vitest";
import { diffJson, JSON_CHANGES_MAX } from "./json-diff.ts";

describe("the difference of two values", () => {
  it("names each field that was added, removed or changed, at any depth", () => {
    const from = { vendor: { name: "ACME", tags: ["a", "b"] }, amount: 1, note: null };
    const to = { vendor: { name: "ACME Ltd", tags: ["a"] }, amount: 1, copy: true, more: null };
    expect(diffJson(from, to)).toEqual([
      { path: "vendor.name", kind: "changed", from: "ACME", to: "ACME Ltd" },
      { path: "vendor.tags.1", kind: "removed", from: "b", to: null },
      { path: "note", kind: "removed", from: null, to: null },
      { path: "copy", kind: "added", from: null, to: true },
      { path: "more", kind: "added", from: null, to: null },
    ]);
  });

  it("names the whole where a value became one of another kind", () => {
    expect(diffJson([1], { 0: 1 })).toEqual([{ path: "", kind: "changed", from: [1], to: { 0: 1 } }]);
    expect(diffJson(1, [2])).toEqual([{ path: "", kind: "changed", from: 1, to: [2] }]);
    expect(diffJson({ a: 1 }, { a: [1] })).toEqual([{ path: "a", kind: "changed", from: 1, to: [1] }]);
  });

  it("is nothing for equal values, whatever the order of their fields", () => {
    expect(diffJson({ a: 1, b: [{ c: 2 }] }, { b: [{ c: 2 }], a: 1 })).toEqual([]);
  });

  it("is bounded", () => {
    const wide = Array.from({ length: 5 * JSON_CHANGES_MAX }, (_, index) => index);
    expect(diffJson(wide, [])).toHaveLength(JSON_CHANGES_MAX);
    const rows = wide.map((value) => ({ value }));
    expect(
      diffJson(
        rows,
        rows.map(({ value }) => ({ value: -1 - value })),
      ),
    ).toHaveLength(JSON_CHANGES_MAX);
  });
});
