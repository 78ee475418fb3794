import { describe, expect, it } from "vitest";
import { basisOf } from "./basis.ts";
import { digest, failure, lostAnswer, outlineOf, person, Story, worker } from "./case.fixture.ts";
import { decideLateReport } from "./late.ts";
import type { Entry } from "./journal.ts";
import type { CaseOutline } from "./outline.ts";
import { adoptNames, inFormerNames, nameIn, originName, renamesFor, stepFormerlyNamed } from "./renames.ts";

const record = { kind: "step", name: "createRecord" } as const;
const made = { ...record, name: "makeRecord", formerly: ["createRecord"] } as const;
const notify = { kind: "step", name: "notify", after: ["createRecord"], closure: ["createRecord"] } as const;
const told = { ...notify, after: ["makeRecord"], closure: ["makeRecord"] };
const lines = { kind: "each", name: "lines", undo: true } as const;

const before = outlineOf(record, notify);
const after = outlineOf(made, told);

/** The case goes on under another definition, as a worker would begin it. */
function under(outline: CaseOutline, story: Story): Story {
  story.outline = outline;
  const renamed = renamesFor(outline, story.state);
  return renamed.length === 0
    ? story
    : story.append({ kind: "definitionChanged", version: outline.version, renamed, by: worker });
}

describe("a step that was given another name", () => {
  it("stands by what was done under the former one, and so does what rests on it", () => {
    const story = under(after, new Story(before).confirm("createRecord").confirm("notify"));
    expect(story.plan()).toMatchObject({ isComplete: true, foothold: ["notify"], shifts: [], strays: [] });
    expect(Object.keys(story.state.steps)).toEqual(["makeRecord", "notify"]);
  });

  it("is found out about under its former key, and sent again under that one only", () => {
    const story = new Story(before).open("createRecord").fail("createRecord", lostAnswer);
    const { idempotencyKey } = story.step("createRecord").intent ?? {};
    under(after, story).wait(60_000);
    expect(story.act("makeRecord")).toMatchObject({ kind: "send", repeats: [{ step: "makeRecord" }] });
    story.open("makeRecord");
    expect(story.step("makeRecord").intent).toMatchObject({ idempotencyKey, version: 1 });
  });

  it("has its review, what it waits for and what was rejected under its new name", () => {
    const reviewed = new Story(before)
      .open("createRecord")
      .fail("createRecord", failure({ cause: "bug" }))
      .settle();
    expect(under(after, reviewed).step("makeRecord").review).toMatchObject({ step: "makeRecord" });
    const waits = new Story(before).open("createRecord").fail("createRecord").settle();
    const renamed = renamesFor(after, waits.state);
    expect(adoptNames(after, waits.state).rest).toMatchObject({ waits: [{ step: "makeRecord" }] });
    expect(renamed).toEqual([{ from: "createRecord", to: "makeRecord" }]);
  });

  it("goes back to its former name where the definition is rolled back, without another effect", () => {
    const story = under(before, under(after, new Story(before).confirm("createRecord")));
    expect(Object.keys(story.state.steps)).toEqual(["createRecord"]);
    expect(story.act("notify")).toMatchObject({ kind: "send" });
    expect(under(after, story.confirm("notify")).plan().isComplete).toBe(true);
  });

  it("keeps the basis of what follows, whichever name was the first", () => {
    const story = new Story(before).confirm("createRecord");
    const basis = basisOf(story.sendStep("notify"), story.state, digest);
    under(after, story);
    expect(basisOf(story.sendStep("notify"), story.state, digest)).toBe(basis);
    const third = outlineOf(
      { ...made, name: "book", formerly: ["makeRecord"] },
      { ...told, after: ["book"], closure: ["book"] },
    );
    under(third, story);
    expect(basisOf(story.sendStep("notify"), story.state, digest)).toBe(basis);
    expect(originName(story.state, "book")).toBe("createRecord");
    expect(originName(story.state, "book.undo")).toBe("createRecord.undo");
  });

  it("keeps the keys of an each, and the undo of every one", () => {
    const story = new Story(outlineOf(lines));
    story.append({ kind: "eachStarted", step: "lines", keys: ["1", "2"] });
    story.confirm("lines[1]");
    const items = { ...lines, name: "items", formerly: ["lines"] } as const;
    under(outlineOf(items), story);
    expect(story.state.each).toEqual({ items: ["1", "2"] });
    expect(Object.keys(story.state.steps).filter((name) => name.includes("["))).toEqual(["items[1]"]);
    const planned = story.plan().steps.map(({ step, standing }) => [step.name, standing.kind]);
    expect(planned).toEqual([
      ["items[1]", "stands"],
      ["items[2]", "open"],
      ["items", "open"],
    ]);
  });

  it("stops in sight where the case did a step of either name", () => {
    const both = outlineOf(record, { ...record, name: "makeRecord", after: [], closure: [] });
    const story = under(after, new Story(both).confirm("createRecord").confirm("makeRecord"));
    expect(renamesFor(after, story.state)).toEqual([]);
    expect(story.act("notify")).toEqual({ kind: "nothing", why: "vanished" });
    expect(story.plan().strays).toMatchObject([{ review: { step: "createRecord" } }]);
  });

  it("takes up the latest of its former names that the case knows", () => {
    const twice = outlineOf({ ...made, name: "book", formerly: ["makeRecord", "createRecord"] });
    const story = new Story(outlineOf(record)).confirm("createRecord");
    expect(renamesFor(twice, story.state)).toEqual([{ from: "createRecord", to: "book" }]);
    expect(renamesFor(twice, under(after, story).state)).toEqual([{ from: "makeRecord", to: "book" }]);
  });
});

