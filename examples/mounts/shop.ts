/** The shop behind whatever framework it is reached through: what starts orders, hears of payments, works, and stops. */

import { hostname } from "node:os";
import {
  createDesk,
  createSweep,
  createWorker,
  ENGINE_VERSION,
  isFootholdError,
  registryOf,
  systemPorts,
  type Store,
} from "foothold";
import { createInbox, type Inbox } from "foothold/inbox";
import { defineOrder, Order, paymentEvents } from "./order.ts";

/** What it is made of. */
export interface ShopOptions {
  /** Open, and left open. */
  readonly store: Store;
  readonly warehouseUrl: string;
  /** What the payment provider signs with. */
  readonly secret: string;
}

/** An answer for any framework to give. */
export interface Answer {
  readonly status: number;
  readonly body: object;
}

/** A running shop. */
export interface Shop {
  /** Receives what the payment provider posts. */
  readonly inbox: Inbox;
  /** Takes an order as it came: one case for each number, however often it is posted. */
  takeOrder(body: unknown): Promise<Answer>;
  /** What has become of it. */
  showOrder(caseId: string): Promise<Answer>;
  /** Finishes what is under way, and gives back what it holds. Call it once no request comes in any more. */
  stop(): Promise<void>;
}

/** Starts it: worker, sweeps and inbox in this process. More processes may do the same over one database. */
export async function startShop({ store, warehouseUrl, secret }: ShopOptions): Promise<Shop> {
  await store.migrate();
  const order = defineOrder(warehouseUrl);
  const registry = registryOf([order]);
  const ports = systemPorts();
  const desk = createDesk({ store, registry, ports, engineVersion: ENGINE_VERSION });
  const worker = createWorker({
    store,
    registry,
    ports,
    name: `w-${process.pid}`,
    host: hostname(),
    build: "1",
  });
  const inbox = createInbox({ store, ports, sources: [paymentEvents(order, secret)] });
  const work = inbox.worker({ door: desk, registry, holderId: () => worker.holderId });
  const sweeps = [createSweep({ store, ports }), inbox.sweep()];
  await worker.start();
  await work.start();
  for (const sweep of sweeps) sweep.start();
  return {
    inbox,
    takeOrder: async (body) => {
      const read = Order.safeParse(body);
      if (!read.success) return { status: 422, body: { errors: read.error.issues } };
      const { caseId } = await desk.startCase(order, read.data, {
        by: "shop",
        businessKey: read.data.number,
      });
      worker.hint();
      return { status: 202, body: { caseId } };
    },
    showOrder: async (caseId) => {
      try {
        const { state, sentence } = (await desk.show(caseId)).reading;
        return { status: 200, body: { state, sentence } };
      } catch (error) {
        if (!isFootholdError(error) || error.code !== "CASE_NOT_FOUND") throw error;
        return { status: 404, body: { message: error.message } };
      }
    },
    stop: async () => {
      await work.stop();
      await worker.stop();
      for (const sweep of sweeps) await sweep.stop();
      await inbox.close();
    },
  };
}
