import { describe, expect, it } from "vitest";
import {
  cannotTell,
  DAY,
  destination,
  failure,
  holds,
  HOUR,
  lostAnswer,
  MINUTE,
  outlineOf,
  probe,
  rejection,
  SECOND,
  START,
  Story,
  worker,
} from "./case.fixture.ts";
import type { CheckAnswer } from "./journal.ts";
import { decideLateReport } from "./late.ts";
import type { RepeatSafety, SendStepOutline } from "./outline.ts";
import { isOneEffect, needsCheck, turnsAwayLate } from "./repeat-safety.ts";

const version = probe("version");

/** A case whose only step sends to a destination of this kind. */
function story(repeatSafety: RepeatSafety, over: Partial<SendStepOutline> = {}): Story {
  const isConditional = repeatSafety.by === "if-match";
  const step = {
    kind: "step",
    name: "create",
    destination: destination({ repeatSafety, readLagMs: 10 * SECOND, requestAgeMs: MINUTE }),
    hasCheck: needsCheck(repeatSafety),
    before: isConditional ? [version] : [],
    versionCondition: isConditional ? "version" : null,
    ...over,
  } as const;
  return new Story(outlineOf(step));
}

const found = (over: { readonly fingerprint?: string } = {}): CheckAnswer => ({
  kind: "happened",
  result: { kind: "value", value: { id: 1 } },
  evidence: null,
  ...over,
});
const notFound: CheckAnswer = { kind: "didNotHappen" };

const reason = (one: Story): string => {
  const act = one.act("create");
  return act.kind === "review" ? act.review.reason : act.kind;
};

const sentence = (one: Story): string => {
  const act = one.act("create");
  return act.kind === "review" ? act.review.sentence : act.kind;
};

const kinds: readonly RepeatSafety["by"][] = [
  "key",
  "unique",
  "if-match",
  "fence",
  "transaction",
  "lookup",
  "none",
];
const safety = (by: RepeatSafety["by"]): RepeatSafety => (by === "key" ? { by, windowMs: DAY } : { by });

describe("repeat safety", () => {
  it("tells where two requests of one intent version are one effect, and where a step must be able to ask", () => {
    expect(kinds.filter((by) => isOneEffect(safety(by)))).toEqual([
      "key",
      "unique",
      "if-match",
      "fence",
      "transaction",
    ]);
    expect(kinds.filter((by) => turnsAwayLate(safety(by)))).toEqual([
      "key",
      "if-match",
      "fence",
      "transaction",
    ]);
    expect(kinds.filter((by) => needsCheck(safety(by)))).toEqual(["unique", "if-match", "fence", "lookup"]);
  });

  it.each(kinds)(
    "R10: a late success beside the confirmed one counts twice only where nothing compares: %s",
    (by) => {
      const one = story(safety(by));
      if (by === "if-match") one.probe("create", version, { kind: "holds", version: "v1" });
      one.open("create").loseClaim("create");
      const late = one.lastAttempt("create");
      // However it came about, another attempt of the same intent is the confirmed one.
      one.append({
        kind: "attemptOpened",
        ...late,
        attempt: 2,
        fencingToken: one.state.fencingToken + 1,
        sendDeadlineAt: one.now,
        claimId: "claim-2",
        holder: worker,
      });
      one.succeed("create");
      const outcome = { kind: "succeeded", result: { kind: "value", value: 1 }, evidence: null } as const;
      const report = { ref: late, claimId: "claim-1", holder: worker, outcome };
      const entries = decideLateReport(one.outline, one.state, report).map(({ kind }) => kind);
      expect(entries).toEqual(isOneEffect(safety(by)) ? ["lateReport"] : ["lateReport", "reviewOpened"]);
      one.append(...decideLateReport(one.outline, one.state, report));
      expect(reason(one)).toBe(isOneEffect(safety(by)) ? "nothing" : "mayExistTwice");
    },
  );
});

