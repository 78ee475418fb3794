import { describe, expect, test } from "vitest";
import { lastReminderAt, ownersAsked, type ApprovalWait } from "./waits.ts";

const wait: ApprovalWait = {
  kind: "approval",
  step: "approve",
  dueAt: null,
  by: "finance",
  remind: { askedAt: 1_000, everyMs: 100, times: 3 },
  escalation: { to: "board", at: 1_250 },
};
const plain: ApprovalWait = { kind: "approval", step: "approve", dueAt: null, by: "finance" };

describe("an approval", () => {
  test.each<[number, readonly string[]]>([
    [0, ["finance"]],
    [1_249, ["finance"]],
    [1_250, ["finance", "board"]],
    [9_999, ["finance", "board"]],
  ])("at %d is asked of its owner, and from its time on of whoever it is escalated to", (now, owners) => {
    expect(ownersAsked(wait, now)).toEqual(owners);
    expect(ownersAsked(plain, now)).toEqual(["finance"]);
  });

  test.each<[number, number | null]>([
    [0, null],
    [999, null],
    [1_099, null],
    [1_100, 1_100],
    [1_199, 1_100],
    [1_200, 1_200],
    [1_300, 1_300],
    [1_400, 1_300],
    [9_999_999, 1_300],
  ])("at %d was to be reminded of last at %s, as often as it may be", (now, at) => {
    expect(lastReminderAt(wait, now)).toBe(at);
    expect(lastReminderAt(plain, now)).toBeNull();
  });
});
