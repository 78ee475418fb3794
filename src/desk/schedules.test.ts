import { describe, expect, test } from "vitest";
import { memoryServer } from "../store/memory/store.ts";
import type { Store } from "../store/port.ts";
import { HOUR_MS, House, closing, dying, failing } from "./schedules.fixture.ts";

describe("a schedule that runs", () => {
  test("starts one case for each slot, by the schedule's name, and none before the first", async () => {
    const house = new House();
    const one = house.open();
    await house.pass(0, one);
    expect(await house.cases()).toEqual([]);
    const [view] = (await one.desk.schedules()).schedules;
    const nine = { at: Date.UTC(2027, 0, 15, 9), localTime: "2027-01-15T09:00" };
    expect(view).toMatchObject({ standing: "running", nextAt: nine.at, catchUp: "last", lastSlotAt: null });
    expect(view?.nextSlots).toHaveLength(5);
    expect(view?.nextSlots[0]).toEqual(nine);
    expect((await one.desk.slotsToCome("hourly", { limit: 1 })).slots).toEqual([nine]);
    await house.pass(HOUR_MS, one);
    await house.pass(HOUR_MS, one, one);
    expect(await house.inputs()).toEqual([{ at: "2027-01-15T09:00" }, { at: "2027-01-15T10:00" }]);
    expect(await house.slots(one)).toEqual(["9 started", "10 started"]);
    const [first] = await house.cases();
    const stored = await house.store.loadCase(first?.caseId ?? "");
    expect(stored?.journal[0]?.entry).toMatchObject({
      by: { kind: "engine", name: "schedule hourly" },
      tenant: "default",
      slot: { schedule: "hourly", at: nine.at },
    });
    const shown = await one.desk.show(first?.caseId ?? "");
    expect(shown.slot).toEqual({ schedule: "hourly", at: nine.at });
    expect(shown.history.map(({ sentence }) => sentence).join(" ")).toContain(
      "closing started for the slot 2027-01-15T09:00:00.000Z of the schedule hourly.",
    );
    const [, second] = await house.cases();
    const ten = Date.UTC(2027, 0, 15, 10);
    expect(await one.desk.showSchedule("hourly")).toMatchObject({
      lastCaseId: second?.caseId,
      lastSlotAt: ten,
      overdueSinceAt: null,
    });
    expect(one.errors).toEqual([]);
  });

  test("starts one case a slot however many processes look at the same moment", async () => {
    const house = new House();
    const all = [house.open(), house.open(), house.open()];
    await house.pass(0, ...all);
    for (let slot = 0; slot < 4; slot += 1) {
      house.clock.stall(HOUR_MS);
      await Promise.all(all.map(({ runner }) => runner.runOnce()));
    }
    expect(await house.cases()).toHaveLength(4);
  });

  test("starts nothing twice when the clock is set back, and goes on once it has caught up", async () => {
    const house = new House();
    const one = house.open();
    await house.pass(0, one);
    await house.pass(3 * HOUR_MS, one);
    expect(await house.slots(one)).toEqual(["9-10 (2) skipped", "11 started"]);
    house.clock.jumpWall(-2 * HOUR_MS);
    const another = house.open();
    for (let hour = 0; hour < 3; hour += 1) await house.pass(HOUR_MS, one, another);
    expect(await house.slots(one)).toEqual(["9-10 (2) skipped", "11 started", "12 started"]);
  });

  test("catches up by its rule after nobody was there, and says what it left out", async () => {
    for (const [catchUp, expected] of [
      ["none", ["9-13 (5) skipped"]],
      ["last", ["9-12 (4) skipped", "13 refused"]],
      [{ upTo: 3 }, ["9-10 (2) skipped", "11 started", "12 started", "13 refused"]],
    ] as const) {
      const house = new House();
      await house.pass(0, house.open({ catchUp }));
      const back = house.open({ catchUp });
      await house.pass(5 * HOUR_MS + 120_000, back);
      expect(await house.slots(back)).toEqual(expected);
    }
  });
});

