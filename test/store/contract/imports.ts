import { describe, expect, test } from "vitest";
import { importJournal } from "../../../src/core/imported-case.ts";
import { EXPORT_FORMAT } from "../../../src/core/exported-case.ts";
import type { CaseIdentity } from "../../../src/store/port.ts";
import { attemptOpened, confirmed, intentOpened, newCase, newId, note, person } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

export function testImports(bench: Bench): void {
  describe("importing a case", () => {
    const event = {
      kind: "eventReceived",
      eventType: "paid",
      payload: null,
      by: person,
      ignored: null,
    } as const;

    /** A case of four commits, one of them a fact, as it was exported elsewhere. */
    const exportedAt = async (over: Partial<CaseIdentity> = {}) => {
      const at = await bench.store.now();
      const start = newCase({ at, businessKey: "PO-1" });
      const identity = { ...start.identity, ...over };
      const entries = [
        { at, commitId: start.commitId, entry: start.entries[0] ?? note("no start") },
        { at, commitId: "work", entry: intentOpened() },
        { at, commitId: "work", entry: attemptOpened(at, "claim-there") },
        { at, commitId: "fact", entry: { ...event, sourceId: "e-1" } },
        { at, commitId: "end", entry: confirmed() },
      ].map((one, index) => ({ ...one, revision: index + 1 }));
      const { commits } = importJournal(
        { format: EXPORT_FORMAT, caseId: identity.caseId, exportedAt: at, entries },
        { commitId: newId(), now: at, by: person, reasonBeside: () => "moved" },
      );
      return { identity, commits, entries };
    };

    test("it is read back with its journal, and goes on as the last commit says", async () => {
      const { identity, commits, entries } = await exportedAt();
      expect(await bench.store.importCase(identity, commits)).toEqual({ kind: "started" });
      const { row, journal } = await bench.load(identity.caseId);
      expect(journal.slice(0, entries.length)).toEqual(entries);
      const last = commits.at(-1);
      expect(row).toEqual({ ...identity, ...last?.row, lineage: row.lineage, claim: null });
      const { cases } = await bench.claim(1, { now: (last?.row.dueAt ?? 0) + 1 });
      expect(cases.map((one) => one.row.caseId)).toEqual([identity.caseId]);
    });

    test("it knows the facts that it was told before", async () => {
      const { identity, commits } = await exportedAt();
      await bench.store.importCase(identity, commits);
      const again = await bench.store.changeCase(
        identity.caseId,
        { commitId: newId(), sourceId: "e-1" },
        () => ({ kind: "leave", reply: null }),
      );
      expect(again).toEqual({ kind: "known" });
    });

    test("a second import, and one whose id or business key another case has, change nothing", async () => {
      const { identity, commits } = await exportedAt();
      await bench.store.importCase(identity, commits);
      const before = await bench.load(identity.caseId);
      expect(await bench.other.importCase(identity, commits)).toEqual({ kind: "repeated" });
      const sameKey = await exportedAt();
      expect(await bench.store.importCase(sameKey.identity, sameKey.commits)).toEqual({
        kind: "exists",
        caseId: identity.caseId,
      });
      const sameId = await exportedAt({ caseId: identity.caseId, businessKey: "PO-2" });
      expect(await bench.store.importCase(sameId.identity, sameId.commits)).toEqual({ kind: "idTaken" });
      expect(await bench.load(identity.caseId)).toEqual(before);
      expect(await bench.store.loadCase(sameKey.identity.caseId)).toBeNull();
    });
  });
}
