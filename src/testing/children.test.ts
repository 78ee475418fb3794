import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "../define/builder.ts";
import type { CaseType } from "../define/case-type.ts";
import { expectDone } from "./case-journal.ts";
import { fakeDestination } from "./fake-destination.ts";
import { expectSafe, formatRehearsal, type RehearsalReport } from "./rehearsal-report.ts";
import { rehearse, type ChildToRehearse } from "./rehearse.ts";
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

/** A shipment that waits for people and an event of its own; `sendsKey`: whether it sends the key that the carrier needs. */
function shipping(sendsKey: boolean): CaseType {
  const head = { version: 1, owner: "depot", input: z.object({ street: z.string() }) };
  return defineCase("shipment", { ...head, events: { collected: z.object({ by: z.string() }) } })
    .approval("release", { by: "depot", form: z.object({ gate: z.number() }) })
    .step("book", {
      to: printer.destination,
      request: ({ input }) => ({ prints: input.street }),
      run: ({ request, ...given }) => printer.send(request, sendsKey ? given : { signal: given.signal }),
    })
    .waitForEvent("collection", { event: "collected", timeout: "9d" });
}

const sale = defineCase("sale", { version: 1, owner: "sales", input: z.object({ street: z.string() }) })
  .step("book", {
    to: bank.destination,
    request: () => ({ pays: 1 }),
    run: ({ request, ...given }) => bank.send(request, given),
  })
  .child("ship", { of: "shipment", input: ({ input }) => ({ street: input.street }) });

/** What a shipment needs of people and senders. */
function shipment(sendsKey: boolean): ChildToRehearse {
  return {
    of: shipping(sendsKey),
    approvals: { release: { gate: 3 } },
    events: [{ eventType: "collected", payload: { by: "kim" } }],
    corrected: { book: { street: "Ringstr. 1" } },
  };
}

function wordsOf({ steps }: RehearsalReport, step: string): readonly string[] {
  const cells = steps.find((one) => one.step === step)?.cells ?? [];
  return cells.map(({ fault, verdict }) => `${fault}: ${verdict}`);
}

describe("a rehearsal of a case that starts others", () => {
  const input = { total: 3, parcels: ["a", "b"] };

  test("rehearses their steps as well as what starts them, and starts each of them once", async () => {
    const report = await rehearse(order, { input, children: [{ of: label }] });
    expectSafe(report);
    expect(report.steps.map(({ step, judgedBy }) => `${step} by ${judgedBy}`)).toEqual([
      "labels[a] by ledger",
      "labels[b] by ledger",
      "pay by ledger",
      "label: print by ledger",
    ]);
    expect(wordsOf(report, "labels[a]")).toContain("crash afterSend: checked");
    expect(wordsOf(report, "label: print")).toEqual(
      expect.arrayContaining(["crash afterConfirm: safe", "late send: safe", "access: revoked: safe"]),
    );
  });

  test("gives them the approvals, events and corrections that they need", async () => {
    const report = await rehearse(sale, { input: { street: "Ringstr." }, children: [shipment(true)] });
    expectSafe(report);
    expect(report.steps.map(({ step }) => step)).toEqual(["book", "ship", "shipment: book"]);
    expect(wordsOf(report, "shipment: book")).toContain("refused: input, then corrected: safe");
    expect(wordsOf(report, "shipment: book")).toContain("refused: input: safe");
    expect(report.events).toMatchObject([
      {
        eventType: "shipment: collected",
        cells: [
          { fault: "repeated", verdict: "safe" },
          { fault: "early", verdict: "safe" },
        ],
      },
    ]);
  });

  test("names the step of a child that sends twice, apart from the one of the same name above", async () => {
    const report = await rehearse(sale, { input: { street: "Ringstr." }, children: [shipment(false)] });
    expect(report.findings).toMatchObject([{ step: "shipment: book", verdict: "twice" }]);
    const twice = wordsOf(report, "book").filter((words) => words.endsWith("twice"));
    expect(twice).toEqual([]);
    expect(formatRehearsal(report)).toContain("calls run of shipment: book, attempt 2");
  });

  test("takes a child back where a correction lapses it, and rehearses its cancel and undo", async () => {
    const label2 = defineCase("label", {
      version: 1,
      owner: "depot",
      input: z.object({ parcel: z.string() }),
    }).step("print", {
      to: printer.destination,
      request: (facts) => ({ prints: facts.input.parcel }),
      run: ({ request, ...given }) => printer.send(request, given),
      undo: { run: ({ request, ...given }) => printer.send({ prints: `not ${request.prints}` }, given) },
    });
    const parcel = defineCase("parcel", {
      version: 1,
      owner: "sales",
      input: z.object({ parcel: z.string() }),
    })
      .child("ship", { of: label2, input: (facts) => facts.input, onLapse: "undo" })
      .sleep("rest", { for: "1d" });
    const report = await rehearse(parcel, {
      input: { parcel: "a" },
      correct: { after: "ship", input: { parcel: "b" } },
      children: [{ of: label2 }],
    });
    expectSafe(report);
    expect(report.steps.map(({ step }) => step)).toEqual([
      "ship",
      "ship.undo",
      "label: print",
      "label: print.undo",
    ]);
    expect(wordsOf(report, "label: print.undo")).toContain("crash duringSend: safe");
  });

  test("is refused where a case type that is started is not given, and says how it is", async () => {
    const refused = rehearse(order, { input });
    await expect(refused).rejects.toThrow(
      "children: labels of order starts cases of label: add { of: label } with its definition",
    );
  });

  test("is refused where a child does not reach its end, and names what it waits for", async () => {
    const { of } = shipment(true);
    const children = [{ of, approvals: { release: { gate: 3 } } }];
    const refused = rehearse(sale, { input: { street: "Ringstr." }, children });
    await expect(refused).rejects.toThrow(
      "it waits for child (ship); shipment: collection is in review (expired): The event collected did not come in time",
    );
  });
});