describe("a process that dies", () => {
  test.each([1, 2, 3].flatMap((at) => [true, false].map((isStored) => ({ at, isStored }))))(
    "at write $at of a slot (stored: $isStored) leaves one case for it, which the next one sees to",
    async ({ at, isStored }) => {
      const house = new House();
      await house.pass(0, house.open());
      const dead = house.open({}, dying(house.store, at, isStored));
      await house.pass(HOUR_MS, dead);
      expect(dead.errors).toEqual([new Error("the process is dead")]);
      const next = house.open();
      await house.pass(0, next);
      expect(await house.inputs()).toEqual([{ at: "2027-01-15T09:00" }]);
      expect(await house.slots(next)).toEqual(["9 started"]);
      await house.pass(HOUR_MS, next);
      expect(await house.cases()).toHaveLength(2);
    },
  );

  test("or a database that fails over and forgets the decision, leaves one case for the slot", async () => {
    const server = memoryServer({ now: () => house.clock.now() });
    const house: House = new House(server.store);
    await house.pass(0, house.open());
    const failOver = server.replicate();
    const late: Store = {
      ...house.store,
      insertCase: async (start) => {
        failOver();
        // Meanwhile another process decides the slot anew, and starts it.
        await other.runner.runOnce();
        return house.store.insertCase(start);
      },
    };
    const other = house.open();
    await house.pass(HOUR_MS, house.open({}, late));
    expect(await house.slots(other)).toEqual(["9 started"]);
    expect(await house.cases()).toHaveLength(1);
  });

  test("or a database that fails over and forgets the case, starts it again", async () => {
    const server = memoryServer({ now: () => house.clock.now() });
    const house: House = new House(server.store);
    await house.pass(0, house.open());
    const lucky: Store = {
      ...house.store,
      insertCase: async (start) => {
        const failOver = server.replicate();
        const reply = await house.store.insertCase(start);
        failOver();
        return reply;
      },
    };
    await house.pass(HOUR_MS, house.open({}, lucky));
    const next = house.open();
    await house.pass(0, next);
    expect(await house.inputs()).toEqual([{ at: "2027-01-15T09:00" }]);
    expect(await house.slots(next)).toEqual(["9 started"]);
  });

  test("after it fixed a case leaves that very one, whatever the business key would be by now", async () => {
    const house = new House();
    await house.pass(0, house.open());
    const old = house.open({ businessKey: ({ localTime }) => `old ${localTime}` });
    await house.pass(0, old);
    const killed = house.open(
      { businessKey: ({ localTime }) => `old ${localTime}` },
      dying(house.store, 2, true),
    );
    await house.pass(HOUR_MS, killed);
    const next = house.open({ businessKey: ({ localTime }) => `new ${localTime}` });
    await house.pass(0, next);
    expect((await house.cases()).map(({ businessKey }) => businessKey)).toEqual(["old 2027-01-15T09:00"]);
  });
});

describe("many schedules", () => {
  const names = Array.from({ length: 80 }, (_, index) => `hourly-${index}`);
  const stuck = new Set(names.slice(0, 60));

  test("that cannot be decided keep no other waiting, and are looked at once a second and no more often", async () => {
    const house = new House();
    await house.pass(0, house.openMany(names));
    const looks: string[] = [];
    const { schedules } = house.store;
    const broken: Store = {
      ...house.store,
      schedules: {
        ...schedules,
        list: () => {
          looks.push("look");
          return schedules.list();
        },
        change: (target, decide) =>
          stuck.has(target.name) ? Promise.reject(new Error("stuck")) : schedules.change(target, decide),
      },
    };
    const one = house.openMany(names, broken);
    await house.pass(HOUR_MS, one);
    expect(await house.cases()).toHaveLength(20);
    expect(one.errors).toHaveLength(60);
    looks.length = 0;
    one.runner.start();
    await expect.poll(() => one.errors.length, { timeout: 20_000 }).toBe(120);
    // The clock stands still: whoever looked again did not wait for it.
    for (let turns = 0; turns < 50; turns += 1) await new Promise(setImmediate);
    expect(looks).toHaveLength(1);
    await one.runner.stop();
  });
});

