import { describe, expect, test } from "vitest";
import { destination, failure, seen } from "../core/case.fixture.ts";
import type { SendOutcome } from "../core/decide.ts";
import { memoryStore } from "../store/memory/store.ts";
import { COUNTED_EVERY_MS, type CountedAttempts } from "../store/sample-port.ts";
import { AttemptTally } from "./attempt-tally.ts";

const MINUTE_MS = 60_000;
const erp = destination();
const mail = destination({ name: "mail", credentialId: "mail-key" });
const succeeded: SendOutcome = { kind: "succeeded", result: { kind: "value", value: 1 }, evidence: null };

function tallying(start = 10 * COUNTED_EVERY_MS) {
  let now = start;
  let isAway = false;
  const { samples } = memoryStore({ now: () => now });
  const tellings: (readonly CountedAttempts[])[] = [];
  const tally = new AttemptTally({
    samples: () => ({
      tellAttempts: async (countedBy, counted) => {
        tellings.push(counted);
        await samples.tellAttempts(countedBy, counted);
        // It was stored, and its reply was lost.
        if (isAway) throw new Error("the database is away");
      },
    }),
    countedBy: "w-1",
    now: () => now,
  });
  return {
    tally,
    tellings,
    samples,
    wait: (ms: number): void => void (now += ms),
    setAway: (away: boolean): void => void (isAway = away),
  };
}

describe("what a worker tried", () => {
  test("is told once a minute at most, and only where something was tried", async () => {
    const { tally, tellings, wait } = tallying();
    for (let n = 0; n < 1_000; n += 1) tally.note(erp, succeeded);
    await tally.tellInTime();
    expect(tellings).toHaveLength(0);
    wait(MINUTE_MS);
    await tally.tellInTime();
    await tally.tellInTime();
    wait(MINUTE_MS);
    await tally.tellInTime();
    expect(tellings).toHaveLength(1);
    expect(tellings[0]).toMatchObject([{ destination: "erp", attempts: 1_000, failed: 0 }]);
  });

  test("is told also where the clock was hours ahead before the database's was known", async () => {
    const { tally, tellings, wait } = tallying();
    wait(-4 * COUNTED_EVERY_MS);
    tally.note(erp, succeeded);
    await tally.tellInTime();
    expect(tellings).toHaveLength(1);
    await tally.tellInTime();
    expect(tellings).toHaveLength(1);
  });

  test("is counted by destination, with what clients repeated by themselves and what could not be seen", async () => {
    const { tally, samples } = tallying();
    tally.note(erp, { ...succeeded, wire: { ...seen(3), repeats: 2 } });
    tally.note(erp, { kind: "failed", failure: failure(), wire: { ...seen(1), isAtLeast: true } });
    tally.note(mail, succeeded);
    await tally.tell();
    const fromAt = 10 * COUNTED_EVERY_MS;
    expect(await samples.listAttempts(0)).toEqual([
      {
        fromAt,
        destination: erp.name,
        credentialId: erp.credentialId,
        attempts: 2,
        failed: 1,
        requests: 4,
        repeats: 2,
        unmetered: 1,
      },
      {
        fromAt,
        destination: "mail",
        credentialId: "mail-key",
        attempts: 1,
        failed: 0,
        requests: 0,
        repeats: 0,
        unmetered: 1,
      },
    ]);
  });

  test("is told again without being counted twice where the reply was lost", async () => {
    const { tally, samples, setAway } = tallying();
    tally.note(erp, succeeded);
    setAway(true);
    await expect(tally.tell()).rejects.toThrow("away");
    tally.note(erp, succeeded);
    setAway(false);
    await tally.tell();
    expect(await samples.listAttempts(0)).toMatchObject([{ attempts: 2 }]);
  });

  test("of a quarter of an hour stands apart from the next, and what is left of a long outage is bounded", async () => {
    const { tally, tellings, samples, wait, setAway } = tallying();
    tally.note(erp, succeeded);
    await tally.tell();
    wait(COUNTED_EVERY_MS);
    tally.note(erp, succeeded);
    await tally.tell();
    expect(tellings.at(-1)).toHaveLength(1);
    expect(await samples.listAttempts(0)).toHaveLength(2);
    setAway(true);
    for (let n = 0; n < 20; n += 1) {
      wait(COUNTED_EVERY_MS);
      tally.note(erp, succeeded);
      await tally.tell().catch(() => undefined);
    }
    expect(tellings.at(-1)).toHaveLength(8);
  });
});
