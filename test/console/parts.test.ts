import { defineCase, defineDestination } from "foothold";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeConsole, type Sight } from "./suite.ts";
import { send, type FurtherCases } from "./world.ts";

/** An invoice books each of its lines; a bundle has one delivery, which has a case for each of its boxes. */
const further: FurtherCases = (url) => {
  const depot = defineDestination("depot", {
    idempotency: { by: "key", window: "24h" },
    owners: { input: "purchasing" },
  });
  const Answer = z.object({ id: z.string() });
  const invoice = defineCase("invoice", {
    version: 1,
    owner: "books",
    input: z.object({ lines: z.array(z.object({ id: z.string(), vendor: z.string() })) }),
  })
    .each("lines", {
      items: ({ input }) => input.lines,
      key: (line) => line.id,
      to: depot,
      request: ({ item }) => ({ vendor: item.vendor }),
      run: (context) => send(`${url}/lines`, context),
      result: Answer,
    })
    .step("tell", { to: depot, request: () => ({}), run: (context) => send(`${url}/told`, context) });
  const box = defineCase("box", { version: 1, owner: "depot", input: z.object({ vendor: z.string() }) }).step(
    "pack",
    {
      to: depot,
      request: ({ input }) => ({ vendor: input.vendor }),
      run: (context) => send(`${url}/boxes`, context),
    },
  );
  const Vendors = z.object({ vendors: z.record(z.string(), z.string()) });
  const delivery = defineCase("delivery", { version: 1, owner: "depot", input: Vendors }).eachChild("boxes", {
    items: ({ input }) => Object.entries(input.vendors),
    key: ([key]) => key,
    of: box,
    input: ({ item: [, vendor] }) => ({ vendor }),
  });
  const bundle = defineCase("bundle", { version: 1, owner: "sales", input: Vendors }).child("deliver", {
    of: delivery,
    input: ({ input }) => input,
  });
  const begin = { to: depot, after: ["begin"], run: () => Promise.resolve(null) } as const;
  const wide = defineCase("wide", { version: 1, owner: "sales", input: z.object({}) })
    .approval("begin", { by: "sales" })
    .step("branchA", begin)
    .step("branchB", begin)
    .step("branchC", begin)
    .step("branchD", begin)
    .step("branchE", begin)
    .step("branchF", begin)
    .step("branchG", begin)
    .step("branchH", begin)
    .step("branchI", begin)
    .step("branchJ", begin)
    .step("branchK", begin)
    .step("branchL", begin);
  return [invoice, box, delivery, bundle, wide];
};

