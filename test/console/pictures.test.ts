import { expect, test } from "vitest";
import { describeConsole } from "./suite.ts";

const HOUR_MS = 3_600_000;
const lamps = { item: "lamps", vendor: "Nordlicht", amount: 80 };
const monitors = { item: "monitors", vendor: "Okapi", amount: 1_290 };

describeConsole("pictures in the console", (see) => {
  test("a case type is drawn with how many cases stand at each step, and each number leads to those cases", async () => {
    const { world, page, go, heading, row, waitsAs, findFaults, picture } = see();
    world.moods.unknownVendors.add("Okapi");
    for (const key of ["A-1", "A-2", "A-3"]) await world.start(key, lamps);
    for (const key of ["B-1", "B-2"]) await world.startApproved(key, monitors);
    for (const key of ["B-1", "B-2"]) await waitsAs(key, "Needs correction");
    world.moods.isWarehouseLocked = true;
    await world.startApproved("C-1", lamps);
    await waitsAs("C-1", "Needs access");
    const now = Date.now();
    for (let quarter = 1; quarter < 90; quarter += 1) {
      await world.sample(
        now - quarter * (HOUR_MS / 4),
        3 + Math.round(3 * Math.sin(quarter / 9)) + (quarter % 3),
      );
    }
    await page.getByRole("link", { name: "Map of order" }).click();
    await heading("order version 1").waitFor();
    const correcting = page.getByRole("link", { name: "2 Needs correction" });
    await correcting.waitFor();
    const waiting = page.getByRole("list", { name: "At approve: 3 cases" });
    await waiting.getByRole("link", { name: "3 Waiting for approval" }).waitFor();
    await page.getByRole("img", { name: /^Open cases, now 6 wait for people/ }).waitFor();
    await picture("map");
    await page.getByText("Open cases over time, as a table").click();
    await page
      .getByRole("region", { name: "Open cases over time, as a table" })
      .getByRole("row")
      .nth(1)
      .waitFor();
    expect(await findFaults()).toEqual([]);
    await correcting.click();
    await page.getByText("2 cases, newest start first").waitFor();
    for (const key of ["B-1", "B-2"]) expect(await row(key).count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("step")).toBe("createRecord");
    await page.getByRole("link", { name: "Map of order" }).click();
    await heading("order version 1").waitFor();
    await go("types/nothing-like-it");
    await page.getByText("UNKNOWN_CASE_TYPE").waitFor();
    expect(await findFaults()).toEqual([]);
  });

  test("the history of a house is drawn from its samples, for a day and for a week, by address", async () => {
    const { world, page, go, waitsAs } = see();
    await world.start("A-1", lamps);
    await waitsAs("A-1", "Waiting for approval");
    const now = Date.now();
    for (const hours of [2, 30]) await world.sample(now - hours * HOUR_MS, 40 * hours);
    await go();
    await page.getByRole("img", { name: /^Open cases, now 1 wait for people/ }).waitFor();
    await page.getByText("at most 240", { exact: true }).waitFor();
    await go("types/order?hours=168");
    await page.getByText("at most 3,600", { exact: true }).waitFor();
    await page.getByRole("link", { name: "24 hours" }).click();
    await page.getByText("at most 240", { exact: true }).waitFor();
    expect(page.url()).toContain("hours=24");
  });

  test("a destination shows what is under way, its limit and who is held back, now and before", async () => {
    const { world, page, go, waitsAs, findFaults } = see();
    world.moods.isWarehouseLocked = true;
    for (const key of ["C-1", "C-2"]) {
      await world.startApproved(key, lamps);
      await waitsAs(key, "Needs access");
    }
    await world.sample(Date.now() - HOUR_MS, 3);
    const tried = { attempts: 1_200, failed: 31, requests: 1_270, repeats: 70, unmetered: 0 };
    await world.tried(Date.now() - HOUR_MS, tried);
    await go("destinations");
    const card = page.getByRole("listitem").filter({ hasText: "refused access at warehouse" });
    await card.getByText(/\d+ of \d+/).waitFor();
    await card.getByRole("img", { name: /^Held back by warehouse, now 1 held back/ }).waitFor();
    await card.getByRole("img", { name: /^Under way at warehouse, now 0 under way/ }).waitFor();
    await card.getByText("1,200 attempts, 31 failed; 1,270 requests seen").waitFor();
    await card.getByText("70 hidden retries: sent again by the client itself, in one attempt").waitFor();
    await card.getByRole("img", { name: /^Tried at warehouse in each 15 min, now \d took effect/ }).waitFor();
    await card.getByText("What was tried at warehouse, as a table").click();
    await card.getByRole("cell", { name: "1,270", exact: true }).waitFor();
    expect(await findFaults()).toEqual([]);
  });
});
