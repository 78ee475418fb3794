/** Refunds of which one of each customer is worked on at a time; each is one request to a bank. */

import { defineCase, defineDestination, type CaseType } from "foothold";
import { z } from "zod";

const Paid = z.object({ id: z.string() });

/** The case type, with the bank at this URL. */
export function refundType(url: string): CaseType {
  const bank = defineDestination("bank", { idempotency: { by: "key", window: "24h" } });
  return defineCase("refund", {
    version: 1,
    owner: "finance",
    input: z.object({ customer: z.string() }),
    concurrency: { key: ({ input }) => input.customer },
  }).step("pay", {
    to: bank,
    request: ({ input }) => ({ customer: input.customer }),
    deadline: "20s",
    run: async ({ request, idempotencyKey, signal, fetch }) => {
      const reply = await fetch(`${url}/${request.customer}`, {
        method: "POST",
        headers: { "Idempotency-Key": idempotencyKey },
        signal,
      });
      return Paid.parse(await reply.json());
    },
  });
}
