import { expect, test } from "vitest";
import { describeConsole } from "./suite.ts";

describeConsole("schedules in the console", (see) => {
  test("stand with the workers, are paused and resumed for a reason, and start a case that says so", async () => {
    const { page, go, heading, button, dialog, row, findFaults } = see();
    await go("workers");
    await row("leap-day").filter({ hasText: "running" }).filter({ hasText: "0 6 29 2 *" }).waitFor();
    expect(await findFaults()).toEqual([]);
    await page.getByRole("link", { name: "leap-day" }).click();
    await heading(/^leap-day/).waitFor();
    await page
      .getByText(/-02-29 06:00 in Europe\/Berlin/)
      .first()
      .waitFor();
    await page.getByText("by the clocks of Europe/Berlin").waitFor();
    expect(await findFaults()).toEqual([]);

    await button("Pause").click();
    await dialog().getByLabel("Reason").fill("the bank is closed");
    await dialog().getByLabel("Until").fill("2099-01-01T09:00");
    expect(await findFaults()).toEqual([]);
    await button("Pause it").click();
    await page
      .getByRole("status")
      .getByText(/^Paused by .*: the bank is closed$/)
      .waitFor();
    await heading(/paused$/).waitFor();

    await button("Resume").click();
    await dialog().getByLabel("Reason").fill("it is open again");
    await button("Resume it").click();
    await heading(/running$/).waitFor();

    await button("Start one now").click();
    await dialog().getByLabel("Reason").fill("the auditors asked");
    await button("Start the case").click();
    await page
      .getByRole("status")
      .getByText(/^Started \d\d-/)
      .waitFor();
    await page.locator("section", { hasText: "What became of its slots" }).getByRole("link").first().click();
    await page.getByText("By schedule").waitFor();
    await page.getByRole("link", { name: "leap-day" }).waitFor();
    expect(await findFaults()).toEqual([]);
  });

  test("of which a slot could not be started are told first, until somebody says that it stays so", async () => {
    const { world, page, go, heading, button, dialog, findFaults } = see();
    await world.start("PO-1", { item: "12 lamps", vendor: "Lumen", amount: 700 });
    const order = world.dev.desk.startSlot("broken", { by: "kim", reason: "to see it" });
    await expect(order).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await go();
    const wrong = page.getByRole("list", { name: "Wrong now" });
    await wrong.getByText("1 slot could not be started").waitFor();
    expect(await findFaults()).toEqual([]);
    await wrong.getByRole("link", { name: "broken" }).click();
    await heading(/^broken/).waitFor();
    await page.getByRole("button", { name: /^Leave it out/ }).click();
    await dialog().getByLabel("Reason").fill("it was a test");
    await button("Leave it without a case").click();
    await page.getByText("Left out: it was a test").waitFor();
    await go();
    await page.getByText("PO-1").first().waitFor();
    expect(await page.getByText("could not be started").count()).toBe(0);
  });
});