describe("a destination with a unique natural name", () => {
  it("is sent to again after an unknown outcome, whatever the time", () => {
    const one = story({ by: "unique" })
      .open("create")
      .fail("create", lostAnswer)
      .wait(3 * HOUR);
    expect(one.act("create")).toMatchObject({ kind: "send", repeats: [{ attempt: 1 }] });
  });

  it("is asked when it answers that such a thing exists, and ours is confirmed", () => {
    const one = story({ by: "unique" }).open("create").fail("create", lostAnswer).wait(HOUR);
    one.open("create").fail("create", failure({ cause: "conflict" }));
    expect(one.act("create")).toEqual({ kind: "check", about: "outcome" });
    const { fingerprint } = one.step("create").intent ?? { fingerprint: "" };
    expect(reason(one.check("create", found({ fingerprint })))).toBe("nothing");
  });

  it("puts something else of that name in front of people", () => {
    const other = story({ by: "unique" })
      .open("create")
      .fail("create", failure({ cause: "conflict" }));
    other.check("create", found({ fingerprint: "another" }));
    expect(reason(other)).toBe("conflict");
    expect(sentence(other)).toContain("made for another request");
    const told = story({ by: "unique" }).open("create").fail("create", lostAnswer).wait(HOUR);
    told.open("create").fail("create", failure({ cause: "conflict" }));
    told.check("create", { kind: "differs", why: "it is of acme ltd", evidence: { vendor: "acme ltd" } });
    expect(reason(told)).toBe("conflict");
    // A person may have set it right meanwhile: it is asked anew.
    expect(told.resume().act("create")).toMatchObject({ kind: "send" });
  });
});

const read = (one: Story, text: string): Story =>
  one.probe("create", version, { kind: "holds", version: text });
const sent = (): Story => read(story({ by: "if-match" }), "v1").open("create");
const attempts = (one: Story): readonly (string | null)[] =>
  one.step("create").intent?.attempts.map((attempt) => attempt.version) ?? [];

describe("a destination that compares a version", () => {
  it("is asked for the version before the first send, which is conditional on it", () => {
    const one = story({ by: "if-match" });
    expect(one.act("create")).toEqual({ kind: "ask", conditions: ["version"] });
    expect(read(one, "v1").act("create")).toMatchObject({ kind: "send" });
    expect(attempts(one.open("create"))).toEqual(["v1"]);
  });

  it("repeats an unknown write with its old version, also where a newer one is known", () => {
    const one = sent().fail("create", lostAnswer).wait(HOUR);
    read(one, "v2");
    expect(one.act("create")).toMatchObject({ kind: "send", repeats: [{ attempt: 1 }] });
    expect(attempts(one.open("create"))).toEqual(["v1", "v1"]);
  });

  it("is asked when the repeat is refused: ours is confirmed", () => {
    const one = sent().fail("create", lostAnswer).wait(HOUR).open("create");
    one.fail("create", failure({ cause: "precondition" }));
    expect(one.act("create")).toEqual({ kind: "check", about: "outcome" });
    expect(reason(one.check("create", found()))).toBe("nothing");
  });

  it("reads the version anew once the refused write is proved not made", () => {
    const one = sent().fail("create", lostAnswer).wait(HOUR).open("create");
    one
      .fail("create", failure({ cause: "precondition" }))
      .check("create", notFound)
      .wait(HOUR);
    one.check("create", notFound);
    expect(one.act("create")).toEqual({ kind: "ask", conditions: ["version"] });
    expect(attempts(read(one, "v2").open("create"))).toEqual(["v1", "v1", "v2"]);
  });

  it("goes to people where the version of an unknown write is not known", () => {
    const one = story({ by: "if-match" }, { before: [], versionCondition: null, hasCheck: false });
    one.open("create").fail("create", lostAnswer).wait(HOUR);
    expect(reason(one)).toBe("unknown");
    expect(sentence(one)).toContain("the version");
  });

  it("sends without a version where the question gave none", () => {
    const one = story({ by: "if-match" }).probe("create", version, holds);
    expect(attempts(one.open("create"))).toEqual([null]);
    const unsure = story({ by: "if-match" }).probe("create", version, cannotTell("down"));
    expect(attempts(unsure.open("create"))).toEqual([null]);
  });
});