describeConsole(
  "the parts of a case in the console",
  (see) => {
    /** An invoice of 40 lines, of which those named are of a vendor that is unknown outside. */
    async function startInvoice(refused: readonly string[]): Promise<Sight> {
      const sight = see();
      const { world, waitsAs, go, heading } = sight;
      world.moods.unknownVendors.add("Okapi");
      const ids = Array.from({ length: 40 }, (_, index) => `l${String(index + 1).padStart(2, "0")}`);
      const lines = ids.map((id) => ({ id, vendor: refused.includes(id) ? "Okapi" : "Lumen" }));
      const started = { businessKey: "INV-1", by: "kim" };
      const { caseId } = await world.dev.desk.startCase("invoice", { lines }, started);
      await waitsAs("INV-1", "Needs correction");
      await go(`cases/${caseId}`);
      await heading(/^INV-1/).waitFor();
      return sight;
    }

    test("of 40 keys show the one that waits for a person first, with what went wrong and what can be done there", async () => {
      const { page, button, dialog, findFaults, picture } = await startInvoice(["l17"]);
      await page.getByText("40 keys: 1 waits for a person, 39 confirmed").waitFor();
      const keys = page.locator(".path-parts > li");
      expect(await keys.count()).toBe(12);
      expect(await keys.first().innerText()).toContain("lines[l17]");
      expect(await findFaults()).toEqual([]);
      // What holds for every key alike is said once.
      await page.getByText("lines (40 keys), must still hold").waitFor();
      await picture("each");
      await page.getByText("What went wrong at lines[l17]").click();
      await keys.first().getByRole("listitem").filter({ hasText: "vendor: Okapi is no vendor" }).waitFor();
      await button("Show 28 more keys").click();
      expect(await keys.count()).toBe(40);
      await page.getByText("Act on lines[l40]").click();
      await button("Do again: lines[l40]").click();
      await dialog().getByText("What it would do then").waitFor();
      // What is sent stands before the many that are kept.
      expect(await dialog().locator(".plan li").first().innerText()).not.toContain("kept");
      await page.keyboard.press("Escape");
      await dialog().waitFor({ state: "detached" });
      await page.getByText(/^Against what the engine/).click();
      await button("Leave out: lines[l17]").click();
      await dialog().getByRole("textbox", { name: "id" }).fill("cash-17");
      await dialog().getByRole("textbox", { name: "Reason" }).fill("paid in cash");
      await dialog().getByRole("button", { name: "Leave out" }).click();
      await page.locator(".lead").getByText("Done after repair").waitFor();
      await page.getByText(/^40 keys: /).waitFor();
      expect(await keys.first().isVisible()).toBe(true);
    });

    test("that wait for people in numbers have their acts at themselves, one key is left out by the keyboard alone", async () => {
      const { world, page, tabTo, dialog, findFaults } = await startInvoice(["l05", "l06", "l07", "l08"]);
      await page.getByText("40 keys: 4 waits for a person, 36 confirmed").waitFor();
      await page.getByText("What can be done to a single key stands at it").waitFor();
      expect(await page.getByRole("button", { name: /lines\[/ }).count()).toBe(0);
      await tabTo("Act on lines[l06]");
      await page.keyboard.press("Enter");
      await tabTo("Leave out: lines[l06]");
      expect(await findFaults()).toEqual([]);
      await page.keyboard.press("Enter");
      await dialog().getByText("What it would do then").waitFor();
      await tabTo("Edit as JSON");
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.type("cash-6");
      const field = "document.activeElement?.closest('label')?.innerText ?? ''";
      for (let presses = 0; !String(await page.evaluate(field)).startsWith("Reason"); presses += 1) {
        expect(presses).toBeLessThan(20);
        await page.keyboard.press("Tab");
      }
      await page.keyboard.type("paid in cash");
      await tabTo("Leave out");
      await page.keyboard.press("Enter");
      await page.getByText(/^40 keys: 3 waits? for a person/).waitFor();
      const { cases } = await world.dev.desk.list({});
      expect(cases.map(({ openReviews }) => openReviews)).toEqual([3]);
    });

    test("of a dozen branches side by side leave room for their words at 320 px, on the case and on the map", async () => {
      const { world, page, go, heading, findFaults } = see();
      const started = { businessKey: "W-1", by: "kim" };
      const { caseId } = await world.dev.desk.startCase("wide", {}, started);
      for (const [path, title] of [
        [`cases/${caseId}`, /^W-1/],
        ["types/wide", /^wide/],
      ] as const) {
        await go(path);
        await heading(title).waitFor();
        const last = page.locator(".path-step").filter({ hasText: "branchL" });
        await last.waitFor();
        expect(await findFaults()).toEqual([]);
        await page.setViewportSize({ width: 320, height: 640 });
        expect((await last.locator("h3").boundingBox())?.x).toBeLessThan(190);
        await page.setViewportSize({ width: 1280, height: 860 });
      }
    });

    test("that are cases of their own lead there and back, and say above that one of them waits for people", async () => {
      const { world, page, go, heading, button, dialog, findFaults, picture } = see();
      world.moods.unknownVendors.add("Okapi");
      const vendors = { a: "Lumen", b: "Okapi", c: "Lumen" };
      const started = { businessKey: "B-1", by: "kim" };
      const { caseId } = await world.dev.desk.startCase("bundle", { vendors }, started);
      const lead = page.locator(".lead");
      await go(`cases/${caseId}`);
      await lead.getByText("Waiting for child").waitFor();
      const step = page.locator(".path-step").filter({ hasText: "deliver" });
      await step.getByText("which waits for people").waitFor();
      expect(await step.getByText("Waits for a person").count()).toBe(1);
      expect(await findFaults()).toEqual([]);
      await step.getByRole("link", { name: /^delivery case / }).click();
      await heading(/\.deliver\./).waitFor();
      const first = page.locator(".path-parts > li").first();
      await first.getByText("which waits for people").waitFor();
      expect(await first.innerText()).toContain("boxes[b]");
      expect(await findFaults()).toEqual([]);
      await picture("child");
      await first.getByRole("link", { name: /^box case / }).click();
      await heading(/boxes\[b\]/).waitFor();
      await lead.getByText("Needs correction").waitFor();
      await button("Correct the input").click();
      await page.getByLabel("vendor").fill("Nordlicht");
      await dialog().getByRole("textbox", { name: "Reason" }).fill("bought by Nordlicht");
      await dialog().getByRole("button", { name: "Correct the input" }).click();
      await lead.getByText("Done after repair").waitFor();
      await page.getByRole("link", { name: "The case that started it" }).click();
      await heading(/\.deliver\./).waitFor();
      await lead.getByText(/Done$/).waitFor();
      await page.getByRole("link", { name: "The case that started it" }).click();
      await heading(/^B-1/).waitFor();
      await lead.getByText(/Done$/).waitFor();
    });
  },
  further,
);
