import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extendLineage, FIRST_LINEAGE } from "./lineage.ts";

const commits = (ids: readonly string[]): readonly { readonly commitId: string }[] =>
  ids.map((commitId) => ({ commitId }));

describe("the lineage of a journal", () => {
  it("is the same whether entries come at once or one after the other", () => {
    fc.assert(
      fc.property(fc.array(fc.uuid()), fc.array(fc.uuid()), (some, more) => {
        const inTurn = extendLineage(extendLineage(FIRST_LINEAGE, commits(some)), commits(more));
        expect(extendLineage(FIRST_LINEAGE, commits([...some, ...more]))).toBe(inTurn);
      }),
    );
  });

  it("tells apart journals that differ in one commit, in their order or in their length", () => {
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b", "ab", "c-1", "c-2"), { maxLength: 6 }), (ids) => {
        const lineage = extendLineage(FIRST_LINEAGE, commits(ids));
        const told = JSON.stringify(ids);
        expect(seen.get(lineage) ?? told).toBe(told);
        seen.set(lineage, told);
      }),
      { numRuns: 2_000 },
    );
    expect(seen.size).toBeGreaterThan(500);
  });

  it("is sixteen hexadecimal digits, and that of no entries stands for itself", () => {
    expect(extendLineage(FIRST_LINEAGE, commits(["c-1"]))).toMatch(/^[0-9a-f]{16}$/);
    expect(extendLineage(FIRST_LINEAGE, [])).toBe(FIRST_LINEAGE);
  });
});
