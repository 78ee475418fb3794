import { describe, expect, it } from "vitest";
import {
  broken,
  cannotTell,
  DAY,
  destination,
  fact,
  failure,
  holds,
  HOUR,
  lostAnswer,
  MINUTE,
  outlineOf,
  person,
  probe,
  SECOND,
  START,
  Story,
  worker,
} from "./case.fixture.ts";
import type { Entry } from "./journal.ts";
import { isUntouched } from "./outside.ts";
import type { Standing } from "./planning.ts";

const standings = (story: Story): Record<string, Standing["kind"]> =>
  Object.fromEntries(story.plan().steps.map(({ step, standing }) => [step.name, standing.kind]));
const acts = (story: Story): Record<string, string> =>
  Object.fromEntries(
    story.plan().steps.map(({ step, act }) => [step.name, act.kind === "nothing" ? act.why : act.kind]),
  );

const purchase = outlineOf(
  { kind: "approval", name: "approve" },
  { kind: "step", name: "create", uses: ["vendor", "amount"], requires: [fact("still approved")] },
  { kind: "step", name: "notify" },
);
const bought = (): Story =>
  new Story(purchase, { vendor: "acme", amount: 1, email: "a@b.c" })
    .approve("approve")
    .settle()
    .confirm("create");

const review = (reason: "mayExistTwice" | "limit" | "refused", step = "create"): Entry => ({
  kind: "reviewOpened",
  review: { step, reason, sentence: "Look.", owner: "platform", nextCheckAllowedAt: null },
});

const unreadable = (story: Story, step: string): Story =>
  story.end(step, {
    kind: "succeeded",
    result: { kind: "unreadable", why: "it has a BigInt" },
    evidence: null,
  });

it("confirms, goes to review, and sends neither the step again nor what follows it", () => {
  const story = unreadable(
    new Story(outlineOf({ kind: "step", name: "a" }, { kind: "step", name: "b" })).open("a"),
    "a",
  );
  expect(standings(story)).toEqual({ a: "stands", b: "open" });
  expect(acts(story)).toEqual({ a: "review", b: "follows" });
  expect(story.act("a")).toMatchObject({
    review: {
      reason: "unreadable",
      sentence:
        "a took effect, but what it returned cannot be stored: it has a BigInt. A later step follows it.",
    },
  });
  expect(acts(story.settle().resume())).toEqual({ a: "review", b: "follows" });
});

const twice = (over: Parameters<typeof destination>[0]): Story => {
  const story = new Story(
    outlineOf({ kind: "step", name: "create", destination: destination(over), hasCheck: true }),
  );
  story.open("create").loseClaim("create").wait(HOUR).check("create", { kind: "didNotHappen" });
  story.wait(HOUR).check("create", { kind: "didNotHappen" }).open("create");
  const outcome = { kind: "succeeded", result: { kind: "value", value: 1 }, evidence: null } as const;
  const ref = { step: "create", intentVersion: 1, attempt: 1 };
  return story
    .append({ kind: "lateReport", ...ref, claimId: "claim-1", holder: worker, outcome })
    .succeed("create");
};

const moved = (story: Story): Story => {
  story.outline = outlineOf({ kind: "step", name: "notify" });
  return story;
};

const old = (): Story =>
  new Story(outlineOf({ kind: "step", name: "create" }, { kind: "step", name: "notify" }));

