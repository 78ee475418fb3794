import { describe, expect, it } from "vitest";
import {
  destination,
  failure,
  HOUR,
  lostAnswer,
  MINUTE,
  outlineOf,
  retry,
  SECOND,
  seen,
  START,
  Story,
} from "./case.fixture.ts";
import type { CaseState } from "./case-state.ts";
import type { Entry, RefreshAnswer } from "./journal.ts";
import type { DestinationOutline, SendStepOutline } from "./outline.ts";
import { planRefresh, willRefresh } from "./plan-refresh.ts";
import { decideAfterRefresh } from "./refresh.ts";

const refused = failure({ cause: "denied", access: "refreshable", sentence: "erp answered 401." });
const revoked = failure({ cause: "denied", access: "revoked", sentence: "erp answered 401." });
const failed = (over: Parameters<typeof failure>[0]): RefreshAnswer => ({
  kind: "failed",
  failure: failure(over),
});
const down = failed({ cause: "transient", sentence: "The token endpoint answered 500." });
const dead = failed({ cause: "denied", access: "revoked", sentence: "The token endpoint answered 400." });

function story(over: Partial<DestinationOutline> = {}, hasCheck = false): Story {
  const to = destination({ canRefresh: true, ...over });
  return new Story(outlineOf({ kind: "step", name: "create", destination: to, hasCheck }));
}

function step(one: Story): SendStepOutline {
  const [found] = one.outline.steps;
  if (found?.kind !== "step") throw new Error("no step");
  return found;
}

/** What happens next, and when, in seconds from the start. */
function next(one: Story): string {
  const act = one.act("create");
  if (act.kind === "wait") return `wait until ${((act.wait.dueAt ?? 0) - START) / SECOND}`;
  return act.kind === "review" ? `${act.review.reason} for ${act.review.owner}` : act.kind;
}
const sentence = (one: Story): string => {
  const act = one.act("create");
  return act.kind === "review" ? act.review.sentence : act.kind;
};

const slow = (delayMs: number): RefreshAnswer =>
  failed({ cause: "throttled", instruction: { kind: "retryAfter", delayMs, source: "retry-after" } });
const after = (answer: RefreshAnswer): string =>
  next(story().open("create").fail("create", refused).refresh("create", answer));

