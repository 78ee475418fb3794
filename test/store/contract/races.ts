import { describe, expect, test } from "vitest";
import { newId, note } from "../made-cases.ts";
import { appending } from "./changes.ts";
import type { Bench } from "./contract.ts";

/** Claims made while others write to the very case. */
const CLAIMS = 150;

export function testRaces(bench: Bench): void {
  describe("races", () => {
    test("a claim of a case that others write to at the same time gives its whole journal", async () => {
      const { identity } = await bench.start();
      const over = new AbortController();
      const write = async (): Promise<void> => {
        while (!over.signal.aborted) {
          const commitId = newId();
          await bench.other.changeCase(identity.caseId, commitId, appending([note("fact")], commitId));
        }
      };
      const claimAndFree = async (): Promise<void> => {
        for (let claims = 0; claims < CLAIMS; claims += 1) {
          const { cases, unreadable } = await bench.claim(1);
          expect(unreadable).toEqual([]);
          const [stored] = cases;
          if (stored === undefined) continue;
          expect(stored.journal).toHaveLength(stored.row.revision);
          const commitId = newId();
          await bench.store.changeCase(identity.caseId, commitId, appending([], commitId, "free"));
        }
      };
      const writing = write();
      try {
        await claimAndFree();
      } finally {
        over.abort();
        await writing;
      }
      const { row, journal } = await bench.load(identity.caseId);
      expect(journal).toHaveLength(row.revision);
    });
  });
}
