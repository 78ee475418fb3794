import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { cannotTell, found, notYet } from "../../src/define/answers.ts";
import { defineCase } from "../../src/define/builder.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { createTestWorld, expectDone, expectReview } from "../../src/testing.ts";
import { input, STORES, until, worldsOn } from "./world.ts";

const bank = defineDestination("bank", {
  idempotency: { by: "none" },
  owners: { outage: "platform" },
  retry: { maxAttempts: 3, firstDelay: "1s" },
});

/** A case that waits for what these answer in turn; the last one from then on. */
function payout(...answers: readonly [() => unknown, ...(() => unknown)[]]): {
  readonly caseType: CaseType<object>;
  readonly looks: () => number;
} {
  let looks = 0;
  const caseType = defineCase("payout", { version: 1, owner: "treasury", input: z.object({}) }).poll(
    "settled",
    {
      of: bank,
      every: "1h",
      timeout: "1d",
      result: z.object({ cents: z.number() }),
      look: () => {
        looks += 1;
        return answers[Math.min(looks, answers.length) - 1]?.() as ReturnType<typeof notYet>;
      },
    },
  );
  return { caseType, looks: () => looks };
}

describe.each(STORES)("a poll on %s", (kind) => {
  const worlds = worldsOn(kind);
  afterAll(worlds.drop);

  test("looks again and again without a line of history, and nobody holds the case meanwhile", async () => {
    const world = await worlds.open();
    let looks = 0;
    let isSettled = false;
    const paid = defineCase("paid", { version: 1, owner: "treasury", input }).poll("settled", {
      of: bank,
      every: "1s",
      timeout: "1h",
      look: () => {
        looks += 1;
        return isSettled ? found({ cents: 5 }) : notYet("the bank has not settled it");
      },
    });
    await world.worker([paid]);
    const caseId = await world.start(paid);
    const first = await world.rests(caseId, "waiting");
    await until("two more looks", () => looks >= 3);
    const later = await until("the case to be given back", async () => {
      const row = await world.row(caseId);
      return row.state === "waiting" && (row.dueAt ?? 0) > (first.dueAt ?? 0) ? row : null;
    });
    expect(later).toMatchObject({ claim: null, revision: first.revision });
    expect(later.summary.waits).toEqual(first.summary.waits);
    expect(await world.kinds(caseId)).toEqual(["caseStarted", "lookAnswered", "parked"]);
    isSettled = true;
    await world.rests(caseId, "done");
    expect((await world.state(caseId)).steps["settled"]?.confirmation?.result).toEqual({
      kind: "value",
      value: { cents: 5 },
    });
  });
});

const throwing = (): never => {
  throw new Error("no route to the bank");
};

describe("a poll", () => {
  test.each([
    ["throws", throwing, "it threw Error: no route to the bank"],
    ["cannot tell", () => cannotTell("it is closed"), "it is closed"],
    ["answers what is no answer", () => true, "the look gave a boolean"],
    ["finds what does not fit its schema", () => found({ cents: "5" }), "it does not fit its schema (cents"],
    ["finds what cannot be stored", () => found({ cents: 5n }), "what it found cannot be stored"],
    ["says nonsense about when", () => notYet("x", { again: "soon" as "1s" }), "when to look again"],
  ])("that %s is asked again under the retry policy, then goes to who mends it", async (_, answer, why) => {
    const { caseType, looks } = payout(answer);
    const world = createTestWorld({ cases: [caseType] });
    const caseId = await world.start(caseType, {});
    const review = expectReview(await world.runToNextWait(caseId), "settled", "limit");
    expect(review.owner).toBe("platform");
    expect(review.sentence).toContain(why);
    expect(looks()).toBe(3);
  });

  test("looks for the last time at its end, goes to review, and looks at once after a resume", async () => {
    const { caseType, looks } = payout(() => notYet("the bank has not settled it", { again: "10h" }));
    const world = createTestWorld({ cases: [caseType] });
    const begunAt = world.now;
    const caseId = await world.start(caseType, {});
    const stopped = await world.runToNextWait(caseId);
    expectReview(stopped, "settled", "expired");
    expect(looks()).toBe(4);
    expect(world.now - begunAt).toBeLessThan(86_400_000 + 60_000);
    await world.resume(caseId);
    await world.runUntilIdle();
    expect(looks()).toBe(5);
  });

  test("writes down what changed: another reason, and that it could not tell", async () => {
    const { caseType } = payout(
      () => notYet("queued"),
      () => notYet("queued"),
      () => notYet("running"),
      throwing,
      () => notYet("running"),
      () => found({ cents: 1 }),
    );
    const world = createTestWorld({ cases: [caseType] });
    const done = await world.runToEnd(await world.start(caseType, {}));
    expectDone(done);
    const looks = done.entries.flatMap(({ entry }) =>
      entry.kind === "lookAnswered" ? [entry.answer.kind] : [],
    );
    expect(looks).toEqual(["notYet", "notYet", "cannotTell", "notYet"]);
    expect(done.results).toEqual({ settled: { cents: 1 } });
  });

  test("that a person resumes looks at once", async () => {
    let isUp = false;
    const { caseType, looks } = payout(() => (isUp ? found({ cents: 2 }) : notYet("queued")));
    const world = createTestWorld({ cases: [caseType] });
    const caseId = await world.start(caseType, {});
    await world.runUntilIdle();
    isUp = true;
    await world.resume(caseId, { step: "settled" });
    expectDone(await world.runToEnd(caseId));
    expect(looks()).toBe(2);
  });
});
