import { describe, expect, it } from "vitest";
import {
  broken,
  cannotTell,
  DAY,
  destination,
  fact,
  failure,
  HOUR,
  ledger,
  lostAnswer,
  MINUTE,
  outlineOf,
  probe,
  rejection,
  retry,
  SECOND,
  START,
  Story,
} from "./case.fixture.ts";
import type { Failure, FailureCause } from "./failure.ts";
import type { CheckAnswer, ReviewReason } from "./journal.ts";
import type { DestinationOutline, RepeatSafety, SendStepOutline } from "./outline.ts";

const story = (over: Partial<SendStepOutline> = {}): Story =>
  new Story(outlineOf({ kind: "step", name: "create", ...over }));
const reviewed = (one: Story): string => {
  const act = one.act("create");
  return act.kind === "review" ? act.review.reason : act.kind;
};
const sentence = (one: Story): string => {
  const act = one.act("create");
  return act.kind === "review" ? act.review.sentence : act.kind;
};
const notFound: CheckAnswer = { kind: "didNotHappen" };
const found: CheckAnswer = {
  kind: "happened",
  result: { kind: "value", value: { id: 1 } },
  evidence: { seen: true },
};
const throttled: Failure = failure({ cause: "throttled", sentence: "erp says slow down." });
const retryAfter = (delayMs: number): Failure["instruction"] => ({
  kind: "retryAfter",
  delayMs,
  source: "retry-after",
});
const doNotRetry: Failure["instruction"] = { kind: "doNotRetry", source: "stripe-should-retry" };

const lost = (over: Partial<SendStepOutline> = {}): Story =>
  story(over).open("create").fail("create", lostAnswer);

const lostAtLedger = (): Story =>
  story({ destination: ledger, hasCheck: true }).open("create").fail("create", lostAnswer);

const moved = (over: Partial<DestinationOutline>): Story => {
  const one = lost({ hasCheck: true }).wait(MINUTE);
  one.outline = outlineOf({
    kind: "step",
    name: "create",
    hasCheck: true,
    destination: destination(over),
  });
  return one;
};

