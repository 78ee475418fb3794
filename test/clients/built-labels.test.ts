import { describe, expect, test } from "vitest";
import { sortFailure } from "../../src/triage/sort.ts";
import { BUILT } from "./labels/built.ts";
import { differences } from "./labels/judge.ts";
import { titleOf } from "./labels/label.ts";

describe("an error that was built by hand in the shape of its client", () => {
  test.each(BUILT.map(({ label, make }) => [titleOf(label), label, make] as const))(
    "%s",
    (_, label, make) => {
      const input = { destination: "erp", stopped: null, now: Date.now(), evidence: null, sorters: [] };
      expect(differences(sortFailure(make(), input), label.expected)).toEqual([]);
    },
  );
});
