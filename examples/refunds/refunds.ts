/**
 * Refunds through Stripe, as a case type, with Stripe's own client and its signed webhooks.
 *
 *     approve  ──▶  refund  ──▶  outcome  ──▶  tell
 *     (large)       Stripe       webhook       mail
 *
 * Money goes out once: an answer that got lost, a worker that died and a webhook that came twice change nothing about that.
 */

import {
  broken,
  cannotTell,
  defineCase,
  defineDestination,
  defineEvent,
  didNotHappen,
  expectOk,
  happened,
  holds,
} from "foothold";
import { defineSource, tellCase, type Source } from "foothold/inbox";
import { Stripe } from "stripe";
import { z } from "zod";

/** What a refund starts with. */
export const Refund = z.object({
  /** Our own number of it; also the business key, by which Stripe's events find their case. */
  number: z.string().min(1),
  paymentIntent: z.string().startsWith("pi_"),
  cents: z.number().int().positive(),
  customer: z.email(),
});

/** What Stripe says of a refund. More may be in it than we read. */
const StripeRefund = z.object({
  id: z.string(),
  amount: z.number(),
  status: z.string(),
  metadata: z.object({ number: z.string() }),
});

/** From this on a person is asked first. */
const LARGE_CENTS = 10_000;

/** Where the systems are, and what Stripe is called with. */
export interface Systems {
  readonly stripeUrl: string;
  readonly stripeKey: string;
  readonly mailUrl: string;
}

/** Version 1 of the case type `refund`. */
export function defineRefund({ stripeUrl, stripeKey, mailUrl }: Systems) {
  const stripe = defineDestination("stripe", {
    // Stripe knows a key again for at least 24 hours, and refuses another request under it.
    idempotency: { by: "key", window: "24h" },
    credential: () => "stripe-restricted-key",
    owners: { access: "payments", input: "support", outage: "platform" },
    transport: "http",
    // The engine is what tries again: see maxNetworkRetries below.
    clientTries: 1,
    ping: async ({ fetch }) => clientOf(fetch).balance.retrieve(),
    retry: { firstDelay: "1s" },
  });

  const mail = defineDestination("mail", {
    idempotency: { by: "key", window: "24h" },
    owners: { outage: "platform" },
    transport: "http",
    clientTries: 1,
  });

  /** Stripe's client over the step's own `fetch`: what it sends is counted, and stops when the step does. */
  function clientOf(fetch: typeof globalThis.fetch): Stripe {
    const { protocol, hostname, port } = new URL(stripeUrl);
    return new Stripe(stripeKey, {
      httpClient: Stripe.createFetchHttpClient(fetch),
      maxNetworkRetries: 0,
      protocol: protocol === "http:" ? "http" : "https",
      host: hostname,
      port: port === "" ? 443 : Number(port),
    });
  }

  return defineCase("refund", {
    version: 1,
    owner: "support",
    input: Refund,
    events: {
      "refund.updated": defineEvent(StripeRefund, { correlate: ({ metadata }) => metadata.number }),
      "refund.failed": defineEvent(StripeRefund, { correlate: ({ metadata }) => metadata.number }),
    },
  })
    .approval("approve", {
      by: "support-lead",
      expires: "3d",
      when: { "it is a large one": ({ input }) => input.cents >= LARGE_CENTS },
    })

    .step("refund", {
      to: stripe,
      uses: ["number", "paymentIntent", "cents"],
      request: ({ caseId, input }) => ({
        payment_intent: input.paymentIntent,
        amount: input.cents,
        metadata: { number: input.number, case: caseId },
      }),
      // With the step's key, never one that the client makes anew for each call: so the same refund is asked for again.
      run: async ({ request, idempotencyKey, fetch }) => {
        const { id, status } = await clientOf(fetch).refunds.create(request, { idempotencyKey });
        return { id, status };
      },
      result: z.object({ id: z.string(), status: z.string().nullable() }),
      // Once Stripe may have forgotten the key: is there one of this case?
      check: async ({ request, signal }) => {
        const client = clientOf((url, init) => globalThis.fetch(url, { ...init, signal }));
        const { data } = await client.refunds.list({ payment_intent: request.payment_intent, limit: 100 });
        const found = data.find(({ metadata }) => metadata?.["case"] === request.metadata.case);
        if (found === undefined) return didNotHappen();
        if (found.amount !== request.amount) return cannotTell(`${found.id} is over ${found.amount} cents`);
        return happened({ id: found.id, status: found.status });
      },
    })

    .waitForEvent("outcome", { event: ["refund.updated", "refund.failed"], timeout: "30d" })

    .step("tell", {
      to: mail,
      before: {
        "Stripe has decided": ({ results }) => {
          const { id, status } = results.outcome.payload;
          return status === "succeeded" || status === "failed" ? holds() : broken(`${id} is ${status}`);
        },
      },
      request: ({ caseId, input, results }) => ({
        caseId,
        to: input.customer,
        subject: `Your refund ${input.number}`,
        body:
          results.outcome.payload.status === "succeeded"
            ? `${input.cents / 100} EUR are on their way to you.`
            : "Your bank did not take the refund. We will be in touch about another way.",
      }),
      run: async ({ request, idempotencyKey, fetch }) => {
        const response = await fetch(`${mailUrl}/messages`, {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
          body: JSON.stringify(request),
        });
        return (await expectOk(response)).json();
      },
      result: z.object({ messageId: z.string() }),
    });
}

/** Stripe's webhooks, received at `/inbox/stripe`: checked, stored, and told to the case that they belong to. */
export function stripeEvents(refund: ReturnType<typeof defineRefund>, secret: string): Source {
  return defineSource("stripe", {
    preset: "stripe",
    owner: "payments",
    secrets: () => secret,
    consumers: {
      "it was updated": tellCase(refund, { on: "refund.updated", as: "refund.updated", payload: refundIn }),
      "it failed": tellCase(refund, { on: "refund.failed", as: "refund.failed", payload: refundIn }),
    },
  });
}

/** Stripe puts the thing that an event is about into `data.object`. */
const StripeEvent = z.object({ data: z.object({ object: z.unknown() }) });

function refundIn({ data }: { readonly data: unknown }): unknown {
  return StripeEvent.parse(data).data.object;
}
