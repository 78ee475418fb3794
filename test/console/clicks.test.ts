import { expect, test } from "vitest";
import { tellMatter } from "../../src/core/notice-words.ts";
import type { NoticeSubject } from "../../src/core/notices.ts";
import { describeConsole, type Sight } from "./suite.ts";

const lamps = { item: "12 lamps", vendor: "Lumen", amount: 700 };
const monitors = { item: "3 monitors", vendor: "Okapi", amount: 1_140 };

/** The path in the link of a notice about so many cases. */
function noticePath(owner: string, subject: NoticeSubject, cases: number, caseId: string): string {
  const times = {
    firstSinceAt: 1,
    lastSinceAt: 1,
    firstDueAt: 1,
    nextCheckAllowedAt: null,
    lastRemindAt: null,
  };
  const open = { cases, causes: 1, caseId, ...times };
  return tellMatter({ owner, subject, held: 0, open, overdue: null }, "new").path.slice(1);
}

const access: NoticeSubject = {
  kind: "access",
  reason: "denied",
  destination: "warehouse",
  credentialId: "warehouse-api-key",
};
const rejected: NoticeSubject = {
  kind: "review",
  reason: "rejected",
  caseType: "order",
  step: "createRecord",
  destination: "erp",
};

/** Opens where the link of a notice leads, and counts from then on what is pressed, by whatever means. */
async function openFromNotice({ page, go }: Sight, path: string): Promise<() => Promise<number>> {
  await page.addInitScript(
    `addEventListener("click", () => { globalThis.presses = (globalThis.presses ?? 0) + 1; }, true)`,
  );
  await go(path);
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
    const clicks = await openFromNotice(sight, noticePath("warehouse-admins", access, 1, caseId));
    await sight.button("Access restored: warehouse").click();
    await sight.button("Access is restored").click();
    await sight.page.getByText("It works: 1 case went on").waitFor();
    expect(await clicks()).toBe(2);
    await sight.page.locator(".lead").getByText("Done").waitFor();
  });

  test("takes four clicks where a field is corrected: at most five were wanted", async () => {
    const caseId = await needsCorrection();
    const sight = see();
    const clicks = await openFromNotice(sight, noticePath("purchasing", rejected, 1, caseId));
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
    const clicks = await openFromNotice(sight, noticePath("warehouse-admins", access, 1, caseId));
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
    const clicks = await openFromNotice(sight, noticePath("purchasing", rejected, 1, caseId));
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

  test("takes one more where the notice is of several cases, as its link leads to their list: three for an access", async () => {
    const { world, waitsAs, page, row, button } = see();
    const caseId = await needsAccess();
    world.moods.isWarehouseLocked = true;
    await world.startApproved("PO-4", { ...lamps, item: "3 desks" });
    await waitsAs("PO-4", "Needs access");
    world.moods.isWarehouseLocked = false;
    const path = noticePath("warehouse-admins", access, 2, caseId);
    expect(path).toBe("cases?owner=warehouse-admins&destination=warehouse");
    const clicks = await openFromNotice(see(), path);
    await row("PO-4").waitFor();
    await row("PO-3").getByRole("link", { name: "PO-3" }).click();
    await button("Access restored: warehouse").click();
    await button("Access is restored").click();
    await page.getByText(/^It works: /).waitFor();
    expect(await clicks()).toBe(3);
    await page.keyboard.press("Escape");
    await page.locator(".lead").getByText("Done").waitFor();
  });

  test("takes three there without a mouse for a corrected field", async () => {
    const { world, waitsAs, page, heading, row, tabTo } = see();
    const caseId = await needsCorrection();
    await world.startApproved("PO-5", monitors);
    await waitsAs("PO-5", "Needs correction");
    const path = noticePath("purchasing", rejected, 2, caseId);
    expect(path).toBe("cases?owner=purchasing&type=order&review=true");
    const clicks = await openFromNotice(see(), path);
    await row("PO-2").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await heading(/^PO-5/).waitFor();
    await tabTo("Correct the input");
    await page.keyboard.press("Enter");
    const vendor = page.getByLabel("vendor");
    await vendor.waitFor();
    await tabTo((await vendor.getAttribute("id")) ?? "");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("Nordlicht");
    await tabTo("Edit as JSON");
    await page.keyboard.press("Tab");
    await page.keyboard.type("bought by Nordlicht");
    await tabTo("Correct the input");
    await page.keyboard.press("Enter");
    await page.locator(".lead").getByText("Done after repair").waitFor();
    expect(await clicks()).toBe(3);
  });
});