describe("a failure that surely did not happen", () => {
  it("is tried again after a growing delay, and the wait says which attempt it is", () => {
    const one = story().open("create").fail("create");
    expect(one.act("create")).toEqual({
      kind: "wait",
      wait: {
        kind: "retry",
        step: "create",
        dueAt: START + 2_500,
        attempt: 2,
        attemptsMax: 5,
        by: "backoff",
      },
    });
    one.wait(2_500);
    expect(one.act("create")).toEqual({ kind: "send", repeats: [] });
    one.open("create").fail("create");
    expect(one.act("create")).toMatchObject({ wait: { dueAt: one.now + 10_000, attempt: 3 } });
  });

  it("is tried at once when it was we who stopped it, and counts all the same", () => {
    const one = story();
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      expect(one.act("create")).toEqual({ kind: "send", repeats: [] });
      one.open("create").fail("create", failure({ cause: "stopped" }));
    }
    expect(reviewed(one)).toBe("limit");
  });

  it("goes to review after the last attempt allowed, the first included, with what was tried", () => {
    const one = story();
    for (let attempt = 1; attempt <= 5; attempt += 1)
      one
        .wait(15 * MINUTE)
        .open("create")
        .fail("create");
    expect(one.act("create")).toEqual({
      kind: "review",
      isOpen: false,
      review: {
        step: "create",
        reason: "limit",
        owner: "platform",
        sentence: "erp refused the connection. It is not sent again by itself: it was tried 5 of 5 times.",
        nextCheckAllowedAt: null,
      },
    });
  });

  it("goes to review once clients have used up the requests by repeating them", () => {
    const one = story().open("create").failAfter("create", 3);
    expect(one.act("create")).toMatchObject({ kind: "wait", wait: { attempt: 2 } });
    one
      .wait(15 * MINUTE)
      .open("create")
      .failAfter("create", 3);
    expect(one.act("create")).toMatchObject({ kind: "wait", wait: { attempt: 3 } });
    one
      .wait(15 * MINUTE)
      .open("create")
      .failAfter("create", 3);
    expect(reviewed(one)).toBe("limit");
    expect(sentence(one)).toBe(
      "erp refused the connection. It is not sent again by itself: it was tried 3 of 5 times in 9 of 8 requests.",
    );
    expect(one.resume("create").act("create")).toEqual({ kind: "send", repeats: [] });
  });

  it("counts what a client repeated by itself although the attempt was told to slow down", () => {
    const one = story().open("create").failAfter("create", 3, throttled);
    expect(one.step("create").round).toMatchObject({ attempts: 0, repeats: 2, throttles: 1 });
  });

  it("waits as long as the destination asks, and says who asked", () => {
    const one = story()
      .open("create")
      .fail("create", failure({ instruction: retryAfter(HOUR) }));
    expect(one.act("create")).toMatchObject({ wait: { dueAt: START + HOUR, by: "provider" } });
  });

  it("goes to review at once when the destination asks for a longer wait than giveUpAfter allows", () => {
    const one = story()
      .open("create")
      .fail("create", failure({ instruction: retryAfter(5 * HOUR) }));
    expect(sentence(one)).toMatch(
      /it was tried 1 of 5 times, and the next time would be later than is waited for\.$/,
    );
  });

  it("is tried once more, not reviewed, when nobody picked it up for longer than that", () => {
    const one = story()
      .open("create")
      .fail("create")
      .wait(5 * HOUR);
    expect(reviewed(one)).toBe("send");
    expect(reviewed(one.open("create").fail("create"))).toBe("limit");
  });

  it("goes to review at once when the destination says not to try again, in this round only", () => {
    const one = story()
      .open("create")
      .fail("create", failure({ instruction: doNotRetry }));
    expect(sentence(one)).toBe(
      "erp refused the connection. It is not sent again by itself: erp said not to try again.",
    );
    expect(one.resume().act("create")).toEqual({ kind: "send", repeats: [] });
  });

  it("spends no attempt when the destination says slow down, and has a count of its own", () => {
    const one = story({ destination: destination({ retry: { ...retry, maxThrottles: 3 } }) });
    for (let times = 1; times <= 3; times += 1) {
      expect(reviewed(one)).toBe("send");
      one.open("create").fail("create", throttled).wait(HOUR);
    }
    expect(sentence(one)).toBe(
      "erp says slow down. It is not sent again by itself: it was tried 0 of 5 times, and 3 times told to slow down.",
    );
  });

  it.each<[FailureCause, ReviewReason, string]>([
    ["rejected", "rejected", "purchasing"],
    ["denied", "denied", "erp-admins"],
    ["quota", "quota", "erp-admins"],
    ["conflict", "conflict", "platform"],
    ["gone", "gone", "platform"],
    ["bug", "bug", "purchasing-lead"],
  ])("goes to review at once when it is %s, to who can help", (cause, reason, owner) => {
    const one = story().open("create").fail("create", failure({ cause }));
    expect(one.act("create")).toMatchObject({ kind: "review", review: { reason, owner }, isOpen: false });
  });

  it.each<RepeatSafety>([
    { by: "key", windowMs: HOUR },
    { by: "unique" },
    { by: "if-match" },
    { by: "fence" },
    { by: "lookup" },
    { by: "none" },
  ])(
    "goes to review at once as a bug that sent nothing, whatever makes a repeat safe: $by",
    (repeatSafety) => {
      const one = story({ destination: destination({ repeatSafety }), hasCheck: true })
        .open("create")
        .fail("create", failure({ cause: "bug", executed: "no" }));
      expect(one.act("create")).toMatchObject({ kind: "review", review: { reason: "bug" }, isOpen: false });
    },
  );

  it("names the rejected fields", () => {
    expect(sentence(story().open("create").fail("create", rejection))).toBe(
      "erp rejected the request. (vendor: is unknown)",
    );
  });

  it("is history once a person resumed", () => {
    const one = story()
      .open("create")
      .fail("create", failure({ cause: "denied" }))
      .resume();
    expect(one.act("create")).toEqual({ kind: "send", repeats: [] });
  });

  it("asks the destination once before a conflict goes to people, where it can be asked", () => {
    const one = story({ hasCheck: true })
      .open("create")
      .fail("create", failure({ cause: "conflict" }));
    expect(one.act("create")).toEqual({ kind: "check", about: "outcome" });
    expect(reviewed(one.check("create", notFound))).toBe("conflict");
    const ours = story({ hasCheck: true })
      .open("create")
      .fail("create", failure({ cause: "conflict" }));
    expect(ours.check("create", found).plan().isComplete).toBe(true);
  });

  it("is picked up again after the first failed precondition, and reviewed after the second on one basis (R16)", () => {
    const one = story()
      .open("create")
      .fail("create", failure({ cause: "precondition" }));
    expect(reviewed(one)).toBe("wait");
    one
      .wait(MINUTE)
      .open("create")
      .fail("create", failure({ cause: "precondition" }));
    expect(reviewed(one)).toBe("precondition");
  });

  it("a moved precondition is bounded like any other attempt", () => {
    const one = story({ destination: destination({ retry: { ...retry, maxAttempts: 1 } }) });
    expect(reviewed(one.open("create").fail("create", failure({ cause: "precondition" })))).toBe("limit");
  });
});

