/** Tests of the console: each has a house of its own and a fresh page, and fails by whatever the page complained of. */

import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe } from "vitest";
import { findChromium } from "../setup/chromium.ts";
import {
  findBarriers,
  findTooWide,
  findTwins,
  openBrowser,
  openPage,
  picture,
  type Seen,
} from "./screens.ts";
import { openWorld, type FurtherCases, type World } from "./world.ts";

const chromium = findChromium();

/** What a test sees. */
export interface Sight {
  readonly world: World;
  readonly page: Page;
  readonly go: (path?: string) => Promise<unknown>;
  readonly heading: (name: string | RegExp) => Locator;
  readonly button: (name: string) => Locator;
  readonly row: (name: string) => Locator;
  readonly dialog: () => Locator;
  /** Waits until the list of what needs attention names the case with this state. */
  readonly waitsAs: (businessKey: string, state: string) => Promise<void>;
  /** Presses Tab until this has the focus, as a text or an id. */
  readonly tabTo: (name: string) => Promise<void>;
  /** What is wrong with the screen as it stands: barriers in both themes, what is wider than 320 px, and names given twice. */
  readonly findFaults: () => Promise<readonly string[]>;
  /** Takes a picture for the documentation, where that is asked for. */
  readonly picture: (name: string) => Promise<void>;
}

/** Steps of Tab that reach everything on a screen. */
const TABS_MAX = 120;

/** Describes a part of the console; left out where no browser is found, and says so. `further` cases are defined beside the orders. */
export function describeConsole(
  title: string,
  tests: (see: () => Sight) => void,
  further?: FurtherCases,
): void {
  const why = chromium.found ? "" : ` (${chromium.reason})`;
  describe.skipIf(!chromium.found)(`${title}${why}`, () => {
    let browser: Browser;
    let world: World;
    let seen: Seen;
    beforeAll(async () => {
      if (chromium.found) browser = await openBrowser(chromium.path);
    });
    afterAll(() => browser.close());
    beforeEach(async () => {
      world = await openWorld(further);
      seen = await openPage(browser);
    });
    afterEach(async () => {
      await seen.page.context().close();
      await world.stop();
      if (seen.complaints.length > 0) throw new Error(seen.complaints.join("\n"));
    });
    tests(() => sightOf(world, seen.page));
  });
}

function sightOf(world: World, page: Page): Sight {
  const go = (path = ""): Promise<unknown> => page.goto(`${world.url}/${path}`);
  const row = (name: string): Locator => page.getByRole("row").filter({ hasText: name });
  return {
    world,
    page,
    go,
    row,
    heading: (name) => page.getByRole("heading", { level: 1, name }),
    button: (name) => page.getByRole("button", { name, exact: true }),
    dialog: () => page.getByRole("dialog"),
    waitsAs: async (businessKey, state) => {
      await go();
      await row(businessKey).filter({ hasText: state }).waitFor();
    },
    tabTo: async (name) => {
      for (let presses = 0; presses < TABS_MAX; presses += 1) {
        const focused = await page.evaluate(
          "[document.activeElement?.textContent || '', document.activeElement?.id || '']",
        );
        if (Array.isArray(focused) && focused.includes(name)) return;
        await page.keyboard.press("Tab");
      }
      throw new Error(`${name} cannot be reached with Tab`);
    },
    findFaults: async () => [
      ...(await findBarriers(page)),
      ...(await findTooWide(page)),
      ...(await findTwins(page)),
    ],
    picture: (name) => picture(page, name),
  };
}