describe("what stands", () => {
  it("a confirmation stands while its prerequisites hold, its basis is unchanged and what it follows stands (R14)", () => {
    const story = bought();
    expect(standings(story)).toEqual({ approve: "stands", create: "stands", notify: "open" });
    expect(acts(story)).toEqual({ approve: "stands", create: "stands", notify: "send" });
    expect(story.plan()).toMatchObject({ foothold: ["create"], shifts: [], isComplete: false });
    expect(story.confirm("notify").plan()).toMatchObject({ foothold: ["notify"], isComplete: true });
  });

  it("the foothold is every standing step with no standing successor", () => {
    const story = new Story(
      outlineOf(
        { kind: "step", name: "a" },
        { kind: "step", name: "b", after: ["a"] },
        { kind: "step", name: "c", after: ["a"] },
        { kind: "step", name: "d", after: ["b", "c"] },
      ),
    );
    expect(story.plan().foothold).toEqual([]);
    story.confirm("a").confirm("b");
    expect(story.plan().foothold).toEqual(["b"]);
    expect(acts(story)).toEqual({ a: "stands", b: "stands", c: "send", d: "follows" });
    expect(story.confirm("c").plan().foothold).toEqual(["b", "c"]);
  });

  it("a case without steps is done", () => {
    expect(new Story(outlineOf()).plan().isComplete).toBe(true);
  });

  it("a standing step is left alone, also while it is asked for by name", () => {
    const story = bought().confirm("notify");
    const busy = new Set(["notify"]);
    expect(story.plan({ busy }).isComplete).toBe(false);
  });
});

describe("a broken prerequisite", () => {
  it("lapses its step and all that follow it, says which one, and sends nothing again", () => {
    const story = bought().confirm("notify");
    story.facts.set("create.still approved", broken("revoked by the board"));
    const plan = story.plan();
    expect(standings(story)).toEqual({ approve: "stands", create: "lapsed", notify: "lapsed" });
    expect(plan.shifts).toMatchObject([
      { kind: "stepLapsed", step: "create", because: { kind: "prerequisite", name: "still approved" } },
      { kind: "stepLapsed", step: "notify", because: { kind: "follows", step: "create" } },
    ]);
    expect(plan.foothold).toEqual(["approve"]);
    expect(acts(story)).toEqual({ approve: "stands", create: "review", notify: "follows" });
    expect(story.act("create")).toMatchObject({
      review: {
        reason: "lapsed",
        owner: "purchasing-lead",
        sentence:
          'create was done, but no longer stands: the prerequisite "still approved" is broken (revoked by the board). ' +
          "It is not done again by itself.",
      },
      isOpen: false,
    });
  });

  it("that holds again restores the step, closes the review of its lapse, and lets the case go on", () => {
    const story = bought();
    story.facts.set("create.still approved", broken("revoked"));
    story.settle();
    expect(story.plan().shifts).toEqual([]);
    expect(story.act("create")).toMatchObject({ kind: "review", isOpen: true });
    story.facts.set("create.still approved", holds);
    expect(story.plan().shifts).toEqual([{ kind: "stepRestored", step: "create" }]);
    expect(acts(story)).toEqual({ approve: "stands", create: "stands", notify: "send" });
    expect(story.settle().state.steps["create"]).toMatchObject({ lapse: null, review: null });
  });

  it("of a step that is not sent yet goes to review and names it; nothing lapses", () => {
    const story = new Story(purchase, { vendor: "acme" }).approve("approve").settle();
    story.facts.set("create.still approved", broken("revoked"));
    expect(story.act("create")).toMatchObject({
      review: {
        reason: "precondition",
        sentence: 'create cannot go on: "still approved" is broken (revoked).',
      },
    });
    expect(story.plan().shifts).toEqual([]);
  });
});

