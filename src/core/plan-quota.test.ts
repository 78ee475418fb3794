import { describe, expect, it } from "vitest";
import {
  destination,
  failure,
  HOUR,
  ledger,
  lostAnswer,
  MINUTE,
  outlineOf,
  retry,
  SECOND,
  START,
  Story,
} from "./case.fixture.ts";
import type { SendStepOutline } from "./outline.ts";

const resetIn = (delayMs: number) =>
  failure({
    cause: "quota",
    sentence: "erp: the plan is used up.",
    instruction: { kind: "retryAfter", delayMs, source: "retry-after" },
  });
const silent = failure({ cause: "quota", sentence: "erp: the plan is used up." });

const story = (over: Partial<SendStepOutline> = {}): Story =>
  new Story(outlineOf({ kind: "step", name: "pay", ...over }));

/** The same, ten seconds after an attempt that may have happened. */
const after = (over: Partial<SendStepOutline>): Story =>
  story(over)
    .open("pay")
    .fail("pay", lostAnswer)
    .wait(10 * SECOND);

/** What happens next: a wait with its kind and its seconds from the start. */
function next(one: Story): string {
  const act = one.act("pay");
  if (act.kind === "wait") return `${act.wait.kind} until ${((act.wait.dueAt ?? 0) - START) / SECOND}`;
  return act.kind === "review" ? act.review.reason : act.kind;
}

describe("a quota that is used up", () => {
  it("is for who can raise it at once, and is tried once at the reset that its destination named", () => {
    const one = story().open("pay").fail("pay", resetIn(MINUTE));
    expect(one.act("pay")).toEqual({
      kind: "wait",
      wait: {
        kind: "access",
        step: "pay",
        dueAt: START + MINUTE,
        destination: "erp",
        credentialId: "erp-account",
        owner: "erp-admins",
      },
    });
    expect(next(one.wait(MINUTE))).toBe("send");
    expect(one.confirm("pay").plan().isComplete).toBe(true);
  });

  it("is for people alone once that try was refused as well, whatever time is named then", () => {
    const one = story().open("pay").fail("pay", resetIn(MINUTE)).wait(MINUTE);
    one.open("pay").fail("pay", resetIn(MINUTE));
    expect(next(one)).toBe("quota");
    expect(next(one.resume())).toBe("send");
    expect(next(one.open("pay").fail("pay", resetIn(MINUTE)))).toBe("access until 120");
  });

  it("is no further try where others came in between", () => {
    const one = story().open("pay").fail("pay", resetIn(MINUTE)).wait(MINUTE).open("pay").fail("pay");
    one.wait(MINUTE).open("pay").fail("pay", resetIn(MINUTE));
    expect(next(one)).toBe("quota");
  });

  it.each([
    ["names no reset", story().open("pay").fail("pay", silent)],
    [
      "names one that is later than is waited for",
      story()
        .open("pay")
        .fail("pay", resetIn(5 * HOUR)),
    ],
    [
      "comes with the last try that is allowed",
      story({ destination: destination({ retry: { ...retry, maxAttempts: 1 } }) })
        .open("pay")
        .fail("pay", resetIn(MINUTE)),
    ],
  ])("is for people at once where it %s", (_, one) => {
    expect(next(one)).toBe("quota");
  });

  describe("after an attempt that may have happened", () => {
    it("is resent at the reset where a repeat is safe", () => {
      const one = after({}).open("pay").fail("pay", resetIn(MINUTE));
      expect(next(one)).toBe("access until 70");
      expect(next(one.wait(MINUTE))).toBe("send");
    });

    it("is asked about at the reset where it is not, and then as any other unknown outcome", () => {
      const one = after({ destination: ledger, hasCheck: true }).open("pay").fail("pay", resetIn(MINUTE));
      expect(next(one)).toBe("access until 70");
      expect(next(one.wait(MINUTE))).toBe("check");
      one.check("pay", { kind: "didNotHappen" });
      expect(next(one)).toMatch(/^check until /);
    });

    it("is for people at once where nobody can be asked", () => {
      const none = destination({ repeatSafety: { by: "none" } });
      expect(next(after({ destination: none }).open("pay").fail("pay", resetIn(MINUTE)))).toBe("quota");
    });
  });
});
