/** Packages of Debian that tests need beside those of npm. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/** How long an installation may take, in ms. */
const INSTALL_MS = 300_000;

/**
 * Installs a package where we are root on a Debian; does nothing elsewhere. Where it fails nothing is said: whoever needs the
 * package looks whether it is there, and names it as the reason for what is skipped.
 */
export function installDebianPackage(name: string): void {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  try {
    for (const parameters of [["update"], ["install", "--yes", "--no-install-recommends", name]]) {
      execFileSync("apt-get", parameters, { stdio: "pipe", timeout: INSTALL_MS, env });
    }
  } catch {
    // See above.
  }
}
