import { defineCase } from "foothold";
import { fakeDestination } from "foothold/testing";
import { z } from "zod";

const shop = fakeDestination("shop", { idempotency: { by: "key", window: "24h" } });

/**
 * A purchase of two steps.
 *
 * @param {string} name
 * @param {boolean} sendsKey whether the second step sends the key that its destination needs
 */
export function ordering(name, sendsKey) {
  return defineCase(name, { version: 1, owner: "sales", input: z.object({ item: z.string().min(1) }) })
    .approval("approve", { by: "boss" })
    .step("order", {
      to: shop.destination,
      request: ({ input }) => ({ item: input.item }),
      run: ({ request, idempotencyKey, signal }) => shop.send(request, { idempotencyKey, signal }),
    })
    .step("charge", {
      to: shop.destination,
      request: ({ input }) => ({ item: `${input.item} charged` }),
      run: ({ request, idempotencyKey, signal }) =>
        shop.send(request, sendsKey ? { idempotencyKey, signal } : { signal }),
    });
}
