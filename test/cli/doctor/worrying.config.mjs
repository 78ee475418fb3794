// Definitions with warnings, and a client that sends again by itself.
import { defineCase, defineConfig, defineDestination } from "foothold";
import { z } from "zod";

const mail = defineDestination("mail", {
  idempotency: { by: "key", window: "12h" },
  owners: { access: "admins", input: "desk", outage: "platform" },
  ping: async ({ signal }) => {
    for (let tries = 1; tries <= 3; tries += 1)
      await (await fetch(String(process.env["ERP_URL"]), { signal })).text();
  },
});

const telling = defineCase("telling", { version: 1, owner: "ops", input: z.unknown() }).step("tell", {
  to: mail,
  request: () => 1,
  run: () => null,
});

export default defineConfig({ cases: [telling] });
