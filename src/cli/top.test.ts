import { describe, expect, test } from "vitest";
import { frameOf, painted, type FrameLine } from "./top-frame.ts";
import {
  afterKey,
  chosenIndex,
  emptyView,
  keysIn,
  withoutAnswer,
  withSnapshot,
  type TopSnapshot,
  type TopView,
} from "./top-view.ts";

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const DOWN = "\u001b[B";
const UP = "\u001b[A";

type NeededCase = TopSnapshot["needs"]["cases"][number];

function needed(index: number): NeededCase {
  return {
    caseId: `07-case${index}`,
    tenant: "default",
    caseType: "purchase",
    businessKey: `PR-${index}`,
    startedAt: NOW - 90 * MINUTE,
    definitionVersion: 1,
    revision: 3,
    storedState: "in_review",
    reading: {
      state: "Needs correction",
      sentence: `createRecord was refused: field vendor of PR-${index} is not known to the destination that it was sent to.`,
      actsNext: "purchasing",
      byAt: null,
    },
    sinceAt: NOW - (60 - index) * MINUTE,
    dueAt: null,
    holding: null,
    isDefinitionLoaded: true,
    confirmedSteps: 1,
    openReviews: 1,
    assignee: null,
    parent: null,
    search: [],
  };
}

function snapshotOf(needs: number): TopSnapshot {
  const type = {
    caseType: "purchase",
    isLoaded: true,
    total: 40,
    states: { ready: 3, in_review: needs },
    due: 3,
    oldestDueAt: NOW - 12_000,
    withReview: needs,
    workers: 1,
  };
  const holder = {
    kind: "worker",
    host: "box-1",
    build: "b1",
    startedAt: NOW,
    isAlive: true,
    caseTypes: [],
  } as const;
  return {
    overview: {
      now: NOW,
      types: [type],
      notices: [],
      schedules: [],
      undelivered: 2,
      holders: [],
    },
    history: {
      now: NOW,
      sinceAt: NOW - 60 * MINUTE,
      everyMs: 300_000,
      isWhole: true,
      points: [
        { at: NOW - 55 * MINUTE, states: [{ reading: "Needs correction", cases: 5, oldestAt: NOW }] },
        {
          at: NOW,
          states: [
            { reading: "Running", cases: 4, oldestAt: NOW - MINUTE },
            { reading: "Needs correction", cases: 8, oldestAt: NOW - 60 * MINUTE },
          ],
        },
      ],
    },
    needs: { cases: Array.from({ length: needs }, (_, index) => needed(index)), next: null, now: NOW },
    workers: {
      now: NOW,
      workers: [
        { ...holder, holderId: "h1", name: "w-1", beatAt: NOW - 1_000, claims: 4 },
        { ...holder, holderId: "h2", name: "w-2", beatAt: NOW - 60_000, claims: 9, isAlive: false },
      ],
    },
    destinations: [
      {
        destination: "erp",
        credentialId: "erp-service",
        standing: "down",
        sentence: "erp is down since 10:04",
        limit: 1,
        limitMax: 64,
        inFlight: 0,
        workers: 1,
        downSinceAt: NOW,
        notBeforeAt: null,
        lastFailure: null,
        heldBack: 37,
        nextLookAt: null,
        history: [],
        tried: { attempts: 0, failed: 0, requests: 0, repeats: 0, unmetered: 0, points: [] },
      },
    ],
    work: [
      { tenant: "default", source: "shop", state: "in_review", count: 2, oldestAt: NOW },
      { tenant: "other", source: "shop", state: "in_review", count: 1, oldestAt: NOW },
    ],
  };
}

function viewOf(needs: number): TopView {
  return withSnapshot(emptyView("https://foothold.example.com"), snapshotOf(needs));
}

function texts(lines: readonly FrameLine[]): readonly string[] {
  return lines.map(({ text }) => text);
}

/** Presses keys, one after the other; none of them quits. */
function pressed(view: TopView, ...keys: readonly string[]): TopView {
  return keys.reduce<TopView>((now, key) => afterKey(now, key) ?? now, view);
}

