/**
 * A charge as a case type: taken out of a queue, because it must not happen twice. What may happen twice stays a plain job.
 *
 *     charge    ──▶  receipt
 *     payments       a job of the queue, in the commit that confirms the step
 */

import { broken, defineCase, defineDestination, holds, probe } from "foothold";
import { fetchOk, keyedFetch, readAnswer } from "foothold/destinations";
import type PgBoss from "pg-boss";
import { z } from "zod";

/** What a job of the queue says; and the input of the case. */
export const Charge = z.object({
  order: z.string().min(1),
  cents: z.number().int().positive(),
  /** True = the worker of before began it, and nobody noted whether it charged. */
  wasTried: z.boolean().default(false),
});

/** What the plain job is given. */
export interface Receipt {
  readonly order: string;
  readonly chargeId: string;
}

const Charged = z.object({ chargeId: z.string() });

/** Where the payments are, and the queue that lives in the database of the cases. */
export interface Systems {
  readonly paymentsUrl: string;
  readonly boss: PgBoss;
}

/** Version 1 of the case type `charge`. */
export function defineCharge({ paymentsUrl, boss }: Systems) {
  const payments = defineDestination("payments", {
    idempotency: { by: "key", window: "24h" },
    owners: { access: "finance", input: "finance", outage: "platform" },
    transport: "http",
    clientTries: 1,
    retry: { firstDelay: "1s" },
  });
  const queue = defineDestination("queue", {
    idempotency: { by: "transaction" },
    owners: { outage: "platform" },
  });

  return defineCase("charge", { version: 1, owner: "finance", input: Charge })
    .step("charge", {
      to: payments,
      before: {
        "the worker of before has not charged it": probe({
          of: payments,
          ask: async (context) => {
            const { order, wasTried } = context.input;
            if (!wasTried) return holds();
            const url = `${paymentsUrl}?order=${encodeURIComponent(order)}`;
            const [first] = z.array(Charged).parse(await readAnswer(await fetchOk(context, url)));
            return first === undefined ? holds() : broken(`${order} was charged as ${first.chargeId}`);
          },
        }),
      },
      request: ({ input: { order, cents } }) => ({ order, cents }),
      run: async (context) =>
        Charged.parse(await readAnswer(await keyedFetch(context, paymentsUrl, { json: context.request }))),
      result: Charged,
    })

    .step("receipt", {
      to: queue,
      request: ({ input, results }): Receipt => ({ order: input.order, chargeId: results.charge.chargeId }),
      // The job comes to be in the very commit that confirms this step: never twice, never without it.
      run: async ({ request, transaction }) => {
        const executeSql = async (text: string, values: readonly unknown[]): Promise<{ rows: unknown[] }> => {
          const { rows } = await transaction.query(text, values);
          return { rows: [...rows] };
        };
        return { jobId: await boss.send("receipt", request, { db: { executeSql } }) };
      },
    });
}
