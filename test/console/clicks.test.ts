import { expect, test } from "vitest";
import { describeConsole, type Sight } from "./suite.ts";

const lamps = { item: "12 lamps", vendor: "Lumen", amount: 700 };
const monitors = { item: "3 monitors", vendor: "Okapi", amount: 1_140 };

/** Opens the case's page, as the link of a notice does, and counts from then on what is pressed, by whatever means. */
async function openFromNotice({ page, go }: Sight, caseId: string): Promise<() => Promise<number>> {
  await page.addInitScript(
    `addEventListener("click", () => { globalThis.presses = (globalThis.presses ?? 0) + 1; }, true)`,
  );
  await go(`cases/${caseId}`);
  return async () => Number(await page.evaluate("globalThis.presses ?? 0"));
}

describeConsole("the way from a notice's link to a case that goes on", (see) => {
  async function needsAccess(): Promise<string> {
    const { world, waitsAs } = see();
    world.moods.isWarehouseLocked = true;
    const caseId = await world.startApproved("PO-3", lamps);
    await waitsAs("PO-3", "Needs access");
    world.moods.isWarehouseLocked = false;
    return caseId;
  }

  async function needsCorrection(): Promise<string> {
    const { world, waitsAs } = see();
    world.moods.unknownVendors.add("Okapi");
    const caseId = await world.startApproved("PO-2", monitors);
    await waitsAs("PO-2", "Needs correction");
    return caseId;
  }

  test("takes two clicks where access was restored: at most four were wanted", async () => {
    const caseId = await needsAccess();
    const sight = see();
    const clicks = await openFromNotice(sight, caseId);
    await sight.button("Access restored: warehouse").click();
    await sight.button("Access is restored").click();
    await sight.page.getByText("It works: 1 case went on").waitFor();
    expect(await clicks()).toBe(2);
    await sight.page.locator(".lead").getByText("Done").waitFor();
  });

  test("takes four clicks where a field is corrected: at most five were wanted", async () => {
    const caseId = await needsCorrection();
    const sight = see();
    const clicks = await openFromNotice(sight, caseId);
    await sight.button("Correct the input").click();
    await sight.page.getByLabel("vendor").click();
    await sight.page.keyboard.press("ControlOrMeta+a");
    await sight.page.keyboard.type("Nordlicht");
    await sight.page.getByRole("textbox", { name: "Reason" }).click();
    await sight.page.keyboard.type("bought by Nordlicht");
    await sight.dialog().getByRole("button", { name: "Correct the input" }).click();
    await sight.page.locator(".lead").getByText("Done after repair").waitFor();
    expect(await clicks()).toBe(4);
  });

  test("takes no more by the keyboard alone", async () => {
    const caseId = await needsAccess();
    const sight = see();
    const { keyboard } = sight.page;
    const clicks = await openFromNotice(sight, caseId);
    await sight.tabTo("Access restored: warehouse");
    await keyboard.press("Enter");
    await sight.tabTo("Access is restored");
    await keyboard.press("Enter");
    await sight.page.getByText("It works: 1 case went on").waitFor();
    expect(await clicks()).toBe(2);
  });

  test("takes no more by the keyboard alone where a field is corrected", async () => {
    const caseId = await needsCorrection();
    const sight = see();
    const { page } = sight;
    const clicks = await openFromNotice(sight, caseId);
    await sight.tabTo("Correct the input");
    await page.keyboard.press("Enter");
    const vendor = page.getByLabel("vendor");
    await vendor.waitFor();
    await sight.tabTo((await vendor.getAttribute("id")) ?? "");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("Nordlicht");
    await sight.tabTo("Edit as JSON");
    await page.keyboard.press("Tab");
    await page.keyboard.type("bought by Nordlicht");
    await sight.tabTo("Correct the input");
    await page.keyboard.press("Enter");
    await page.locator(".lead").getByText("Done after repair").waitFor();
    expect(await clicks()).toBe(2);
  });
});