describe("an open review", () => {
  it("is waited for until a person acts", () => {
    const one = story().open("create").fail("create", rejection).settle();
    expect(one.act("create")).toMatchObject({ kind: "review", isOpen: true });
    expect(one.wait(DAY).act("create")).toMatchObject({ kind: "review", isOpen: true });
  });
});

describe("an attempt that may have been executed", () => {
  it("is never taken for not sent: a lost worker's attempt is resent only because the key makes that safe", () => {
    const one = story().open("create").loseClaim("create");
    expect(one.act("create")).toEqual({
      kind: "send",
      repeats: [{ step: "create", intentVersion: 1, attempt: 1 }],
    });
    const blind = story({ destination: destination({ repeatSafety: { by: "none" } }) });
    expect(reviewed(blind.open("create").loseClaim("create"))).toBe("unknown");
  });

  it("is resent with the same key inside the key's window, without a check, after the retry delay", () => {
    const one = lost({ hasCheck: true });
    expect(one.act("create")).toMatchObject({ kind: "wait", wait: { kind: "retry", dueAt: START + 2_500 } });
    one.wait(2_500);
    expect(one.act("create")).toMatchObject({ kind: "send", repeats: [{ attempt: 1 }] });
    const key = one.step("create").intent?.idempotencyKey;
    one.open("create");
    expect(one.step("create").intent).toMatchObject({ idempotencyKey: key, version: 1 });
  });

  it("is not resent when the repeat could arrive after the key is forgotten: it is checked, else a person decides", () => {
    const window = {
      destination: destination({ repeatSafety: { by: "key", windowMs: HOUR }, requestAgeMs: MINUTE }),
    };
    const latest = HOUR - 30 * SECOND - MINUTE;
    expect(reviewed(lost(window).wait(latest - 1))).toBe("send");
    expect(reviewed(lost(window).wait(latest))).toBe("unknown");
    expect(sentence(lost(window).wait(latest))).toBe(
      "It is not known whether create happened at erp. erp did not answer. It is not sent again by itself: " +
        "the time in which erp knows its key again is over.",
    );
    expect(reviewed(lost({ ...window, hasCheck: true }).wait(latest))).toBe("check");
  });

  it("is not resent beyond the bounds, nor against the destination's word", () => {
    const one = story();
    for (let attempt = 1; attempt <= 5; attempt += 1)
      one
        .wait(15 * MINUTE)
        .open("create")
        .fail("create", lostAnswer);
    expect(sentence(one)).toMatch(/It is not sent again by itself: it was tried 5 of 5 times\.$/);
    const told = story()
      .open("create")
      .fail("create", { ...lostAnswer, instruction: doNotRetry });
    expect(sentence(told)).toMatch(/: erp said not to try again\.$/);
    expect(
      reviewed(
        story({ hasCheck: true })
          .open("create")
          .fail("create", { ...lostAnswer, instruction: doNotRetry }),
      ),
    ).toBe("check");
  });

  it("is not resent with a fingerprint that was rejected meanwhile: a rejection never settles an earlier maybe", () => {
    const one = lost().wait(MINUTE).open("create").fail("create", rejection);
    expect(reviewed(one)).toBe("unknown");
    expect(reviewed(one.resume())).toBe("unknown");
    expect(sentence(one)).toMatch(/: erp rejected exactly this request\.$/);
    const asked = lost({ hasCheck: true }).wait(MINUTE).open("create").fail("create", rejection);
    expect(reviewed(asked)).toBe("check");
    asked.check("create", notFound).check("create", notFound);
    expect(asked.step("create").intent?.attempts.map(({ outcome }) => outcome.kind)).toEqual([
      "provedNotExecuted",
      "failed",
    ]);
    expect(reviewed(asked)).toBe("rejected");
  });

  it("is not resent when the failure after it is one that a repeat cannot help", () => {
    const after = (cause: FailureCause, hasCheck: boolean): string =>
      reviewed(lost({ hasCheck }).wait(MINUTE).open("create").fail("create", failure({ cause })));
    // Who restores access can do that now, and then the outcome is found out.
    expect(after("denied", true)).toBe("denied");
    expect(after("quota", true)).toBe("quota");
    expect(after("gone", true)).toBe("check");
    expect(after("gone", false)).toBe("gone");
    expect(after("transient", false)).toBe("wait");
    const one = lost()
      .wait(MINUTE)
      .open("create")
      .fail("create", failure({ cause: "denied" }));
    expect(sentence(one)).toBe(
      "erp refused the connection. Whether an earlier attempt happened is not known.",
    );
    expect(reviewed(one.resume())).toBe("send");
  });

  it("is not resent while a prerequisite is broken, and waits for one that cannot be told", () => {
    const approved = { requires: [fact("still approved")] };
    const one = lost(approved).wait(MINUTE);
    one.facts.set("create.still approved", broken("revoked"));
    expect(sentence(one)).toMatch(/: the prerequisite "still approved" is broken \(revoked\)\.$/);
    const asked = lost({ requires: [probe("in budget")] }).wait(MINUTE);
    expect(asked.act("create")).toEqual({ kind: "ask", conditions: ["in budget"] });
    asked.probe("create", probe("in budget"), cannotTell("down"));
    expect(asked.act("create")).toMatchObject({ kind: "wait", wait: { kind: "probe" } });
  });

  it("what is asked only before a first send is not asked again for a repeat", () => {
    const one = story({ before: [probe("in budget")] });
    expect(one.act("create")).toEqual({ kind: "ask", conditions: ["in budget"] });
    one.open("create").fail("create", lostAnswer).wait(MINUTE);
    expect(one.act("create")).toMatchObject({ kind: "send", repeats: [{ attempt: 1 }] });
  });

  it("is not resent when the definition sends elsewhere now, nor checked there", () => {
    expect(reviewed(moved({}))).toBe("send");
    expect(reviewed(moved({ name: "crm" }))).toBe("unknown");
    expect(sentence(moved({ credentialId: "other" }))).toMatch(
      /: it was sent to erp \(erp-account\), and the definition sends elsewhere now\.$/,
    );
  });

  it("is resent as it was after a correction: with its key only the same request is safe (R18)", () => {
    const one = lost().wait(MINUTE).correct({ vendor: "other" });
    expect(reviewed(one)).toBe("send");
    const { intent } = one.open("create").step("create");
    expect(intent).toMatchObject({ version: 1, request: '{"input":{"vendor":"acme"},"step":"create"}' });
  });

  it("is not resent after a correction when its request was not journaled and cannot be made again", () => {
    const one = lost({ hasRequest: false }).wait(MINUTE);
    expect(reviewed(one)).toBe("send");
    expect(sentence(one.correct({ vendor: "other" }))).toMatch(
      /: what was sent cannot be made again, because the input has changed\.$/,
    );
  });

  it("says how its last attempt ended, not how an earlier one failed", () => {
    const blind = { destination: destination({ repeatSafety: { by: "none" } }) };
    const one = story(blind)
      .open("create")
      .fail("create", failure({ cause: "denied" }))
      .resume()
      .open("create");
    expect(sentence(one.loseClaim("create"))).toMatch(
      /The worker was lost while it was sending\. It is not sent again/,
    );
  });
});

