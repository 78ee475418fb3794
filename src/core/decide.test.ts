import { describe, expect, it } from "vitest";
import {
  digest,
  broken,
  cannotTell,
  destination,
  failure,
  holds,
  HOUR,
  ledger,
  lostAnswer,
  MINUTE,
  outlineOf,
  probe,
  rejection,
  SECOND,
  seen,
  START,
  Story,
  worker,
} from "./case.fixture.ts";
import {
  decideAfterAttempt,
  decideAfterCheck,
  decideAfterProbe,
  idempotencyKey,
  unknownEffect,
} from "./decide.ts";
import type { CheckAnswer, Entry } from "./journal.ts";
import type { SendStepOutline } from "./outline.ts";

const story = (over: Partial<SendStepOutline> = {}): Story =>
  new Story(outlineOf({ kind: "step", name: "create", ...over }));
const notFound: CheckAnswer = { kind: "didNotHappen" };
const found: CheckAnswer = { kind: "happened", result: { kind: "value", value: 1 }, evidence: null };

function kinds(one: Story): readonly string[] {
  const opened = one.decideOpen("create");
  return opened.kind === "refused" ? [opened.review.reason] : opened.entries.map(({ kind }) => kind);
}

const same = (): Story => {
  const one = story();
  one.request = () => "always the same";
  return one.open("create").fail("create");
};

const asked = (one: Story, answer: CheckAnswer, at = one.now): Entry => {
  const { intent } = one.step("create");
  if (intent === null) throw new Error("no intent");
  return decideAfterCheck(
    one.sendStep("create"),
    one.state,
    unknownEffect(one.sendStep("create"), one.state, intent, digest),
    answer,
    { askedAt: at, answeredAt: at },
    0,
  );
};

/** The same of a step that has no request. */
const unasked = (): Story =>
  story({ destination: ledger, hasCheck: true, hasRequest: false }).open("create").loseClaim("create");

const lost = (): Story => story({ destination: ledger, hasCheck: true }).open("create").loseClaim("create");

