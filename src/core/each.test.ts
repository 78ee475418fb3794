import { describe, expect, it } from "vitest";
import {
  broken,
  destination,
  fact,
  failure,
  holds,
  HOUR,
  lostAnswer,
  outlineOf,
  person,
  probe,
  rejection,
  START,
  Story,
} from "./case.fixture.ts";
import { EACH_KEYS_MAX, expandOutline, keysFault, NO_FURTHER_ITEM, planEach } from "./each.ts";
import type { Entry } from "./journal.ts";
import type { EachStepOutline, SendStepOutline } from "./outline.ts";
import { nextChecks } from "./next-check.ts";
import { isAfter, nameWithoutKey, partName, readPartName } from "./part-name.ts";
import { STILL_AN_ITEM } from "./part-outline.ts";
import { sendsOf } from "./sends.ts";
import { findStep, undoneStep, undoName } from "./undo.ts";
import { decideRedo, decideSkip, decideUndo } from "./vouching.ts";

const [undo] = outlineOf({ kind: "step", name: undoName("lines"), uses: [] }).steps as [SendStepOutline];
const [item] = outlineOf({ kind: "step", name: "lines", undo }).steps as [SendStepOutline];

const invoice = (over: Partial<EachStepOutline> = {}) =>
  outlineOf(
    { kind: "step", name: "open" },
    { kind: "each", name: "lines", item, ...over },
    { kind: "step", name: "close" },
  );
const started = (...keys: readonly string[]): Entry => ({ kind: "eachStarted", step: "lines", keys });
const begun = (over: Partial<EachStepOutline> = {}): Story =>
  new Story(invoice(over)).confirm("open").append(started("a", "b", "c"));
const acts = (story: Story, busy: readonly string[] = []): readonly string[] =>
  story.plan({ busy: new Set(busy) }).steps.map(({ step, target, act }) => {
    const what = act.kind === "nothing" ? act.why : act.kind;
    return `${target === step ? "" : "undo "}${step.name}: ${what}`;
  });

const order = (step: string) => ({ step, by: person, reason: "wrong" });

describe("names of keys", () => {
  it("are made and taken apart, undo steps included", () => {
    expect(partName("lines", "a.b:1")).toBe("lines[a.b:1]");
    expect(readPartName("lines[a.b:1].undo")).toEqual({ step: "lines", key: "a.b:1", rest: ".undo" });
    expect(readPartName("lines")).toBeNull();
    expect(["lines[a]", "lines[a].undo", "lines.undo"].map(nameWithoutKey)).toEqual([
      "lines",
      "lines.undo",
      "lines.undo",
    ]);
  });

  it.each<[string, readonly string[]]>([
    ["many", Array.from({ length: EACH_KEYS_MAX }, (_, index) => `${index}`)],
    ["none", []],
  ])("may be %s", (_, keys) => {
    expect(keysFault(keys)).toBeNull();
  });

  it.each<[string, readonly string[], RegExp]>([
    [
      "too many",
      Array.from({ length: EACH_KEYS_MAX + 1 }, (_, index) => `${index}`),
      /501 items, at most 500/,
    ],
    ["the same", ["a", "b", "a"], /two items have the key a/],
    ["empty", [""], /is no key/],
    ["what no header takes", ["a b"], /"a b" is no key/],
    ["with brackets", ["a]"], /is no key/],
    ["too long", ["x".repeat(41)], /is no key/],
  ])("may not be %s", (_, keys, fault) => {
    expect(keysFault(keys)).toMatch(fault);
  });

  it("find their step in the definition", () => {
    const outline = invoice();
    expect(findStep(outline, "lines[a]")).toMatchObject({
      name: "lines[a]",
      after: ["open"],
      formerly: [],
      closure: ["open"],
    });
    expect(findStep(outline, "lines[a].undo")).toMatchObject({ name: "lines[a].undo" });
    expect(undoneStep(outline, "lines[a].undo")).toMatchObject({ name: "lines[a]" });
    for (const name of ["open[a]", "gone[a]", "lines[a].other"]) expect(findStep(outline, name)).toBeNull();
    for (const name of ["lines", "lines[a]", "open", "open.undo", "gone.undo"])
      expect(undoneStep(outline, name)).toBeNull();
    expect(outline.steps.flatMap(sendsOf).map(({ name }) => name)).toEqual([
      "open",
      "lines",
      "lines.undo",
      "close",
    ]);
    expect(sendsOf({ ...item, undo: null })).toHaveLength(1);
    expect(outlineOf({ kind: "sleep", name: "rest" }).steps.flatMap(sendsOf)).toEqual([]);
  });
});

