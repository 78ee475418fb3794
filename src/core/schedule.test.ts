import { describe, expect, test } from "vitest";
import {
  decideResumedSlots,
  decideSlots,
  overdueSince,
  SKIPPED_COUNT_MAX,
  SLOT_ON_TIME_MS,
  SLOTS_AT_ONCE_MAX,
  type ScheduleRule,
  type ScheduleStanding,
  type SlotCalendar,
  type SlotQuestion,
} from "./schedule.ts";

const HOUR = 3_600_000;

/** A slot at each whole multiple, at most to an end. */
function every(everyMs: number, endAt = Infinity): SlotCalendar {
  const within = (at: number): number | null => (at < 0 || at > endAt ? null : at);
  return {
    next: (afterAt) => within((Math.floor(afterAt / everyMs) + 1) * everyMs),
    previous: (beforeAt) =>
      within(Math.min((Math.ceil(beforeAt / everyMs) - 1) * everyMs, Math.floor(endAt / everyMs) * everyMs)),
  };
}

interface Told {
  readonly rule?: Partial<ScheduleRule>;
  readonly standing?: Partial<ScheduleStanding>;
  readonly dueBy?: SlotCalendar;
  readonly calendar?: SlotCalendar;
  readonly now: number;
}

function questionOf({ rule, standing, dueBy, calendar = every(HOUR), now }: Told): SlotQuestion {
  return {
    rule: { catchUpSlotsMax: 1, overlap: "start", ...rule },
    standing: { decidedUntilAt: 0, waiting: [], pause: null, isCaseOpen: false, ...standing },
    dueBy: dueBy ?? calendar,
    calendar,
    now,
  };
}

describe("slots that are due", () => {
  test("a new schedule starts nothing and begins with the first slot after now", () => {
    const now = 5 * HOUR;
    expect(decideSlots(questionOf({ standing: { decidedUntilAt: null }, now }))).toEqual({
      decidedUntilAt: now,
      starts: [],
      waiting: [],
      skipped: [],
      nextAt: 6 * HOUR,
    });
  });

  test("a slot is started once its time has come, and not before", () => {
    const standing = { decidedUntilAt: HOUR - 1 };
    expect(decideSlots(questionOf({ standing, now: HOUR - 1 }))).toMatchObject({ starts: [], nextAt: HOUR });
    const decided = decideSlots(questionOf({ standing, now: HOUR }));
    expect(decided).toMatchObject({ starts: [HOUR], decidedUntilAt: HOUR, nextAt: 2 * HOUR, skipped: [] });
    const again = decideSlots(
      questionOf({ standing: { decidedUntilAt: decided.decidedUntilAt }, now: HOUR }),
    );
    expect(again).toMatchObject({ starts: [], skipped: [] });
  });

  test("a clock that went back starts nothing twice and keeps what was decided", () => {
    const standing = { decidedUntilAt: 5 * HOUR };
    expect(decideSlots(questionOf({ standing, now: 2 * HOUR + 1 }))).toEqual({
      decidedUntilAt: 5 * HOUR,
      starts: [],
      waiting: [],
      skipped: [],
      nextAt: 6 * HOUR,
    });
  });

  test("a calendar that has ended has no next slot", () => {
    const decided = decideSlots(questionOf({ calendar: every(HOUR, 2 * HOUR), now: 9 * HOUR }));
    expect(decided).toMatchObject({ starts: [2 * HOUR], nextAt: null });
    expect(decided.skipped).toEqual([{ firstAt: HOUR, lastAt: HOUR, slots: 1, why: "missed" }]);
  });
});

