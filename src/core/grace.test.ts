import { describe, expect, it } from "vitest";
import {
  destination,
  failure,
  ledger,
  lostAnswer,
  MINUTE,
  outlineOf,
  person,
  retry,
  SECOND,
  START,
  Story,
  worker,
} from "./case.fixture.ts";
import type { CheckAnswer } from "./journal.ts";
import type { SendStepOutline } from "./outline.ts";

const gone = failure({ cause: "gone", sentence: "erp answered 404." });

/** A record is created at t = 0, and what pays for it comes next. */
function created(pay: Partial<SendStepOutline> = {}): Story {
  const outline = outlineOf({ kind: "step", name: "create" }, { kind: "step", name: "pay", ...pay });
  return new Story(outline).confirm("create");
}

/** The same, ten seconds later: the first answer was lost, and the second one is "not there". */
function toldGone(over: Partial<SendStepOutline>): Story {
  const one = created(over).open("pay").fail("pay", lostAnswer).wait(MINUTE);
  one.now = START + 10 * SECOND;
  return one.open("pay").fail("pay", gone);
}

/** What happens next, and when, in seconds from the start. */
function next(story: Story): string {
  const act = story.act("pay");
  if (act.kind === "wait") return `wait until ${((act.wait.dueAt ?? 0) - START) / SECOND}`;
  return act.kind === "review" ? act.review.reason : act.kind;
}