describe("opening an attempt", () => {
  it("commits the intent with its request and key, and the attempt with its token and deadline, before the send (R17)", () => {
    const opened = story().wait(SECOND).decideOpen("create");
    expect(opened).toEqual({
      kind: "open",
      entries: [
        {
          kind: "intentOpened",
          step: "create",
          intentVersion: 1,
          idempotencyKey: "case-1.create.1",
          destination: "erp",
          credentialId: "erp-account",
          basis: '#{"input":{"vendor":"acme"},"results":{}}',
          fingerprint: '#{"input":{"vendor":"acme"},"step":"create"}',
          request: '{"input":{"vendor":"acme"},"step":"create"}',
        },
        {
          kind: "attemptOpened",
          step: "create",
          intentVersion: 1,
          attempt: 1,
          fencingToken: START + SECOND,
          sendDeadlineAt: START + 31 * SECOND,
          claimId: "claim-1",
          holder: worker,
        },
      ],
    });
  });

  it("reuses intent and key for the same effect, and numbers attempts on", () => {
    const one = story().open("create").fail("create").wait(MINUTE);
    expect(kinds(one)).toEqual(["attemptOpened"]);
    expect(one.decideOpen("create")).toMatchObject({ entries: [{ attempt: 2, intentVersion: 1 }] });
    expect(one.resume().decideOpen("create")).toMatchObject({ entries: [{ attempt: 2, intentVersion: 1 }] });
  });

  it("raises the intent version, and so the key, only when a new effect is wanted and the old one surely did not happen (R18)", () => {
    const settled = story().open("create").fail("create").correct({ vendor: "other" });
    expect(settled.decideOpen("create")).toMatchObject({
      entries: [
        { intentVersion: 2, idempotencyKey: "case-1.create.2" },
        { intentVersion: 2, attempt: 1 },
      ],
    });
    const unsettled = story().open("create").fail("create", lostAnswer).correct({ vendor: "other" });
    expect(kinds(unsettled)).toEqual(["attemptOpened"]);
    expect(unsettled.decideOpen("create")).toMatchObject({ entries: [{ intentVersion: 1, attempt: 2 }] });
  });

  it("a later failure that surely did not happen does not settle an earlier maybe (R18)", () => {
    const one = story().open("create").fail("create", lostAnswer).open("create").fail("create");
    expect(kinds(one.correct({ vendor: "other" }))).toEqual(["attemptOpened"]);
  });

  it("wants a new effect also on a changed basis, or somewhere else", () => {
    expect(kinds(same())).toEqual(["attemptOpened"]);
    expect(kinds(same().correct({ vendor: "other" }))).toEqual(["intentOpened", "attemptOpened"]);
    for (const over of [{ name: "crm" }, { credentialId: "other" }]) {
      const moved = same();
      moved.outline = outlineOf({ kind: "step", name: "create", destination: destination(over) });
      expect(kinds(moved)).toEqual(["intentOpened", "attemptOpened"]);
    }
  });

  it("never sends a rejected fingerprint again, under any version, and says what to do", () => {
    const one = story().open("create").fail("create", rejection);
    expect(one.resume().decideOpen("create")).toMatchObject({
      kind: "refused",
      review: {
        reason: "rejected",
        owner: "purchasing",
        sentence:
          "erp rejected exactly this request before, so create does not send it again. erp rejected the request. " +
          "Correct the input, then resume.",
      },
    });
    one.correct({ vendor: "other" }).open("create").fail("create").correct({ vendor: "acme" });
    expect(kinds(one)).toEqual(["rejected"]);
    expect(kinds(one.correct({ vendor: "third" }))).toEqual(["intentOpened", "attemptOpened"]);
  });

  it("infers the fingerprint from basis and definition where the author gave no request, and says so", () => {
    const one = story({ hasRequest: false });
    expect(one.decideOpen("create")).toMatchObject({
      entries: [
        { request: null, fingerprint: `##{"input":{"vendor":"acme"},"results":{}}\npurchase\n1` },
        {},
      ],
    });
    one.open("create").fail("create", rejection);
    expect(kinds(one)).toEqual(["rejected"]);
    one.outline = { ...one.outline, version: 2 };
    expect(kinds(one)).toEqual(["intentOpened", "attemptOpened"]);
  });

  it("refuses also what an attempt was rejected for that another one had overtaken", () => {
    const one = story({ hasCheck: true })
      .open("create")
      .loseClaim("create")
      .open("create")
      .loseClaim("create");
    const outcome = { kind: "failed", failure: rejection } as const;
    const ref = { step: "create", intentVersion: 1, attempt: 1 };
    one.append({ kind: "lateReport", ...ref, claimId: "claim-1", holder: worker, outcome });
    one.wait(HOUR).check("create", notFound).check("create", notFound);
    expect(one.decideOpen("create")).toMatchObject({
      kind: "refused",
      review: {
        sentence:
          "erp rejected exactly this request before, so create does not send it again. Correct the input, then resume.",
      },
    });
  });

  it("raises the token with every send, also when the clock goes back (R19)", () => {
    const one = story().wait(HOUR).open("create").fail("create").wait(-HOUR);
    expect(one.decideOpen("create")).toMatchObject({ entries: [{ fencingToken: START + HOUR + 1 }] });
  });
});

describe("the idempotency key", () => {
  it("names case, step and intent version", () => {
    expect(idempotencyKey("07abc", "create", 3)).toBe("07abc.create.3");
  });
});

