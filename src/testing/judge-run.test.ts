import { describe, expect, test } from "vitest";
import { failureOf } from "../core/failure.ts";
import { expectedOf, judgeRun } from "./judge-run.ts";
import type { Observation } from "./rehearsal-run.ts";
import type { ObservedCase } from "./rehearsed-family.ts";

type Entries = ObservedCase["entries"];

/** A run of the step `pay` that ended well, with these answers and effects. */
function observation(changes: Partial<Observation> = {}): Observation {
  return {
    state: "done",
    isForPeople: changes.state === "in_review",
    standing: "it is done",
    cases: [],
    seen: [],
    listed: null,
    executions: [],
    passages: [],
    requests: [],
    trace: [],
    isHit: true,
    ...changes,
  };
}

function answering(...values: readonly unknown[]): Observation["executions"] {
  return values.map((value) => ({ step: "pay", ended: { kind: "gave", value } }));
}

/** Each wanted and confirmed. */
function wanted(...versions: readonly number[]): Entries {
  return versions.flatMap((intentVersion): Entries => {
    const ref = { step: "pay", intentVersion, basis: "b" };
    const intent = { idempotencyKey: `k${intentVersion}`, destination: "bank", credentialId: "bank" };
    const confirmed = { result: { kind: "value", value: null }, evidence: null } as const;
    const at = { revision: 1, at: 0, commitId: "c" };
    return [
      { ...at, entry: { kind: "intentOpened", ...ref, ...intent, fingerprint: "f", request: null } },
      { ...at, entry: { kind: "stepConfirmed", ...ref, ...confirmed, by: { how: "response", attempt: 1 } } },
    ];
  });
}

/** Wanted, and refused so that nothing happened; then wanted anew and confirmed. */
function corrected(): Entries {
  const failure = failureOf({ cause: "rejected", executed: "no", rule: "http.422", sentence: "No." });
  const refused = { kind: "attemptFailed", step: "pay", intentVersion: 1, attempt: 1, failure } as const;
  const [first, , ...second] = wanted(1, 2);
  if (first === undefined) return [];
  return [first, { ...first, entry: { ...refused, retryAt: null } }, ...second];
}

/** Of a case of its own, or of one that it started. */
function caseWith(entries: Entries, prefix = ""): ObservedCase {
  return { prefix, state: "done", entries };
}

const effect = { step: "pay", kind: "run" } as const;

describe("what is expected of a step", () => {
  test.each([
    ["its listed effects", { listed: [{ step: "pay" }], seen: [effect] }, {}, "effects", 1],
    ["its ledger where nothing is listed", { listed: [], seen: [effect, effect] }, {}, "ledger", 2],
    ["answers that differ from case to case", { executions: answering({ id: 1 }) }, { id: 2 }, "answers", 1],
    [
      "nothing, where every case gets the same answer",
      { executions: answering({ ok: 1 }) },
      { ok: 1 },
      "nothing",
      1,
    ],
    ["nothing, where the answer is none", { executions: answering(undefined) }, undefined, "nothing", 1],
  ] as const)("is judged by %s", (_, first, answer, judgedBy, count) => {
    const second = observation({ ...first, executions: answering(answer) });
    expect(expectedOf("pay", observation(first), second)).toEqual({ step: "pay", judgedBy, count });
  });
});

describe("a run", () => {
  const byLedger = [{ step: "pay", judgedBy: "ledger", count: 1 }] as const;
  const byAnswers = [{ step: "pay", judgedBy: "answers", count: 1 }] as const;
  const byNothing = [{ step: "pay", judgedBy: "nothing", count: 1 }] as const;

  test.each([
    ["with the effects expected is safe", byLedger, { seen: [effect] }, "safe"],
    ["with one effect more sends twice", byLedger, { seen: [effect, effect] }, "twice"],
    [
      "with one more sends twice in review too",
      byLedger,
      { seen: [effect, effect], state: "in_review" },
      "twice",
    ],
    ["that is done with one effect fewer lost it", byLedger, {}, "lost"],
    [
      "that wanted it twice may have it twice",
      byLedger,
      { seen: [effect, effect], cases: [caseWith(wanted(1, 2))] },
      "safe",
    ],
    [
      "that wanted it anew after it was refused has it once",
      byLedger,
      { seen: [effect], cases: [caseWith(corrected())] },
      "safe",
    ],
    [
      "that wanted it anew after it was refused and has it twice sends twice",
      byLedger,
      { seen: [effect, effect], cases: [caseWith(corrected())] },
      "twice",
    ],
    [
      "that confirmed it twice and has it once lost one",
      byLedger,
      { seen: [effect], cases: [caseWith(wanted(1, 2))] },
      "lost",
    ],
    ["in review with one effect fewer needs a person", byLedger, { state: "in_review" }, "person"],
    [
      "in review with a branch kept back for want of access needs a person",
      byLedger,
      { state: "waiting", isForPeople: true },
      "person",
    ],
    ["that neither ended nor is in review is stuck", byLedger, { seen: [effect], state: "waiting" }, "stuck"],
    ["whose fault did not come shows nothing", byLedger, { seen: [effect], isHit: false }, "notHit"],
    [
      "whose fault did not come and that sent twice did",
      byLedger,
      { seen: [effect, effect], isHit: false },
      "twice",
    ],
    ["with one answer twice is safe", byAnswers, { executions: answering({ id: 1 }, { id: 1 }) }, "safe"],
    ["with two answers sends twice", byAnswers, { executions: answering({ id: 1 }, { id: 2 }) }, "twice"],
    ["without an answer was found by a check", byAnswers, {}, "safe"],
    ["that succeeded twice unseen shows nothing", byNothing, { executions: answering(1, 1) }, "unproven"],
  ] as const)("%s", (_, expected, changes, verdict) => {
    expect(judgeRun(expected, observation(changes)).verdict).toBe(verdict);
  });

  describe("with cases that it started", () => {
    const below = { step: "label: pay", kind: "run" } as const;
    const byLedgerBelow = [{ step: "label: pay", judgedBy: "ledger", count: 1 }] as const;
    const cases = [caseWith(wanted(1)), caseWith(wanted(1), "label: "), caseWith(wanted(1), "label: ")];

    test.each([
      ["has an effect of each", [effect, below, below], "safe"],
      ["with one more below sends twice", [effect, below, below, below], "twice"],
      ["with one fewer below lost it", [effect, below], "lost"],
    ] as const)("%s", (_, seen, verdict) => {
      expect(judgeRun(byLedgerBelow, observation({ cases, seen })).verdict).toBe(verdict);
    });
  });

  test("that went wrong names the step", () => {
    expect(judgeRun(byLedger, observation({ seen: [effect, effect] }))).toEqual({
      verdict: "twice",
      step: "pay",
    });
  });
});