describe("a prerequisite that cannot be told (R13)", () => {
  const asking = outlineOf(
    { kind: "step", name: "create", requires: [probe("open")] },
    { kind: "step", name: "notify", requires: [probe("reachable")] },
    { kind: "step", name: "book" },
  );
  const [open, reachable] = [probe("open"), probe("reachable")];
  const sent = (): Story => {
    const story = new Story(asking).probe("create", open, holds).confirm("create");
    return story.probe("notify", reachable, holds).confirm("notify");
  };

  it("neither holds nor lapses: the step is asked again and what follows waits", () => {
    const story = sent().wait(HOUR);
    expect(standings(story)).toEqual({ create: "uncertain", notify: "uncertain", book: "open" });
    expect(acts(story)).toEqual({ create: "ask", notify: "ask", book: "follows" });
    expect(story.plan()).toMatchObject({ shifts: [], foothold: [], isComplete: false });
    story.probe("create", open, cannotTell("crm is down")).probe("notify", reachable, holds);
    expect(acts(story)).toEqual({ create: "wait", notify: "follows", book: "follows" });
    expect(story.act("create")).toMatchObject({
      wait: { kind: "probe", condition: "open", why: "crm is down" },
    });
  });

  it("holds again without anybody's help", () => {
    const story = sent()
      .wait(HOUR)
      .probe("create", open, cannotTell("down"))
      .probe("notify", reachable, holds);
    story.wait(SECOND * 5).probe("create", open, holds);
    expect(acts(story)).toEqual({ create: "stands", notify: "stands", book: "send" });
  });

  it("lapses its step only once it is found broken", () => {
    const story = sent().wait(HOUR).probe("create", open, broken("closed")).probe("notify", reachable, holds);
    expect(standings(story)).toEqual({ create: "lapsed", notify: "lapsed", book: "open" });
  });

  it("goes to review once, after its retry policy is used up, and is asked anew after a resume", () => {
    const story = sent().wait(HOUR).probe("notify", reachable, holds);
    for (let times = 1; times <= 5; times += 1) {
      expect(acts(story)["create"]).toBe("ask");
      story
        .probe("create", open, cannotTell("down"))
        .wait(30 * MINUTE)
        .probe("notify", reachable, holds);
    }
    expect(story.act("create")).toMatchObject({
      review: { reason: "limit", owner: "crm-team" },
      isOpen: false,
    });
    story.settle();
    expect(story.act("create")).toMatchObject({ review: { reason: "limit" }, isOpen: true });
    expect(acts(story.resume())["create"]).toBe("ask");
  });

  it("an open review of the step does not keep it from being asked", () => {
    const story = sent().append(review("mayExistTwice")).wait(HOUR);
    expect(acts(story)["create"]).toBe("ask");
    story.probe("create", open, holds).probe("notify", reachable, holds);
    expect(story.act("create")).toMatchObject({ kind: "review", isOpen: true });
  });

  it("an uncertain step before it leaves an open review of a step in sight", () => {
    const story = sent()
      .append(review("mayExistTwice", "notify"))
      .wait(HOUR)
      .probe("notify", reachable, holds);
    expect(story.act("notify")).toMatchObject({ kind: "review", isOpen: true });
  });
});

describe("a changed basis (R14)", () => {
  it("lapses every confirmation that rested on the whole input", () => {
    const story = bought().correct({ vendor: "acme", amount: 2, email: "a@b.c" });
    expect(standings(story)).toMatchObject({ approve: "lapsed", create: "lapsed" });
    expect(story.plan().shifts).toMatchObject([
      { because: { kind: "basis" } },
      { because: { kind: "basis" } },
    ]);
  });

  it("spares a confirmation whose `uses` it does not touch, but not one that follows what lapsed", () => {
    const narrow = outlineOf(
      { kind: "step", name: "create", uses: ["vendor"] },
      { kind: "step", name: "notify", uses: ["email"] },
    );
    const story = new Story(narrow, { vendor: "acme", email: "a@b.c" }).confirm("create").confirm("notify");
    expect(standings(story.correct({ vendor: "acme", email: "x@y.z" }))).toEqual({
      create: "stands",
      notify: "lapsed",
    });
    expect(standings(story.correct({ vendor: "other", email: "a@b.c" }))).toEqual({
      create: "lapsed",
      notify: "lapsed",
    });
    expect(standings(story.correct({ vendor: "acme", email: "a@b.c" }))).toEqual({
      create: "stands",
      notify: "stands",
    });
  });

  it("a lapsed approval is always asked again, even where what it rested on came back", () => {
    const story = bought().correct({ vendor: "other" }).settle();
    story.correct({ vendor: "acme", amount: 1, email: "a@b.c" });
    expect(standings(story)).toMatchObject({ approve: "lapsed", create: "lapsed" });
    expect(story.act("approve")).toMatchObject({ kind: "wait", wait: { kind: "approval" } });
    story.approve("approve").settle();
    // The same answer for the same input: what was created stands again, and is not created again.
    expect(acts(story)).toEqual({ approve: "stands", create: "stands", notify: "send" });
  });

  it("an approval given before its lapse was written down still counts", () => {
    const story = bought().correct({ vendor: "acme", amount: 1, email: "x@y.z" });
    story.approve("approve");
    story.append(...story.plan().shifts);
    expect(acts(story)["approve"]).toBe("confirm");
  });

  it("a step that was unknown while the input changed is confirmed for the old one, and lapses", () => {
    const story = new Story(outlineOf({ kind: "step", name: "create" }), { vendor: "acme" });
    story
      .open("create")
      .fail("create", lostAnswer)
      .wait(MINUTE)
      .correct({ vendor: "other" })
      .confirm("create");
    expect(standings(story)).toEqual({ create: "lapsed" });
    expect(story.act("create")).toMatchObject({ review: { reason: "lapsed" } });
  });

  it("another definition of what a step follows changes its basis too", () => {
    const story = new Story(outlineOf({ kind: "step", name: "a" }, { kind: "step", name: "b", after: [] }));
    story.confirm("a").confirm("b");
    story.outline = outlineOf({ kind: "step", name: "a" }, { kind: "step", name: "b" });
    expect(standings(story)).toEqual({ a: "stands", b: "lapsed" });
  });
});