describe("a name that a step gave up", () => {
  const reused = outlineOf(
    { ...made, formerly: [] },
    { ...record, after: ["makeRecord"], closure: ["makeRecord"] },
  );

  it("gives another step no key that was used before", () => {
    const story = under(reused, under(after, new Story(before).confirm("createRecord"))).open("createRecord");
    expect(story.step("makeRecord").intent?.idempotencyKey).toBe("case-1.createRecord.1");
    expect(story.step("createRecord").intent?.idempotencyKey).toBe("case-1.createRecord~2.1");
    story.succeed("createRecord");
    const third = outlineOf(
      { ...made, formerly: [] },
      {
        ...record,
        name: "second",
        formerly: ["createRecord"],
        after: ["makeRecord"],
        closure: ["makeRecord"],
      },
    );
    expect(under(third, story).plan().isComplete).toBe(true);
    expect(originName(story.state, "second")).toBe("createRecord~2");
    expect(originName(story.state, "createRecord")).toBe("createRecord~3");
  });

  it("still leads a late worker to the step that it worked on", () => {
    const story = new Story(before).open("createRecord").loseClaim("createRecord");
    under(after, story);
    const report = {
      ref: { step: "createRecord", intentVersion: 1, attempt: 1 },
      claimId: "claim-1",
      holder: worker,
      outcome: { kind: "succeeded", result: { kind: "value", value: { id: "R-17" } }, evidence: null },
    } as const;
    const entries = decideLateReport(after, story.state, report);
    expect(entries).toMatchObject([{ kind: "lateReport", step: "makeRecord" }]);
    story.append(...entries);
    expect(story.act("makeRecord")).toMatchObject({ kind: "confirm", entry: { by: { how: "lateReport" } } });
    expect(stepFormerlyNamed(story.state, "createRecord.undo")).toBe("makeRecord.undo");
    expect(stepFormerlyNamed(story.state, "notify")).toBe("notify");
  });
});

describe("what people and reports say of renamed steps", () => {
  it("is written under the names that the journal knows, until a worker takes up the new ones", () => {
    const entries: readonly Entry[] = [
      { kind: "resumed", step: "makeRecord", by: person, reason: null },
      { kind: "resumed", step: null, by: person, reason: null },
      { kind: "noteAdded", text: "makeRecord", by: person },
      {
        kind: "reviewOpened",
        review: {
          step: "makeRecord.undo",
          reason: "bug",
          sentence: "",
          owner: "o",
          nextCheckAllowedAt: null,
        },
      },
      { kind: "resumed", step: "notify", by: person, reason: null },
    ];
    const written = inFormerNames(entries, [{ from: "createRecord", to: "makeRecord" }]);
    expect(written).toMatchObject([
      { step: "createRecord" },
      { step: null },
      { text: "makeRecord" },
      { review: { step: "createRecord.undo" } },
      { step: "notify" },
    ]);
    expect(inFormerNames(entries, [])).toBe(entries);
  });

  it("is told of by the name that this definition has for it", () => {
    expect(nameIn(after, "createRecord")).toBe("makeRecord");
    expect(nameIn(after, "createRecord.undo")).toBe("makeRecord.undo");
    expect(nameIn(after, "makeRecord")).toBe("makeRecord");
    expect(nameIn(after, "audit")).toBe("audit");
  });
});

describe("a version of the definition", () => {
  it("that was needed once is needed from then on", () => {
    const story = new Story(before).append({
      kind: "definitionChanged",
      version: 3,
      renamed: [],
      by: worker,
    });
    expect(story.state.definitionVersion).toBe(3);
    story.append({ kind: "definitionChanged", version: 2, renamed: [], by: worker });
    expect(story.state.definitionVersion).toBe(3);
  });

  it("that names a step as one which is there makes the journal unreadable", () => {
    const story = new Story(before).confirm("createRecord").confirm("notify");
    const renamed = [{ from: "createRecord", to: "notify" }];
    story.append({ kind: "definitionChanged", version: 2, renamed, by: worker });
    expect(() => story.state).toThrow(/createRecord is to be notify, which is there/);
  });
});

describe("an effect that may have happened under a name without an heir", () => {
  it("keeps what is new to the case from being begun", () => {
    const story = new Story(before).open("createRecord").fail("createRecord", lostAnswer);
    const other = outlineOf({ ...made, formerly: [] }, told);
    story.outline = other;
    expect(story.act("makeRecord")).toEqual({ kind: "nothing", why: "vanished" });
    expect(story.plan().strays).toMatchObject([{ review: { step: "createRecord", reason: "unknown" } }]);
  });
});
