import { describe, expect, it } from "vitest";
import {
  broken,
  cannotTell,
  destination,
  fact,
  HOUR,
  ledger,
  lostAnswer,
  MINUTE,
  numbered,
  outlineOf,
  person,
  rejection,
  SECOND,
  Story,
  worker,
} from "./case.fixture.ts";
import { foldEntries } from "./fold.ts";
import type { CheckAnswer } from "./journal.ts";
import { decideLateReport } from "./late.ts";
import type { LapsePolicy, SendStepOutline } from "./outline.ts";
import { isUntouched } from "./outside.ts";
import { findStep, undoneStep } from "./undo.ts";

const notFound: CheckAnswer = { kind: "didNotHappen" };
const found: CheckAnswer = {
  kind: "happened",
  result: { kind: "value", value: { id: "found" } },
  evidence: null,
};

const undo: SendStepOutline = {
  kind: "step",
  name: "create.undo",
  after: [],
  formerly: [],
  closure: [],
  when: [],
  requires: [],
  uses: [],
  destination: ledger,
  before: [],
  hasRequest: true,
  hasCheck: true,
  deadlineMs: 30_000,
  versionCondition: null,
  onLapse: "review",
  undo: null,
};

/** A confirmed step of this policy, and one that follows it. */
function confirmed(onLapse: LapsePolicy, over: Partial<SendStepOutline> = {}): Story {
  const step = { kind: "step", name: "create", onLapse, hasCheck: true, ...over } as const;
  const one = new Story(
    outlineOf(step, { kind: "step", name: "notify", onLapse: "redo", uses: ["vendor"] }),
    { vendor: "acme", amount: 1 },
  );
  return one.confirm("create").wait(MINUTE);
}

/** Its input corrected, and the lapse written down. */
function lapsed(onLapse: LapsePolicy, over: Partial<SendStepOutline> = {}): Story {
  const one = confirmed(onLapse, over).correct({ vendor: "acme", amount: 2 });
  return one.append(...one.plan().shifts);
}

const sentence = (one: Story): string => {
  const act = one.act("create");
  return act.kind === "review" ? `${act.review.reason}: ${act.review.sentence}` : act.kind;
};

const targetOf = (one: Story): string | undefined =>
  one.plan().steps.find(({ step }) => step.name === "create")?.target.name;

describe("a lapsed step", () => {
  it("waits for a person by default, and is never silently run again", () => {
    expect(sentence(lapsed("review"))).toMatch(/^lapsed: .* It is not done again by itself\.$/);
    const opened = lapsed("review").settle();
    expect(opened.act("create")).toMatchObject({ kind: "review", isOpen: true });
  });

  it("is left alone while it, or its undo, is under way", () => {
    const one = lapsed("undo", { undo });
    expect(one.act("create", { busy: new Set(["create"]) })).toEqual({ kind: "nothing", why: "busy" });
    expect(one.act("create", { busy: new Set(["create.undo"]) })).toEqual({ kind: "nothing", why: "busy" });
  });

  it("begins nothing new while a person asked to stop the case", () => {
    const one = lapsed("redo").append({ kind: "pauseRequested", by: person, reason: null, untilAt: null });
    expect(one.act("create", { busy: new Set(["notify"]) })).toEqual({ kind: "nothing", why: "halting" });
  });

  it("waits for what it follows", () => {
    const one = lapsed("review").confirm("notify");
    one.append(...one.plan().shifts);
    expect(one.act("notify")).toEqual({ kind: "nothing", why: "follows" });
  });
});