const lost = (): Story => story({ by: "fence" }).open("create").fail("create", lostAnswer).wait(HOUR);

describe("a destination that compares fencing tokens", () => {
  it("has its fence raised and is read back before anything is sent again", () => {
    const one = lost();
    expect(one.act("create")).toEqual({ kind: "check", about: "outcome" });
    const before = one.state.fencingToken;
    one.check("create", notFound);
    // The raised fence shuts out what is still under way: one "not found" proves it.
    expect(one.state.fencingToken).toBeGreaterThan(before);
    expect(one.step("create").intent?.attempts[0]?.outcome.kind).toBe("provedNotExecuted");
    expect(one.act("create")).toMatchObject({ kind: "send", repeats: [] });
    const raised = one.state.fencingToken;
    expect(one.open("create").state.fencingToken).toBeGreaterThan(raised);
  });

  it("confirms what is read back", () => {
    expect(reason(lost().check("create", found()))).toBe("nothing");
  });

  it("R19: a token that it has seen already is topped by the next one", () => {
    const seen = START + DAY;
    const one = story({ by: "fence" }).open("create");
    one.fail("create", failure({ instruction: { kind: "newerToken", seen, source: "fence" } }));
    expect(one.state.fencingToken).toBe(seen);
    expect(one.wait(HOUR).open("create").state.fencingToken).toBe(seen + 1);
    one.fail("create", failure({ instruction: { kind: "newerToken", seen: 5, source: "fence" } }));
    expect(one.state.fencingToken).toBe(seen + 1);
  });
});

describe("the engine's own database", () => {
  it("has rolled back what was not confirmed: it is said so, and sent again", () => {
    const one = story({ by: "transaction" }).open("create").loseClaim("create");
    const act = one.act("create");
    expect(act).toMatchObject({ kind: "record", entry: { kind: "checkAnswered", proves: true } });
    if (act.kind === "record") one.append(act.entry);
    expect(one.act("create")).toMatchObject({ kind: "send", repeats: [] });
  });
});

const used = (windowMs: number): Story => {
  const one = story({ by: "key", windowMs });
  for (let tries = 0; tries < 5; tries += 1) {
    one
      .wait(16 * MINUTE)
      .open("create")
      .fail("create", lostAnswer);
  }
  return one;
};

describe("R20: the window of a key", () => {
  it("runs on during a review of an unknown outcome, which is due before it closes", () => {
    const act = used(DAY).act("create");
    const opened = START + 16 * MINUTE;
    const until = opened + DAY - 30 * SECOND - MINUTE;
    expect(act).toMatchObject({
      kind: "review",
      review: { reason: "unknown", window: { resendSafeUntilAt: until, dueAt: until - HOUR } },
    });
  });

  it("leaves a tenth of a short one, and no time in the past", () => {
    const windowMs = 100 * MINUTE;
    const until = START + 16 * MINUTE + windowMs - 90 * SECOND;
    expect(used(windowMs).act("create")).toMatchObject({
      review: { window: { resendSafeUntilAt: until, dueAt: until - windowMs / 10 } },
    });
    const one = used(windowMs);
    one.now = until - 1;
    expect(one.act("create")).toMatchObject({ review: { window: { dueAt: until - 1 } } });
  });

  it("is not spoken of once it is closed, nor where nothing is unknown, nor elsewhere", () => {
    expect(used(65 * MINUTE).act("create")).not.toHaveProperty("review.window");
    const refused = story({ by: "key", windowMs: DAY }).open("create").fail("create", rejection);
    expect(refused.act("create")).not.toHaveProperty("review.window");
    const none = story({ by: "none" }).open("create").fail("create", lostAnswer);
    expect(none.act("create")).not.toHaveProperty("review.window");
  });
});
