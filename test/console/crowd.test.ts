import { expect, test } from "vitest";
import { describeConsole } from "./suite.ts";

const lamps = { item: "12 lamps", vendor: "Lumen", amount: 700 };
const monitors = { item: "3 monitors", vendor: "Okapi", amount: 1_140 };
const password = "correct horse battery";
const CASES = 10_000;
/** Started side by side; but the last ones, which are looked for by their place, one after the other. */
const AT_ONCE = 100;
const IN_ORDER = 200;
/** A machine may have others at work, in ms. */
const BUSY_MS = 360_000;

describeConsole("a busy house in the console", (see) => {
  test(
    "of 10,000 cases is listed by pages, and no row moves under the pointer while hundreds change",
    async () => {
      const { world, page, go, row, findFaults } = see();
      const start = (index: number) => world.start(`PO-${String(index).padStart(5, "0")}`, lamps);
      for (let from = 0; from < CASES - IN_ORDER; from += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => start(from + index)));
      for (let index = CASES - IN_ORDER; index < CASES; index += 1) await start(index);
      await go("cases");
      await page.getByText("More than 1,000 cases").waitFor();
      await row(`PO-0${CASES - 1}`).waitFor();
      expect(await page.locator("tbody tr").count()).toBe(50);
      await page.getByRole("link", { name: "Next page" }).click();
      // In the middle of the page: those that start in one millisecond stand in any order.
      await row(`PO-0${CASES - 75}`).waitFor();
      await page.getByRole("link", { name: "First page" }).click();
      const held = row(`PO-0${CASES - 1}`);
      await held.waitFor();
      await held.hover();
      const before = await held.boundingBox();
      const firsts = await page.locator("tbody tr .case-link").allInnerTexts();
      for (let index = 0; index < 300; index += 1) await world.start(`NEW-${index}`, monitors);
      const changed = page.getByRole("button", { name: /^\d+ changed – show$/ });
      await changed.waitFor();
      expect(await held.boundingBox()).toEqual(before);
      expect(await page.locator("tbody tr .case-link").allInnerTexts()).toEqual(firsts);
      // At once: with the pointer gone from the rows, what is new shows by itself with the next look.
      await changed.click();
      await row("NEW-299").waitFor();
      await row("NEW-299").hover();
      await world.start("NEW-300", monitors);
      await changed.waitFor();
      expect(await findFaults()).toEqual([]);
      // The first screen holds what is waited for, and says that there is more.
      await go();
      await page.getByText("Here are the 100 that started last").waitFor();
    },
    BUSY_MS,
  );

  test("tells a second person who has the case, lets them take it over, and tells the first", async () => {
    const { world, page, go, button, dialog, waitsAs, heading } = see();
    world.moods.unknownVendors.add("Okapi");
    const caseId = await world.startApproved("PO-2", monitors);
    await waitsAs("PO-2", "Needs correction");
    const served = await world.serve({ name: "ben", password });
    await go(`cases/${caseId}`);
    await button("Open for repair").click();
    await dialog().getByRole("button", { name: "Open for repair" }).click();
    await page.getByText("You have this case open for repair").waitFor();
    const other = await page.context().browser()?.newContext();
    if (other === undefined) throw new Error("the browser is gone");
    const second = await other.newPage();
    second.setDefaultTimeout(60_000);
    await second.goto(`${served}/cases/${caseId}`);
    await second.getByLabel("Name").fill("ben");
    await second.getByLabel("Password").fill(password);
    await second.getByRole("button", { name: "Sign in" }).click();
    await second.locator(".lead").getByText("Being repaired").waitFor();
    await second.getByText(/^Not now/).click();
    await second
      .getByText(/holds? it|open for repair/)
      .first()
      .waitFor();
    expect(await second.locator("dl").filter({ hasText: "Resume" }).first().innerText()).toMatch(/until/);
    await second.getByRole("button", { name: "Take the repair over" }).click();
    await second.getByRole("dialog").getByLabel("Reason").fill("on call");
    await second.getByRole("dialog").getByRole("button", { name: "Take the repair over" }).click();
    await second.getByText("You have this case open for repair").waitFor();
    await other.close();
    // The first learns it with the next sign of life of their page, or as soon as they act.
    await button("Add a note").click();
    await dialog().getByRole("textbox", { name: "Note" }).fill("called the vendor");
    await page.reload();
    await page.getByText("Your repair is over").waitFor();
    await heading(/^PO-2/).waitFor();
  });

  test("keeps what is typed and the repair where the session ends in the middle of it", async () => {
    const { world, page, button, dialog, waitsAs, heading } = see();
    world.moods.unknownVendors.add("Okapi");
    const caseId = await world.startApproved("PO-2", monitors);
    await waitsAs("PO-2", "Needs correction");
    const served = await world.serve({ name: "ben", password });
    const signIn = async (): Promise<void> => {
      await page.getByLabel("Name").fill("ben");
      await page.getByLabel("Password").fill(password);
      await button("Sign in").click();
    };
    await page.goto(`${served}/cases/${caseId}`);
    await signIn();
    await heading(/^PO-2/).waitFor();
    await button("Open for repair").click();
    await dialog().getByRole("button", { name: "Open for repair" }).click();
    await page.getByText("You have this case open for repair").waitFor();
    await button("Correct the input").click();
    await page.getByLabel("vendor").fill("Nordlicht");
    await page.getByRole("textbox", { name: "Reason" }).fill("bought by Nordlicht");
    await page.context().clearCookies();
    const correcting = page.getByRole("dialog", { name: "Correct the input" });
    // The page may find out by itself before it is clicked, and lies over the button then.
    const [, told] = await Promise.allSettled([
      correcting.getByRole("button", { name: "Correct the input" }).click({ timeout: 5_000 }),
      page.getByText("Your session is over").waitFor(),
    ]);
    expect(told.status).toBe("fulfilled");
    await signIn();
    await page.getByText("Your session is over").waitFor({ state: "detached" });
    expect(await page.getByLabel("vendor").inputValue()).toBe("Nordlicht");
    await correcting.getByRole("button", { name: "Correct the input" }).click();
    await correcting.waitFor({ state: "detached" });
    await button("End the repair").click();
    await dialog().getByRole("button", { name: "End the repair" }).click();
    await page.locator(".lead").getByText("Done after repair").waitFor();
  });
});