describe("a 404 on what the case itself made a moment ago", () => {
  it("is doubted three times within half a minute, and then goes to people", () => {
    const one = created();
    const told: string[] = [];
    for (const waitSeconds of [2, 8, 20, 0]) {
      one.open("pay").fail("pay", gone);
      told.push(next(one));
      one.wait(waitSeconds * SECOND);
    }
    expect(told).toEqual(["wait until 2", "wait until 10", "wait until 30", "gone"]);
    expect(one.act("pay")).toMatchObject({ review: { owner: "platform", sentence: "erp answered 404." } });
  });

  it("goes on once it is found", () => {
    const one = created()
      .open("pay")
      .fail("pay", gone)
      .wait(2 * SECOND);
    expect(next(one)).toBe("send");
    expect(one.confirm("pay").plan().isComplete).toBe(true);
  });

  it("counts anew after something else came in between", () => {
    const one = created()
      .open("pay")
      .fail("pay", gone)
      .wait(2 * SECOND);
    one
      .open("pay")
      .fail("pay")
      .wait(3 * SECOND)
      .open("pay")
      .fail("pay", gone);
    expect(next(one)).toBe("wait until 7");
  });

  it("is believed at once a minute after the create, and until then doubted", () => {
    expect(next(created().wait(MINUTE).open("pay").fail("pay", gone))).toBe("wait until 62");
    const later = created().wait(MINUTE + 1);
    expect(next(later.open("pay").fail("pay", gone))).toBe("gone");
  });

  it("is doubted too where only a question or a late worker told that it was made", () => {
    const outline = outlineOf(
      {
        kind: "step",
        name: "create",
        hasCheck: true,
        destination: destination({ repeatSafety: { by: "lookup" } }),
      },
      { kind: "step", name: "pay" },
    );
    const lost = (): Story => new Story(outline).open("create").fail("create", lostAnswer);
    const result = { kind: "value", value: null } as const;
    const found = lost().check("create", { kind: "happened", result, evidence: null });
    expect(next(found.open("pay").fail("pay", gone))).toBe("wait until 2");
    const told = lost();
    const outcome = { kind: "succeeded", result, evidence: null } as const;
    told.append({
      kind: "lateReport",
      ...told.lastAttempt("create"),
      claimId: told.claimId,
      holder: worker,
      outcome,
    });
    expect(next(told.settle().open("pay").fail("pay", gone))).toBe("wait until 2");
  });

  it("is believed where the case made nothing there: elsewhere, by a person's word, or not at all", () => {
    expect(next(created({ destination: ledger, hasCheck: true }).open("pay").fail("pay", gone))).toBe("gone");
    const vouched = new Story(created().outline).append({
      kind: "stepConfirmed",
      step: "create",
      intentVersion: 0,
      basis: created().step("create").confirmation?.basis ?? "",
      result: { kind: "value", value: { id: "create" } },
      evidence: null,
      by: { how: "person", by: person.name, reason: "seen there" },
    });
    expect(next(vouched.open("pay").fail("pay", gone))).toBe("gone");
    const alone = new Story(outlineOf({ kind: "step", name: "pay" })).open("pay").fail("pay", gone);
    expect(next(alone)).toBe("gone");
  });

  it("keeps to the bounds of its destination, and to what it says about when", () => {
    const once = destination({ retry: { ...retry, maxAttempts: 1 } });
    expect(next(created({ destination: once }).open("pay").fail("pay", gone))).toBe("gone");
    const never = failure({ cause: "gone", instruction: { kind: "doNotRetry", source: "x-should-retry" } });
    expect(next(created().open("pay").fail("pay", never))).toBe("gone");
    const minute = { kind: "retryAfter", delayMs: MINUTE, source: "retry-after" } as const;
    const waits = failure({ cause: "gone", instruction: minute });
    expect(next(created().open("pay").fail("pay", waits))).toBe("wait until 60");
  });

  describe("after an earlier attempt that may have happened", () => {
    const nothing: CheckAnswer = { kind: "didNotHappen" };
    const there: CheckAnswer = {
      kind: "happened",
      result: { kind: "value", value: null },
      evidence: null,
    };

    it("is asked about before anything is waited for: it may be gone because that attempt took it", () => {
      const one = toldGone({ hasCheck: true });
      expect(next(one)).toBe("check");
      expect(one.check("pay", there).plan().isComplete).toBe(true);
    });

    it("is asked about once for each time, and then doubted as any other", () => {
      const one = toldGone({ hasCheck: true });
      one.check("pay", { kind: "cannotTell", why: "it is busy" });
      expect(one.act("pay")).toMatchObject({ kind: "wait", wait: { kind: "retry" } });
      expect(next(one.wait(MINUTE))).toBe("send");
      expect(next(one.open("pay").fail("pay", gone))).toBe("check");
    });

    it("goes on being asked about once it is not doubted any more, until the first answer is proved", () => {
      const one = created({ hasCheck: true })
        .wait(2 * MINUTE)
        .open("pay")
        .fail("pay", lostAnswer);
      one.wait(MINUTE).open("pay").fail("pay", gone);
      expect(next(one)).toBe("check");
      expect(next(one.check("pay", nothing).wait(MINUTE))).toBe("check");
      expect(next(one.check("pay", nothing))).toBe("gone");
    });

    it("goes to people where something else is in its place", () => {
      const one = toldGone({ hasCheck: true });
      one.check("pay", { kind: "differs", why: "it is of somebody else", evidence: null });
      expect(next(one)).toBe("conflict");
    });

    it("is doubted as any other where nobody can be asked", () => {
      expect(next(toldGone({}))).toBe("wait until 12");
    });
  });

  it("is doubted of an undo too, which takes back what was just made", () => {
    const [undo] = outlineOf({ kind: "step", name: "pay.undo" }).steps;
    if (undo?.kind !== "step") throw new Error("no step");
    const one = created({ onLapse: "undo", undo }).confirm("pay", { id: 7 });
    one.append({ kind: "redoOrdered", step: "pay", by: person, reason: "wrong" });
    one.open("pay.undo").fail("pay.undo", gone);
    expect(next(one)).toBe("wait until 2");
    const asked = created({ onLapse: "undo", undo: { ...undo, hasCheck: true } }).confirm("pay", { id: 7 });
    asked.append({ kind: "redoOrdered", step: "pay", by: person, reason: "wrong" });
    asked.open("pay.undo").fail("pay.undo", lostAnswer).wait(MINUTE).open("pay.undo").fail("pay.undo", gone);
    expect(next(asked)).toBe("check");
  });
});
