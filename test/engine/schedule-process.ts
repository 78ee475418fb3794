/**
 * A process that runs a schedule with a slot every quarter of a second: `URL [WRITE before|after]`. At its WRITE-th write of a
 * turn (the decision, the case, what became of it) it kills itself, before the write is sent or once it is stored.
 */

import { z } from "zod";
import {
  createDesk,
  defineCase,
  defineSchedule,
  ENGINE_VERSION,
  registryOf,
  scheduleBookOf,
  systemPorts,
} from "foothold";
import { postgresStore } from "foothold/postgres";
import type { Store } from "../../src/store/port.ts";
import { quarters } from "./quarters.ts";

const [url = "", killAt = "0", when = ""] = process.argv.slice(2);
let writes = 0;

/** Counts a write that is about to be made; true = this is the one to die at. */
function isLast(): boolean {
  writes += 1;
  if (writes !== Number(killAt)) return false;
  if (when === "before") process.kill(process.pid, "SIGKILL");
  return true;
}

const store = postgresStore({ url });
const { schedules } = store;
const watched: Store = {
  ...store,
  insertCase: async (start) => {
    const dies = isLast();
    const reply = await store.insertCase(start);
    if (dies) process.kill(process.pid, "SIGKILL");
    return reply;
  },
  schedules: {
    ...schedules,
    change: async (target, decide) => {
      let dies = false;
      const reply = await schedules.change(target, (locked) => {
        const changed = decide(locked);
        // Here the transaction is open: whoever dies now takes all of it along. What says nothing of a slot is no write.
        if (changed.slots.length > 0) dies = isLast();
        return changed;
      });
      if (dies) process.kill(process.pid, "SIGKILL");
      return reply;
    },
  },
};

const ticking = defineCase("ticking", {
  version: 1,
  owner: "clock",
  input: z.object({ at: z.number() }),
}).approval("look", { by: "clock" });
const registry = registryOf([ticking]);
const schedule = defineSchedule("tick", {
  starts: ticking,
  cron: "every quarter of a second",
  timeZone: "UTC",
  input: ({ at }) => ({ at }),
  catchUp: { upTo: 100 },
});
const desk = createDesk({
  store: watched,
  registry,
  schedules: scheduleBookOf([schedule], registry, () => ({ kind: "calendar", calendar: quarters })),
  ports: systemPorts(),
  engineVersion: ENGINE_VERSION,
});
desk.scheduleRunner({ onError: (error) => process.stderr.write(`${String(error)}\n`) }).start();
process.stdout.write("up\n");
// Its parent ends it.
process.stdin.on("end", () => process.exit(0)).resume();
