import { expect, test } from "vitest";
import type { LogEntry } from "./log-events.ts";
import { LogRepeats, REPEATS_TOLD, STRETCH_MS } from "./log-repeats.ts";

function failed(destination: string, caseId = "00case"): LogEntry {
  return {
    event: "attemptFailed",
    sentence: "it failed",
    facts: { caseId, destination, failureKind: "transient" },
  };
}

test("of what comes again and again the first lines are told, and then how many more there were", () => {
  const repeats = new LogRepeats();
  const told = Array.from(
    { length: 5_000 },
    (_, index) => repeats.admit(failed("erp", `case-${index}`), index % 1_000).isTold,
  );
  expect(told.filter(Boolean)).toHaveLength(REPEATS_TOLD);
  expect(repeats.admit(failed("mail"), 1_000)).toEqual({ isTold: true, over: [] });
  expect(repeats.over(STRETCH_MS - 1)).toEqual([]);
  expect(repeats.admit(failed("erp"), STRETCH_MS)).toEqual({
    isTold: true,
    over: [
      {
        event: "repeated",
        sentence: "4995 more of attemptFailed (erp, transient) within 10 s",
        facts: { destination: "erp", failureKind: "transient", of: "attemptFailed", count: 4_995 },
      },
    ],
  });
});

test("what came no more often than is told needs no word, and at the end nothing is left untold", () => {
  const repeats = new LogRepeats();
  for (let times = 0; times < REPEATS_TOLD; times += 1) repeats.admit(failed("erp"), 0);
  expect(repeats.over(STRETCH_MS)).toEqual([]);
  for (let times = 0; times <= REPEATS_TOLD; times += 1) repeats.admit(failed("erp"), STRETCH_MS);
  expect(repeats.over(Infinity)).toMatchObject([{ facts: { count: 1 } }]);
  expect(repeats.over(Infinity)).toEqual([]);
});

test("kinds beyond the bound are counted together, so that no flood of names is kept", () => {
  const repeats = new LogRepeats();
  for (let index = 0; index < 3_000; index += 1) repeats.admit(failed(`destination-${index}`), 0);
  expect(repeats.over(Infinity)).toMatchObject([{ facts: { of: "attemptFailed", count: 1_995 } }]);
});