describe("catching up", () => {
  const now = 5 * HOUR + 2 * SLOT_ON_TIME_MS;
  const table: readonly { slotsMax: number; now: number; starts: number[]; missed: number[] }[] = [
    { slotsMax: 0, now, starts: [], missed: [1, 2, 3, 4, 5] },
    { slotsMax: 1, now, starts: [5], missed: [1, 2, 3, 4] },
    { slotsMax: 3, now, starts: [3, 4, 5], missed: [1, 2] },
    { slotsMax: 9, now, starts: [1, 2, 3, 4, 5], missed: [] },
    // The fifth is on time: it is started under every rule, and counts as one of those.
    { slotsMax: 0, now: 5 * HOUR + SLOT_ON_TIME_MS - 1, starts: [5], missed: [1, 2, 3, 4] },
    { slotsMax: 1, now: 5 * HOUR + SLOT_ON_TIME_MS - 1, starts: [5], missed: [1, 2, 3, 4] },
    { slotsMax: 2, now: 5 * HOUR, starts: [4, 5], missed: [1, 2, 3] },
    { slotsMax: 0, now: 5 * HOUR + SLOT_ON_TIME_MS, starts: [], missed: [1, 2, 3, 4, 5] },
  ];

  test.each(table)(
    "of five slots, $slotsMax caught up at $now: $starts, and the others are on record",
    (one) => {
      const decided = decideSlots(questionOf({ rule: { catchUpSlotsMax: one.slotsMax }, now: one.now }));
      expect(decided.starts).toEqual(one.starts.map((hour) => hour * HOUR));
      const [firstHour] = one.missed;
      const lastHour = one.missed.at(-1);
      const missed = { firstAt: (firstHour ?? 0) * HOUR, lastAt: (lastHour ?? 0) * HOUR, why: "missed" };
      expect(decided.skipped).toEqual(
        firstHour === undefined ? [] : [{ ...missed, slots: one.missed.length }],
      );
      expect(decided.nextAt).toBe(6 * HOUR);
    },
  );

  test("is bounded, whatever the rule says and however long nobody was there", () => {
    const calendar = every(1_000);
    const long = 10 * 365 * 24 * HOUR;
    const decided = decideSlots(questionOf({ calendar, rule: { catchUpSlotsMax: 1e9 }, now: long }));
    expect(decided.starts).toHaveLength(SLOTS_AT_ONCE_MAX);
    expect(decided.starts.at(-1)).toBe(long);
    const lastAt = long - SLOTS_AT_ONCE_MAX * 1_000;
    expect(decided.skipped).toEqual([{ firstAt: 1_000, lastAt, slots: SKIPPED_COUNT_MAX, why: "missed" }]);
  });

  test("counts what it can to the last one, and says where there were as many or more", () => {
    const told = { calendar: every(HOUR), rule: { catchUpSlotsMax: 0 } };
    const after = (slots: number): number => slots * HOUR + SLOT_ON_TIME_MS;
    const countAt = (slots: number): number | undefined =>
      decideSlots(questionOf({ ...told, now: after(slots) })).skipped[0]?.slots;
    expect(countAt(1)).toBe(1);
    expect(countAt(SKIPPED_COUNT_MAX - 1)).toBe(SKIPPED_COUNT_MAX - 1);
    expect(countAt(SKIPPED_COUNT_MAX)).toBe(SKIPPED_COUNT_MAX);
    expect(countAt(SKIPPED_COUNT_MAX + 1)).toBe(SKIPPED_COUNT_MAX);
  });

  test("takes no calendar at its word that tells of a slot only one way", () => {
    const odd: SlotCalendar = {
      next: () => null,
      previous: (beforeAt) => (beforeAt > 3 * HOUR ? 3 * HOUR : null),
    };
    const decided = decideSlots(questionOf({ calendar: odd, rule: { catchUpSlotsMax: 0 }, now: 9 * HOUR }));
    expect(decided.skipped).toEqual([{ firstAt: 3 * HOUR, lastAt: 3 * HOUR, slots: 1, why: "missed" }]);
  });
});

describe("a changed calendar", () => {
  test("judges what was due by the old one, and goes on with the new one", () => {
    const decided = decideSlots(
      questionOf({
        dueBy: every(HOUR),
        calendar: every(5 * HOUR),
        rule: { catchUpSlotsMax: 2 },
        now: 3 * HOUR + 2 * SLOT_ON_TIME_MS,
      }),
    );
    expect(decided.starts).toEqual([2 * HOUR, 3 * HOUR]);
    expect(decided.skipped).toEqual([{ firstAt: HOUR, lastAt: HOUR, slots: 1, why: "missed" }]);
    expect(decided.nextAt).toBe(5 * HOUR);
  });
});

describe("the case before", () => {
  const now = HOUR;
  const standing = { decidedUntilAt: HOUR - 1 };

  test("does not matter where cases may run side by side", () => {
    const told = {
      standing: { ...standing, isCaseOpen: true, waiting: [1] },
      rule: { overlap: "start" },
    } as const;
    expect(decideSlots(questionOf({ ...told, now }))).toMatchObject({ starts: [1, HOUR], waiting: [] });
  });

  test("has the slot left out while it is open, where that is the rule", () => {
    const rule = { overlap: "skip", catchUpSlotsMax: 5 } as const;
    expect(decideSlots(questionOf({ rule, standing, now }))).toMatchObject({ starts: [HOUR], skipped: [] });
    const open = decideSlots(questionOf({ rule, standing: { ...standing, isCaseOpen: true }, now }));
    expect(open.starts).toEqual([]);
    expect(open.skipped).toEqual([{ firstAt: HOUR, lastAt: HOUR, slots: 1, why: "caseOpen" }]);
    const several = decideSlots(questionOf({ rule, now: 3 * HOUR }));
    expect(several.starts).toEqual([HOUR]);
    expect(several.skipped.map(({ firstAt }) => firstAt)).toEqual([2 * HOUR, 3 * HOUR]);
  });

  test("has the slot wait until it has ended, and then starts one after the other", () => {
    const rule = { overlap: "wait", catchUpSlotsMax: 3 } as const;
    const open = decideSlots(questionOf({ rule, standing: { ...standing, isCaseOpen: true }, now }));
    expect(open).toMatchObject({ starts: [], waiting: [HOUR], skipped: [] });
    const ended = decideSlots(
      questionOf({ rule, standing: { decidedUntilAt: now, waiting: [HOUR, HOUR + 1] }, now: now + 5 }),
    );
    expect(ended).toMatchObject({ starts: [HOUR], waiting: [HOUR + 1], skipped: [] });
  });

  test.each([
    { slotsMax: 0, waiting: [4], left: [1, 2, 3] },
    { slotsMax: 1, waiting: [4], left: [1, 2, 3] },
    { slotsMax: 3, waiting: [2, 3, 4], left: [1] },
    { slotsMax: 4, waiting: [1, 2, 3, 4], left: [] },
  ])("lets the newest wait where $slotsMax are caught up, and says which gave way", (one) => {
    const decided = decideSlots(
      questionOf({
        rule: { overlap: "wait", catchUpSlotsMax: one.slotsMax },
        standing: { decidedUntilAt: 4, isCaseOpen: true, waiting: [1, 2, 3, 4] },
        now: 5,
      }),
    );
    expect(decided.waiting).toEqual(one.waiting);
    expect(decided.skipped).toEqual(
      one.left.map((at) => ({ firstAt: at, lastAt: at, slots: 1, why: "newerWait" })),
    );
  });
});

