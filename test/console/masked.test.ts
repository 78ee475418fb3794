import { expect, test } from "vitest";
import { describeConsole } from "./suite.ts";

const CARD = "4000-0566-5566-5556";
const password = "correct horse battery";

describeConsole("masked values in the console", (see) => {
  test("are seen by who has the right, one case at a time, for a reason that goes on record", async () => {
    const { world, page, heading, button, dialog, findFaults } = see();
    const caseId = await world.start("PO-1", { item: "lamps", vendor: "Lumen", amount: 7, card: CARD });
    await page.goto(`${await world.serve({ name: "fatima", password, roles: ["admin"] })}/cases/${caseId}`);
    await page.getByLabel("Name").fill("fatima");
    await page.getByLabel("Password").fill(password);
    await button("Sign in").click();
    await heading(/^PO-1/).waitFor();
    await button("Reveal").waitFor();
    expect(await page.content()).not.toContain(CARD);
    expect(await findFaults()).toEqual([]);
    await button("Reveal").click();
    await dialog().getByLabel("Reason").fill("the bank asks for it");
    await dialog().getByRole("button", { name: "Reveal" }).click();
    await dialog()
      .getByRole("row", { name: /^input card/ })
      .getByText(CARD)
      .waitFor();
    expect(await findFaults()).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(CARD);
    const { lines } = await world.audited(caseId);
    expect(lines).toMatchObject([
      { act: "reveal", outcome: "done", who: "fatima", why: "the bank asks for it" },
    ]);
  });

  test("stay masked for who has not, and say what is needed", async () => {
    const { world, page, heading, button, findFaults } = see();
    const caseId = await world.start("PO-1", { item: "lamps", vendor: "Lumen", amount: 7, card: CARD });
    await page.goto(`${await world.serve({ name: "ben", password })}/cases/${caseId}`);
    await page.getByLabel("Name").fill("ben");
    await page.getByLabel("Password").fill(password);
    await button("Sign in").click();
    await heading(/^PO-1/).waitFor();
    await page.getByText("To see them needs the right to reveal.").waitFor();
    expect(await button("Reveal").count()).toBe(0);
    expect(await page.content()).not.toContain(CARD);
    expect(await findFaults()).toEqual([]);
  });
});
