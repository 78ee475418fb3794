import { describe, expect, it } from "vitest";
import {
  broken,
  destination,
  failure,
  holds,
  lostAnswer,
  outlineOf,
  person,
  probe,
  rejection,
  SECOND,
  START,
  Story,
} from "./case.fixture.ts";
import { laterKeys } from "./in-order.ts";
import { nextChecks } from "./next-check.ts";
import type { EachStepOutline, SendStepOutline } from "./outline.ts";
import { STILL_AN_ITEM } from "./part-outline.ts";
import { undoName } from "./undo.ts";
import { decideRedo, decideSkip, decideUndo } from "./vouching.ts";

const [undo] = outlineOf({ kind: "step", name: undoName("lines"), uses: [] }).steps as [SendStepOutline];
const [item] = outlineOf({ kind: "step", name: "lines", undo }).steps as [SendStepOutline];
const plain: SendStepOutline = { ...item, undo: null };

const begunAs = (over: Partial<EachStepOutline>): Story =>
  new Story(
    outlineOf(
      { kind: "step", name: "open" },
      { kind: "each", name: "lines", item, ...over },
      { kind: "step", name: "close" },
    ),
  )
    .confirm("open")
    .append({ kind: "eachStarted", step: "lines", keys: ["a", "b", "c"] });
const begun = (over: Partial<EachStepOutline> = {}): Story => begunAs({ atOnce: 1, inOrder: true, ...over });

/** What is planned about each key: "send", "undo: send", "b first". */
function keysOf(story: Story, busy: readonly string[] = []): string {
  return ["a", "b", "c"]
    .map((key) => {
      const planned = story
        .plan({ busy: new Set(busy) })
        .steps.find(({ step }) => step.name === `lines[${key}]`);
      if (planned === undefined) throw new Error(`there is no key ${key}`);
      const { act, step, target } = planned;
      const what =
        act.kind !== "nothing"
          ? act.kind
          : act.why === "inOrder"
            ? `${/\[(.*)\]/.exec(act.comesFirst)?.[1] ?? ""} first`
            : act.why;
      return `${target === step ? "" : "undo: "}${what}`;
    })
    .join(", ");
}

const order = (step: string) => ({ step, by: person, reason: "wrong" });
const written = (story: Story, verdict: ReturnType<typeof decideSkip>): Story => {
  if (verdict.kind !== "write") throw new Error("refused");
  return story.append(...verdict.entries);
};
const all = (over: Partial<EachStepOutline> = {}): Story =>
  begun(over).confirm("lines[a]").confirm("lines[b]").confirm("lines[c]").settle();
const corrected = (story: Story): Story => story.correct({ vendor: "other" }).confirm("open").settle();
const down = probe("crm is up");

/** The next check allowed of each key, then of the whole. */
const times = (story: Story, busy: readonly string[] = []): readonly (number | null | undefined)[] => {
  const over = { busy: new Set(busy) };
  const checks = nextChecks(story.planInput(over), story.plan(over), story.now);
  return ["lines[a]", "lines[b]", "lines[c]", "lines"].map((name) => checks.get(name));
};

