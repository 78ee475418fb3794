import { describe, expect, test } from "vitest";
import type { Desk } from "./desk.ts";
import { HOUR_MS, House } from "./schedules.fixture.ts";

describe("what people do", () => {
  test("a paused schedule starts nothing, says who stopped it and why, and leaves out its pause", async () => {
    const house = new House();
    const one = house.open();
    await house.pass(0, one);
    const paused = await one.desk.pauseSchedule("hourly", { by: "ada", reason: "the bank is closed" });
    expect(paused).toMatchObject({
      standing: "paused",
      nextAt: null,
      pause: { by: "ada", why: "the bank is closed" },
    });
    // A second pause changes nothing of the first.
    await one.desk.pauseSchedule("hourly", { by: "ben", reason: "me too" });
    await house.pass(3 * HOUR_MS, one, house.open());
    expect(await house.cases()).toEqual([]);
    await one.desk.resumeSchedule("hourly", { by: "ben", reason: "it is open again" });
    expect(await house.slots(one)).toEqual(["9-11 (3) skipped"]);
    await house.pass(HOUR_MS, one);
    expect(await house.slots(one)).toEqual(["9-11 (3) skipped", "12 started"]);
    const lines = (await house.store.audit.list({ limit: 10 })).lines;
    expect(lines.map(({ act, who, about, outcome }) => [act, who, about, outcome]).toReversed()).toEqual([
      ["pauseSchedule", "ada", "hourly", "done"],
      ["pauseSchedule", "ben", "hourly", "done"],
      ["resumeSchedule", "ben", "hourly", "done"],
    ]);
  });

  test("a pause until a time ends by itself, with the slot of that time", async () => {
    const house = new House();
    const one = house.open();
    await house.pass(0, one);
    const [nine, eleven] = [9, 11].map((hour) => Date.UTC(2027, 0, 15, hour));
    const pause = { by: "ada", reason: "the bank is closed" } as const;
    await one.desk.pauseSchedule("hourly", { ...pause, untilAt: nine });
    const paused = await one.desk.pauseSchedule("hourly", { ...pause, by: "ben", untilAt: eleven });
    expect(paused).toMatchObject({
      standing: "paused",
      nextAt: eleven,
      pause: { by: "ben", at: Date.UTC(2027, 0, 15, 8), untilAt: eleven },
    });
    expect(paused.sentence).toContain("until 2027-01-15T11:00");
    await house.pass(2 * HOUR_MS, one);
    expect(await house.slots(one)).toEqual([]);
    await house.pass(HOUR_MS, one);
    expect(await house.slots(one)).toEqual(["9-10 (2) skipped", "11 started"]);
    expect(await one.desk.showSchedule("hourly")).toMatchObject({ standing: "running", pause: null });
  });

  test("a pause that is over, and that no process has seen yet, is none: resuming leaves nothing out", async () => {
    const house = new House();
    const one = house.open();
    await house.pass(0, one);
    const untilAt = Date.UTC(2027, 0, 15, 9);
    await one.desk.pauseSchedule("hourly", { by: "ada", reason: "tests", untilAt });
    await house.pass(HOUR_MS + 120_000);
    const late = await one.desk.resumeSchedule("hourly", { by: "ada" });
    expect(late).toMatchObject({ standing: "stopped", pause: null, overdueSinceAt: untilAt });
    await house.pass(0, one);
    expect(await house.slots(one)).toEqual(["9 started"]);
  });

  test("one that is due, and that nobody decides, says since when", async () => {
    const house = new House();
    const one = house.open();
    await house.pass(0, one);
    await house.pass(HOUR_MS + 60_000);
    const nine = Date.UTC(2027, 0, 15, 9);
    const [late] = (await one.desk.schedules()).schedules;
    expect(late).toMatchObject({ standing: "stopped", overdueSinceAt: nine });
    expect(late?.sentence).toContain("due since 2027-01-15T09:00");
    // Somebody who runs it is there, and still it is not decided.
    await house.store.schedules.see(["hourly"]);
    const [stuck] = (await one.desk.schedules()).schedules;
    expect(stuck).toMatchObject({ standing: "running", overdueSinceAt: nine });
    expect(stuck?.sentence).toContain("Due since 2027-01-15T09:00");
    await house.pass(0, one);
    expect((await one.desk.schedules()).schedules[0]?.overdueSinceAt).toBeNull();
  });

  test("a reason repeats nothing that the cases of the schedule mask", async () => {
    const house = new House();
    const one = house.open({ input: ({ localTime }) => ({ at: localTime, note: "account 4711" }) });
    await house.pass(0, one);
    await house.pass(HOUR_MS, one);
    const why = "nothing of account 4711 today";
    await one.desk.pauseSchedule("hourly", { by: "ada", reason: why });
    expect((await one.desk.showSchedule("hourly")).pause?.why).toBe("nothing of *** today");
    expect((await house.store.audit.list({ limit: 1 })).lines[0]?.why).toBe("nothing of *** today");
  });

  test("one can be started beside the calendar, once for each order, also of a paused schedule", async () => {
    const house = new House();
    const one = house.open();
    await house.pass(60_000, one);
    await one.desk.pauseSchedule("hourly", { by: "ada", reason: "tests" });
    const order = { by: "ada", actId: "order-1" } as const;
    const first = await one.desk.startSlot("hourly", order);
    expect(await one.desk.startSlot("hourly", order)).toEqual({ ...first, isNew: false });
    expect(await house.inputs()).toEqual([{ at: "2027-01-15T08:01" }]);
    const stored = await house.store.loadCase(first.caseId);
    expect(stored?.journal[0]?.entry).toMatchObject({ by: { kind: "person", name: "ada" } });
    await one.desk.startSlot("hourly", { by: "ada" });
    expect(await house.cases()).toHaveLength(2);
  });

  test("a slot that was left out with others can be started, one that is to come or is none cannot", async () => {
    const house = new House();
    const one = house.open({ catchUp: "none" });
    await house.pass(0, one);
    await house.pass(3 * HOUR_MS + 120_000, one);
    expect(await house.slots(one)).toEqual(["9-11 (3) skipped"]);
    const start = (slotAt: number): Promise<unknown> => one.desk.startSlot("hourly", { by: "ada", slotAt });
    await start(Date.UTC(2027, 0, 15, 9));
    await start(Date.UTC(2027, 0, 15, 10));
    expect(await house.inputs()).toEqual([{ at: "2027-01-15T09:00" }, { at: "2027-01-15T10:00" }]);
    // Two records have the time of the first: each is on one page.
    const pages: string[] = [];
    for (let after: string | undefined, isEnd = false; !isEnd;) {
      const { slots, next } = await one.desk.showSchedule("hourly", { after, limit: 1 });
      pages.push(...slots.map(({ slotKey }) => slotKey));
      isEnd = next === null;
      after = next ?? undefined;
    }
    const [nine, ten, eleven] = [9, 10, 11].map((hour) => String(Date.UTC(2027, 0, 15, hour)));
    expect(pages).toEqual([ten, nine, `${nine}-${eleven}`]);
    const refused = { code: "INVALID_REQUEST" };
    await expect(start(Date.UTC(2027, 0, 15, 12))).rejects.toMatchObject(refused);
    await expect(start(Date.UTC(2027, 0, 15, 10, 30))).rejects.toMatchObject(refused);
    await expect(start(0.5)).rejects.toMatchObject(refused);
    expect(await house.cases()).toHaveLength(2);
  });

  test.each([
    [
      "pause without a reason",
      (desk: Desk) => desk.pauseSchedule("hourly", { by: "ada" }),
      "INVALID_REQUEST",
    ],
    [
      "pause of nothing",
      (desk: Desk) => desk.pauseSchedule("daily", { by: "ada", reason: "x" }),
      "SCHEDULE_NOT_FOUND",
    ],
    ["resume of nothing", (desk: Desk) => desk.resumeSchedule("daily", { by: "ada" }), "SCHEDULE_NOT_FOUND"],
    [
      "pause until a time that is past",
      (desk: Desk) => desk.pauseSchedule("hourly", { by: "ada", reason: "x", untilAt: 1 }),
      "INVALID_REQUEST",
    ],
    ["slots to come of nothing", (desk: Desk) => desk.slotsToCome("daily"), "SCHEDULE_NOT_FOUND"],
    ["too many slots to come", (desk: Desk) => desk.slotsToCome("hourly", { limit: 101 }), "INVALID_REQUEST"],
    ["start of nothing", (desk: Desk) => desk.startSlot("daily", { by: "ada" }), "SCHEDULE_NOT_FOUND"],
    ["look at nothing", (desk: Desk) => desk.showSchedule("daily"), "SCHEDULE_NOT_FOUND"],
    ["a page after nothing", (desk: Desk) => desk.showSchedule("hourly", { after: "x" }), "INVALID_REQUEST"],
    ["too long a page", (desk: Desk) => desk.showSchedule("hourly", { limit: 201 }), "INVALID_REQUEST"],
    [
      "leaving out what was not refused",
      (desk: Desk) => desk.leaveSlot("hourly", { by: "ada", reason: "x", slotKey: "1" }),
      "INVALID_REQUEST",
    ],
  ])("%s is refused", async (_, act, code) => {
    const house = new House();
    const one = house.open();
    await house.pass(0, one);
    await expect(act(one.desk)).rejects.toMatchObject({ code });
    expect(await house.cases()).toEqual([]);
  });
});
