/** A user's test under node:test; kit-runners.test.ts runs it. */

import test from "node:test";
import { defineCase } from "foothold";
import {
  createTestWorld,
  expectConfirmed,
  expectDone,
  expectSafe,
  fakeDestination,
  rehearse,
} from "foothold/testing";
import { z } from "zod";

const erp = fakeDestination("erp", { idempotency: { by: "key", window: "24h" } });

const ordering = defineCase("ordering", { version: 1, owner: "sales", input: z.object({ item: z.string() }) })
  .sleep("rest", { for: "3d" })
  .step("order", {
    to: erp.destination,
    request: ({ input }) => ({ item: input.item }),
    run: ({ request, idempotencyKey, signal }) => erp.send(request, { idempotencyKey, signal }),
  });

await test("a case runs to its end over a crash", async () => {
  const world = createTestWorld({ cases: [ordering] });
  const caseId = await world.start(ordering, { item: "desk" });
  world.crashAt("afterSend", "order");
  const journal = await world.runToEnd(caseId);
  expectDone(journal);
  expectConfirmed(journal, "order");
});

await test("every step is safe", async () => {
  expectSafe(await rehearse(ordering, { input: { item: "desk" } }));
});
