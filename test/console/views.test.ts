import { expect, test } from "vitest";
import { describeConsole } from "./suite.ts";

const lamps = { item: "12 lamps", vendor: "Lumen", amount: 700 };
const monitors = { item: "3 monitors", vendor: "Okapi", amount: 1_140 };

describeConsole("views of the console", (see) => {
  test("lead to what is mine, what is nobody's and what is in review, and say which list is shown", async () => {
    const { world, page, row, waitsAs, heading, findFaults, go } = see();
    world.moods.unknownVendors.add("Okapi");
    const mine = await world.start("PO-1", lamps);
    await world.startApproved("PO-2", monitors);
    await waitsAs("PO-1", "Waiting for approval");
    await waitsAs("PO-2", "Needs correction");
    await row("PO-1").getByRole("link", { name: "PO-1" }).focus();
    await page.keyboard.press("a");
    await page.getByText("Assigned to").waitFor();
    const views = page.getByRole("navigation", { name: "Views" });
    const cases = (): Promise<readonly string[]> => page.locator(".case-link").allInnerTexts();
    for (const [name, found] of [
      ["Mine", ["PO-1"]],
      ["Unowned", ["PO-2"]],
      ["In review", ["PO-2"]],
    ] as const) {
      await views.getByRole("link", { name, exact: true }).click();
      await heading("Cases").waitFor();
      await page.getByText("1 case, newest start first").waitFor();
      expect([name, await cases()]).toEqual([name, found]);
      expect(await views.locator("[aria-current=page]").allInnerTexts()).toEqual([name]);
    }
    await views.getByRole("link", { name: "Overdue" }).click();
    await page.getByText("No case matches").waitFor();
    expect(await findFaults()).toEqual([]);
    // Whose a case is does not bring an ended one among what is mine.
    await world.dev.desk.cancel(mine, { by: "kim" });
    await go("cases?assignee=me&open=true");
    await page.getByText("No case matches").waitFor();
  });

  test("of one's own are kept by the keyboard alone, elsewhere too, and removed", async () => {
    const { world, page, tabTo, dialog, findFaults, go } = see();
    await world.start("PO-1", lamps);
    await go("cases?type=order&reading=Waiting+for+approval");
    await page.locator(".case-link").waitFor();
    const { keyboard } = page;
    await tabTo("Keep this list");
    await keyboard.press("Enter");
    await dialog().waitFor();
    expect(await findFaults()).toEqual([]);
    await keyboard.type("Orders <b>to approve</b>");
    await keyboard.press("Enter");
    await dialog().waitFor({ state: "detached" });
    const own = page.getByRole("link", { name: "Orders <b>to approve</b>" });
    await own.waitFor();
    expect(await own.getAttribute("aria-current")).toBe("page");
    await page.evaluate("localStorage.clear()");
    await go();
    await own.click();
    await page.locator(".case-link").waitFor();
    expect(new URL(page.url()).searchParams.get("reading")).toBe("Waiting for approval");
    await tabTo("Remove view");
    await keyboard.press("Enter");
    await own.waitFor({ state: "detached" });
    await go();
    await page.getByRole("link", { name: "Unowned" }).waitFor();
    expect(await own.count()).toBe(0);
  });

  test("of many own ones move no row of the list below them", async () => {
    const { world, page, go } = see();
    await world.start("PO-1", lamps);
    const top = async (): Promise<number> => (await page.locator(".case-link").boundingBox())?.y ?? NaN;
    await go("cases");
    await page.locator(".case-link").waitFor();
    const before = await top();
    await page.evaluate(`Promise.all(Array.from({ length: 50 }, (_, n) => fetch("api/v1/views", {
      method: "POST", headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "A view with a rather long name " + n, query: "text=" + n }),
    })))`);
    await go("cases");
    await page.getByRole("link", { name: "long name 49" }).waitFor();
    expect(await top()).toBe(before);
  });
});
