/** The release of the package that runs. */

import { readFileSync } from "node:fs";

/** Such as `0.1.0`. */
export function packageVersion(): string {
  // Beside the package's files, whether they are run from dist or from source.
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const manifest: unknown = JSON.parse(text);
  const isManifest = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return isManifest && typeof manifest.version === "string" ? manifest.version : "unknown";
}
