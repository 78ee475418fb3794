import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stepOf } from "../../../src/core/case-state.ts";
import { foldJournal } from "../../../src/core/fold.ts";
import type { Entry } from "../../../src/core/journal.ts";
import { rowOf } from "../../../src/core/row.ts";
import type { FoldedCase } from "../../../src/store/port.ts";
import {
  changeOf,
  attemptFailed,
  attemptOpened,
  commitOf,
  confirmed,
  intentOpened,
  newId,
  note,
  parkedUntil,
  person,
  reviewOpened,
} from "../made-cases.ts";
import { appending } from "./changes.ts";
import type { Bench } from "./contract.ts";

/** What may happen to a case, by anybody. */
const acts = [
  "claim",
  "work",
  "workOnOldSight",
  "park",
  "finish",
  "review",
  "note",
  "event",
  "pause",
  "resume",
  "free",
  "freeWithLoss",
] as const;
type Act = (typeof acts)[number];

export function testRebuilds(bench: Bench): void {
  /** The case as its holder last saw it. */
  const perform = async (act: Act, caseId: string, sight: FoldedCase | null): Promise<FoldedCase | null> => {
    const now = await bench.store.now();
    const byFact = async (entries: readonly Entry[], claim: "keep" | "free" = "keep"): Promise<void> => {
      const commitId = newId();
      await bench.other.changeCase(caseId, changeOf(commitId), appending(entries, commitId, claim));
    };
    const byHolder = async (entries: readonly Entry[], isFreed: boolean): Promise<void> => {
      if (sight !== null)
        await bench.commitOne(commitOf(sight, now, entries, { outcomes: [note("outcome")], isFreed }));
    };
    switch (act) {
      case "claim": {
        const { cases } = await bench.claim(1, { now: now + 1_000_000 });
        return cases[0] ?? sight;
      }
      case "work":
        if (sight !== null) await byHolder(anAttempt(sight, now), false);
        return bench.load(caseId);
      case "workOnOldSight":
        await byHolder([note("late")], false);
        return sight;
      case "park":
        await byHolder([parkedUntil(now + 5)], true);
        return sight;
      case "finish":
        await byHolder([{ kind: "caseDone" }], true);
        return sight;
      case "review":
        await byHolder([reviewOpened(), { kind: "parked", waits: [], dueAt: null }], true);
        return sight;
      case "note":
        await byFact([note("a note")]);
        return sight;
      case "event":
        await byFact([
          { kind: "eventReceived", eventType: "e", sourceId: newId(), payload: 1, by: person, ignored: null },
        ]);
        return sight;
      case "pause":
        await byFact([{ kind: "paused", by: person, reason: null, untilAt: now + 3 }], "free");
        return sight;
      case "resume":
        await byFact([{ kind: "resumed", step: null, by: person, reason: null }], "free");
        return sight;
      case "free":
        await byFact([], "free");
        return sight;
      case "freeWithLoss":
        await byFact(
          [
            {
              kind: "claimLost",
              claimId: "c",
              holderId: "h",
              holderName: "w",
              why: "silent",
              openAttempts: [{ step: "createRecord", intentVersion: 1, attempt: 1 }],
            },
          ],
          "free",
        );
        return sight;
    }
  };

  describe("rebuilding", () => {
    test("whatever is done to a case, its row is the one that follows from its journal", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(...acts), { minLength: 1, maxLength: 14 }),
          async (sequence) => {
            const { identity } = await bench.start();
            let sight: FoldedCase | null = null;
            for (const act of sequence) {
              sight = await perform(act, identity.caseId, sight);
              const { row, journal } = await bench.load(identity.caseId);
              const { state, ...rebuilt } = rowOf(foldJournal(row.caseId, journal));
              expect(row).toMatchObject(rebuilt);
              expect(row.state).toBe(row.claim === null ? state : "claimed");
            }
            // Freed at its end, it must be what its journal says in every column; and no later run may claim it.
            const commitId = newId();
            await bench.store.changeCase(
              identity.caseId,
              changeOf(commitId),
              appending([{ kind: "caseDone" }], commitId, "free"),
            );
            expect((await bench.load(identity.caseId)).row).toMatchObject({
              state: "done",
              claim: null,
              dueAt: null,
            });
          },
        ),
        { numRuns: 30 },
      );
    });
  });
}

/** One more attempt that fails, after the intent where there is none. */
function anAttempt({ state }: FoldedCase, now: number): readonly Entry[] {
  const { intent } = stepOf(state, "createRecord");
  const attempt = (intent?.attempts.length ?? 0) + 1;
  return [
    confirmed("approve"),
    ...(intent === null ? [intentOpened()] : []),
    attemptOpened(now, "c", attempt),
    attemptFailed(now + 5, attempt),
  ];
}