describe("recheck", () => {
  it("asks whether what is there is what is wanted now, and confirms it anew for the new basis", () => {
    const one = lapsed("recheck");
    expect(one.act("create")).toEqual({ kind: "check", about: "present" });
    one.recheck("create", found);
    expect(one.act("create")).toEqual({ kind: "nothing", why: "stands" });
    expect(one.step("create").intent?.version).toBe(1);
  });

  it("compares what really ran where the destination can tell", () => {
    const one = lapsed("recheck");
    one.recheck("create", { ...found, fingerprint: one.step("create").intent?.fingerprint ?? "" });
    expect(sentence(one)).toContain("what is there was made for another request");
  });

  it.each([
    ["it is not there", notFound, "what is wanted now is not there"],
    [
      "something else is there",
      { kind: "differs", why: "an older amount", evidence: null } as const,
      "an older amount",
    ],
  ])("goes to people where %s; a resume asks once more", (_, answer, said) => {
    const one = lapsed("recheck").recheck("create", answer);
    expect(sentence(one)).toContain(said);
    expect(one.settle().resume().act("create")).toEqual({ kind: "check", about: "present" });
  });

  it("asks again while it cannot be told, within bounds", () => {
    const one = lapsed("recheck").recheck("create", cannotTell("down"));
    expect(one.act("create")).toMatchObject({ kind: "wait", wait: { kind: "check" } });
    expect(one.wait(HOUR).act("create")).toEqual({ kind: "check", about: "present" });
    for (let times = 1; times < 5; times += 1) one.recheck("create", cannotTell("down"));
    expect(sentence(one)).toContain("was asked 5 times and could not tell");
  });

  it("has nothing to ask for where the step was confirmed by hand, or has no check", () => {
    const one = new Story(outlineOf({ kind: "step", name: "create", onLapse: "recheck", hasCheck: true }));
    one.append({
      kind: "stepConfirmed",
      step: "create",
      intentVersion: 0,
      basis: "old",
      result: { kind: "value", value: null },
      evidence: null,
      by: { how: "person", by: "ada", reason: "seen" },
    });
    expect(sentence(one)).toContain("confirmed by hand");
    expect(sentence(lapsed("recheck", { hasCheck: false }))).toContain("nothing to ask for");
  });

  it("does not help while a prerequisite is broken", () => {
    const one = confirmed("recheck", { requires: [fact("approved")] });
    one.facts.set("create.approved", broken("revoked"));
    expect(sentence(one)).toContain("lapsed: ");
  });
});

describe("redo", () => {
  it("sends again as a new effect, under a new key and with fresh bounds", () => {
    const one = lapsed("redo");
    expect(one.act("create")).toEqual({ kind: "send", repeats: [] });
    one.open("create");
    const { intent, confirmation } = one.step("create");
    expect(intent).toMatchObject({ version: 2, attempts: [{ number: 1 }] });
    expect(confirmation).toBeNull();
    expect(one.succeed("create").act("create")).toEqual({ kind: "nothing", why: "stands" });
  });

  it("does not bring the old confirmation back once the new effect may have happened", () => {
    const one = lapsed("redo").open("create").fail("create", lostAnswer);
    one.correct({ vendor: "acme", amount: 1 });
    expect(one.plan().steps[0]?.standing.kind).toBe("open");
    expect(one.wait(HOUR).act("create")).toMatchObject({ kind: "send", repeats: [{ intentVersion: 2 }] });
  });

  it("is not held up by a failure of before the old confirmation", () => {
    const one = new Story(outlineOf({ kind: "step", name: "create", onLapse: "redo" }), { amount: 1 });
    one.open("create").fail("create", rejection).correct({ amount: 2 }).confirm("create");
    one
      .correct({ amount: 3 })
      .append(...one.plan().shifts)
      .open("create")
      .loseClaim("create");
    expect(one.act("create")).toMatchObject({ kind: "send", repeats: [{ intentVersion: 3 }] });
  });

  it("asks its conditions first, and stops where three claims were lost", () => {
    const one = confirmed("redo", { before: [fact("open")] }).correct({ vendor: "acme", amount: 2 });
    one.facts.set("create.open", broken("closed"));
    expect(sentence(one)).toContain("precondition: ");
    const lost = lapsed("redo");
    const openAttempts = [lost.lastAttempt("create")];
    for (let times = 0; times < 3; times += 1) {
      const holder = { claimId: "c", holderId: "h", holderName: "w", why: "silent" } as const;
      lost.append({ kind: "claimLost", ...holder, openAttempts });
    }
    expect(sentence(lost)).toMatch(/^poison: /);
  });

  it("ordered by a person redoes a step that stands, whatever its policy, and only once", () => {
    const one = confirmed("review");
    one.append({ kind: "redoOrdered", step: "create", by: person, reason: "printed wrongly" });
    expect(one.plan().steps[0]?.standing).toMatchObject({ kind: "lapsed", because: { kind: "ordered" } });
    expect(one.act("create")).toEqual({ kind: "send", repeats: [] });
    // The same request is a new effect all the same.
    one.confirm("create");
    expect(one.step("create").intent?.version).toBe(2);
    expect(one.act("create")).toEqual({ kind: "nothing", why: "stands" });
  });

  it("ordered on a paused or ended case leaves it as it is", () => {
    const order = { kind: "redoOrdered", step: "create", by: person, reason: "why" } as const;
    const paused = confirmed("review").append({ kind: "paused", by: person, reason: null, untilAt: null });
    expect(paused.append(order).state.rest.kind).toBe("paused");
    expect(confirmed("review").append({ kind: "caseDone" }).append(order).state.rest.kind).toBe("done");
  });
});

