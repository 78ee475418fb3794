/** A browser for tests: one that is installed, or that Debian installs when the tests run as root. */

import { existsSync } from "node:fs";
import { installDebianPackage } from "./debian.ts";

/** Where one is, or why there is none to use. */
export type FoundChromium =
  { readonly found: true; readonly path: string } | { readonly found: false; readonly reason: string };

const places = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
/** Finds Chromium, or installs it. `CHROMIUM_PATH` names another one. */
export function findChromium(): FoundChromium {
  const named = process.env["CHROMIUM_PATH"];
  if (named !== undefined && existsSync(named)) return { found: true, path: named };
  if (findInstalled() === null) installDebianPackage("chromium");
  const path = findInstalled();
  if (path !== null) return { found: true, path };
  return { found: false, reason: "no Chromium is installed; on Debian: apt-get install chromium" };
}

function findInstalled(): string | null {
  return places.find((place) => existsSync(place)) ?? null;
}
