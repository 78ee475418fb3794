import { expect, test } from "vitest";
import { describeConsole } from "./suite.ts";

const lamps = { item: "12 lamps", vendor: "Okapi", amount: 700 };

describeConsole("problems and bulk acts in the console", (see) => {
  async function blocked(count: number): Promise<readonly string[]> {
    const { world } = see();
    world.moods.unknownVendors.add("Okapi");
    const caseIds: string[] = [];
    for (let index = 1; index <= count; index += 1) {
      caseIds.push(await world.startApproved(`PO-${index}`, { ...lamps, amount: 100 * index }));
    }
    await expect.poll(async () => (await world.dev.desk.problems()).cases, { timeout: 60_000 }).toBe(count);
    return caseIds;
  }

  test("group what waits by its cause, with how it grows, and take an owner and a note that stay", async () => {
    const { go, heading, row, dialog, page, findFaults, picture, button } = see();
    await blocked(4);
    await go("problems");
    await heading("Problems").waitFor();
    const group = row("createRecord");
    await group.getByText("growing").waitFor();
    await group.getByRole("img", { name: "4 in all" }).waitFor();
    await group.getByText("4 in the last hour, 4 in 24 hours, 4 in 7 days").waitFor();
    await group.getByRole("button", { name: "Owner and note" }).click();
    await dialog().getByLabel("Owner").fill("Kim");
    await dialog().getByLabel("Note").fill("asked purchasing for the new name");
    expect(await findFaults()).toEqual([]);
    await dialog().getByRole("button", { name: "Store" }).click();
    await dialog().waitFor({ state: "detached" });
    await group.getByText("asked purchasing for the new name").waitFor();
    await page.reload();
    await group.getByText("Kim").waitFor();
    expect(await findFaults()).toEqual([]);
    await picture("problems");
    await go("problems?type=none");
    await page.getByText("Nothing waits for people.").waitFor();
    expect(await button("Act on all").count()).toBe(0);
  });

  test("move all cases of a group by the keyboard alone: counted first, one tried, then each with its result", async () => {
    const { world, go, page, tabTo, heading, findFaults, picture, dialog, row } = see();
    const caseIds = await blocked(3);
    await go("problems");
    await row("createRecord").waitFor();
    const { keyboard } = page;
    const act = page.getByRole("button", { name: "Act on all" });
    await tabTo((await act.textContent()) ?? "");
    await keyboard.press("Enter");
    await tabTo("Show what it would do");
    await keyboard.press("Enter");
    await dialog().getByText("3 would be refused").or(dialog().getByText("3 would go")).first().waitFor();
    expect(await findFaults()).toEqual([]);
    await picture("bulk-preview");
    await tabTo("Begin on 3 cases");
    await keyboard.press("Enter");
    // The vendor is still unknown, and what was rejected is never sent again: the first is refused, the rest stay.
    await heading("Resume on 3").waitFor();
    await page.locator(".badge", { hasText: "paused" }).waitFor();
    await page.getByText("the first case").first().waitFor();
    expect(await findFaults()).toEqual([]);
    await picture("bulk-act");
    await tabTo("Resume");
    await keyboard.press("Enter");
    await page.locator(".badge", { hasText: "done" }).first().waitFor();
    await page.getByText("0 open of 3").waitFor();
    await tabTo("refused");
    await keyboard.press("Enter");
    await row(caseIds[0] ?? "").waitFor();
    expect(page.url()).toContain("?state=refused");
    await keyboard.press("g");
    await keyboard.press("b");
    await heading("Bulk acts").waitFor();
    await row("Resume on 3").waitFor();
    expect(await findFaults()).toEqual([]);
    await picture("bulk-acts");
    expect(await world.dev.desk.listBulks()).toMatchObject([
      { state: "done", counts: { total: 3, refused: 3 } },
    ]);
  });

  test("move all that a list shows, frozen, with pause and stop", async () => {
    const { world, go, page, dialog, heading, button, row } = see();
    const first = await world.start("A-1", lamps);
    await world.start("A-2", lamps);
    await world.start("B-1", lamps);
    await go("cases?text=A-&reading=Waiting+for+approval");
    await page.getByText("2 cases").waitFor();
    await button("Act on all that match").click();
    await dialog().getByLabel("Move").selectOption("cancel");
    await dialog().getByLabel("Reason").fill("ordered twice");
    await dialog().getByRole("button", { name: "Show what it would do" }).click();
    await dialog().getByText("2 would go").waitFor();
    await dialog().getByRole("button", { name: "Begin on 2 cases" }).click();
    await heading("Cancel on 2").waitFor();
    await page.getByText("0 open of 2").waitFor();
    await row(first).getByText("done").waitFor();
    await go("cases?state=canceled");
    await page.getByText("2 cases").waitFor();
    const { cases } = await world.dev.desk.list({ states: ["waiting"] });
    expect(cases.map(({ businessKey }) => businessKey)).toEqual(["B-1"]);
  });
});