describe("a step whose token was refused", () => {
  it("has its access refreshed, and is then sent at once, under the same key", () => {
    const one = story().open("create").fail("create", refused);
    expect(next(one)).toBe("refresh");
    expect(next(one.refresh("create"))).toBe("send");
    one.confirm("create");
    expect(one.step("create").intent?.attempts.map(({ number }) => number)).toEqual([1, 2]);
    expect(one.plan().isComplete).toBe(true);
  });

  it("goes to the access's owner where the destination does not say how, or another token would not help", () => {
    const people = "denied for erp-admins";
    expect(next(story({ canRefresh: false }).open("create").fail("create", refused))).toBe(people);
    expect(next(story().open("create").fail("create", revoked))).toBe(people);
  });

  it("is not refreshed twice in a row: refused again, it goes to the access's owner", () => {
    const one = story().open("create").fail("create", refused).refresh("create");
    one.open("create").fail("create", refused);
    expect(next(one)).toBe("denied for erp-admins");
    expect(sentence(one)).toBe("erp answered 401. Its access had been refreshed just before.");
  });

  it("is known before its refusal is: it says nothing about the access of others then", () => {
    const will = (one: Story, attempt: number, why = refused): boolean =>
      willRefresh(one.sendStep("create"), one.step("create"), attempt, why);
    const once = story().open("create");
    expect(will(once, 1)).toBe(true);
    expect(will(once, 1, revoked)).toBe(false);
    const again = once.fail("create", refused).refresh("create").open("create");
    expect(will(again, 2)).toBe(false);
    expect(will(again, 3)).toBe(true);
  });

  it("is refreshed again when the token runs out again later", () => {
    const one = story().open("create").fail("create", refused).refresh("create");
    one.open("create").fail("create").wait(MINUTE).open("create").fail("create", refused);
    expect(next(one)).toBe("refresh");
  });

  it("waits while the token endpoint is down, and asks it again, bounded like attempts", () => {
    const one = story().open("create").fail("create", refused).refresh("create", down);
    expect(next(one)).toBe("wait until 2.5");
    expect(next(one.wait(2.5 * SECOND))).toBe("refresh");
    expect(next(one.refresh("create", down))).toBe("wait until 12.5");
    for (let times = 3; times <= 5; times += 1) one.wait(HOUR / 4).refresh("create", down);
    expect(next(one)).toBe("limit for platform");
    expect(sentence(one)).toBe(
      "erp answered 401. Its access could not be refreshed: The token endpoint answered 500. " +
        "That is not tried again by itself: it was tried 5 of 5 times.",
    );
  });

  it("waits as long as the token endpoint says, and not longer than the step goes on by itself", () => {
    const one = story().open("create").fail("create", refused).refresh("create", slow(MINUTE));
    expect(one.act("create")).toMatchObject({ wait: { dueAt: START + MINUTE, by: "provider" } });
    expect(
      next(
        story()
          .open("create")
          .fail("create", refused)
          .refresh("create", slow(5 * HOUR)),
      ),
    ).toBe("limit for platform");
  });

  it("does not ask for a refresh before anybody may make one", () => {
    const one = story()
      .open("create")
      .fail("create", refused)
      .refresh("create", down, START + MINUTE);
    expect(next(one)).toBe("wait until 60");
  });

  it("goes to people at once where the endpoint says that it will not work", () => {
    expect(after(dead)).toBe("denied for erp-admins");
    expect(after(failed({ cause: "rejected" }))).toBe("denied for erp-admins");
    const never = { kind: "doNotRetry", source: "x-should-retry" } as const;
    expect(after(failed({ cause: "transient", instruction: never }))).toBe("limit for platform");
    expect(after(failed({ cause: "quota" }))).toBe("quota for erp-admins");
    expect(after(failed({ cause: "bug" }))).toBe("bug for purchasing-lead");
  });

  it("is refreshed anew once a person resumed", () => {
    const one = story().open("create").fail("create", refused).refresh("create", dead).resume();
    expect(next(one)).toBe("send");
    expect(next(one.open("create").fail("create", refused))).toBe("refresh");
  });

  it("is not refreshed for a send that is not allowed any more", () => {
    const once = story({ retry: { ...retry, maxAttempts: 1 } });
    expect(next(once.open("create").fail("create", refused))).toBe("denied for erp-admins");
  });

  it("is asked about afterwards, where an earlier attempt may have happened", () => {
    const one = story({ repeatSafety: { by: "lookup" } }, true)
      .open("create")
      .fail("create", lostAnswer);
    one
      .wait(MINUTE)
      .check("create", { kind: "didNotHappen" })
      .wait(MINUTE)
      .check("create", { kind: "didNotHappen" });
    one.open("create").fail("create", refused);
    expect(next(one)).toBe("refresh");
    const resent = story().open("create").fail("create", lostAnswer).wait(MINUTE).open("create");
    expect(next(resent.fail("create", refused))).toBe("refresh");
    expect(resent.refresh("create").act("create")).toMatchObject({ kind: "send", repeats: [{ attempt: 1 }] });
  });

  it("belongs to the intent whose attempt was refused", () => {
    const one = story().open("create").fail("create", refused).refresh("create");
    one.request = () => ({ other: true });
    one.open("create").fail("create", refused);
    expect(one.step("create").intent?.version).toBe(2);
    expect(next(one)).toBe("refresh");
  });

  it("is not refreshed while a person asked the case to stop and something is under way", () => {
    const one = story().open("create").fail("create", refused);
    const by = { kind: "person", name: "ada" } as const;
    one.append({ kind: "pauseRequested", by, reason: null, untilAt: null });
    expect(one.act("create", { busy: new Set(["other"]) })).toEqual({ kind: "nothing", why: "halting" });
  });
});

describe("what is written of a refresh", () => {
  const wire = seen(2);
  const one = story().open("create").fail("create", refused);
  const write = (state: CaseState): Entry =>
    decideAfterRefresh(step(one), state, { answer: down, restUntilAt: null, wire }, START, 0);

  it("names the attempt that was refused, and tells what was sent", () => {
    expect(write(one.state)).toMatchObject({ attempt: 1, intentVersion: 1, wire, retryAt: START + 2_500 });
  });

  it("waits longer each time, and counts anew for another intent", () => {
    one.refresh("create", down);
    expect(write(one.state)).toMatchObject({ retryAt: START + 10_000 });
    const other = { ...one.step("create"), refresh: { ...one.step("create").refresh, intentVersion: 7 } };
    const state = { ...one.state, steps: { create: other } } as CaseState;
    expect(write(state)).toMatchObject({ retryAt: START + 2_500 });
  });

  it("is nothing where nothing was refused", () => {
    expect(() => write(story().state)).toThrow("create of case case-1 was not refused");
  });

  it("leaves nothing to do about the refusal", () => {
    const done = story().open("create").fail("create", refused).refresh("create");
    expect(planRefresh(done.planInput(), step(done), refused)).toBeNull();
  });
});

it("checks that were answered and prove nothing say so when they are given up", () => {
  const once = { repeatSafety: { by: "lookup" }, retry: { ...retry, maxAttempts: 1 } } as const;
  const one = story(once, true).open("create").fail("create", lostAnswer);
  one.check("create", { kind: "didNotHappen" });
  expect(sentence(one)).toMatch(/and 1 checks could not tell\.$/);
});

it("checks that could not tell say why when they are given up", () => {
  const one = story({ repeatSafety: { by: "lookup" } }, true)
    .open("create")
    .fail("create", lostAnswer);
  for (let times = 1; times <= 5; times += 1) {
    one.check("create", { kind: "cannotTell", why: "it threw Error: 503." }).wait(HOUR / 4);
  }
  expect(sentence(one)).toContain("and 5 checks could not tell; last: it threw Error: 503.");
});
