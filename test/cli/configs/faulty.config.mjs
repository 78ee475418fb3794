// Two case types with faults of several kinds.
import { defineCase, defineConfig, defineDestination } from "foothold";
import { z } from "zod";

const erp = defineDestination("erp", { idempotency: { by: "lookup" } });
const broken = defineCase("broken", { version: 0, owner: "", input: z.unknown() }).step("send", {
  to: erp,
  run: () => null,
});
const alsoBroken = defineCase("also-broken", { version: 1, owner: "o", input: z.unknown() }).sleep("nap", {
  // @ts-expect-error a fault on purpose
  for: "long",
});

export default defineConfig({ cases: [broken, alsoBroken] });