describe("an outline", () => {
  it("is followed out once an each has started, and is the same before, and where there is none", () => {
    const before = new Story(invoice());
    expect(expandOutline(before.outline, before.state)).toBe(before.outline);
    const { outline, state } = begun();
    const out = expandOutline(outline, state);
    expect(out.steps.map(({ name, after }) => [name, after])).toEqual([
      ["open", []],
      ["lines[a]", ["open"]],
      ["lines[b]", ["open"]],
      ["lines[c]", ["open"]],
      ["lines", ["open", "lines[a]", "lines[b]", "lines[c]"]],
      ["close", ["lines"]],
    ]);
    expect(out.steps.at(-1)?.closure).toEqual(["open", "lines"]);
    expect(out.steps.filter((one) => isAfter(one, "lines[a]")).map(({ name }) => name)).toEqual([
      "lines",
      "close",
    ]);
    expect(expandOutline(out, state)).toBe(out);
  });
});

describe("an each", () => {
  it("fixes its keys once what it follows stands and its prerequisites hold", () => {
    const story = new Story(invoice({ requires: [probe("open for booking")] }));
    expect(acts(story)).toEqual(["open: send", "lines: follows", "close: follows"]);
    story.confirm("open");
    expect(story.act("lines").kind).toBe("ask");
    story.probe("lines", probe("open for booking"), holds);
    expect(acts(story)).toEqual(["open: stands", "lines: fanOut", "close: follows"]);
    expect(() => story.append(started("a"), started("b")).state).toThrow(/lines starts a second time/);
  });

  it("may begin with the next pick-up, and what follows it not before", () => {
    const story = new Story(invoice()).confirm("open");
    const input = story.planInput();
    expect([...nextChecks(input, story.plan(), START)]).toEqual([
      ["open", null],
      ["lines", START],
      ["close", START],
    ]);
    const rest = new Story(outlineOf({ kind: "sleep", name: "rest" }, { kind: "each", name: "lines" }));
    expect(nextChecks(rest.planInput(), rest.plan(), START).get("lines")).toBe(START + HOUR);
  });

  it("has no result yet of a key that does not stand", () => {
    const story = begun({ item: { ...item, undo: null } });
    const step = expandOutline(story.outline, story.state).steps.find(({ kind }) => kind === "each");
    if (step?.kind !== "each") throw new Error("there is no each");
    expect(findStep(story.outline, "lines[a].undo")).toBeNull();
    const input = story.planInput();
    expect(planEach(input, step)).toMatchObject({
      entry: { result: { value: { a: null, b: null, c: null } } },
    });
  });

  it("is passed over where it is not needed", () => {
    const story = new Story(invoice({ when: [fact("has lines")] })).confirm("open");
    story.facts.set("lines.has lines", broken("it has none"));
    expect(story.act("lines")).toMatchObject({ kind: "confirm", entry: { by: { how: "notNeeded" } } });
  });

  it("begins its keys side by side, as many at once as it says", () => {
    const story = begun({ atOnce: 2 });
    expect(acts(story).slice(1, 5)).toEqual([
      "lines[a]: send",
      "lines[b]: send",
      "lines[c]: atOnce",
      "lines: follows",
    ]);
    story.open("lines[a]").open("lines[b]");
    expect(acts(story, ["lines[a]", "lines[b]"]).slice(1, 4)).toEqual([
      "lines[a]: busy",
      "lines[b]: busy",
      "lines[c]: atOnce",
    ]);
    story.succeed("lines[a]");
    expect(acts(story, ["lines[b]"]).slice(1, 4)).toEqual([
      "lines[a]: stands",
      "lines[b]: busy",
      "lines[c]: send",
    ]);
  });

  it("stands with the results of all keys once every one stands, and what follows it goes on", () => {
    const story = begun().confirm("lines[a]", 1).confirm("lines[b]", 2).confirm("lines[c]", 3);
    expect(story.act("lines")).toMatchObject({
      kind: "confirm",
      entry: { result: { kind: "value", value: { a: 1, b: 2, c: 3 } }, by: { how: "each", keys: 3 } },
    });
    expect(acts(story.settle()).at(-1)).toBe("close: send");
    expect(new Story(invoice()).confirm("open").append(started()).act("lines")).toMatchObject({
      kind: "confirm",
      entry: { result: { value: {} } },
    });
  });

  it("leaves the others alone where one key goes to a person, and has a key of its own for each", () => {
    const story = begun().confirm("lines[a]").open("lines[b]").fail("lines[b]", rejection).settle();
    expect(story.step("lines[b]").review).toMatchObject({ step: "lines[b]", reason: "rejected" });
    expect(acts(story).slice(1, 5)).toEqual([
      "lines[a]: stands",
      "lines[b]: review",
      "lines[c]: send",
      "lines: follows",
    ]);
    expect(story.step("lines[b]").intent?.idempotencyKey).toBe("case-1.lines[b].1");
    const skip = decideSkip(story.planInput(), null, {
      step: "lines[b]",
      result: 0,
      by: person,
      reason: "lost",
    });
    if (skip.kind !== "write") throw new Error("refused");
    story.append(...skip.entries).confirm("lines[c]", 3);
    expect(story.act("lines")).toMatchObject({ entry: { result: { value: { b: 0, c: 3 } } } });
  });

  it("tells what is sent without a request apart by its key", () => {
    const story = begun({ item: { ...item, hasRequest: false } });
    story.open("lines[a]").open("lines[b]");
    expect(story.step("lines[a]").intent?.fingerprint).not.toBe(story.step("lines[b]").intent?.fingerprint);
  });

  it("stops for people where items came or went after its start", () => {
    const story = begun();
    story.facts.set(`lines[b].${STILL_AN_ITEM.name}`, broken("the list has no such item"));
    expect(story.act("lines[b]")).toMatchObject({ kind: "review", review: { reason: "precondition" } });
    story.facts.clear();
    story.confirm("lines[a]").confirm("lines[b]").confirm("lines[c]");
    story.facts.set(`lines.${NO_FURTHER_ITEM.name}`, broken("d came since"));
    expect(story.act("lines")).toMatchObject({
      kind: "review",
      review: { sentence: expect.stringContaining("d came since") as string },
    });
    expect(story.settle().act("lines")).toMatchObject({ kind: "review", isOpen: true });
  });

  it("is done anew with what lapsed of it", () => {
    const story = begun({ item: { ...item, onLapse: "redo" } });
    story.confirm("lines[a]").confirm("lines[b]").confirm("lines[c]").settle();
    story.correct({ vendor: "other" }).confirm("open").settle();
    expect(acts(story).slice(1, 5)).toEqual([
      "lines[a]: send",
      "lines[b]: send",
      "lines[c]: send",
      "lines: follows",
    ]);
    story.confirm("lines[a]").confirm("lines[b]").confirm("lines[c]");
    expect(story.act("lines").kind).toBe("confirm");
  });

  it("keeps sight of a key whose each has vanished from the definition", () => {
    const story = begun().confirm("lines[a]").open("lines[b]").fail("lines[b]", lostAnswer);
    story.outline = outlineOf({ kind: "step", name: "open" }, { kind: "step", name: "other" });
    expect(story.plan().strays.map(({ review }) => [review.step, review.reason])).toEqual([
      ["lines[b]", "unknown"],
      ["lines[a]", "bug"],
    ]);
  });

  it("is undone key by key, after what follows it and before what it follows", () => {
    const story = begun().confirm("lines[a]").confirm("lines[b]").open("lines[c]").fail("lines[c]");
    story.append({ kind: "cancelRequested", by: person, reason: null });
    expect(acts(story)).toEqual([
      "open: review",
      "undo lines[a]: send",
      "undo lines[b]: send",
      "lines[c]: canceling",
      "lines: canceling",
      "close: canceling",
    ]);
    story
      .confirm("lines[a].undo")
      .settle()
      .append({ kind: "leftOutside", step: "lines[b]", by: person, reason: "r" });
    expect(story.plan().halt).toBe("none");
    expect(story.append({ kind: "leftOutside", step: "open", by: person, reason: "r" }).plan().halt).toBe(
      "cancel",
    );
  });

  it("is ordered to be done again or undone one key at a time", () => {
    const story = begun().confirm("lines[a]").confirm("lines[b]").confirm("lines[c]").settle();
    expect(decideRedo(story.planInput(), null, order("lines[a]")).kind).toBe("write");
    expect(decideUndo(story.planInput(), null, order("lines[a]")).kind).toBe("write");
    expect(decideRedo(story.planInput(), null, order("lines"))).toMatchObject({
      sentence: expect.stringContaining("name the one") as string,
    });
    expect(decideRedo(story.planInput(), null, order("lines[a].undo")).kind).toBe("refused");
    expect(decideUndo(story.planInput(), null, order("lines")).kind).toBe("refused");
  });

  it("opens no attempt for a key beyond its retries, as for any step", () => {
    const few = destination({ retry: { ...item.destination.retry, maxAttempts: 1 } });
    const story = begun({ item: { ...item, destination: few } })
      .open("lines[a]")
      .fail("lines[a]", failure());
    expect(story.act("lines[a]")).toMatchObject({ kind: "review", review: { reason: "limit" } });
  });
});
