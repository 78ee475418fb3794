import { describe, expect, it } from "vitest";
import {
  destination,
  failure,
  HOUR,
  ledger,
  lostAnswer,
  MINUTE,
  outlineOf,
  person,
  rejection,
  START,
  Story,
  worker,
} from "./case.fixture.ts";
import type { CheckAnswer, Entry, LateOutcome } from "./journal.ts";
import { decideLateReport } from "./late.ts";
import type { DestinationOutline } from "./outline.ts";

const story = (to: DestinationOutline = destination()): Story =>
  new Story(outlineOf({ kind: "step", name: "create", destination: to, hasCheck: true }));
const ref = (attempt = 1, intentVersion = 1) => ({ step: "create", intentVersion, attempt });
const succeeded: LateOutcome = {
  kind: "succeeded",
  result: { kind: "value", value: { id: 17 } },
  evidence: "R-17",
};
const failed = (why = failure()): LateOutcome => ({ kind: "failed", failure: why });
const notFound: CheckAnswer = { kind: "didNotHappen" };
const found: CheckAnswer = { kind: "happened", result: { kind: "value", value: 1 }, evidence: null };

function report(one: Story, outcome: LateOutcome, which = ref()): readonly Entry[] {
  return decideLateReport(one.outline, one.state, {
    ref: which,
    claimId: "claim-1",
    holder: worker,
    outcome,
  });
}
const kinds = (entries: readonly Entry[]): readonly string[] => entries.map(({ kind }) => kind);
const told = (one: Story, outcome: LateOutcome, which = ref()): Story =>
  one.append(...report(one, outcome, which));
const outcomes = (one: Story): readonly string[] =>
  one.step("create").intent?.attempts.map(({ outcome }) => outcome.kind) ?? [];
/** At a ledger: attempt 1 lost and proved not executed, attempt 2 open. */
const provedThenOpen = (): Story =>
  story(ledger)
    .open("create")
    .loseClaim("create")
    .wait(HOUR)
    .check("create", notFound)
    .wait(HOUR)
    .check("create", notFound)
    .open("create");

describe("a late report (R10)", () => {
  it("is kept as a fact, once per attempt", () => {
    const one = told(story().open("create").loseClaim("create"), failed());
    expect(one.journal.at(-1)?.entry).toMatchObject({ kind: "lateReport", attempt: 1, claimId: "claim-1" });
    expect(report(one, failed())).toEqual([]);
    expect(report(one.open("create").loseClaim("create"), succeeded, ref(2))).toHaveLength(1);
  });

  it("of a success is kept also after one of a failure: a sender that did not know at first may learn it later", () => {
    const one = told(story().open("create").loseClaim("create"), failed(lostAnswer));
    told(one, succeeded);
    expect(one.act("create")).toMatchObject({ kind: "confirm" });
    expect(report(one, succeeded)).toEqual([]);
    expect(report(one, failed())).toEqual([]);
  });

  it("is not kept where the attempt is confirmed already: a commit whose reply was lost had told it", () => {
    expect(report(story().open("create").succeed("create"), succeeded)).toEqual([]);
  });

  it("moves no attempt of another claim, which after a failover may have its number", () => {
    const one = told(story().open("create", "claim-2"), succeeded);
    expect(outcomes(one)).toEqual(["open"]);
    expect(kinds(report(one.succeed("create"), failed()))).toEqual([]);
    expect(kinds(report(story().open("create", "claim-2").succeed("create"), succeeded))).toEqual([
      "lateReport",
    ]);
  });
});

