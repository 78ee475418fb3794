/** A browser for tests: one that is installed, or that Debian installs when the tests run as root. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

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
/** How long an installation may take, in ms. */
const INSTALL_MS = 300_000;

/** Finds Chromium, or installs it. `CHROMIUM_PATH` names another one. */
export function findChromium(): FoundChromium {
  const named = process.env["CHROMIUM_PATH"];
  if (named !== undefined && existsSync(named)) return { found: true, path: named };
  const path = findInstalled() ?? install();
  if (path !== null) return { found: true, path };
  return { found: false, reason: "no Chromium is installed; on Debian: apt-get install chromium" };
}

function findInstalled(): string | null {
  return places.find((place) => existsSync(place)) ?? null;
}

function install(): string | null {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return null;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  try {
    for (const parameters of [["update"], ["install", "--yes", "--no-install-recommends", "chromium"]]) {
      execFileSync("apt-get", parameters, { stdio: "pipe", timeout: INSTALL_MS, env });
    }
  } catch {
    // The reason that the tests are skipped says enough.
  }
  return findInstalled();
}
