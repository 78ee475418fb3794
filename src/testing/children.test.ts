import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "../define/builder.ts";
import { expectDone } from "./case-journal.ts";
import { fakeDestination } from "./fake-destination.ts";
import { createTestWorld } from "./world.ts";

interface Print {
  readonly prints: string;
}
interface Pay {
  readonly pays: number;
}

const printer = fakeDestination<Print>("printer", { idempotency: { by: "key", window: "24h" } });
const bank = fakeDestination<Pay>("bank", { idempotency: { by: "key", window: "24h" } });

const label = defineCase("label", { version: 1, owner: "depot", input: z.object({ parcel: z.string() }) })
  .step("print", {
    to: printer.destination,
    request: ({ input }) => ({ prints: input.parcel }),
    run: ({ request, ...given }) => printer.send(request, given),
  })
  .result(({ input }) => ({ number: `L-${input.parcel}` }));

const order = defineCase("order", {
  version: 1,
  owner: "sales",
  input: z.object({ total: z.number(), parcels: z.array(z.string()) }),
})
  .eachChild("labels", {
    items: ({ input }) => input.parcels,
    key: (parcel) => parcel,
    atOnce: 5,
    of: label,
    input: ({ item }) => ({ parcel: item }),
  })
  .step("pay", {
    to: bank.destination,
    request: ({ input }) => ({ pays: input.total }),
    run: ({ request, ...given }) => bank.send(request, given),
  });

beforeEach(() => {
  for (const fake of [printer, bank]) fake.reset();
});

describe("a test world with children", () => {
  test("goes on where the worker dies with the end of a child, before the parent heard of it", async () => {
    const world = createTestWorld({ cases: [order, label] });
    const caseId = await world.start(order, { total: 3, parcels: ["a"] });
    world.crashAt("afterConfirm", "print");
    expectDone(await world.runToEnd(caseId));
    expect(printer.ledger).toHaveLength(1);
    expect(bank.ledger).toHaveLength(1);
  });

  test("is not idle before the parent heard of it", async () => {
    const world = createTestWorld({ cases: [order, label] });
    const caseId = await world.start(order, { total: 3, parcels: ["a"] });
    world.crashAt("afterConfirm", "print");
    await world.runUntilIdle();
    expect((await world.journal(caseId)).state).toBe("done");
  });
});