describe("a late report of an attempt that a failover has lost", () => {
  it("moves nothing where the destination deduplicates: the step is sent under the same key", () => {
    const one = told(story(), succeeded);
    expect(kinds(one.journal.map(({ entry }) => entry))).toEqual(["caseStarted", "lateReport"]);
    expect(one.act("create")).toEqual({ kind: "send", repeats: [] });
  });

  it("elsewhere stops the next send, and people decide", () => {
    const one = told(story(ledger), succeeded);
    expect(one.act("create")).toMatchObject({
      kind: "review",
      review: {
        reason: "mayExistTwice",
        sentence:
          "A late worker reports that attempt 1 of create took effect, which a failover of the database has lost. " +
          "It may come to exist twice.",
      },
    });
  });

  it("tells of a second effect where another claim's attempt has its number and is confirmed", () => {
    const one = story(ledger).open("create", "claim-2").succeed("create");
    expect(kinds(report(one, succeeded))).toEqual(["lateReport", "reviewOpened"]);
  });

  it("tells also of what may have happened, and not of what surely did not", () => {
    expect(report(story(ledger), failed(lostAnswer))[1]).toMatchObject({
      review: { sentence: expect.stringContaining("may have taken effect") as string },
    });
    expect(kinds(report(story(ledger), failed()))).toEqual(["lateReport"]);
    expect(kinds(report(story(), failed(lostAnswer)))).toEqual(["lateReport"]);
    const known = story(ledger).open("create").loseClaim("create");
    expect(kinds(report(known, failed(lostAnswer)))).toEqual(["lateReport"]);
  });
});

describe("a late success", () => {
  it("confirms an open step, with its result and evidence", () => {
    const one = told(story().open("create").loseClaim("create"), succeeded);
    expect(one.act("create")).toMatchObject({
      kind: "confirm",
      entry: { result: { value: { id: 17 } }, evidence: "R-17", by: { how: "lateReport", attempt: 1 } },
    });
    expect(one.settle().plan().isComplete).toBe(true);
    expect(outcomes(one)).toEqual(["confirmed"]);
  });

  it("counts also where the attempt's own holder had given up on it", () => {
    const one = told(story().open("create").fail("create", lostAnswer), succeeded);
    expect(one.act("create")).toMatchObject({ kind: "confirm" });
  });

  it("counts against any proof that it did not happen", () => {
    const one = told(provedThenOpen(), succeeded);
    expect(outcomes(one)).toEqual(["reportedLate", "open"]);
    expect(one.act("create")).toMatchObject({ kind: "confirm" });
    const wrong = told(story().open("create").fail("create"), succeeded);
    expect(wrong.act("create")).toMatchObject({ kind: "confirm" });
  });

  it("closes the review of an unknown outcome", () => {
    const blind = story(destination({ repeatSafety: { by: "none" } }));
    blind.outline = outlineOf({
      kind: "step",
      name: "create",
      destination: blind.sendStep("create").destination,
    });
    const one = told(blind.open("create").loseClaim("create").settle(), succeeded).settle();
    expect(one.step("create").review).toBeNull();
    expect(one.plan().isComplete).toBe(true);
  });

  it("of a confirmed intent version is the same effect where the destination deduplicates", () => {
    const one = story().open("create").loseClaim("create").open("create").succeed("create");
    expect(kinds(report(one, succeeded))).toEqual(["lateReport"]);
    expect(told(one, succeeded).plan().isComplete).toBe(true);
  });

  it("beside a confirmed attempt is a second effect elsewhere: it may exist twice, in any state", () => {
    for (const end of [[], [{ kind: "caseDone" } as const]]) {
      const one = provedThenOpen()
        .succeed("create")
        .append(...end);
      const entries = report(one, succeeded);
      expect(entries[1]).toEqual({
        kind: "reviewOpened",
        review: {
          step: "create",
          reason: "mayExistTwice",
          owner: "platform",
          nextCheckAllowedAt: null,
          sentence:
            "A late worker reports that attempt 1 of create took effect, beside the confirmed one. It may exist twice.",
        },
      });
      expect(one.append(...entries).state.rest.kind).toBe(end.length === 0 ? "ready" : "done");
    }
  });

  it("is no second effect where the confirmation rests on that very attempt", () => {
    const one = story(ledger).open("create").loseClaim("create").check("create", found);
    expect(report(one, succeeded)).toEqual([]);
    const unattributed = story(ledger)
      .open("create")
      .fail("create", failure({ cause: "conflict" }))
      .check("create", found);
    expect(kinds(report(unattributed, succeeded))).toEqual(["lateReport"]);
  });

  it("under an earlier intent version is a second effect everywhere, and stops the next send", () => {
    const one = story()
      .open("create")
      .fail("create")
      .correct({ vendor: "other" })
      .open("create")
      .fail("create");
    const entries = report(one, succeeded, ref(1, 1));
    expect(entries[1]).toMatchObject({
      review: {
        reason: "mayExistTwice",
        sentence: expect.stringContaining("under an earlier version") as string,
      },
    });
    one.append(...entries).wait(HOUR);
    expect(one.act("create")).toMatchObject({ kind: "review", review: { reason: "mayExistTwice" } });
  });

  it("of a canceled case must be undone by hand", () => {
    const one = story().open("create").fail("create").append({ kind: "canceled", by: person, reason: null });
    expect(report(one, succeeded)[1]).toMatchObject({
      review: { sentence: expect.stringContaining("although the case is canceled") as string },
    });
  });

  it("of a step that sends nothing any more is kept and moves nothing", () => {
    const one = story(ledger).open("create").loseClaim("create");
    one.outline = outlineOf({ kind: "approval", name: "create" });
    expect(kinds(report(one, succeeded))).toEqual(["lateReport"]);
    expect(told(one, succeeded).act("create")).toMatchObject({ kind: "wait" });
  });

  it("of a step that the definition no longer has goes to the owner of the case type", () => {
    const one = provedThenOpen().succeed("create");
    one.outline = outlineOf({ kind: "step", name: "notify" });
    expect(report(one, succeeded)[1]).toMatchObject({ review: { owner: "purchasing-lead" } });
  });
});