const begun = (): Story => lapsed("undo", { undo });

describe("undo", () => {
  it("takes the effect back first, then does it again as a new effect", () => {
    const one = begun();
    expect(targetOf(one)).toBe("create.undo");
    expect(one.act("create")).toEqual({ kind: "send", repeats: [] });
    one.confirm("create.undo");
    expect(one.act("create")).toMatchObject({
      kind: "record",
      entry: { kind: "stepUndone", intentVersion: 1 },
    });
    one.settle();
    expect(isUntouched(one.state)).toBe(true);
    expect(one.act("create")).toEqual({ kind: "send", repeats: [] });
    expect(one.confirm("create").step("create").intent?.version).toBe(2);
    expect(one.act("create")).toEqual({ kind: "nothing", why: "stands" });
  });

  it("is not begun while another attempt of what it takes back may still arrive", () => {
    const to = destination({ repeatSafety: { by: "unique" }, requestAgeMs: MINUTE });
    const step = {
      kind: "step",
      name: "create",
      onLapse: "undo",
      undo,
      destination: to,
      hasCheck: true,
    } as const;
    const one = new Story(outlineOf(step), { amount: 1 }).open("create").fail("create", lostAnswer);
    const arrivesAt = one.now + 30 * SECOND + MINUTE;
    one
      .wait(15 * SECOND)
      .open("create")
      .succeed("create")
      .correct({ amount: 2 })
      .settle();
    expect(targetOf(one)).toBe("create.undo");
    expect(one.act("create")).toMatchObject({
      kind: "wait",
      wait: { step: "create.undo", dueAt: arrivesAt },
    });
    // What it rested on may hold again meanwhile: nothing was begun.
    expect(one.correct({ amount: 1 }).plan().steps[0]?.standing.kind).toBe("stands");
    one.correct({ amount: 2 }).wait(arrivesAt - one.now);
    expect(one.act("create")).toEqual({ kind: "send", repeats: [] });
  });

  it("is held to be done only once no other attempt of it may still arrive, which would undo what is done next", () => {
    const to = destination({ repeatSafety: { by: "unique" }, requestAgeMs: MINUTE });
    const one = lapsed("undo", { undo: { ...undo, destination: to }, destination: to, hasCheck: true });
    one.open("create.undo").fail("create.undo", lostAnswer);
    const arrivesAt = one.now + 30 * SECOND + MINUTE;
    one
      .wait(15 * SECOND)
      .open("create.undo")
      .succeed("create.undo");
    expect(one.act("create")).toMatchObject({
      kind: "wait",
      wait: { step: "create.undo", dueAt: arrivesAt },
    });
    expect(one.wait(arrivesAt - one.now).act("create")).toMatchObject({ kind: "record" });
  });

  it("waits for nothing where what arrives late is turned away", () => {
    const one = lapsed("undo", { undo: { ...undo, destination: destination(), hasCheck: false } });
    one.open("create.undo").fail("create.undo", lostAnswer);
    one
      .wait(15 * SECOND)
      .open("create.undo")
      .succeed("create.undo");
    expect(one.act("create")).toMatchObject({ kind: "record" });
  });

  it("of the next effect is an undo of its own, with its own key", () => {
    const one = begun().confirm("create.undo").settle().confirm("create");
    one.correct({ vendor: "acme", amount: 3 }).append(...one.plan().shifts);
    expect(one.act("create")).toEqual({ kind: "send", repeats: [] });
    one.open("create.undo");
    expect(one.step("create.undo").intent?.version).toBe(2);
    expect(one.step("create.undo").intent?.request).toContain('"intentVersion":2');
  });

  it("is found out like any other outcome that is not known", () => {
    const one = begun().open("create.undo").fail("create.undo", lostAnswer);
    expect(targetOf(one)).toBe("create.undo");
    expect(one.act("create")).toEqual({ kind: "check", about: "outcome" });
    one.check("create.undo", found);
    expect(one.act("create")).toMatchObject({ kind: "record" });
  });

  it("once begun is finished, also where what had lapsed holds again", () => {
    const one = begun().open("create.undo").fail("create.undo", lostAnswer);
    one.correct({ vendor: "acme", amount: 1 });
    expect(one.plan().steps[0]?.standing.kind).toBe("lapsed");
    expect(targetOf(one)).toBe("create.undo");
    // Proved not begun, the old confirmation stands again.
    one.check("create.undo", notFound).wait(HOUR).check("create.undo", notFound);
    expect(one.plan().steps[0]?.standing.kind).toBe("stands");
  });

  it("goes to people where it fails for good, under its own name", () => {
    const one = begun().open("create.undo").fail("create.undo", rejection);
    expect(one.act("create")).toMatchObject({
      kind: "review",
      review: { step: "create.undo", reason: "rejected" },
    });
    expect(one.settle().plan().strays).toEqual([]);
  });

  it("also takes back what a broken prerequisite no longer allows, and does not do it again", () => {
    const one = confirmed("undo", { undo, requires: [fact("approved")] });
    one.facts.set("create.approved", broken("revoked"));
    one.settle();
    expect(targetOf(one)).toBe("create.undo");
    one.confirm("create.undo").settle();
    expect(one.step("create").confirmation).toBeNull();
    expect(sentence(one)).toContain("precondition: ");
  });

  it("takes back what a person had vouched for too", () => {
    const one = new Story(outlineOf({ kind: "step", name: "create", onLapse: "undo", undo }));
    one.append({
      kind: "stepConfirmed",
      step: "create",
      intentVersion: 0,
      basis: "old",
      result: { kind: "value", value: null },
      evidence: null,
      by: { how: "person", by: "ada", reason: "seen" },
    });
    expect(targetOf(one)).toBe("create.undo");
    expect(one.act("create")).toEqual({ kind: "send", repeats: [] });
  });

  it("holds the case while a person must look at it, also where what it takes back stands", () => {
    const one = confirmed("undo", { undo }).confirm("notify");
    const outcome = { kind: "succeeded", result: { kind: "value", value: null }, evidence: null } as const;
    const ref = { step: "create.undo", intentVersion: 1, attempt: 1 };
    const report = { ref, claimId: "claim-1", holder: worker, outcome };
    one.append(...decideLateReport(one.outline, one.state, report));
    expect(one.plan()).toMatchObject({ strays: [{ review: { step: "create.undo" } }], isComplete: false });
    expect(one.resume().plan()).toMatchObject({ strays: [], isComplete: true });
  });

  it("comes first where a person ordered the step to be done again", () => {
    const one = confirmed("undo", { undo });
    one.append({ kind: "redoOrdered", step: "create", by: person, reason: "why" });
    expect(targetOf(one)).toBe("create.undo");
  });

  it("that the definition no longer has leaves the lapse to people", () => {
    expect(sentence(lapsed("undo"))).toMatch(/^lapsed: /);
    const order = { kind: "redoOrdered", step: "create", by: person, reason: "why" } as const;
    expect(sentence(confirmed("undo").append(order))).toContain("ada ordered it to be done again (why)");
  });

  it("puts a late success of what was undone in front of people, where nothing compares", () => {
    const step = { kind: "step", name: "create", onLapse: "undo", undo, destination: ledger } as const;
    const one = new Story(outlineOf(step), { amount: 1 }).open("create");
    const attempt = { fencingToken: 2, sendDeadlineAt: one.now, claimId: "claim-2", holder: worker };
    one.append({ kind: "attemptOpened", step: "create", intentVersion: 1, attempt: 2, ...attempt });
    one.succeed("create").correct({ amount: 2 }).settle().confirm("create.undo").settle();
    const outcome = { kind: "succeeded", result: { kind: "value", value: 1 }, evidence: null } as const;
    const ref = { step: "create", intentVersion: 1, attempt: 1 };
    const report = { ref, claimId: "claim-1", holder: worker, outcome };
    const entries = decideLateReport(one.outline, one.state, report);
    expect(entries.map(({ kind }) => kind)).toEqual(["lateReport", "reviewOpened"]);
    expect(JSON.stringify(entries)).toContain("was undone");
  });

  it("of a step that a journal does not know changes nothing", () => {
    const one = confirmed("review");
    const [entry] = numbered([{ kind: "stepUndone", step: "ghost", intentVersion: 1 }], {
      from: one.state.revision + 1,
      at: one.now,
    });
    const after = entry === undefined ? one.state : foldEntries(one.state, [entry]);
    expect(after.steps["ghost"]).toMatchObject({ intent: null, confirmation: null });
  });
});

describe("the step that an undo takes back", () => {
  it("is found by the undo's name, and only by that", () => {
    const { outline } = confirmed("undo", { undo });
    expect(undoneStep(outline, "create.undo")?.name).toBe("create");
    expect(undoneStep(outline, "create")).toBeNull();
    expect(findStep(outline, "create.undo")).toBe(undo);
    expect(findStep(outline, "notify")?.name).toBe("notify");
    expect(findStep(outline, "nothing")).toBeNull();
  });
});
