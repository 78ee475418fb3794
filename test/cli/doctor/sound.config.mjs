// Definitions that leave nothing to say, and a destination that can be tried.
import { defineCase, defineConfig, defineDestination, expectOk } from "foothold";
import { z } from "zod";

const erp = defineDestination("erp", {
  idempotency: { by: "key", window: "24h" },
  credential: "erp-account",
  owners: { access: "admins", input: "desk", outage: "platform" },
  ping: async ({ fetch, signal }) => expectOk(await fetch(String(process.env["ERP_URL"]), { signal })),
});

export const order = defineCase("order", {
  version: 1,
  owner: "ops",
  input: z.object({ amount: z.number() }),
}).step("create", { to: erp, request: ({ input }) => input, run: () => null });

export default defineConfig({ cases: [order] });
