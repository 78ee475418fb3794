// A key that is forgotten while the step is still tried.
import { defineCase, defineConfig, defineDestination } from "foothold";
import { z } from "zod";

const bank = defineDestination("bank", { idempotency: { by: "key", window: "1h" } });

const paying = defineCase("paying", { version: 1, owner: "ops", input: z.unknown() }).step("pay", {
  to: bank,
  run: () => null,
});

export default defineConfig({ cases: [paying] });
