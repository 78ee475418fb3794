import { describe, expect, test } from "vitest";
import { systemPorts } from "../engine/system.ts";
import type { TypeCount } from "../store/port.ts";
import { shareCounts } from "./shared-counts.ts";

/** A store whose counting takes as long as is said, by a clock that nothing else moves. */
function counting(tookMs: number) {
  let now = 0;
  let counted = 0;
  const clock = { ...systemPorts().clock, monotonic: () => now };
  const countCases = (): Promise<readonly TypeCount[]> => {
    now += tookMs;
    counted += 1;
    const one = {
      caseType: "order",
      states: {},
      due: counted,
      dueByVersion: {},
      withReview: 0,
      inRepair: 0,
      oldestDueAt: null,
    };
    return Promise.resolve([one]);
  };
  const tell = shareCounts(countCases, clock);
  return { tell, counted: () => counted, pass: (ms: number) => (now += ms) };
}

describe("counts of all cases", () => {
  test("that are quick are counted anew each time", async () => {
    const { tell, counted } = counting(10);
    await tell();
    expect(await tell()).toMatchObject([{ due: 2 }]);
    expect(counted()).toBe(2);
  });

  test("that are slow are told again for ten times as long as they took, then counted anew", async () => {
    const { tell, counted, pass } = counting(800);
    await tell();
    pass(7_999);
    expect(await tell()).toMatchObject([{ due: 1 }]);
    pass(1);
    expect(await tell()).toMatchObject([{ due: 2 }]);
    expect(counted()).toBe(2);
  });

  test("are counted once for all who ask at the same time, also where that fails", async () => {
    const { tell, counted } = counting(10);
    await Promise.all([tell(), tell(), tell()]);
    expect(counted()).toBe(1);
    let fails = 0;
    const failing = shareCounts(() => {
      fails += 1;
      return Promise.reject(new Error("away"));
    }, systemPorts().clock);
    const asked = await Promise.allSettled([failing(), failing()]);
    expect(asked.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect(failing()).rejects.toThrow("away");
    expect(fails).toBe(2);
  });
});