describe("a paused schedule", () => {
  const standing = { decidedUntilAt: HOUR, pause: { untilAt: null }, waiting: [HOUR] };

  test("decides nothing, also not of what waited", () => {
    expect(decideSlots(questionOf({ standing, now: 9 * HOUR }))).toEqual({
      decidedUntilAt: HOUR,
      starts: [],
      waiting: [HOUR],
      skipped: [],
      nextAt: null,
    });
    const unseen = { ...standing, decidedUntilAt: null };
    expect(decideSlots(questionOf({ standing: unseen, now: 9 * HOUR })).decidedUntilAt).toBe(9 * HOUR);
  });

  test("leaves out every slot of its pause when it goes on, and begins with the next one", () => {
    expect(decideResumedSlots(questionOf({ standing, now: 4 * HOUR }))).toEqual({
      decidedUntilAt: 4 * HOUR,
      starts: [],
      waiting: [HOUR],
      skipped: [{ firstAt: 2 * HOUR, lastAt: 4 * HOUR, slots: 3, why: "paused" }],
      nextAt: 5 * HOUR,
    });
  });

  test("goes on by itself once its pause is over: with the slot of that moment, and by its catch-up rule", () => {
    const until = { ...standing, waiting: [], pause: { untilAt: 4 * HOUR } };
    const held = decideSlots(questionOf({ standing: until, now: 4 * HOUR - 1 }));
    expect(held).toMatchObject({ starts: [], skipped: [], nextAt: null, decidedUntilAt: HOUR });
    const paused = { firstAt: 2 * HOUR, lastAt: 3 * HOUR, slots: 2, why: "paused" };
    const over = decideSlots(questionOf({ standing: until, now: 4 * HOUR }));
    expect(over).toMatchObject({ starts: [4 * HOUR], skipped: [paused], nextAt: 5 * HOUR });
    const late = decideSlots(questionOf({ standing: until, now: 7 * HOUR + SLOT_ON_TIME_MS }));
    const missed = { firstAt: 4 * HOUR, lastAt: 6 * HOUR, slots: 3, why: "missed" };
    expect(late).toMatchObject({ starts: [7 * HOUR], skipped: [paused, missed], nextAt: 8 * HOUR });
  });

  test("that lasted no slot, or ended before a clock that went back, left none out", () => {
    expect(decideResumedSlots(questionOf({ standing, now: HOUR + 1 })).skipped).toEqual([]);
    const back = decideResumedSlots(questionOf({ standing, now: 1 }));
    expect(back).toMatchObject({ skipped: [], decidedUntilAt: HOUR, nextAt: 2 * HOUR });
    const unseen = decideResumedSlots(
      questionOf({ standing: { ...standing, decidedUntilAt: null }, now: 9 * HOUR }),
    );
    expect(unseen).toMatchObject({ skipped: [], decidedUntilAt: 9 * HOUR });
  });
});

describe("a schedule is overdue", () => {
  const slotAt = 2 * HOUR;
  const table: readonly {
    nextAt: number | null;
    untilAt?: number | null;
    now: number;
    since: number | null;
  }[] = [
    { nextAt: slotAt, now: slotAt + SLOT_ON_TIME_MS - 1, since: null },
    { nextAt: slotAt, now: slotAt + SLOT_ON_TIME_MS, since: slotAt },
    { nextAt: null, now: 9 * HOUR, since: null },
    // A pause is no delay, until it should have ended.
    { nextAt: null, untilAt: null, now: 9 * HOUR, since: null },
    { nextAt: null, untilAt: slotAt, now: slotAt + SLOT_ON_TIME_MS - 1, since: null },
    { nextAt: null, untilAt: slotAt, now: slotAt + SLOT_ON_TIME_MS, since: slotAt },
  ];

  test.each(table)("since $since with its next slot at $nextAt, paused until $untilAt, at $now", (one) => {
    const pause = one.untilAt === undefined ? null : { untilAt: one.untilAt };
    expect(overdueSince({ nextAt: one.nextAt, pause }, one.now)).toBe(one.since);
  });
});
