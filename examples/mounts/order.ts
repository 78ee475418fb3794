/**
 * An order in a shop, as a case type.
 *
 *     reserve  ──▶  paid  ──▶  ship
 *     warehouse     webhook    warehouse
 */

import { defineCase, defineDestination, defineEvent } from "foothold";
import { keyedFetch, readAnswer } from "foothold/destinations";
import { defineSource, tellCase, type Source } from "foothold/inbox";
import { z } from "zod";

/** What an order starts with. */
export const Order = z.object({ number: z.string().min(1), item: z.string().min(1) });

const Paid = z.object({ order: z.string() });
const Moved = z.object({ movement: z.string() });

/** Version 1 of the case type `order`. */
export function defineOrder(warehouseUrl: string) {
  const warehouse = defineDestination("warehouse", {
    idempotency: { by: "key", window: "7d" },
    owners: { input: "sales", outage: "logistics" },
    transport: "http",
    clientTries: 1,
  });
  return defineCase("order", {
    version: 1,
    owner: "sales",
    input: Order,
    events: { paid: defineEvent(Paid, { correlate: ({ order }) => order }) },
  })
    .step("reserve", {
      to: warehouse,
      request: ({ input }) => ({ reserve: input.item }),
      run: async (context) =>
        Moved.parse(await readAnswer(await keyedFetch(context, warehouseUrl, { json: context.request }))),
    })
    .waitForEvent("payment", { event: "paid", timeout: "14d" })
    .step("ship", {
      to: warehouse,
      request: ({ input, results }) => ({ ship: input.item, of: results.reserve.movement }),
      run: async (context) =>
        Moved.parse(await readAnswer(await keyedFetch(context, warehouseUrl, { json: context.request }))),
    });
}

/** What the payment provider posts. */
export function paymentEvents(order: ReturnType<typeof defineOrder>, secret: string): Source {
  return defineSource("payments", {
    preset: "hmac",
    owner: "sales",
    secrets: () => secret,
    consumers: { "tell the order": tellCase(order, { on: "order.paid", as: "paid" }) },
  });
}
