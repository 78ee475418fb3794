import { expect, test } from "vitest";
import { BUILT_IN_ROLES } from "../../src/core/rights.ts";
import { describeConsole } from "./suite.ts";

const lamps = { item: "12 lamps", vendor: "Lumen", amount: 700 };

describeConsole("settings in the console", (see) => {
  test("tell who one is, what one may, who else is known, and how the server is set, without barriers", async () => {
    const { world, page, heading, findFaults, picture, tabTo, button } = see();
    const caseId = await world.start("PO-1", lamps);
    const served = await world.serve({ name: "fatima", password: "correct horse battery", roles: ["admin"] });
    await page.goto(served);
    await page.getByLabel("Name").fill("fatima");
    await page.getByLabel("Password").fill("correct horse battery");
    await button("Sign in").click();
    await heading("Needs attention").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await heading("Settings").waitFor();
    await page.getByText("fatima, with a session of this browser").waitFor();
    await page.getByText(/This one, used/).waitFor();
    await page
      .getByRole("region", { name: "People" })
      .getByRole("row", { name: /fatima admin/ })
      .waitFor();
    const viewer = BUILT_IN_ROLES.get("viewer")?.[0]?.verbs;
    await page
      .locator(".facts code", { hasText: new RegExp(`^${String(viewer).replaceAll(",", ", ")}$`) })
      .waitFor();
    await page.getByText("bytes for 30 d, events and keys for 400 d").waitFor();
    expect(await findFaults()).toEqual([]);
    await picture("settings");
    await page.getByLabel("Exact times").selectOption("utc");
    await page.goto(`${served}/cases/${caseId}`);
    await heading(/^PO-1/).waitFor();
    await page.locator(".lead").getByText("UTC").waitFor();
    await tabTo("Keys");
    await page.keyboard.press("Enter");
    await page.getByText("g then s").waitFor();
  });

  test("show no list of people to who may not see it", async () => {
    const { world, page, heading, button } = see();
    const served = await world.serve({ name: "ben", password: "correct horse battery" });
    await page.goto(`${served}/settings`);
    await page.getByLabel("Name").fill("ben");
    await page.getByLabel("Password").fill("correct horse battery");
    await button("Sign in").click();
    await heading("Settings").waitFor();
    await page.getByText("This server").waitFor();
    expect(await page.getByText("People and roles").count()).toBe(0);
  });

  test("offer the identity provider where there is one, and nothing of the kind where there is none", async () => {
    const { world, page, heading, findFaults } = see();
    const served = await world.serve({ name: "ben", password: "correct horse battery" });
    await page.goto(served);
    await heading("Sign in").waitFor();
    expect(await page.getByRole("link", { name: /identity provider/ }).count()).toBe(0);
    await page.goto(await world.servePublic());
    const link = page.getByRole("link", { name: "Sign in at your identity provider" });
    await link.waitFor();
    expect(await link.getAttribute("href")).toBe("/api/v1/session/oidc");
    expect(await findFaults()).toEqual([]);
  });
});
