import { describe, expect, it } from "vitest";
import { addCounts, countAttempt, NO_ATTEMPTS } from "./attempt-counts.ts";
import { seen } from "./case.fixture.ts";

describe("counts of attempts", () => {
  it.each([
    ["one that took effect and sent once", false, seen(1), { attempts: 1, requests: 1 }],
    [
      "one whose client sent again by itself",
      true,
      { ...seen(3), repeats: 2 },
      { attempts: 1, failed: 1, requests: 3, repeats: 2 },
    ],
    [
      "one whose meter was blind in part",
      false,
      { ...seen(1), isAtLeast: true },
      { attempts: 1, requests: 1, unmetered: 1 },
    ],
    ["one of which nothing was seen", true, undefined, { attempts: 1, failed: 1, unmetered: 1 }],
  ])("have %s", (_, hasFailed, wire, counts) => {
    expect(countAttempt(hasFailed, wire)).toEqual({ ...NO_ATTEMPTS, ...counts });
  });

  it("add up, number by number", () => {
    const one = { attempts: 1, failed: 2, requests: 3, repeats: 4, unmetered: 5 };
    expect(addCounts(one, { attempts: 10, failed: 20, requests: 30, repeats: 40, unmetered: 50 })).toEqual({
      attempts: 11,
      failed: 22,
      requests: 33,
      repeats: 44,
      unmetered: 55,
    });
  });
});
