/** Next calls it once as the server starts, before the first request. */

import { shop } from "./shop.ts";

export async function register(): Promise<void> {
  // Where Next runs a route elsewhere than in Node there is no worker.
  if (process.env["NEXT_RUNTIME"] !== "nodejs") return;
  const running = await shop();
  process.once("SIGTERM", () => void running.stop());
}
