import { expect, test } from "vitest";
import { describeConsole } from "./suite.ts";

const lamps = { item: "12 lamps", vendor: "Lumen", amount: 700 };

describeConsole("incoming events in the console", (see) => {
  test("show what arrived and is not finished, why, and every way that leads to it, without barriers", async () => {
    const { world, page, go, heading, row, findFaults, picture } = see();
    const caseId = await world.start("PO-1", lamps);
    const eventType = "approval.revoked";
    await world.post({ id: "evt-1", eventType, body: { order: "PO-1", reason: "too dear" } });
    await world.post({ id: "evt-1", eventType, body: { order: "PO-1", reason: "too dear" } });
    await world.post({ id: "evt-2", eventType, body: { order: "PO-9", reason: "who is that" } });
    await world.post({ id: "evt-3", eventType: "never.heard.of", body: {} });
    await world.post({ id: "evt-4", eventType, body: "{broken" });
    await go("events");
    await heading("Incoming events").waitFor();
    await row("held for the case of order with the key").waitFor();
    await row("cannot be read").getByText("shop-team acts").waitFor();
    expect(await row("never.heard.of").count()).toBe(0);
    expect(await findFaults()).toEqual([]);
    await picture("events");
    await page.locator("select[name=work]").selectOption("any");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await row("never.heard.of").getByText("nobody takes it").waitFor();
    await row(caseId).getByText("2 times").waitFor();
    expect(page.url()).toContain("/events?work=any");
    await page.locator("select[name=standing]").selectOption("unreadable");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await expect.poll(() => page.locator("tbody tr").count(), { timeout: 60_000 }).toBe(1);
    await page.goBack();
    await row("never.heard.of").waitFor();
  });

  test("open to their bytes, and are worked on again by the keyboard alone", async () => {
    const { world, page, go, heading, tabTo, dialog, findFaults, picture, row } = see();
    const body = `{"order": "PO-9", "reason": "<b>dear\u202e</b>", "no": 12345678901234567890}`;
    await world.post({ id: "evt-2", eventType: "approval.revoked", body });
    await go("events");
    await row("held for the case of order with the key").waitFor();
    const { keyboard } = page;
    await keyboard.press("j");
    await keyboard.press("Enter");
    await heading("approval.revoked").waitFor();
    await tabTo("Show its bytes");
    await keyboard.press("Enter");
    const bytes = page.getByRole("region", { name: "Bytes" });
    await bytes.waitFor();
    expect(await bytes.innerText()).toBe(body.replace("\u202e", String.raw`\u202e`));
    const caseId = await world.start("PO-9", lamps);
    await tabTo("Replay for every consumer");
    await keyboard.press("Enter");
    await dialog().getByLabel("Reason").waitFor();
    await keyboard.type("the order is there now");
    await tabTo("Open it again");
    await keyboard.press("Enter");
    await page.getByText("Opened again: revoke.").waitFor();
    await page.getByRole("link", { name: caseId }).waitFor();
    await page.getByText("the order is there now").waitFor();
    expect(await findFaults()).toEqual([]);
    await picture("event");
    expect((await world.dev.desk.show(caseId)).events).toMatchObject([{ eventType: "approval.revoked" }]);
  });

  test("are left undone by the keyboard alone, with a reason, and then ask for nobody", async () => {
    const { world, page, go, heading, tabTo, dialog, findFaults, row } = see();
    await world.post({ id: "evt-6", eventType: "approval.revoked", body: "{broken" });
    await go("events?standing=unreadable&work=in_review");
    await row("cannot be read").first().waitFor();
    const { keyboard } = page;
    await keyboard.press("j");
    await keyboard.press("Enter");
    await heading("(unreadable)").waitFor();
    await tabTo("Ignore: (unreadable)");
    await keyboard.press("Enter");
    await dialog().getByText("a replay does").waitFor();
    expect(await findFaults()).toEqual([]);
    await dialog().getByLabel("Reason").waitFor();
    await keyboard.type("the provider says that it was a test");
    await tabTo("Leave it undone");
    await keyboard.press("Enter");
    await page.getByText("Ignored: (unreadable).").waitFor();
    await page.getByText("the provider says that it was a test").first().waitFor();
    expect(await page.getByRole("button", { name: /^Ignore/ }).count()).toBe(0);
    expect(await findFaults()).toEqual([]);
  });

  test("of 5 MB open at once, in parts, with every character", async () => {
    const { world, page, go, heading } = see();
    const note = Array.from({ length: 640 }, (_, index) => `${index}:${"<x>".repeat(2_730)}`).join("");
    const body = JSON.stringify({ order: "PO-9", reason: "big", note });
    expect(body.length).toBeGreaterThan(5 * 1024 * 1024);
    await world.post({ id: "evt-5", eventType: "never.heard.of", body });
    await go("events?work=any");
    await page.getByRole("link", { name: "never.heard.of" }).click();
    await heading("never.heard.of").waitFor();
    await page.getByRole("button", { name: "Show its bytes" }).click();
    await page.getByText(/Bytes \(/).click();
    await page.getByRole("button", { name: /Show all/ }).click();
    const bytes = page.getByRole("region", { name: "Bytes", exact: true });
    let read = "";
    for (let part = 1; ; part += 1) {
      await page.getByText(new RegExp(`Part ${part} of `)).waitFor();
      read += (await bytes.textContent()) ?? "";
      const next = page.getByRole("button", { name: "Next part" });
      if (await next.isDisabled()) break;
      const pausedMs = await page.evaluate(`new Promise((done) => {
        const from = performance.now();
        document.querySelectorAll("[aria-label^='Parts of'] button")[1].click();
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - from)));
      })`);
      // On a busy machine with room to spare: what froze took tens of seconds.
      expect(pausedMs).toBeLessThan(5_000);
    }
    expect(read).toBe(body);
  });
});