describe("an each in order", () => {
  it.each<[string, () => Story, readonly string[], string]>([
    ["begins with the first key", () => begun(), [], "send, a first, a first"],
    ["waits while it is under way", () => begun().open("lines[a]"), ["lines[a]"], "busy, a first, a first"],
    ["begins the next once it stands", () => begun().confirm("lines[a]"), [], "stands, send, b first"],
    [
      "lets nothing overtake a retry",
      () => begun().open("lines[a]").fail("lines[a]", failure()),
      [],
      "wait, a first, a first",
    ],
    [
      "tries again before it goes on",
      () =>
        begun()
          .open("lines[a]")
          .fail("lines[a]", failure())
          .wait(10 * SECOND),
      [],
      "send, a first, a first",
    ],
    [
      "waits while it is unknown whether one happened",
      () =>
        begun({
          item: { ...item, hasCheck: true, destination: destination({ repeatSafety: { by: "lookup" } }) },
        })
          .open("lines[a]")
          .fail("lines[a]", lostAnswer),
      [],
      "check, a first, a first",
    ],
    [
      "waits behind one that a person looks at",
      () => begun().confirm("lines[a]").open("lines[b]").fail("lines[b]", rejection).settle(),
      [],
      "stands, review, b first",
    ],
    [
      "says nothing of a key before its turn",
      () => {
        const story = begun();
        story.facts.set(`lines[b].${STILL_AN_ITEM.name}`, broken("it is gone"));
        return story;
      },
      [],
      "send, a first, a first",
    ],
    [
      "goes to people with a key that is gone once it is its turn",
      () => {
        const story = begun().confirm("lines[a]");
        story.facts.set(`lines[b].${STILL_AN_ITEM.name}`, broken("it is gone"));
        return story;
      },
      [],
      "stands, review, b first",
    ],
    [
      "goes on after one that was left out, also before its turn",
      () => {
        const story = begun();
        written(story, decideSkip(story.planInput(), null, { ...order("lines[b]"), result: null }));
        return story.confirm("lines[a]");
      },
      [],
      "stands, stands, send",
    ],
    [
      "keeps what stands behind a key that is ordered to be done again, and begins no other",
      () => {
        const story = begun().confirm("lines[a]").confirm("lines[b]").settle();
        return written(story, decideRedo(story.planInput(), null, order("lines[a]")));
      },
      [],
      "send, stands, a first",
    ],
    [
      "goes on once that one stands again",
      () => {
        const story = begun().confirm("lines[a]").confirm("lines[b]").settle();
        written(story, decideRedo(story.planInput(), null, order("lines[a]")));
        return story.settle().confirm("lines[a]").settle();
      },
      [],
      "stands, stands, send",
    ],
    [
      "does what lapsed anew from the first on",
      () => corrected(all({ item: { ...plain, onLapse: "redo" } })),
      [],
      "send, a first, a first",
    ],
    [
      "asks people about all that lapsed",
      () => corrected(all({ item: plain })),
      [],
      "review, review, review",
    ],
    [
      "takes back what lapsed from the last on",
      () => corrected(all({ item: { ...item, onLapse: "undo" } })),
      [],
      "undo: c first, undo: c first, undo: send",
    ],
    [
      "sends nothing before the last of them is taken back",
      () => {
        const story = corrected(all({ item: { ...item, onLapse: "undo" } }));
        return story.confirm("lines[c].undo").settle().confirm("lines[b].undo").settle();
      },
      [],
      "undo: send, a first, a first",
    ],
    [
      "then does them anew in order",
      () => {
        const story = corrected(all({ item: { ...item, onLapse: "undo" } }));
        for (const key of ["c", "b", "a"]) story.confirm(`lines[${key}].undo`).settle();
        return story;
      },
      [],
      "send, a first, a first",
    ],
    [
      "takes one back that a person orders, whatever comes first",
      () => {
        const story = begun().confirm("lines[a]").confirm("lines[b]").settle();
        written(story, decideRedo(story.planInput(), null, order("lines[a]")));
        return written(story.settle(), decideUndo(story.planInput(), null, order("lines[b]")));
      },
      [],
      "b first, undo: send, a first",
    ],
    [
      "is undone from the last on when the case is canceled",
      () => all().append({ kind: "cancelRequested", by: person, reason: null }),
      [],
      "undoLater, undoLater, undo: send",
    ],
    [
      "goes on undoing with the key before",
      () =>
        all().append({ kind: "cancelRequested", by: person, reason: null }).confirm("lines[c].undo").settle(),
      [],
      "undoLater, undo: send, canceling",
    ],
  ])("%s", (_, told, busy, wanted) => {
    expect(keysOf(told(), busy)).toBe(wanted);
  });

  it("leaves what was begun side by side to its end, and sends none of it again before its turn", () => {
    const story = begunAs({ atOnce: 3 }).open("lines[a]").open("lines[b]").open("lines[c]");
    story
      .fail("lines[a]", failure())
      .fail("lines[c]", failure())
      .wait(10 * SECOND);
    expect(keysOf(story, ["lines[b]"])).toBe("send, busy, send");
    story.outline = begun().outline;
    expect(keysOf(story, ["lines[b]"])).toBe("atOnce, busy, a first");
    expect(keysOf(story.succeed("lines[b]").confirm("lines[a]"))).toBe("stands, stands, send");
  });

  it("asks what comes before a send of one key when it is its turn", () => {
    const asking = { ...item, before: [down] };
    const story = begun({ item: asking });
    expect(keysOf(story)).toBe("ask, a first, a first");
    story.probe("lines[a]", down, holds).confirm("lines[a]");
    expect(keysOf(story)).toBe("stands, ask, b first");
  });

  it("may begin the next key when the one before it may stand", () => {
    expect(times(begun())).toEqual([START, START, START, START]);
    expect(times(begun().open("lines[a]"), ["lines[a]"])).toEqual([null, START, START, START]);
    const retry = begun().open("lines[a]").fail("lines[a]", failure()).settle();
    const dueAt = START + 2.5 * SECOND;
    expect(times(retry)).toEqual([dueAt, dueAt, dueAt, dueAt]);
    const stopped = begun().open("lines[a]").fail("lines[a]", rejection).settle();
    expect(times(stopped)).toEqual([null, null, null, null]);
    expect(times(corrected(all({ item: { ...item, onLapse: "undo" } })))).toEqual([
      START,
      START,
      START,
      START,
    ]);
    expect(nextChecks(begun().planInput(), begun().plan(), null).get("lines[b]")).toBeNull();
    const bounded = begunAs({ atOnce: 1 });
    expect(times(bounded)).toEqual([START, START, START, START]);
  });

  it("knows the keys that come after one, and none where there is no order", () => {
    const { steps } = begun().plan();
    const [outlined] = steps.filter(({ step }) => step.name === "lines[a]").map(({ step }) => step);
    if (outlined === undefined) throw new Error("there is no such key");
    const outlines = steps.map(({ step }) => step);
    expect(laterKeys(outlines, outlined).map(({ name }) => name)).toEqual(["lines[b]", "lines[c]"]);
    expect(laterKeys(outlines, item)).toEqual([]);
  });
});
