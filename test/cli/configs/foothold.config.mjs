// The project that the tests of the command line run: its steps answer at once, or hang until they are stopped.
import { defineCase, defineConfig, defineDestination } from "foothold";
import { z } from "zod";

const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });

const purchase = defineCase("purchase", {
  version: 1,
  owner: "purchasing",
  input: z.object({ vendor: z.string().min(1), amount: z.number().positive() }),
  attributes: { vendor: "text", amount: "number" },
  events: { "approval.revoked": z.object({ why: z.string() }) },
})
  .approval("approve", { by: "finance", expires: "3d" })
  .step("createRecord", { to: erp, run: ({ idempotencyKey }) => ({ record: `R-${idempotencyKey}` }) })
  .step("notify", { to: erp, run: ({ results }) => ({ told: results.createRecord.record }) });

const hanging = defineCase("hanging", { version: 1, owner: "purchasing", input: z.unknown() }).step("hang", {
  to: erp,
  run: ({ signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("stopped")));
    }),
});

export default defineConfig({ cases: [purchase, hanging] });
