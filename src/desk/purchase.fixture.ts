/** A case type with one step of each kind that the desk deals with, and a desk on any store. */

import { z } from "zod";
import { defineCase } from "../define/builder.ts";
import { defineDestination } from "../define/destination.ts";
import { registryOf, type Registry } from "../define/registry.ts";
import { defineSchedule, scheduleBookOf } from "../define/schedule.ts";
import { systemPorts } from "../engine/system.ts";
import { ENGINE_VERSION } from "../engine/version.ts";
import type { Store } from "../store/port.ts";
import { createDesk, type Desk, type DeskOptions } from "./desk.ts";

const erp = defineDestination("erp", {
  idempotency: { by: "key", window: "24h" },
  owners: { input: "purchasing", outage: "platform" },
});

/** Nothing in these tests may send: the desk never does. */
function never(): never {
  throw new Error("the desk must not call run, check or a probe");
}

/** approve -> createRecord -> notify, and an event that revokes the approval. */
export const purchase = defineCase("purchase", {
  version: 1,
  owner: "purchasing",
  input: z.object({ vendor: z.string().min(1), amount: z.number().positive() }),
  events: { "approval.revoked": z.object({ why: z.string() }) },
  attributes: { vendor: "text", amount: "number" },
})
  .approval("approve", { by: "finance", form: z.object({ costCenter: z.string() }), expires: "3d" })
  .step("createRecord", {
    to: erp,
    requires: {
      "approval still stands": ({ events }) =>
        events.latest("approval.revoked", { after: "approve" }) === null,
    },
    request: ({ input }) => ({ vendor: input.vendor }),
    run: never,
    check: never,
  })
  .step("notify", { to: erp, run: never });

/** Two steps side by side, to see that a plan version covers only what follows the step. */
const sideBySide = defineCase("side-by-side", { version: 1, owner: "purchasing", input: z.unknown() })
  .approval("left", { by: "finance" })
  .approval("right", { by: "legal", after: [] });

/** Both of them. */
export const testRegistry: Registry = registryOf([purchase, sideBySide]);

/** A desk whose times read as UTC. */
export function testDesk(
  store: Store,
  registry: Registry = testRegistry,
  more: Pick<DeskOptions, "lacksNow" | "schedules"> = {},
): Desk {
  return createDesk({ store, registry, ports: systemPorts(), engineVersion: ENGINE_VERSION, ...more });
}

function rethrow(error: unknown): never {
  throw error;
}

/** A desk with a schedule, `yearly`, that was decided once, and of which no slot is near. */
export async function deskWithSchedule(store: Store): Promise<Desk> {
  const yearly = defineSchedule("yearly", {
    starts: purchase,
    cron: "0 6 29 2 *",
    timeZone: "Europe/Berlin",
    input: () => ({ vendor: "ACME", amount: 1 }),
  });
  const desk = testDesk(store, testRegistry, { schedules: scheduleBookOf([yearly], testRegistry) });
  await desk.scheduleRunner({ onError: rethrow }).runOnce();
  return desk;
}

/** Registers a worker and claims what is due. Nothing renews its beat. */
export async function claimAll(
  store: Store,
  { name, leaseMs }: { readonly name: string; readonly leaseMs: number },
): Promise<void> {
  const { ids } = systemPorts();
  const caseTypes = [
    { name: "purchase", version: 1 },
    { name: "side-by-side", version: 1 },
  ];
  const holderId = ids.unique();
  const holder = {
    holderId,
    kind: "worker",
    name,
    host: "host-1",
    build: "build-1",
    leaseMs,
    caseTypes,
    destinations: [],
  } as const;
  await store.registerHolder(holder);
  const claimIds = Array.from({ length: 10 }, () => ids.unique());
  await store.claimDue({ holderId, claimIds, caseTypes, engineVersion: ENGINE_VERSION, actWithinMs: 60_000 });
}
