import { describe, expect, test } from "vitest";
import { countEventNeeds, eventMatters, type ReviewedWork } from "./event-needs.ts";
import { tellMatter, tellOver, noticeFacts } from "./notice-words.ts";
import { decideNotice, noticeKey } from "./notices.ts";

const times = { now: 10_000, dueAfterMs: 4_000 };

function work(eventId: string, more: Partial<ReviewedWork> = {}): ReviewedWork {
  return { eventId, source: "bank", owner: "finance", errorClass: "noKey", changedAt: 5_000, ...more };
}

const works = [
  work("e07-2", { changedAt: 9_000 }),
  work("e07-1"),
  // Another consumer of the same event.
  work("e07-1", { errorClass: "TypeError", changedAt: 6_000 }),
  work("e07-3", { owner: "sales", errorClass: null, changedAt: 9_000 }),
  work("e07-9", { owner: "sales", errorClass: null, changedAt: 9_500 }),
  work("e07-4", { source: "shop", changedAt: 7_000 }),
];

describe("events that stand in review", () => {
  test("are counted by owner and source, each event once", () => {
    expect(countEventNeeds(works, times)).toEqual([
      {
        owner: "finance",
        source: "bank",
        events: 2,
        causes: 2,
        firstSinceAt: 5_000,
        lastSinceAt: 9_000,
        eventId: "e07-1",
        overdue: 1,
        lastOverdueSinceAt: 6_000,
      },
      expect.objectContaining({ owner: "finance", source: "shop", events: 1, overdue: 0 }),
      expect.objectContaining({
        owner: "sales",
        source: "bank",
        causes: 0,
        eventId: "e07-3",
        lastOverdueSinceAt: null,
      }),
    ]);
    expect(countEventNeeds([], times)).toEqual([]);
  });

  test("are told to their owner as cases are: once, grouped, and again when overdue", () => {
    const [matter] = eventMatters(countEventNeeds(works, times), times);
    if (matter === undefined) throw new Error("there is no matter");
    expect(noticeKey(matter)).toBe('["finance","events","bank"]');
    const rules = { gatherMs: 1_000, againMs: 60_000, growth: null };
    const first = decideNotice(matter, null, rules, 10_000);
    expect(first).toMatchObject({ kind: "tell", why: "new", state: { toldCases: 2, overdueToldAt: 10_000 } });
    if (first.kind !== "tell") return;
    expect(decideNotice(matter, first.state, rules, 20_000).kind).toBe("leave");
    const young = { ...matter, overdue: null };
    const told = decideNotice(young, null, rules, 10_000);
    if (told.kind !== "tell") throw new Error("nobody is told");
    expect(decideNotice(matter, told.state, rules, 20_000)).toMatchObject({ kind: "tell", why: "overdue" });
  });

  test("are told in words that name the source and lead to them", () => {
    const [many, one] = eventMatters(countEventNeeds(works, times), times);
    if (!many?.open || !one?.open) throw new Error("there is no matter");
    const content = tellMatter({ ...many, open: many.open }, "new");
    expect(content).toMatchObject({
      title: "2 events of bank need review",
      sentence: "What arrived from bank could not be worked off: somebody must look at it.",
      path: "/events?source=bank&work=in_review",
      of: "events",
      command: null,
    });
    expect(noticeFacts(content, String)[0]).toEqual([
      "Events",
      "2, 2 causes, 1 overdue, the first since 5000",
    ]);
    expect(tellMatter({ ...one, open: one.open }, "more")).toMatchObject({
      title: "More: 1 event of shop needs review",
      path: "/events/e07-4",
    });
    expect(tellOver("finance", many.subject).title).toBe("Over: no event of bank needs review any more");
  });
});