describe("a result that could not be stored (R11)", () => {
  it("is accepted by a resume where nothing follows", () => {
    const story = unreadable(new Story(outlineOf({ kind: "step", name: "a" })).open("a"), "a").settle();
    expect(story.act("a")).toMatchObject({ kind: "review", isOpen: true });
    expect(story.resume().plan().isComplete).toBe(true);
  });
});

describe("an effect seen twice (R10)", () => {
  it("goes to review where the destination does not deduplicate, until a person resumes", () => {
    const story = twice({ repeatSafety: { by: "lookup" } });
    expect(story.act("create")).toMatchObject({
      review: { reason: "mayExistTwice", owner: "platform" },
      isOpen: false,
    });
    story.settle();
    expect(story.act("create")).toMatchObject({ review: { reason: "mayExistTwice" }, isOpen: true });
    expect(story.resume().plan().isComplete).toBe(true);
  });

  it("is one effect where the destination deduplicates", () => {
    expect(twice({}).plan().isComplete).toBe(true);
  });
});

describe("steps that the definition no longer has", () => {
  it("keep a case open while it is not known whether they happened, in sight of the owner", () => {
    const story = moved(old().open("create").fail("create", lostAnswer)).confirm("notify");
    expect(story.plan()).toMatchObject({
      isComplete: false,
      strays: [{ isOpen: false, review: { step: "create", reason: "unknown", owner: "purchasing-lead" } }],
    });
    expect(story.settle().plan().strays).toMatchObject([{ isOpen: true }]);
    const outcome = { kind: "failed", failure: failure() } as const;
    const ref = { step: "create", intentVersion: 1, attempt: 1 };
    story.append({ kind: "lateReport", ...ref, claimId: "claim-1", holder: worker, outcome }).resume();
    expect(story.plan()).toMatchObject({ strays: [], isComplete: true });
  });

  it("are history when they surely did not happen", () => {
    expect(moved(old().open("create").fail("create")).plan().strays).toEqual([]);
  });

  it("keep a review open until a person resumes", () => {
    const story = moved(
      old()
        .open("create")
        .fail("create", failure({ cause: "bug" }))
        .settle(),
    );
    expect(story.plan().strays).toMatchObject([{ review: { reason: "bug" }, isOpen: true }]);
    expect(story.resume().plan().strays).toEqual([]);
  });

  it("are not forgotten when their name now sends nothing", () => {
    const story = old().open("create").fail("create", lostAnswer);
    story.outline = outlineOf({ kind: "approval", name: "create" });
    expect(story.plan().strays).toMatchObject([{ review: { reason: "unknown" }, isOpen: false }]);
    story.settle();
    expect(story.plan()).toMatchObject({ strays: [], isComplete: false });
    expect(story.act("create")).toMatchObject({ kind: "review", isOpen: true });
  });
});

