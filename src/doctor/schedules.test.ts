import { describe, expect, test } from "vitest";
import { examineSchedules, type KnownSchedule } from "./schedules.ts";

const now = Date.UTC(2027, 0, 15, 9, 5);
const due = Date.UTC(2027, 0, 15, 9);
const nightly: KnownSchedule = {
  name: "nightly",
  caseType: "closing",
  nextAt: now + 1,
  pause: null,
  slotsLeft: 0,
};

function found(changed: Partial<KnownSchedule>, declared = ["nightly"]): readonly string[] {
  return examineSchedules([{ ...nightly, ...changed }], { declared, now }).map(
    ({ code, sentence }) => `${code} ${sentence}`,
  );
}

describe("a schedule", () => {
  test("that goes on, or is paused, is no finding", () => {
    expect(found({})).toEqual([]);
    expect(found({ slotsLeft: 3 })).toEqual([]);
    expect(found({ nextAt: null, pause: { untilAt: null } })).toEqual([]);
  });

  test("of which a slot is due that nobody decides is one, with since when", () => {
    const overdue =
      "SCHEDULE_OVERDUE A slot of nightly has been due since 2027-01-15T09:00:00Z, and no process decides it.";
    expect(found({ nextAt: due })).toEqual([overdue]);
    expect(found({ nextAt: null, pause: { untilAt: due } })).toEqual([overdue]);
  });

  test("that was removed is one where slots of it are left, and is never overdue", () => {
    expect(found({ nextAt: due }, [])).toEqual([]);
    expect(found({ nextAt: due, slotsLeft: 1 }, [])).toEqual([
      "SCHEDULE_REMOVED nightly is declared no more, and 1 slot of it will not be started.",
    ]);
    expect(found({ slotsLeft: 2 }, [])[0]).toContain("2 slots of it");
  });
});