describe("a frame", () => {
  test("shows counts with their change, what waits for people longest first, workers, destinations and events", () => {
    const lines = texts(frameOf(viewOf(2), { columns: 100, rows: 24 }));
    expect(lines).toHaveLength(24);
    expect(lines[0]).toMatch(/^foothold top {2}https:\/\/foothold\.example\.com {2}20\d\d-/);
    expect(lines.slice(1)).toEqual([
      "! 2 notices could not be delivered.",
      "OPEN CASES           SINCE 55 MIN AGO  OLDEST",
      "Needs correction  8  +3                60 min ago",
      "Running           4  +4                60 s ago",
      "Due for a worker: 3, the oldest since 12 s ago   Events: 3 in review",
      "NEEDS PEOPLE (2, the longest first)",
      expect.stringMatching(
        /^> 07-case0 {2}purchase {2}PR-0 {2}Needs correction {2}60 min ago {2}purchasing {2}create.*…$/,
      ),
      expect.stringMatching(/^ {2}07-case1 {2}purchase {2}PR-1 .*…$/),
      "WORKERS (2)",
      "w-2  9 claims  silent, heard of 60 s ago  box-1",
      "w-1  4 claims  heard of 1 s ago           box-1",
      "DESTINATIONS HELD BACK",
      "erp (erp-service)  37 wait  erp is down since 10:04",
      ...Array.from({ length: 9 }, () => ""),
      "q quits   arrows choose   enter shows what stands   p pauses",
    ]);
  });

  test.each([
    [80, 24],
    [40, 10],
    [200, 60],
    [20, 5],
    [10, 1],
  ])("fits into %i columns and %i rows, whatever there is", (columns, rows) => {
    for (const needs of [0, 2, 200]) {
      for (const view of [
        viewOf(needs),
        pressed(viewOf(needs), DOWN, "\r"),
        withoutAnswer(viewOf(needs), "gone", NOW),
      ]) {
        const lines = texts(frameOf(view, { columns, rows }));
        expect(lines).toHaveLength(rows);
        expect(lines.filter((text) => text.length > columns)).toEqual([]);
      }
    }
  });

  test("keeps the chosen case in sight, and shows what stands with it, in whole words", () => {
    const down = Array.from({ length: 30 }, () => DOWN);
    const lines = texts(frameOf(pressed(viewOf(60), ...down, "\r"), { columns: 80, rows: 30 }));
    const at = lines.findIndex((text) => text.startsWith("> 07-case30"));
    expect(at).toBeGreaterThan(0);
    expect(lines.slice(at + 1, at + 5)).toEqual([
      "    createRecord was refused: field vendor of PR-30 is not known to the",
      "    destination that it was sent to.",
      "    Next: purchasing.",
      "    All of it: foothold cases show 07-case30",
    ]);
  });

  test("in a file has all that there is, and no keys", () => {
    const lines = texts(frameOf(viewOf(60), { columns: null, rows: null }));
    expect(lines.filter((text) => text.startsWith("07-case"))).toHaveLength(60);
    expect(lines.join("\n")).not.toMatch(/q quits|…/);
  });

  test("says that nobody answers and since when, and shows on what was read before", () => {
    const gone = withoutAnswer(withoutAnswer(viewOf(1), "no route", NOW), "refused", NOW + MINUTE);
    const lines = texts(frameOf(gone, { columns: 150, rows: 24 }));
    expect(lines[1]).toMatch(
      /^! No answer since .*: refused What is below was read before\. It is asked again\.$/,
    );
    expect(lines.join("\n")).toContain("07-case0");
    expect(withSnapshot(gone, snapshotOf(1)).gone).toBeNull();
    const never = texts(frameOf(withoutAnswer(emptyView("x"), "refused", NOW), { columns: 150, rows: 24 }));
    expect(never[1]).toContain(": refused It is asked again.");
    expect(texts(frameOf(emptyView("x"), { columns: 80, rows: 3 }))[1]).toBe("Reading …");
  });

  test("leaves out what whoever asks may not see", () => {
    const snapshot = { ...snapshotOf(0), workers: null, destinations: null, work: null };
    const lines = texts(frameOf(withSnapshot(emptyView("x"), snapshot), { columns: 80, rows: null }));
    expect(lines.join("\n")).not.toMatch(/WORKERS|DESTINATIONS|Events/);
    expect(lines).toContain("Nothing waits for people.");
  });

  test("makes harmless what a terminal might obey", () => {
    const [one] = snapshotOf(1).needs.cases;
    if (one === undefined) throw new Error("there is no case");
    const bad = {
      ...one,
      businessKey: "\u001b[2J\u0007",
      reading: { ...one.reading, sentence: "a\nb\u009b31m" },
    };
    const snapshot = { ...snapshotOf(1), needs: { cases: [bad], next: null, now: NOW } };
    const view = pressed(withSnapshot(emptyView("x"), snapshot), "\r");
    expect(texts(frameOf(view, { columns: 200, rows: 30 })).join("")).not.toMatch(/\p{Cc}/u);
  });
});

describe("colors", () => {
  test("are left away where nobody wants them, and the chosen line is marked all the same", () => {
    const line = { text: "> 07-case0", tone: "chosen" } as const;
    expect(painted(line, 12, false)).toBe("> 07-case0");
    expect(painted(line, 12, true)).toBe("\u001b[7m> 07-case0  \u001b[0m");
    for (const tone of ["heading", "alarm", "quiet"] as const)
      expect(painted({ text: "x", tone }, 12, true)).toMatch(/^\p{Cc}\[\d+mx\p{Cc}\[0m$/u);
    expect(painted({ text: "x", tone: "plain" }, 12, true)).toBe("x");
  });
});

describe("keys", () => {
  test("choose by the case, so that one that comes above it moves nothing", () => {
    const view = pressed(viewOf(3), DOWN, DOWN, UP);
    expect(view.chosen).toBe("07-case1");
    const later = {
      ...snapshotOf(5),
      needs: { ...snapshotOf(5).needs, cases: snapshotOf(5).needs.cases.toReversed() },
    };
    expect(chosenIndex(withSnapshot(view, later))).toBe(3);
    expect(chosenIndex(withSnapshot(view, snapshotOf(1)))).toBe(0);
    expect(pressed(viewOf(2), UP).chosen).toBe("07-case0");
    expect(pressed(viewOf(2), "j", "j", "j", "k").chosen).toBe("07-case0");
    expect(pressed(viewOf(0), DOWN).chosen).toBeNull();
  });

  test("open and close, pause and go on, and quit; others do nothing", () => {
    expect(pressed(viewOf(1), "\r")).toMatchObject({ isOpen: true, chosen: "07-case0" });
    expect(pressed(viewOf(1), "\r", "\u001b").isOpen).toBe(false);
    expect(pressed(viewOf(1), "p").isPaused).toBe(true);
    expect(pressed(viewOf(1), "p", "p").isPaused).toBe(false);
    expect(["q", "Q", "\u0003", "\u0004"].map((key) => afterKey(viewOf(1), key))).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(pressed(viewOf(1), "x")).toEqual(viewOf(1));
  });

  test("that come at once are told apart", () => {
    expect(keysIn(`p${DOWN}${UP}\rq`)).toEqual(["p", DOWN, UP, "\r", "q"]);
    expect(keysIn("")).toEqual([]);
  });
});
