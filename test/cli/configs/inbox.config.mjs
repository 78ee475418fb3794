// A shop whose orders are started and paid by what its provider tells.
import { defineCase, defineConfig, defineDestination, defineEvent } from "foothold";
import { defineSource, startCase, tellCase } from "foothold/inbox";
import { z } from "zod";

const depot = defineDestination("depot", { idempotency: { by: "key", window: "24h" } });

const order = defineCase("order", {
  version: 1,
  owner: "shop",
  input: z.object({ order: z.string() }),
  events: { paid: defineEvent(z.object({ order: z.string() }), { correlate: ({ order: key }) => key }) },
})
  .waitForEvent("payment", { event: "paid", timeout: "7d" })
  .step("ship", { to: depot, run: ({ idempotencyKey }) => ({ parcel: idempotencyKey }) });

/** @param {import("foothold/inbox").InboxEvent} event */
const orderOf = ({ data }) => z.object({ order: z.string() }).parse(data).order;

const shop = defineSource("shop", {
  preset: "hmac",
  owner: "shop",
  secrets: () => "a secret of the shop's",
  consumers: {
    placed: startCase(order, {
      on: "order.placed",
      input: (event) => ({ order: orderOf(event) }),
      businessKey: orderOf,
    }),
    paid: tellCase(order, { on: "order.paid", as: "paid" }),
  },
  list: {
    page: async () => ({
      items: [
        {
          body: { order: "o-listed" },
          headers: { "x-event-id": "never arrived", "x-event-type": "order.placed" },
        },
      ],
      next: null,
    }),
  },
});

const quiet = { owner: "shop", consumers: {} };
const others = [
  defineSource("bus", { ...quiet, preset: "cloudevents", secrets: () => "a token" }),
  defineSource("card", { ...quiet, preset: "adyen", secrets: () => "44782DEF547AAA06" }),
  defineSource("text", { ...quiet, preset: "twilio", secrets: () => "t", url: "https://shop.example/text" }),
  defineSource("topic", { ...quiet, preset: "sns", secrets: () => "arn:aws:sns:eu-west-1:1:orders" }),
];

export default defineConfig({ cases: [order], sources: [shop, ...others] });
