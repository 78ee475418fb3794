/** Schedules under a clock of their own, for tests. */

import { z } from "zod";
import { defineCase } from "../define/builder.ts";
import { registryOf, type Registry } from "../define/registry.ts";
import { defineSchedule, scheduleBookOf, type Schedule, type ScheduleOptions } from "../define/schedule.ts";
import { ManualClock, portsAround } from "../engine/manual-clock.fixture.ts";
import { ENGINE_VERSION } from "../engine/version.ts";
import { memoryStore } from "../store/memory/store.ts";
import type { Store, StoredRow } from "../store/port.ts";
import { createDesk, type Desk } from "./desk.ts";
import type { ScheduleRunner } from "./schedule-run.ts";
import type { SlotView } from "./schedule-view.ts";

export const HOUR_MS = 3_600_000;

export const closing = defineCase("closing", {
  version: 1,
  owner: "books",
  input: z.object({
    at: z.string().refine((at) => !at.endsWith("T13:00"), "no closing at 13:00"),
    note: z.string().optional(),
  }),
  keyFreedBy: "end",
  masked: ["note"],
}).approval("look", { by: "books" });

/** Of every house. */
export const houseRegistry: Registry = registryOf([closing]);

interface Closing {
  readonly at: string;
  readonly note?: string | undefined;
}

const hourly: ScheduleOptions<Closing> = {
  starts: closing,
  cron: "0 * * * *",
  timeZone: "UTC",
  input: ({ localTime }) => ({ at: localTime }),
};

function hourOf(at: number): number {
  return (at - Date.UTC(2027, 0, 15)) / HOUR_MS;
}

export function failing(): never {
  throw new Error("no figures for sk_live_0123456789abcdef");
}

/** A process that has the schedule, started now. */
interface Process {
  readonly desk: Desk;
  readonly runner: ScheduleRunner;
  readonly errors: unknown[];
}

/** One store under a clock that starts at 2027-01-15 08:00:00 UTC. */
export class House {
  readonly clock = new ManualClock();
  readonly store: Store;
  #processes = 0;

  constructor(store?: Store) {
    this.store = store ?? memoryStore({ now: () => this.clock.now() });
  }

  open(options: Partial<ScheduleOptions<Closing>> | null = {}, store: Store = this.store): Process {
    return this.#openWith(
      options === null ? [] : [defineSchedule("hourly", { ...hourly, ...options })],
      store,
    );
  }

  /** One with a schedule of each name. */
  openMany(names: readonly string[], store: Store = this.store): Process {
    return this.#openWith(
      names.map((name) => defineSchedule(name, hourly)),
      store,
    );
  }

  #openWith(declared: readonly Schedule[], store: Store): Process {
    const registry = houseRegistry;
    const schedules = scheduleBookOf(declared, registry);
    const ports = portsAround(this.clock, `p${(this.#processes += 1)}`);
    const random = { ...ports, ids: { ...ports.ids, caseSuffix: () => this.suffix() } };
    const parts = { store, registry, schedules, ports: random, engineVersion: ENGINE_VERSION };
    const desk = createDesk(parts);
    const errors: unknown[] = [];
    return { desk, runner: desk.scheduleRunner({ onError: (error) => errors.push(error) }), errors };
  }

  #suffixes = 0;
  suffix(): string {
    return (this.#suffixes += 1).toString(32).padStart(12, "0");
  }

  /** The clock passes, and the processes look. */
  async pass(byMs: number, ...processes: readonly Process[]): Promise<void> {
    this.clock.stall(byMs);
    for (const { runner } of processes) await runner.runOnce();
  }

  async cases(): Promise<readonly StoredRow[]> {
    return (await this.store.listCases({ limit: 100 })).rows.toReversed();
  }

  async inputs(): Promise<readonly unknown[]> {
    const stored = await Promise.all((await this.cases()).map(({ caseId }) => this.store.loadCase(caseId)));
    return stored.map((one) => one?.state.input);
  }

  /** What became of each slot, oldest first, such as `9 started` by hours of 15 January. */
  async slots({ desk }: Process): Promise<readonly string[]> {
    const { slots } = await desk.showSchedule("hourly");
    return slots.toReversed().map((one: SlotView) => {
      const to = one.lastAt === one.slotAt ? "" : `-${hourOf(one.lastAt)} (${one.slots})`;
      return `${hourOf(one.slotAt)}${to} ${one.outcome}`;
    });
  }
}

/** A store whose process dies at the n-th write of cases or schedules: before it, or once it is stored. */
export function dying(store: Store, at: number, isStored: boolean): Store {
  let writes = 0;
  const die = async <T>(write: () => Promise<T>): Promise<T> => {
    writes += 1;
    if (writes < at) return write();
    if (writes === at && isStored) await write();
    throw new Error("the process is dead");
  };
  return {
    ...store,
    insertCase: (start) => die(() => store.insertCase(start)),
    schedules: {
      ...store.schedules,
      change: (target, decide) => die(() => store.schedules.change(target, decide)),
    },
  };
}
