import { expect, test } from "vitest";
import { describeConsole } from "./suite.ts";

const lamps = { item: "12 lamps", vendor: "Lumen", amount: 700 };

describeConsole("activity in the console", (see) => {
  test("shows what people did and were refused, by filters that live in the address, by keyboard, without barriers", async () => {
    const { world, page, go, heading, row, button, dialog, findFaults, tabTo } = see();
    const caseId = await world.start("PO-1", lamps);
    await go(`cases/${caseId}`);
    await button("Add a note").click();
    await dialog().getByRole("textbox", { name: "Note" }).fill("called the vendor");
    await dialog().getByRole("button", { name: "Add a note" }).click();
    await dialog().waitFor({ state: "detached" });
    await world.dev.desk
      .redoStep(caseId, { step: "createRecord", reason: "to see it refused", by: "kim" })
      .catch(() => undefined);
    await page.keyboard.press("g");
    await page.keyboard.press("v");
    await heading("Activity").waitFor();
    await row("note").getByRole("link", { name: caseId }).waitFor();
    await row("NOTHING_TO_REDO").getByText("Reason: to see it refused").waitFor();
    expect(await findFaults()).toEqual([]);
    await tabTo("Show");
    await page.locator("input[name=who]").focus();
    await page.keyboard.type("kim");
    await page.locator("select[name=outcome]").selectOption("refused");
    await tabTo("Show");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("tbody tr").count(), { timeout: 60_000 }).toBe(1);
    expect(page.url()).toContain("/activity?who=kim&outcome=refused");
    await page.reload();
    await row("NOTHING_TO_REDO").waitFor();
    await go("activity?who=nobody");
    await page.getByText("Nothing of the kind happened.").waitFor();
  });

  test("is told by pages, and says who may not see it", async () => {
    const { world, page, go, heading, button } = see();
    const caseId = await world.start("PO-1", lamps);
    for (let number = 1; number <= 55; number += 1) {
      await world.dev.desk.addNote(caseId, { text: `note ${number}`, by: "kim" });
    }
    await go("activity?act=note");
    // What is of the very last moment of a page stands whole on the next one.
    await expect.poll(() => page.locator("tbody tr").count(), { timeout: 60_000 }).toBeGreaterThan(20);
    const ids = (): Promise<unknown> =>
      page.evaluate("[...document.querySelectorAll('tbody tr')].map((row) => row.dataset.row)");
    const first = await ids();
    await page.getByRole("link", { name: "Older" }).click();
    await page.getByRole("link", { name: "Newest" }).waitFor();
    await page.getByRole("link", { name: "Older" }).waitFor({ state: "detached" });
    const all = [first, await ids()].flat();
    expect([all.length, new Set(all).size]).toEqual([55, 55]);
    const served = await world.serve({ name: "ben", password: "correct horse battery" });
    await page.goto(`${served}/activity`);
    await page.getByLabel("Name").fill("ben");
    await page.getByLabel("Password").fill("correct horse battery");
    await button("Sign in").click();
    await heading("Activity").waitFor();
    await page.getByText("NOT_ALLOWED").waitFor();
    await page.getByText("Nothing of the kind happened").waitFor();
  });

  test("tells of reviews that were opened and of cases that are done among the acts, to who may see cases too", async () => {
    const { world, page, go, row, button, waitsAs, heading, findFaults, picture } = see();
    world.moods.unknownVendors.add("Okapi");
    await world.startApproved("PO-1", lamps);
    await world.startApproved("PO-2", { ...lamps, vendor: "Okapi" });
    await waitsAs("PO-2", "Needs correction");
    await go("activity");
    await row("PO-2").filter({ hasText: "review opened" }).waitFor();
    await row("PO-1").filter({ hasText: "Done: every step is confirmed." }).waitFor();
    await row("approve").first().waitFor();
    expect(await findFaults()).toEqual([]);
    await picture("activity");
    await page.locator("select[name=show]").selectOption("cases");
    await button("Show").click();
    await expect.poll(() => page.locator("tbody tr").count(), { timeout: 60_000 }).toBe(2);
    expect(page.url()).toContain("/activity?show=cases");
    const served = await world.serve({ name: "ben", password: "correct horse battery" });
    await page.goto(`${served}/activity`);
    await page.getByLabel("Name").fill("ben");
    await page.getByLabel("Password").fill("correct horse battery");
    await button("Sign in").click();
    await heading("Activity").waitFor();
    await row("PO-2").filter({ hasText: "review opened" }).waitFor();
  });
});
