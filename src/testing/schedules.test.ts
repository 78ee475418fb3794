import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "../define/builder.ts";
import { defineSchedule, type ScheduleOptions } from "../define/schedule.ts";
import { expectDone, expectWaiting } from "./case-journal.ts";
import { fakeDestination } from "./fake-destination.ts";
import { createTestWorld } from "./world.ts";

const bank = fakeDestination<{ readonly day: string }>("bank", { idempotency: { by: "key", window: "24h" } });

const closing = defineCase("closing", {
  version: 1,
  owner: "books",
  input: z.object({ day: z.string() }),
})
  .step("post", {
    to: bank.destination,
    request: ({ input }) => ({ day: input.day }),
    run: ({ request, ...given }) => bank.send(request, given),
  })
  .approval("sign", { by: "books" });

const options: ScheduleOptions<{ day: string }> = {
  starts: closing,
  cron: "0 9 * * *",
  timeZone: "Europe/Berlin",
  input: ({ localTime }) => ({ day: localTime.slice(0, 10) }),
};
const daily = defineSchedule("daily", options);

/** Friday, 09:00 in Berlin: the slot of that moment is past. */
const startAt = Date.UTC(2027, 0, 15, 8);

describe("a world with schedules", () => {
  test("starts the case of each slot at its time, and works on it", async () => {
    const world = createTestWorld({ cases: [closing], schedules: [daily], startAt });
    await world.runUntilIdle();
    expect(await world.startedBy("daily")).toEqual([]);
    expect(world.now).toBe(startAt);
    await world.advance("3d");
    const started = await world.startedBy("daily");
    expect(started.map(({ localTime }) => localTime)).toEqual([
      "2027-01-16T09:00",
      "2027-01-17T09:00",
      "2027-01-18T09:00",
    ]);
    const [first, , last] = started;
    expectWaiting(await world.journal(first?.caseId ?? ""), "approval", "sign");
    expectWaiting(await world.journal(last?.caseId ?? ""), "approval", "sign");
    expect(last?.slotAt).toBe(world.now);
    expect(world.trace.map(({ text }) => text).join("\n")).toContain("(closing, by the schedule daily)");
  });

  test("lets time pass to a time, and none to one that is past", async () => {
    const world = createTestWorld({ cases: [closing], schedules: [daily], startAt });
    await world.advanceTo(startAt - 1);
    expect(world.now).toBe(startAt);
    await world.advanceTo(startAt + 60_000);
    expect(world.now).toBe(startAt + 60_000);
  });

  test("goes on with a slot that waits for the case before once that has ended", async () => {
    const waiting = defineSchedule("daily", { ...options, overlap: "wait" });
    const world = createTestWorld({ cases: [closing], schedules: [waiting], startAt });
    await world.advance("2d");
    const [first, ...others] = await world.startedBy("daily");
    expect(others).toEqual([]);
    await world.approve(first?.caseId ?? "", "sign");
    expectDone(await world.runToEnd(first?.caseId ?? ""));
    await world.runUntilIdle();
    expect((await world.startedBy("daily")).map(({ localTime }) => localTime)).toEqual([
      "2027-01-16T09:00",
      "2027-01-17T09:00",
    ]);
  });

  test("takes another cron from a deploy on, and starts nothing by a schedule that is gone", async () => {
    const world = createTestWorld({ cases: [closing], schedules: [daily], startAt });
    await world.advance("1d");
    world.deploy([closing], { schedules: [defineSchedule("daily", { ...options, cron: "0 12 * * *" })] });
    await world.advance("1d");
    world.deploy([closing]);
    await world.advance("1d");
    world.deploy([closing], { schedules: [] });
    await world.advance("9d");
    expect((await world.startedBy("daily")).map(({ localTime }) => localTime)).toEqual([
      "2027-01-16T09:00",
      "2027-01-16T12:00",
      "2027-01-17T12:00",
    ]);
  });

  test("goes on by itself once a pause is over", async () => {
    const world = createTestWorld({ cases: [closing], schedules: [daily], startAt });
    await world.runUntilIdle();
    const untilAt = Date.UTC(2027, 0, 17, 12);
    await world.desk.pauseSchedule("daily", { by: "ann", reason: "holiday", untilAt });
    await world.advance("4d");
    expect((await world.startedBy("daily")).map(({ localTime }) => localTime)).toEqual([
      "2027-01-18T09:00",
      "2027-01-19T09:00",
    ]);
  });

  test("refuses a schedule of a case type that it has not, and says of an unknown one that it is not there", async () => {
    expect(() => createTestWorld({ cases: [], schedules: [daily] })).toThrow(
      /case type closing is not loaded/,
    );
    const world = createTestWorld({ cases: [closing] });
    await expect(world.startedBy("daily")).rejects.toMatchObject({ code: "SCHEDULE_NOT_FOUND" });
  });
});