describe("a request to stop", () => {
  const request: Entry = { kind: "pauseRequested", by: person, reason: null, untilAt: null };
  const cancel: Entry = { kind: "cancelRequested", by: person, reason: null };

  it("is carried out before anything else, once nothing is under way", () => {
    const story = new Story(purchase).append(request);
    expect(story.plan().halt).toBe("pause");
    expect(story.plan({ busy: new Set(["create"]) }).halt).toBe("none");
    expect(new Story(purchase).append(request, cancel).plan().halt).toBe("cancel");
    expect(new Story(purchase).plan().halt).toBe("none");
  });

  it("lets nothing new begin while something is still under way", () => {
    const parallel = outlineOf(
      { kind: "step", name: "a", after: [] },
      { kind: "step", name: "b", after: [] },
      { kind: "step", name: "c", after: [], before: [probe("x")] },
      { kind: "approval", name: "d", after: [] },
    );
    const story = new Story(parallel).open("a");
    const during = { busy: new Set(["a"]) };
    expect(story.act("b", during).kind).toBe("send");
    story.append(request);
    expect(story.act("a", during)).toEqual({ kind: "nothing", why: "busy" });
    expect(story.act("b", during)).toEqual({ kind: "nothing", why: "halting" });
    expect(story.act("c", during)).toEqual({ kind: "nothing", why: "halting" });
    expect(story.act("d", during).kind).toBe("wait");
    expect(new Story(parallel).open("a").append(cancel).act("b", during)).toEqual({
      kind: "nothing",
      why: "canceling",
    });
  });

  it("does not cancel what may have taken effect", () => {
    const story = new Story(purchase, { vendor: "acme" }).append(cancel);
    expect(isUntouched(story.state)).toBe(true);
    expect(isUntouched(story.approve("approve").settle().state)).toBe(true);
    const lost = new Story(outlineOf({ kind: "step", name: "create" })).open("create");
    expect(isUntouched(lost.state)).toBe(false);
    expect(isUntouched(lost.fail("create").state)).toBe(true);
    expect(lost.append(cancel).plan().halt).toBe("cancel");
    const told = lost
      .open("create")
      .loseClaim("create")
      .append({
        kind: "lateReport",
        step: "create",
        intentVersion: 1,
        attempt: 2,
        claimId: "claim-1",
        holder: worker,
        outcome: { kind: "succeeded", result: { kind: "value", value: 1 }, evidence: null },
      });
    expect(told.plan().halt).toBe("none");
  });
});

describe("parking (R15)", () => {
  it("every step says what it waits for, so that a branch in trouble keeps no other from going on", () => {
    const story = new Story(
      outlineOf(
        { kind: "step", name: "a", after: [] },
        { kind: "step", name: "b", after: [] },
        { kind: "approval", name: "c", after: [], expiresMs: null },
      ),
    );
    story
      .open("a")
      .fail("a", failure({ cause: "denied" }))
      .open("b")
      .fail("b");
    expect(acts(story)).toEqual({ a: "review", b: "wait", c: "wait" });
    expect(story.settle().state.rest).toEqual({
      kind: "waiting",
      dueAt: START + 2_500,
      waits: [
        { kind: "retry", step: "b", dueAt: START + 2_500, attempt: 2, attemptsMax: 5, by: "backoff" },
        { kind: "approval", step: "c", dueAt: null, by: "finance" },
      ],
    });
  });
});

describe("the plan", () => {
  it("reads time only from its argument, also when that goes backwards", () => {
    const story = new Story(outlineOf({ kind: "sleep", name: "pause" })).wait(DAY);
    expect(acts(story)).toEqual({ pause: "confirm" });
    expect(story.act("pause", { now: START - DAY })).toMatchObject({
      kind: "wait",
      wait: { dueAt: START + HOUR },
    });
  });
});
