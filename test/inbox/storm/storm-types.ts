/** The case types and sources of the storm, as each of its processes loads them. */

import { defineCase, defineDestination, registryOf, type Registry } from "foothold";
import { defineSource, startCase, tellCase, type Source } from "foothold/inbox";
import type { Pool } from "pg";
import { z } from "zod";

/** The secrets between the providers and us. */
export const SECRETS = { github: "a secret of github's", stripe: "whsec_of_stripe" } as const;

/** Cases that GitHub's events are told to. */
export const ACCOUNTS = 40;

/** The account that a GitHub event belongs to. */
function accountOf(no: number): string {
  return `account-${no % ACCOUNTS}`;
}

const Stamped = z.object({ storm: z.number() });

/** What the storm runs. A shipment writes one line for each key into the table `shipped`. */
export function stormTypes(pool: Pool | null): {
  readonly registry: Registry;
  readonly sources: readonly Source[];
} {
  const depot = defineDestination("depot", {
    idempotency: { by: "key", window: "24h" },
    retry: { firstDelay: "100ms" },
  });
  const account = defineCase("account", {
    version: 1,
    owner: "accounts",
    input: z.object({ account: z.string() }),
    events: { told: Stamped, closed: z.object({}) },
  }).waitForEvent("close", { event: "closed", timeout: "30d" });
  const shipment = defineCase("shipment", {
    version: 1,
    owner: "depot",
    input: z.object({ event: z.string() }),
  }).step("ship", {
    to: depot,
    run: async ({ idempotencyKey, input }) => {
      const text =
        "insert into shipped (key, event, sends) values ($1, $2, 1) on conflict (key) do update set sends = shipped.sends + 1";
      await pool?.query(text, [idempotencyKey, input.event]);
      return { key: idempotencyKey };
    },
  });
  const told = (data: unknown): { readonly storm: number } => Stamped.parse(data);
  const sources = [
    defineSource("github", {
      preset: "github",
      owner: "accounts",
      secrets: () => SECRETS.github,
      consumers: {
        told: tellCase(account, {
          on: "*",
          as: "told",
          payload: ({ data }) => ({ storm: told(data).storm }),
          key: ({ data }) => accountOf(told(data).storm),
        }),
      },
    }),
    defineSource("stripe", {
      preset: "stripe",
      owner: "depot",
      secrets: () => SECRETS.stripe,
      consumers: {
        shipped: startCase(shipment, {
          on: "*",
          input: ({ data }) => ({ event: z.object({ id: z.string() }).parse(data).id }),
        }),
      },
    }),
  ];
  return { registry: registryOf([account, shipment]), sources };
}