describe("a late failure", () => {
  it("that surely did not happen settles its attempt, so that the step can be sent again", () => {
    const one = told(story(ledger).open("create").loseClaim("create"), failed());
    expect(outcomes(one)).toEqual(["failed"]);
    expect(one.act("create")).toEqual({ kind: "send", repeats: [] });
    expect(one.step("create").round.attempts).toBe(1);
  });

  it("that was a rejection is remembered: the same request is not sent again", () => {
    const one = told(story().open("create").loseClaim("create"), failed(rejection));
    expect(one.act("create")).toMatchObject({ review: { reason: "rejected" } });
    expect(one.settle().resume().decideOpen("create")).toMatchObject({ kind: "refused" });
  });

  it("is waited for as long as the destination had asked", () => {
    const slow = failure({
      cause: "throttled",
      instruction: { kind: "retryAfter", delayMs: MINUTE, source: "r" },
    });
    const one = told(story().open("create").loseClaim("create").wait(5), failed(slow));
    expect(one.act("create")).toMatchObject({ wait: { dueAt: START + 5 + MINUTE, by: "provider" } });
    expect(one.step("create").round).toMatchObject({ attempts: 0, throttles: 1 });
  });

  it("takes no attempt back that a fresh round never counted", () => {
    const one = story().open("create").loseClaim("create").resume();
    expect(told(one, failed(failure({ cause: "throttled" }))).step("create").round).toMatchObject({
      attempts: 0,
    });
  });

  it("says nothing about what comes next once another attempt was opened or the step is confirmed", () => {
    const overtaken = story().open("create").loseClaim("create").open("create");
    told(overtaken, failed(rejection));
    expect(outcomes(overtaken)).toEqual(["failed", "open"]);
    expect(overtaken.step("create")).toMatchObject({ lastFailure: null, notBefore: null });
    expect(overtaken.step("create").rejected).toHaveLength(1);
    const confirmed = story().open("create").loseClaim("create").check("create", found).open("create");
    expect(told(confirmed, failed(), ref(2)).step("create").lastFailure).toBeNull();
  });

  it("takes nothing back that was proved or seen to take effect", () => {
    expect(outcomes(told(provedThenOpen(), failed(lostAnswer)))).toEqual(["provedNotExecuted", "open"]);
    const one = story().open("create").fail("create", lostAnswer);
    one.append({ kind: "lateReport", ...ref(), claimId: "claim-1", holder: worker, outcome: succeeded });
    one.append({ kind: "lateReport", ...ref(), claimId: "claim-1", holder: worker, outcome: failed() });
    expect(outcomes(one)).toEqual(["reportedLate"]);
  });
});