describe("a destination that can only be asked", () => {
  it("is asked at once, and never sent to again on one not-found", () => {
    const one = lostAtLedger();
    expect(one.act("create")).toEqual({ kind: "check", about: "outcome" });
    one.check("create", notFound);
    expect(one.act("create")).toMatchObject({ kind: "wait", wait: { kind: "check" } });
  });

  it("is asked again only after the last possible arrival and its read lag, and then sent to again (R18)", () => {
    const one = lostAtLedger().wait(SECOND).check("create", notFound);
    // send deadline 30 s + read lag 10 s + request age 60 s
    const provesAt = START + 100 * SECOND;
    expect(one.act("create")).toMatchObject({ wait: { kind: "check", dueAt: provesAt } });
    one.now = provesAt;
    expect(reviewed(one)).toBe("check");
    expect(one.check("create", notFound).act("create")).toEqual({ kind: "send", repeats: [] });
  });

  it("goes to people at once where a check can only ask for something else than what was sent", () => {
    const unasked = story({ destination: ledger, hasCheck: true, hasRequest: false })
      .open("create")
      .loseClaim("create");
    const one = unasked.correct({ vendor: "other" });
    expect(reviewed(one)).toBe("check");
    expect(one.check("create", notFound).act("create")).toMatchObject({
      review: { reason: "unknown", owner: "platform" },
    });
    expect(sentence(one)).toContain("a step with a request is asked for what was sent");
    expect(reviewed(one.settle().resume())).toBe("check");
  });

  it("believes what it finds, at any time", () => {
    const one = lostAtLedger().check("create", found);
    expect(one.step("create").confirmation).toMatchObject({ by: { how: "check" }, evidence: { seen: true } });
    expect(one.plan().isComplete).toBe(true);
  });

  it("goes to people when it cannot tell, after as many questions as attempts are allowed", () => {
    const one = lostAtLedger();
    for (let times = 1; times <= 5; times += 1) {
      expect(reviewed(one)).toBe("check");
      one.check("create", cannotTell("down"));
      expect(reviewed(one)).toBe(times < 5 ? "wait" : "unknown");
      one.wait(15 * MINUTE);
    }
    expect(sentence(one)).toMatch(
      /: ledger cannot tell a repeat from a second order, and 5 checks could not tell; last: down\.$/,
    );
    expect(reviewed(one.resume())).toBe("check");
  });

  it("is asked at least once, however long the send was tried", () => {
    const one = lostAtLedger().wait(DAY);
    expect(reviewed(one)).toBe("check");
  });

  it("is bounded in attempts also where each one was lostAtLedger and proved not executed", () => {
    const twice = { ...ledger, retry: { ...retry, maxAttempts: 2 } };
    const one = story({ destination: twice, hasCheck: true });
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      one
        .open("create")
        .loseClaim("create")
        .wait(10 * MINUTE)
        .check("create", notFound);
      one.wait(MINUTE).check("create", notFound);
    }
    expect(sentence(one)).toBe(
      "The last attempt did not happen. It is not sent again by itself: it was tried 2 of 2 times.",
    );
  });
});

describe("a destination that can do nothing", () => {
  it("is never sent to again by the engine after an unknown outcome, whatever is resumed", () => {
    const blind = story({ destination: destination({ repeatSafety: { by: "none" } }) });
    blind.open("create").fail("create", lostAnswer);
    expect(reviewed(blind)).toBe("unknown");
    expect(reviewed(blind.settle().resume())).toBe("unknown");
  });

  it("is sent to again after a failure that surely did not happen", () => {
    const blind = story({ destination: destination({ repeatSafety: { by: "none" } }) });
    expect(reviewed(blind.open("create").fail("create").wait(MINUTE))).toBe("send");
  });
});
