import type { Route } from "playwright-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeConsole } from "./suite.ts";

const lamps = { item: "12 lamps", vendor: "Lumen", amount: 700 };

const Boxes = z.array(z.object({ name: z.string(), top: z.number(), bottom: z.number() }));

/** Where the parts of the head stand, in px. */
const boxes = `[...document.querySelectorAll(".brand, .head li a, .choices > *")].filter((one) => one.checkVisibility()).map((one) => {
  const { top, bottom } = one.getBoundingClientRect();
  return { name: one.textContent, top, bottom };
})`;

describeConsole("the frame of the console", (see) => {
  test("holds its head in one line at 1280 px, and all but the screens in one at 320 px", async () => {
    const { world, page, button, findFaults } = see();
    const password = "correct horse battery";
    await page.goto(await world.serve({ name: "fatima-of-procurement", password }));
    await page.getByLabel("Name").fill("fatima-of-procurement");
    await page.getByLabel("Password").fill(password);
    await button("Sign in").click();
    await button("Sign out").waitFor();
    const linesOf = async (): Promise<readonly string[]> => {
      const parts = Boxes.parse(await page.evaluate(boxes));
      const lines: { text: string; bottom: number }[] = [];
      for (const { name, top, bottom } of parts.toSorted((one, other) => one.top - other.top)) {
        const last = lines.at(-1);
        if (last === undefined || top >= last.bottom) lines.push({ text: name, bottom });
        else last.text += ` | ${name}`;
      }
      return lines.map(({ text }) => text);
    };
    expect(await linesOf()).toHaveLength(1);
    await page.setViewportSize({ width: 1024, height: 700 });
    expect(await linesOf()).toHaveLength(2);
    await page.setViewportSize({ width: 320, height: 640 });
    const [first] = await linesOf();
    expect(first?.split(" | ").toSorted()).toEqual(["Foothold", "Keys", "Sign out", "● Live"]);
    expect(await findFaults()).toEqual([]);
  });

  test("moves no row and no link to another page when it is told late what somebody may do", async () => {
    const { world, page, go, row, button } = see();
    for (let index = 0; index < 51; index += 1) await world.start(`PO-${index}`, lamps);
    const asked: Route[] = [];
    await page.route(/\/api\/v1\/me\b/, (route) => void asked.push(route));
    await go("cases?reading=Waiting%20for%20approval");
    await expect.poll(() => row("PO-").count(), { timeout: 60_000 }).toBe(50);
    const next = page.getByRole("link", { name: "Next page" });
    await next.hover();
    const before = await next.boundingBox();
    const link = page.getByRole("link", { name: "PO-50" });
    const linkBefore = await link.boundingBox();
    for (const route of asked) await route.continue();
    await button("Act on all that match").waitFor();
    await page.getByRole("checkbox", { name: "Select PO-50" }).waitFor();
    expect(await next.boundingBox()).toEqual(before);
    expect(await link.boundingBox()).toEqual(linkBefore);
  });

  test("paints its lists while counts, types and pictures are still being read", async () => {
    const { world, page, go, row } = see();
    await world.start("PO-1", lamps);
    await page.route(/\/api\/v1\/(overview|history|traffic|me)\b/, () => undefined);
    await go();
    await row("PO-1").waitFor();
    expect(await page.getByText("All cases").count()).toBe(0);
    await go("cases");
    await row("PO-1").waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await go();
    await page.getByRole("heading", { name: "All cases" }).waitFor();
  });

  test("stays where a screen meets what it does not know: it says so, and another screen is shown", async () => {
    const { world, page } = see();
    const caseId = await world.start("PO-1", lamps);
    const other = await page.context().browser()?.newContext();
    if (other === undefined) throw new Error("the browser is gone");
    // A page of its own: what breaks in it is meant to.
    const broken = await other.newPage();
    broken.setDefaultTimeout(60_000);
    await broken.route(/\/api\/v1\/cases\/[^/?]+$/, async (route) => {
      const response = await route.fetch();
      const body = z.record(z.string(), z.unknown()).parse(await response.json());
      await route.fulfill({ response, json: { ...body, moves: null } });
    });
    await broken.goto(`${world.url}/cases/${caseId}`);
    const told = broken.getByRole("alert").filter({ hasText: "It met something that it does not know" });
    await told.waitFor();
    await broken.getByRole("link", { name: "Workers", exact: true }).click();
    await broken.getByRole("heading", { level: 1, name: "Workers and claims" }).waitFor();
    expect(await told.count()).toBe(0);
    await other.close();
  });
});