describe("the end of an attempt", () => {
  it("confirms on the basis that its intent was opened for, whatever the input says by now", () => {
    const one = story().open("create").correct({ vendor: "other" }).succeed("create");
    expect(one.step("create").confirmation).toMatchObject({
      basis: '#{"input":{"vendor":"acme"},"results":{}}',
      by: { how: "response", attempt: 1 },
      intentVersion: 1,
    });
  });

  it("keeps what was seen of its requests, whether it failed or took effect", () => {
    const one = story().open("create").failAfter("create", 2).open("create");
    one.end("create", {
      kind: "succeeded",
      result: { kind: "value", value: 1 },
      evidence: null,
      wire: seen(3),
    });
    expect(one.step("create").intent?.attempts).toMatchObject([
      { outcome: { kind: "failed" }, wire: { requests: 2, repeats: 1 } },
      { outcome: { kind: "confirmed" }, wire: { requests: 3, repeats: 2 } },
    ]);
    expect(one.step("create").round).toMatchObject({ attempts: 0, repeats: 0 });
  });

  it("sets the retry time once, so that it stays true", () => {
    const one = story().open("create").fail("create");
    expect(one.wait(MINUTE).step("create").notBefore).toBe(START + 2_500);
    const counted = one.open("create").end("create", { kind: "failed", failure: failure() }, 0.5);
    expect(counted.step("create").notBefore).toBe(counted.now + 15_000);
  });

  it("counts throttles for their own delay", () => {
    const one = story();
    for (let times = 0; times < 2; times += 1)
      one.open("create").fail("create", failure({ cause: "throttled" }));
    expect(one.step("create").notBefore).toBe(START + 10_000);
  });

  it("of an attempt that is not in the journal is a bug of ours", () => {
    const one = story();
    const step = one.sendStep("create");
    const ref = { step: "create", intentVersion: 1, attempt: 1 };
    expect(() =>
      decideAfterAttempt(step, one.state, ref, { kind: "failed", failure: failure() }, START, 0),
    ).toThrow(expect.objectContaining({ code: "INVARIANT_BROKEN" }));
  });
});

describe("an answer to a check", () => {
  /** Send deadline, read lag and request age of the ledger. */
  const arrival = 100 * SECOND;

  it("that found it confirms, on the basis of the intent", () => {
    const one = lost().correct({ vendor: "other" });
    const result = { kind: "unreadable", why: "x" } as const;
    expect(asked(one, { kind: "happened", result, evidence: 1 })).toMatchObject({
      kind: "stepConfirmed",
      intentVersion: 1,
      basis: '#{"input":{"vendor":"acme"},"results":{}}',
      result,
      by: { how: "check", askedAt: START },
    });
  });

  it("that did not find it proves nothing the first time, however late", () => {
    const one = lost().wait(HOUR);
    expect(asked(one, notFound)).toMatchObject({ proves: false, nextCheckAt: one.now + 10 * SECOND });
  });

  it("that did not find it proves it the second time, after the read lag and the last possible arrival", () => {
    const one = lost().check("create", notFound);
    expect(asked(one, notFound, START + arrival - 1)).toMatchObject({
      proves: false,
      nextCheckAt: START + arrival,
    });
    expect(asked(one, notFound, START + arrival)).toMatchObject({ proves: true });
    const late = lost().wait(HOUR).check("create", notFound);
    expect(asked(late, notFound, late.now + 9 * SECOND)).toMatchObject({ proves: false });
    expect(asked(late, notFound, late.now + 10 * SECOND)).toMatchObject({ proves: true });
  });

  it("tells of when it was asked, and the next question waits from when it came", () => {
    const one = lost().check("create", notFound);
    const { intent } = one.step("create");
    if (intent === null) throw new Error("no intent");
    const late = { askedAt: START + arrival - 1, answeredAt: START + arrival + SECOND };
    const decided = (answer: CheckAnswer): Entry =>
      decideAfterCheck(
        one.sendStep("create"),
        one.state,
        unknownEffect(one.sendStep("create"), one.state, intent, digest),
        answer,
        late,
        0,
      );
    expect(decided(notFound)).toMatchObject({
      proves: false,
      askedAt: late.askedAt,
      nextCheckAt: late.answeredAt,
    });
    expect(decided(cannotTell("down"))).toMatchObject({ nextCheckAt: late.answeredAt + 10_000 });
  });

  it("that did not find it proves nothing where it was asked with other facts than what was sent was made of", () => {
    const moved = unasked().correct({ vendor: "other" });
    const answered = { proves: false, answer: { kind: "cannotTell" } };
    expect(asked(moved, notFound, START + HOUR)).toMatchObject(answered);
    moved.check("create", notFound);
    expect(asked(moved, notFound, START + HOUR)).toMatchObject(answered);
    const back = moved.correct({ vendor: "acme" }).check("create", notFound);
    expect(asked(back, notFound, START + HOUR)).toMatchObject({ proves: true });
    const there = { kind: "happened", result: { kind: "value", value: null }, evidence: null } as const;
    expect(asked(unasked().correct({ vendor: "other" }), there)).toMatchObject({ kind: "stepConfirmed" });
  });

  it("counts from anew after another attempt", () => {
    const one = lost().wait(HOUR).check("create", notFound).open("create").loseClaim("create");
    expect(asked(one, notFound, one.now + HOUR)).toMatchObject({ proves: false });
  });

  it("that cannot tell is asked again after a growing delay, and does not undo a not-found", () => {
    const one = lost();
    expect(asked(one, cannotTell("down"))).toMatchObject({ proves: false, nextCheckAt: START + 2_500 });
    one.wait(HOUR).check("create", notFound).check("create", cannotTell("down"));
    expect(asked(one, cannotTell("down"))).toMatchObject({ nextCheckAt: one.now + 40_000 });
    expect(asked(one, notFound, one.now + 10 * SECOND)).toMatchObject({ proves: true });
  });
});

