/** Opens the page in a browser, as far as that goes. */

import { spawn } from "node:child_process";

/** Best effort, and only where a person watches the terminal. */
export function openBrowser(url: string): void {
  if (!process.stdout.isTTY) return;
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  if (process.platform === "win32") return;
  const child = spawn(program, [url], { stdio: "ignore", detached: true });
  // Not installed, or no display: the address is printed anyway.
  child.on("error", () => undefined);
  child.unref();
}
