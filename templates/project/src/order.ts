/** A first case type: an order that is approved, placed at a shop, and announced. Change it into your own. */

import { defineCase, defineDestination, didNotHappen, expectOk, happened } from "foothold";
import { z } from "zod";

/** What starts a case. Any Standard Schema will do. */
const Order = z.object({ item: z.string().min(1), price: z.number().positive() });

/** What the shop answers. */
const Placed = z.object({ orderId: z.string() });

/** Where the stand-in of stand-in.ts listens; your own system's address in its place. */
function shopUrl(): string {
  return process.env["SHOP_URL"] ?? "http://127.0.0.1:4690";
}

/** The shop executes a key once, so a request whose answer was lost may be sent again for a day. */
const shop = defineDestination("shop", {
  idempotency: { by: "key", window: "24h" },
  owners: { access: "it", input: "purchasing", outage: "it" },
  // Asked by `foothold doctor --live`: changes nothing.
  ping: ({ fetch, signal }) => fetch(`${shopUrl()}/orders/none`, { signal }),
});

/** The case type. */
export const order = defineCase("order", { version: 1, owner: "purchasing", input: Order })
  .approval("approve", { by: "finance", expires: "3d" })
  .step("place", {
    to: shop,
    // Stored before it is sent, and sent the same each time.
    request: ({ input }) => ({ item: input.item, price: input.price }),
    run: async ({ request, idempotencyKey, signal, fetch }) => {
      const response = await fetch(`${shopUrl()}/orders`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
        body: JSON.stringify(request),
        signal,
      });
      await expectOk(response);
      return Placed.parse(await response.json());
    },
    // Did it happen? Asked when an answer was lost and the key's day is over, and by people.
    check: async ({ idempotencyKey, signal }) => {
      const response = await fetch(`${shopUrl()}/orders/${encodeURIComponent(idempotencyKey)}`, { signal });
      if (response.status === 404) return didNotHappen();
      await expectOk(response);
      const placed = Placed.parse(await response.json());
      return happened(placed, placed.orderId);
    },
  })
  .step("announce", {
    to: shop,
    request: ({ input, results }) => ({ text: `${input.item} is ordered: ${results.place.orderId}` }),
    run: async ({ request, idempotencyKey, signal, fetch }) => {
      const response = await fetch(`${shopUrl()}/notes`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
        body: JSON.stringify(request),
        signal,
      });
      await expectOk(response);
      return Placed.parse(await response.json());
    },
  });