describe("what a question really sent", () => {
  it("is kept with its answer, whatever that is", () => {
    const one = lost();
    const { intent } = one.step("create");
    if (intent === null) throw new Error("no intent");
    const wire = seen(2);
    const answered = (answer: CheckAnswer): Entry => {
      const when = { askedAt: START, answeredAt: START, wire };
      return decideAfterCheck(
        one.sendStep("create"),
        one.state,
        unknownEffect(one.sendStep("create"), one.state, intent, digest),
        answer,
        when,
        0,
      );
    };
    expect(answered(notFound)).toMatchObject({ kind: "checkAnswered", wire });
    expect(answered(found)).toMatchObject({ kind: "stepConfirmed", by: { how: "check" }, wire });
    const probed = decideAfterProbe(
      "create",
      probe("in budget"),
      one.state,
      holds,
      { answeredAt: START, wire },
      0,
    );
    expect(probed).toMatchObject({ kind: "conditionAnswered", wire });
  });
});

describe("an answer to a probe", () => {
  const inBudget = probe("in budget");

  it("sets when it is asked again only where it could not be told, later each time", () => {
    const one = story();
    const decided = (answer: Parameters<typeof decideAfterProbe>[3]): Entry =>
      decideAfterProbe("create", inBudget, one.state, answer, { answeredAt: START }, 0);
    expect(decided(holds)).toMatchObject({ nextProbeAt: null });
    expect(decided(broken("spent"))).toMatchObject({ nextProbeAt: null, answer: { kind: "broken" } });
    expect(decided(cannotTell("down"))).toMatchObject({ nextProbeAt: START + 2_500 });
    one.probe("create", inBudget, cannotTell("down"));
    expect(decided(cannotTell("down"))).toMatchObject({ nextProbeAt: START + 10_000 });
  });

  it("and to a check keep what was seen of their requests", () => {
    const one = story();
    const wire = seen(2);
    expect(
      decideAfterProbe("create", inBudget, one.state, holds, { answeredAt: START, wire }, 0),
    ).toMatchObject({
      wire,
    });
    one.open("create");
    const { intent } = one.step("create");
    if (intent === null) throw new Error("no intent");
    const happened = { kind: "happened", result: { kind: "value", value: null }, evidence: null } as const;
    const asking = { askedAt: START, answeredAt: START, wire };
    const decided = decideAfterCheck(
      one.sendStep("create"),
      one.state,
      unknownEffect(one.sendStep("create"), one.state, intent, digest),
      happened,
      asking,
      0,
    );
    expect(decided).toMatchObject({ kind: "stepConfirmed", wire });
  });
});
