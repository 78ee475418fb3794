import { describe, expect, test } from "vitest";
import { z } from "zod";
import { EXPORT_FORMAT, readExportedCase, type ExportedCase } from "../core/exported-case.ts";
import { defineCase } from "../define/builder.ts";
import { holds } from "../define/answers.ts";
import { defineDestination } from "../define/destination.ts";
import { probe } from "../define/probe.ts";
import { fakeDestination } from "./fake-destination.ts";
import { formatReplay, replay } from "./replay.ts";
import { createTestWorld } from "./world.ts";

const shop = fakeDestination<object>("shop", { idempotency: { by: "key", window: "24h" } });
const audit = defineDestination("audit", { idempotency: { by: "key", window: "24h" } });
const options = { version: 1, owner: "sales", input: z.object({ item: z.string(), price: z.number() }) };

/** What ran. */
const ordering = defineCase("ordering", options)
  .approval("approve", { by: "finance" })
  .step("place", {
    to: shop.destination,
    request: ({ input }) => ({ item: input.item, price: input.price }),
    run: ({ request, ...given }) => shop.send(request, given),
  })
  .step("announce", {
    to: shop.destination,
    request: ({ results }) => ({ text: JSON.stringify(results.place) }),
    run: ({ request, ...given }) => shop.send(request, given),
  });

async function ran(): Promise<ExportedCase> {
  const world = createTestWorld({ cases: [ordering] });
  const caseId = await world.start(ordering, { item: "desk", price: 480 });
  await world.runToNextWait(caseId);
  await world.approve(caseId, "approve");
  await world.runToEnd(caseId);
  const { entries } = await world.journal(caseId);
  const exported = { format: EXPORT_FORMAT, caseId, exportedAt: world.now, entries };
  return readExportedCase(JSON.parse(JSON.stringify(exported)));
}

describe("a case that ran, replayed", () => {
  test("by the very code that it ran with, would have sent the same", async () => {
    const report = replay(ordering, await ran());
    expect(report).toMatchObject({ compared: 2, differences: [], next: [] });
    expect(formatReplay(report)).toMatch(/2 sends in \d+ entries, and this code would have sent the same$/);
  });

  test("by code that sends another request, says what differs in it", async () => {
    const changed = defineCase("ordering", { ...options, version: 2 })
      .approval("approve", { by: "finance" })
      .step("place", {
        to: shop.destination,
        request: ({ input }) => ({ item: input.item, price: input.price * 100, currency: "EUR" }),
        run: ({ request, ...given }) => shop.send(request, given),
      })
      .step("announce", {
        to: shop.destination,
        request: ({ results }) => ({ text: JSON.stringify(results.place) }),
        run: ({ request, ...given }) => shop.send(request, given),
      });
    const { differences } = replay(changed, await ran());
    expect(differences).toMatchObject([{ kind: "request", step: "place" }]);
    expect(differences[0]?.changes).toEqual([
      { path: "price", kind: "changed", from: 480, to: 48_000 },
      { path: "currency", kind: "added", from: null, to: "EUR" },
    ]);
  });

  test("by code that asks something first, or has no such step any more, says so once", async () => {
    const changed = defineCase("ordering", { ...options, version: 2 })
      .approval("approve", { by: "finance" })
      .step("place", {
        to: shop.destination,
        before: { "in stock": probe({ of: audit, freshFor: "1m", ask: () => Promise.resolve(holds()) }) },
        request: ({ input }) => ({ item: input.item, price: input.price }),
        run: ({ request, ...given }) => shop.send(request, given),
      });
    const report = replay(changed, await ran());
    expect(report.differences.map(({ step, kind, sentence }) => [step, kind, sentence])).toEqual([
      ["place", "notSent", 'it was sent, and now "in stock" would be asked first'],
      ["announce", "notSent", "it was sent, and now there is no such step"],
    ]);
    expect(formatReplay(report)).toContain("this code differs:\nrevision ");
  });

  test("by code for which a confirmation rests on something else, says that it would not stand", async () => {
    const changed = defineCase("ordering", { ...options, version: 2 })
      .step("place", {
        to: shop.destination,
        uses: ["item"],
        request: ({ input }) => ({ item: input.item, price: input.price }),
        run: ({ request, ...given }) => shop.send(request, given),
      })
      .step("announce", {
        to: shop.destination,
        request: ({ results }) => ({ text: JSON.stringify(results.place) }),
        run: ({ request, ...given }) => shop.send(request, given),
      });
    const { differences } = replay(changed, await ran());
    expect(differences).toMatchObject([{ kind: "lapses", step: "place" }]);
  });

  test("in the middle, says what would be done next", async () => {
    const whole = await ran();
    const until = whole.entries.findIndex(
      ({ entry }) => entry.kind === "stepConfirmed" && entry.step === "place",
    );
    const { next } = replay(ordering, { ...whole, entries: whole.entries.slice(0, until + 1) });
    expect(next).toEqual(["announce: it would be sent"]);
  });

  test("is refused for a case of another type, and for a journal that does not fold", async () => {
    const whole = await ran();
    const other = defineCase("other", options).approval("approve", { by: "finance" });
    expect(() => replay(other, whole)).toThrow("is a case of ordering, and it was to be replayed as other");
    const gap = { ...whole, entries: whole.entries.filter(({ revision }) => revision !== 3) };
    expect(() => replay(ordering, gap)).toThrow(expect.objectContaining({ code: "CORRUPT_JOURNAL" }));
  });
});
