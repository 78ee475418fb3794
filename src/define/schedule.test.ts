import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "./builder.ts";
import { faultsIn } from "./faulty-definition.ts";
import { registryOf } from "./registry.ts";
import { defineSchedule, NO_SCHEDULES, scheduleBookOf, SCHEDULES_MAX, type Schedule } from "./schedule.ts";

const closing = defineCase("closing", {
  version: 1,
  owner: "books",
  input: z.object({ month: z.string() }),
}).approval("look", { by: "books" });
const registry = registryOf([closing]);

/** What a JavaScript author writes: the compiler judges nothing of it. */
const untyped = defineSchedule as unknown as (name: unknown, options?: unknown) => Schedule;

const right = {
  starts: closing,
  cron: "0 6 1 * *",
  timeZone: "Europe/Berlin",
  input: ({ localTime }: { readonly localTime: string }) => ({ month: localTime.slice(0, 7) }),
};

function faultsOf(...schedules: readonly Schedule[]): readonly string[] {
  try {
    scheduleBookOf(schedules, registry);
    return [];
  } catch (error) {
    const faulty = faultsIn(error) ?? [];
    return faulty.flatMap(({ name, faults }) => faults.map((one) => `${name}: ${one.path}: ${one.message}`));
  }
}

describe("a schedule that is right", () => {
  test("is read with its defaults, and tells its functions the slot", () => {
    const book = scheduleBookOf([defineSchedule("month-end", right)], registry);
    const setup = book.find("month-end");
    expect(setup).toMatchObject({
      name: "month-end",
      priority: "normal",
      outline: {
        caseType: "closing",
        tenant: "default",
        cron: "0 6 1 * *",
        timeZone: "Europe/Berlin",
        catchUpSlotsMax: 1,
        overlap: "start",
      },
    });
    const slotAt = setup?.calendar.next(Date.parse("2026-12-24T00:00:00Z")) ?? 0;
    expect(new Date(slotAt).toISOString()).toBe("2027-01-01T05:00:00.000Z");
    expect(setup?.inputOf(slotAt)).toEqual({ month: "2027-01" });
    expect(setup?.businessKeyOf(slotAt)).toBeNull();
    expect(book.find("another")).toBeNull();
    expect(NO_SCHEDULES.all).toEqual([]);
  });

  test.each([
    ["none", 0],
    ["last", 1],
    [{ upTo: 12 }, 12],
  ] as const)("says with %o that %i slots are caught up", (catchUp, slots) => {
    const book = scheduleBookOf([defineSchedule("month-end", { ...right, catchUp })], registry);
    expect(book.all[0]?.outline.catchUpSlotsMax).toBe(slots);
  });

  test("may be one of several case types' and say all there is to say", () => {
    const schedule = defineSchedule("month-end", {
      ...right,
      businessKey: ({ localTime, schedule: name }) => `${name} ${localTime}`,
      tenant: "north",
      priority: "high",
      overlap: "wait",
    });
    const [setup] = scheduleBookOf([schedule], registry).all;
    expect(setup).toMatchObject({ priority: "high", outline: { tenant: "north", overlap: "wait" } });
    expect(setup?.businessKeyOf(0)).toBe("month-end 1970-01-01T01:00");
  });
});

describe("faults of a schedule", () => {
  test.each([
    [{ cron: "0 0 30 2 *" }, 'cron: "0 0 30 2 *" names a time that never comes'],
    [{ cron: "* * * * * *" }, 'cron: "* * * * * *" has 6 fields'],
    [{ cron: "0 25 * * *" }, 'cron: "0 25 * * *" is not a cron expression of five fields'],
    [{ cron: "1,".repeat(150) }, "cron: "],
    [{ cron: undefined }, "cron: is missing: say when"],
    [{ timeZone: "Mars/Olympus" }, 'timeZone: "Mars/Olympus" is no time zone'],
    [{ timeZone: undefined }, "timeZone: is missing: say in which zone"],
    [{ starts: {} }, "starts: must be the case type"],
    [{ starts: undefined }, "starts: must be the case type"],
    [{ starts: { outline: { name: "billing" } } }, "starts: case type billing is not loaded"],
    [{ input: undefined }, "input: is missing: give the function that gives the input"],
    [{ input: async () => ({ month: "" }) }, "input: must not be async"],
    [{ businessKey: "fixed" }, "businessKey: must be a function, not a text"],
    [{ businessKey: async () => "" }, "businessKey: must not be async"],
    [{ tenant: "" }, "tenant: must be a text of 1 to 100 characters"],
    [{ tenant: "x".repeat(101) }, "tenant: must be a text of 1 to 100 characters"],
    [{ catchUp: "all" }, 'catchUp: must be "none", "last" or { upTo: 10 }'],
    [{ catchUp: { upTo: 0 } }, "catchUp.upTo: must be a whole number from 1 to 100"],
    [{ catchUp: { upTo: 101 } }, "catchUp.upTo: must be a whole number from 1 to 100"],
    [{ catchUp: {} }, "catchUp.upTo: must be a whole number from 1 to 100"],
    [{ overlap: "queue" }, 'overlap: must be one of "start", "skip", "wait"'],
    [{ priority: "urgent" }, 'priority: must be one of "normal", "high", "low"'],
    [{ zone: "UTC" }, "zone: there is no such option"],
  ])("%o is refused by name", (wrong, fault) => {
    const faults = faultsOf(untyped("month-end", { ...right, ...wrong }));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`month-end: ${fault}`);
  });

  test("are told of all at once, with schedules of one name and names that are none", () => {
    const faults = faultsOf(
      untyped("twice", right),
      untyped("twice", right),
      untyped("no name", right),
      untyped("bare"),
    );
    expect(faults).toEqual(
      expect.arrayContaining([
        "twice: name: two schedules have this name: give one of them another",
        expect.stringContaining("no name: name: "),
        expect.stringContaining("bare: : give an object with starts, cron, timeZone"),
      ]),
    );
  });

  test("are told of a configuration with more than there may be", () => {
    const many = Array.from({ length: SCHEDULES_MAX + 1 }, (_, index) => defineSchedule(`s${index}`, right));
    expect(faultsOf(...many)).toEqual([`: : there are 1001 schedules, more than the 1000 allowed`]);
  });
});