describe("a start that fails", () => {
  test("stands in sight with its reason, pins no key and stops nothing", async () => {
    const house = new House();
    const one = house.open({ businessKey: () => "the books" });
    await house.pass(0, one);
    await house.pass(4 * HOUR_MS, one);
    await house.pass(HOUR_MS, one);
    expect((await house.slots(one)).slice(-1)).toEqual(["13 refused"]);
    const shown = await one.desk.showSchedule("hourly");
    expect(shown.needs).toBe(1);
    expect(shown.sentence).toContain("1 slot could not be started");
    expect(shown.slots[0]?.sentence).toContain("no closing at 13:00");
    // The case of 12:00 holds the key: so the next slot finds it held, and not by the failed start.
    const [first] = await house.cases();
    await one.desk.cancel(first?.caseId ?? "", { by: "ada" });
    await house.pass(HOUR_MS, one);
    expect(await house.cases()).toHaveLength(2);
  });

  test("for a function that throws is on record by what was thrown, of input and of business key", async () => {
    const house = new House();
    for (const wrong of [{ input: failing }, { businessKey: failing }]) {
      const one = house.open(wrong);
      await house.pass(0, one);
      await house.pass(HOUR_MS, one);
      const [slot] = (await one.desk.showSchedule("hourly")).slots;
      expect(slot?.outcome).toBe("refused");
      expect(slot?.sentence).toContain("no figures for");
      expect(slot?.sentence).not.toContain("sk_live");
    }
    expect(await house.cases()).toEqual([]);
  });

  test("because another case has the business key names that case", async () => {
    const house = new House();
    const one = house.open({ businessKey: () => "the books" });
    const { caseId } = await one.desk.startCase(
      closing,
      { at: "x" },
      { by: "ada", businessKey: "the books" },
    );
    await house.pass(0, one);
    await house.pass(HOUR_MS, one);
    const shown = await one.desk.showSchedule("hourly");
    expect(shown.slots[0]).toMatchObject({ outcome: "keyHeld", caseId });
    expect(shown.needs).toBe(1);
    await one.desk.leaveSlot("hourly", {
      by: "ada",
      reason: "the other one is right",
      slotKey: shown.slots[0]?.slotKey ?? "",
    });
    const after = await one.desk.showSchedule("hourly");
    expect(after).toMatchObject({ needs: 0, slots: [{ outcome: "leftOut", by: "ada" }] });
  });

  test("can be made good by a person once what was wrong is mended, and then once only", async () => {
    const house = new House();
    const one = house.open({ input: () => ({ at: "T13:00" }) });
    await house.pass(0, one);
    await house.pass(HOUR_MS, one);
    const slotAt = Date.UTC(2027, 0, 15, 9);
    await expect(one.desk.startSlot("hourly", { by: "ada", slotAt })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    const mended = house.open();
    const started = await mended.desk.startSlot("hourly", { by: "ada", slotAt });
    expect(started).toMatchObject({ isNew: true });
    expect(await mended.desk.startSlot("hourly", { by: "ben", slotAt })).toEqual({
      ...started,
      isNew: false,
    });
    expect(await house.inputs()).toEqual([{ at: "2027-01-15T09:00" }]);
    expect(await house.slots(mended)).toEqual(["9 started"]);
    expect((await mended.desk.showSchedule("hourly")).needs).toBe(0);
  });
});

describe("the case before", () => {
  test("has slots left out while it is open where the schedule skips", async () => {
    const house = new House();
    const one = house.open({ overlap: "skip" });
    await house.pass(0, one);
    for (let hour = 0; hour < 2; hour += 1) await house.pass(HOUR_MS, one);
    expect(await house.slots(one)).toEqual(["9 started", "10 skipped"]);
    const [first] = await house.cases();
    await one.desk.cancel(first?.caseId ?? "", { by: "ada" });
    await house.pass(HOUR_MS, one);
    expect(await house.slots(one)).toEqual(["9 started", "10 skipped", "11 started"]);
  });

  test("has the next slot wait for its end where the schedule waits, and the newest at that", async () => {
    const house = new House();
    const one = house.open({ overlap: "wait" });
    await house.pass(0, one);
    for (let hour = 0; hour < 3; hour += 1) await house.pass(HOUR_MS, one);
    const shown = await one.desk.showSchedule("hourly");
    expect(shown.waiting).toEqual([Date.UTC(2027, 0, 15, 11)]);
    expect(shown.sentence).toContain("1 slot waits for the case before");
    expect(await house.slots(one)).toEqual(["9 started", "10 skipped"]);
    const [first] = await house.cases();
    await one.desk.cancel(first?.caseId ?? "", { by: "ada" });
    await house.pass(1_000, one);
    expect(await house.slots(one)).toEqual(["9 started", "10 skipped", "11 started"]);
    expect((await one.desk.showSchedule("hourly")).waiting).toEqual([]);
  });
});

describe("a schedule that is deployed anew", () => {
  test("takes its new cron from then on; what was due before is due by the old one", async () => {
    const house = new House();
    await house.pass(0, house.open({ cron: "30 * * * *", catchUp: { upTo: 5 } }));
    const next = house.open({ cron: "0 * * * *", catchUp: { upTo: 5 } });
    await house.pass(90 * 60_000, next);
    await house.pass(30 * 60_000, next);
    expect(await house.slots(next)).toEqual(["8.5 started", "9.5 started", "10 started"]);
  });

  test("is the newest process's: an older one stands back while that is there, and goes on once it is gone", async () => {
    const house = new House();
    const old = house.open();
    await house.pass(60_000, old);
    const newer = house.open({ cron: "30 * * * *" });
    await house.pass(60_000, newer, old);
    for (let times = 0; times < 6; times += 1) await house.pass(10 * 60_000, newer, old);
    expect(await house.slots(old)).toEqual(["8.5 started"]);
    // The newer one is gone: after three minutes the older one's word is all there is.
    await house.pass(4 * 60_000, old);
    await house.pass(HOUR_MS, old);
    expect((await house.slots(old)).at(-1)).toBe("10 started");
  });

  test("and was removed stops, and is shown as removed by whoever has others", async () => {
    const house = new House();
    await house.pass(0, house.open());
    const without = house.open(null);
    await house.pass(4 * HOUR_MS, without);
    const [view] = (await without.desk.schedules()).schedules;
    expect(view).toMatchObject({ name: "hourly", standing: "removed", nextAt: null, nextSlots: [] });
    expect(view?.sentence).toContain("it was removed");
    expect(await house.cases()).toEqual([]);
    // It comes back: what was missed is caught up by its rule, as after any time without it.
    const back = house.open();
    expect((await back.desk.schedules()).schedules[0]?.standing).toBe("stopped");
    await house.pass(60_000, back);
    expect((await back.desk.schedules()).schedules[0]?.standing).toBe("running");
    expect(await house.slots(back)).toEqual(["9-11 (3) skipped", "12 started"]);
  });

  test("to start another case type refuses what was fixed for the one before, and goes on", async () => {
    const house = new House();
    const one = house.open({ tenant: "north" });
    await house.pass(0, one);
    const stuck: Store = {
      ...house.store,
      insertCase: () => Promise.reject(new Error("the process is dead")),
    };
    const dead = house.open(
      { tenant: "north" },
      {
        ...stuck,
        schedules: {
          ...house.store.schedules,
          change: async (target, decide) => {
            if (target.slotKey !== null) throw new Error("the process is dead");
            return house.store.schedules.change(target, decide);
          },
        },
      },
    );
    await house.pass(HOUR_MS, dead);
    const south = house.open({ tenant: "south" });
    await house.pass(0, south);
    const [slot] = (await south.desk.showSchedule("hourly")).slots;
    expect(slot?.outcome).toBe("refused");
    expect(slot?.sentence).toContain("north");
    await house.pass(HOUR_MS, south);
    expect((await house.cases()).map(({ tenant }) => tenant)).toEqual(["south"]);
  });
});
