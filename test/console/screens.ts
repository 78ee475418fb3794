/** A browser on the console: pages that note what goes wrong in them, and what axe finds. */

import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import { chromium, type Browser, type Page } from "playwright-core";
import { z } from "zod";

/** How long anything may take to appear, in ms: the machine may be busy. */
const APPEAR_MS = 60_000;

/** Where pictures go when they are asked for: `SCREENSHOTS=1 npx vitest run test/console`. */
const pictures = fileURLToPath(new URL("../../docs/images/", import.meta.url));

/** A page and what it complained of. */
export interface Seen {
  readonly page: Page;
  /** Errors, refused scripts, and dialogs that a payload opened. */
  readonly complaints: string[];
}

/** Starts the browser. */
export function openBrowser(executablePath: string): Promise<Browser> {
  // As root, as in containers, it starts only without its own sandbox.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}

/** A fresh page, as wide as a laptop, with nothing stored. */
export async function openPage(browser: Browser): Promise<Seen> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    timezoneId: "Europe/Berlin",
  });
  context.setDefaultTimeout(APPEAR_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("response", (response) => {
    if (response.status() === 404 && !response.url().includes("/api/"))
      complaints.push(`404 ${response.url()}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("status of 4"))
      complaints.push(message.text());
  });
  return { page, complaints };
}

const Violations = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));

/** What axe finds against WCAG 2.2 A and AA, in both themes: one line each. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate(axe.source);
    const violations: unknown = await page.evaluate(`axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`);
    for (const { id, nodes } of Violations.parse(violations)) {
      found.push(`${colorScheme} ${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: null });
  return found;
}

const Names = z.array(z.tuple([z.string(), z.string()]));

/**
 * What is pressed, opened, filled in or jumped to, and has a name that another of its kind on the page has too. While a dialog
 * is open nothing else can be reached.
 */
export async function findTwins(page: Page): Promise<readonly string[]> {
  const root = (await page.locator("dialog:modal").count()) > 0 ? "dialog:modal" : "body";
  const snapshot = await page.locator(root).ariaSnapshot();
  const named = [
    ...snapshot.matchAll(
      /^\s*- (button|region|navigation|table|textbox|searchbox|combobox|checkbox|spinbutton|img) "((?:[^"\\]|\\.)*)"/gm,
    ),
  ].map(([, role = "", name = ""]): [string, string] => [role, name]);
  const folds: unknown = await page.evaluate(
    `[...document.querySelectorAll("${root} summary")].filter((one) => one.checkVisibility())
      .map((one) => ["fold", one.textContent.trim()])`,
  );
  const all = [...named, ...Names.parse(folds)].map((one) => one.join(" "));
  return [...new Set(all.filter((one, index) => all.indexOf(one) !== index))].map((one) => `twice: ${one}`);
}

/** What reaches beyond a window of 320 px; nothing where all fits. */
export async function findTooWide(page: Page): Promise<readonly string[]> {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  const found: unknown = await page.evaluate(`document.documentElement.scrollWidth <= 320 ? [] :
    [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > 320)
      .slice(0, 5).map((one) => "wider than 320 px: " + one.outerHTML.slice(0, 200))`);
  if (size !== null) await page.setViewportSize(size);
  return z.array(z.string()).parse(found);
}

/** Takes a picture for the documentation, where that is asked for. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env["SCREENSHOTS"] === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: `${pictures}console-${name}.png`, animations: "disabled" });
}
