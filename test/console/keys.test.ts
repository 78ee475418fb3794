import { expect, test } from "vitest";
import { createClient } from "foothold/client";
import { describeConsole, type Sight } from "./suite.ts";

const lamps = { item: "12 lamps", vendor: "Lumen", amount: 700 };

async function listOf({ world, go, row }: Sight, keys: readonly string[]): Promise<void> {
  for (const key of keys) await world.start(key, lamps);
  await go("cases");
  for (const key of keys) await row(key).filter({ hasText: "Waiting for approval" }).waitFor();
}

async function press({ page }: Sight, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** The business keys of the rows that are selected. */
function chosen({ page }: Sight): Promise<readonly string[]> {
  return page.locator("tr.is-chosen .case-link").allInnerTexts();
}

describeConsole("the keys of the console", (see) => {
  test("select a row by x and a range by Shift-x, for one act on all of them", async () => {
    const sight = see();
    const { page, dialog, findFaults, tabTo } = sight;
    await listOf(sight, ["PO-1", "PO-2", "PO-3", "PO-4"]);
    await press(sight, "j", "x");
    expect(await chosen(sight)).toEqual(["PO-4"]);
    await press(sight, "x");
    expect(await chosen(sight)).toEqual([]);
    await press(sight, "j", "x", "j", "j", "Shift+X");
    expect(await chosen(sight)).toEqual(["PO-3", "PO-2", "PO-1"]);
    expect(await findFaults()).toEqual([]);
    await tabTo("Act on 3 selected cases");
    await press(sight, "Enter");
    await dialog().getByText("One move on 3 selected cases").waitFor();
    await dialog().getByRole("combobox", { name: "Move" }).press("P");
    await tabTo("Show what it would do");
    await press(sight, "Enter");
    await tabTo("Begin on 3 cases");
    await press(sight, "Enter");
    await page.getByRole("heading", { level: 1, name: "Pause on 3" }).waitFor();
  });

  test("hold a list still while something in it is selected, and show what waits when asked", async () => {
    const sight = see();
    const { world, page, row, tabTo } = sight;
    await listOf(sight, ["PO-1", "PO-2"]);
    await press(sight, "j", "j", "x");
    await page.evaluate("document.activeElement.blur()");
    await world.start("PO-3", lamps);
    await page.getByRole("button", { name: /^\d+ changed – show$/ }).waitFor();
    expect(await row("PO-3").count()).toBe(0);
    await tabTo((await page.getByRole("button", { name: /changed – show$/ }).textContent()) ?? "");
    await press(sight, "Enter");
    await row("PO-3").waitFor();
    expect(await chosen(sight)).toEqual(["PO-1"]);
  });

  test("assign a row, and the case of a page, to whoever presses a", async () => {
    const sight = see();
    const { world, page, heading } = sight;
    const { name } = await createClient({ baseUrl: `${world.url}/` }).showMe();
    await listOf(sight, ["PO-1"]);
    await press(sight, "j", "a");
    await page.getByText(`Assigned to ${name}`).waitFor();
    const other = await world.start("PO-2", lamps);
    await sight.go(`cases/${other}`);
    await heading(/^PO-2/).waitFor();
    await press(sight, "a");
    await page.getByText(`Assigned to ${name}`).waitFor();
    for (const { caseId } of (await world.dev.desk.list({})).cases) {
      expect((await world.dev.desk.show(caseId)).assignee).toMatchObject({ id: name });
    }
  });

  test("open a note by n and what a resume would do by p, and send neither by themselves", async () => {
    const sight = see();
    const { world, page, heading, dialog, waitsAs } = sight;
    world.moods.isWarehouseLocked = true;
    const caseId = await world.startApproved("PO-1", lamps);
    await waitsAs("PO-1", "Needs access");
    await press(sight, "j", "Enter");
    await heading(/^PO-1/).waitFor();
    const { revision } = await world.dev.desk.show(caseId);
    await press(sight, "p");
    await page.getByText("What it would do then").waitFor();
    await press(sight, "Escape");
    await dialog().waitFor({ state: "detached" });
    expect((await world.dev.desk.show(caseId)).revision).toBe(revision);
    await press(sight, "n");
    const note = dialog().getByRole("textbox", { name: "Note" });
    await note.waitFor();
    await page.keyboard.type("x a n p are letters here");
    expect(await note.inputValue()).toBe("x a n p are letters here");
    await press(sight, "Tab", "Enter");
    await page.getByText("x a n p are letters here").waitFor();
  });

  test("say why not where a case allows no resume", async () => {
    const sight = see();
    const { world, page, heading, dialog } = sight;
    const caseId = await world.startApproved("PO-1", lamps);
    await sight.go(`cases/${caseId}`);
    await page.locator(".lead").getByText("Done").waitFor();
    await heading(/^PO-1/).waitFor();
    await press(sight, "p");
    await page.getByRole("status").filter({ hasText: "Resume:" }).waitFor();
    expect(await dialog().count()).toBe(0);
  });

  test("jump by Ctrl-K to a screen and to a case, by a part of its name", async () => {
    const sight = see();
    const { page, heading, dialog, findFaults } = sight;
    await listOf(sight, ["PO-1", "PO-2"]);
    await press(sight, "Control+k");
    await dialog().waitFor();
    await page.keyboard.type("work");
    expect(await findFaults()).toEqual([]);
    await press(sight, "Enter");
    await heading("Workers and claims").waitFor();
    await press(sight, "Meta+k");
    await page.keyboard.type("po-2");
    await dialog().getByRole("link", { name: "PO-2: Waiting for approval" }).waitFor();
    await press(sight, "ArrowDown", "Enter");
    await heading(/^PO-2/).waitFor();
    expect(await dialog().count()).toBe(0);
  });

  test("never act while somebody types, and only Ctrl-K does where single keys are switched off", async () => {
    const sight = see();
    const { page, dialog } = sight;
    await listOf(sight, ["PO-1"]);
    await press(sight, "/");
    await page.keyboard.type("?xXanpjkogu");
    await press(sight, "Control+k");
    expect(await page.getByLabel("Search").inputValue()).toBe("?xXanpjkogu");
    expect(await dialog().count()).toBe(0);
    expect(await chosen(sight)).toEqual([]);
    await page.reload();
    await sight.row("PO-1").waitFor();
    await press(sight, "?");
    await dialog().getByLabel("Single keys act").press("Space");
    await press(sight, "Escape");
    await dialog().waitFor({ state: "detached" });
    await press(sight, "j", "x", "?");
    expect(await chosen(sight)).toEqual([]);
    expect(await dialog().count()).toBe(0);
    await press(sight, "Control+k");
    await dialog().waitFor();
  });

  test("are all in the list that ? opens", async () => {
    const sight = see();
    const { dialog, go } = sight;
    await go();
    await sight.heading("Needs attention").waitFor();
    await press(sight, "?");
    const listed = await dialog().locator("kbd").allInnerTexts();
    for (const key of [
      "?",
      "/",
      "Ctrl-K, ⌘-K",
      "j, k",
      "Enter, o",
      "x",
      "Shift-x",
      "a",
      "n",
      "p",
      "u",
      "Esc",
    ]) {
      expect(listed).toContain(key);
    }
  });
});
