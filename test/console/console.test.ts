import { expect, test } from "vitest";
import { describeConsole } from "./suite.ts";

const lamps = { item: "12 lamps", vendor: "Lumen", amount: 700 };
const monitors = { item: "3 monitors", vendor: "Okapi", amount: 1_140 };

describeConsole("the console in a browser", (see) => {
  test("tells what to do while there is nothing yet", async () => {
    const { page, findFaults, picture, go } = see();
    await go();
    await page.getByText("No case was started yet").waitFor();
    await page.getByText("Loaded: order (version 1)").waitFor();
    await page.getByText("At least one is alive").waitFor();
    await page.getByText("npx foothold cases start order").waitFor();
    expect(await findFaults()).toEqual([]);
    await picture("first-run");
  });

  test("shows what waits for whom, and each case and list, without barriers, in both themes, down to 320 px", async () => {
    const { world, page, heading, waitsAs, findFaults, picture, go } = see();
    world.moods.unknownVendors.add("Okapi");
    await world.start("PO-1", lamps);
    const rejected = await world.startApproved("PO-2", monitors);
    world.moods.isWarehouseLocked = true;
    await world.startApproved("PO-3", lamps);
    await waitsAs("PO-2", "Needs correction");
    await waitsAs("PO-3", "Needs access");
    for (const [who, what] of [
      ["finance", "PO-1"],
      ["purchasing", "PO-2"],
      ["warehouse-admins", "PO-3"],
    ] as const) {
      const table = page.getByRole("table", { name: `Cases that wait for ${who}`, exact: true });
      await table.getByRole("link", { name: what }).waitFor();
    }
    const quarterMs = 900_000;
    for (const [ago, attempts] of [38, 52, 47, 60, 44].entries()) {
      const fromAt = Math.floor(Date.now() / quarterMs - ago) * quarterMs;
      const counts = { failed: 3 + ago, requests: attempts + 9, repeats: 9, unmetered: 0 };
      await world.tried(fromAt, { attempts, ...counts });
    }
    const screens = [
      ["attention", "", "Needs attention"],
      ["cases", "cases", "Cases"],
      ["case", `cases/${rejected}`, /^PO-2/],
      ["destinations", "destinations", "Destinations and access"],
      ["workers", "workers", "Workers and claims"],
      ["nothing", "workers?x=1", "Workers and claims"],
    ] as const;
    for (const [name, path, title] of screens) {
      await go(path);
      await heading(title).waitFor();
      await page.locator("table, .card").first().waitFor();
      expect({ name, faults: await findFaults() }).toEqual({ name, faults: [] });
      if (name !== "nothing") await picture(name);
    }
    await page.emulateMedia({ colorScheme: "dark" });
    await go(`cases/${rejected}`);
    await page.locator(".path").waitFor();
    await picture("case-dark");
  });

  test("leads from a rejected request to a done case by the keyboard alone", async () => {
    const { world, page, heading, waitsAs, findFaults, picture, tabTo } = see();
    world.moods.unknownVendors.add("Okapi");
    await world.startApproved("PO-2", monitors);
    await waitsAs("PO-2", "Needs correction");
    const { keyboard } = page;
    await keyboard.press("j");
    await keyboard.press("Enter");
    await heading(/^PO-2/).waitFor();
    await page.getByText("Okapi is no vendor of ours").first().waitFor();
    await tabTo("Correct the input");
    await keyboard.press("Enter");
    const vendor = page.getByLabel("vendor");
    await vendor.waitFor();
    expect(await vendor.getAttribute("aria-invalid")).toBe("true");
    expect(await page.locator(".field.is-rejected").innerText()).toContain("Okapi is no vendor of ours");
    expect(await findFaults()).toEqual([]);
    await picture("correction");
    const id = await vendor.getAttribute("id");
    for (let presses = 0; (await page.evaluate("document.activeElement?.id")) !== id; presses += 1) {
      expect(presses).toBeLessThan(20);
      await keyboard.press("Tab");
    }
    await keyboard.press("ControlOrMeta+a");
    await keyboard.type("Nordlicht");
    expect(await page.locator(".field.is-rejected").innerText()).toContain("was: Okapi");
    await tabTo("Edit as JSON");
    await keyboard.press("Tab");
    await keyboard.type("Okapi was bought by Nordlicht");
    await tabTo("Show what it would do");
    await keyboard.press("Enter");
    await page.getByText("What it would do then").waitFor();
    await tabTo("Correct the input");
    await keyboard.press("Enter");
    await page.locator(".lead").getByText("Done after repair").waitFor();
    await page.getByRole("row", { name: /vendor .*Okapi.* .*Nordlicht/ }).waitFor();
    await picture("done");
  });

  test("tells of two steps side by side what went wrong at each, and marks the rejected field whichever failed last", async () => {
    const { world, page, button, waitsAs, heading, go, findFaults } = see();
    world.moods.unknownVendors.add("Okapi");
    world.moods.isWarehouseLocked = true;
    const caseId = await world.startApproved("PO-2", monitors);
    await waitsAs("PO-2", "Needs correction");
    const failed = async (): Promise<number> => (await world.dev.desk.show(caseId)).failures.length;
    await expect.poll(failed, { timeout: 60_000 }).toBe(2);
    await go(`cases/${caseId}`);
    await heading(/^PO-2/).waitFor();
    const wrong = page.getByRole("region", { name: "What went wrong" });
    await wrong.getByText("the key was revoked").waitFor();
    await wrong.getByRole("listitem").filter({ hasText: "vendor: Okapi is no vendor of ours" }).waitFor();
    expect(await findFaults()).toEqual([]);
    await button("Correct the input").click();
    expect(await page.getByLabel("vendor").getAttribute("aria-invalid")).toBe("true");
  });

  test("refuses an act on a plan that changed, says what changed, and goes on once that was seen", async () => {
    const { world, page, button, row, waitsAs, picture } = see();
    world.moods.isWarehouseLocked = true;
    const caseId = await world.startApproved("PO-3", lamps);
    await waitsAs("PO-3", "Needs access");
    // Nothing is read anew meanwhile: what the person saw is what the dialog was opened with.
    await button("Live").click();
    await row("PO-3").getByRole("link").click();
    await button("Resume").click();
    await page.getByText("What it would do then").waitFor();
    await world.dev.desk.recordEvent(caseId, {
      eventType: "approval.revoked",
      payload: { reason: "too dear" },
      by: "fatima",
    });
    await expect
      .poll(async () => (await world.dev.desk.show(caseId)).reading.sentence, { timeout: 60_000 })
      .toContain("approval still stands");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Resume", exact: true }).click();
    await dialog.getByText("PLAN_CHANGED").waitFor();
    // Each change stands once: the refusal's own words name them too.
    expect(await dialog.getByText("review was none and is lapsed").count()).toBe(1);
    await picture("plan-changed");
    await dialog.getByRole("button", { name: /I have seen it/ }).click();
    world.moods.isWarehouseLocked = false;
    await dialog.getByRole("button", { name: "Resume", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
  });

  test("moves no row under the pointer: what changed is counted, and shown when asked for", async () => {
    const { world, page, row, waitsAs } = see();
    await world.start("PO-1", lamps);
    await waitsAs("PO-1", "Waiting for approval");
    await row("PO-1").hover();
    await world.start("PO-0", monitors);
    const changed = page.getByRole("button", { name: "1 changed – show" });
    await changed.waitFor();
    expect(await row("PO-0").count()).toBe(0);
    await changed.click();
    await row("PO-0").waitFor();
  });

  test("keeps filters in the address, by pages", async () => {
    const { world, page, button, go } = see();
    for (const key of ["A-1", "A-2", "B-1"]) await world.start(key, lamps);
    await go("cases");
    await page.getByText("3 cases").waitFor();
    await page.getByLabel("Search").fill("A-");
    await button("Show").click();
    await page.getByText("2 cases").waitFor();
    expect(page.url()).toContain("/cases?text=A-");
    await page.reload();
    await page.getByText("2 cases").waitFor();
    expect(await page.getByLabel("Search").inputValue()).toBe("A-");
    await page.goBack();
    await page.getByText("3 cases").waitFor();
    await go("cases?text=nothing-like-it");
    await page.getByText("No case matches").waitFor();
    await go("cases?reading=Nonsense");
    await page.getByText("INVALID_REQUEST").waitFor();
  });

  test("works below any path that lies before it", async () => {
    const { world, page, heading, row } = see();
    const caseId = await world.start("PO-1", lamps);
    const address = await world.below("/ops/foothold");
    await page.goto(`${address}/cases/${caseId}`);
    await heading(/^PO-1/).waitFor();
    await page.getByRole("link", { name: "Cases", exact: true }).last().click();
    await row("PO-1").getByRole("link").click();
    await heading(/^PO-1/).waitFor();
    expect(page.url()).toBe(`${address}/cases/${caseId}`);
  });

  test("lets every case that waits for access go on with three clicks", async () => {
    const { world, page, button, waitsAs, findFaults } = see();
    world.moods.isWarehouseLocked = true;
    for (const key of ["PO-1", "PO-2"]) await world.startApproved(key, lamps);
    await waitsAs("PO-1", "Needs access");
    await waitsAs("PO-2", "Needs access");
    world.moods.isWarehouseLocked = false;
    await page.getByRole("link", { name: "Destinations" }).click();
    await page
      .getByRole("listitem")
      .filter({ hasText: "warehouse" })
      .getByRole("button", { name: "Access restored" })
      .click();
    await button("Access is restored").click();
    await page.getByText("It works: 2 cases went on").waitFor();
    expect(await findFaults()).toEqual([]);
  });

  test("shows hostile texts exactly and as text, wherever they stand", async () => {
    const { world, page, heading, go } = see();
    const markup = `"><img src=x onerror=alert(1)><script>alert(2)</script>&amp;`;
    const turned = "abc\u202egpj.exe\u2066";
    const caseId = await world.startApproved(markup, { item: turned, vendor: markup, amount: 1 });
    await go("cases");
    await page.getByRole("link", { name: markup }).click();
    await heading(markup).waitFor();
    await page.locator(".lead").getByText("Done").waitFor();
    const input = page.getByRole("region", { name: "Input now" });
    expect(await input.innerText()).toContain(JSON.stringify(markup));
    expect(await input.innerText()).toContain(String.raw`abc\u202egpj.exe\u2066`);
    expect(await page.locator("img, main script").count()).toBe(0);
    const { history } = await world.dev.desk.show(caseId);
    expect(history.length).toBeGreaterThan(0);
  });

  test("folds a big value, shows a part of it first, and all of it when asked", async () => {
    const { world, page, go } = see();
    const note = `start ${"x".repeat(200_000)} end`;
    const caseId = await world.start("PO-1", { ...lamps, note });
    await go(`cases/${caseId}`);
    await page.getByText(/Input now \(\d+ KiB\)/).click();
    const input = page.getByRole("region", { name: "Input now" });
    expect((await input.innerText()).length).toBeLessThan(25_000);
    await page.getByRole("button", { name: /Show all/ }).click();
    await expect.poll(async () => (await input.innerText()).includes(" end"), { timeout: 60_000 }).toBe(true);
  });

  test("signs in whom the server knows, and keeps what was filled in when a session ends", async () => {
    const { world, page, heading, button, findFaults, picture } = see();
    const caseId = await world.start("PO-1", lamps);
    const served = await world.serve({ name: "fatima", password: "correct horse battery" });
    await page.goto(`${served}/cases/${caseId}`);
    await heading("Sign in").waitFor();
    expect(await page.getByText("PO-1").count()).toBe(0);
    expect(await findFaults()).toEqual([]);
    const signIn = async (password: string): Promise<void> => {
      await page.getByLabel("Name").fill("fatima");
      await page.getByLabel("Password").fill(password);
      await button("Sign in").click();
    };
    await signIn("wrong horse battery");
    await page.locator("form .notice").waitFor();
    await signIn("correct horse battery");
    await heading(/^PO-1/).waitFor();
    await picture("approval");
    await button("Add a note").click();
    await page.getByRole("textbox", { name: "Note" }).fill("called the vendor");
    await page.context().clearCookies();
    const dialog = page.getByRole("dialog", { name: "Add a note" });
    await dialog.getByRole("button", { name: "Add a note" }).click();
    await page.getByText("Your session is over").waitFor();
    await signIn("correct horse battery");
    await page.getByText("Your session is over").waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Add a note" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("called the vendor").waitFor();
    await button("Sign out").click();
    await heading("Sign in").waitFor();
  });

  test("holds a case open for repair while its page is there, and lets it go", async () => {
    const { world, page, button, waitsAs, go } = see();
    world.moods.unknownVendors.add("Okapi");
    const caseId = await world.startApproved("PO-2", monitors);
    await waitsAs("PO-2", "Needs correction");
    await go(`cases/${caseId}`);
    await button("Open for repair").click();
    await page.getByRole("dialog").getByRole("button", { name: "Open for repair" }).click();
    await page.getByText("You have this case open for repair").waitFor();
    await page.reload();
    await page.getByText("You have this case open for repair").waitFor();
    await button("End the repair").click();
    await page.getByRole("dialog").getByRole("button", { name: "End the repair" }).click();
    await page.locator(".lead").getByText("Needs correction").waitFor();
    expect(await page.getByText("You have this case open for repair").count()).toBe(0);
  });
});
