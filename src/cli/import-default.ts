/** Loads what a file of the user's own exports by default. */

import { pathToFileURL } from "node:url";
import { FootholdError, isFootholdError } from "../core/errors.ts";

/**
 * What the file exports by default, unchecked; undefined where it exports nothing so. Throws `CONFIG_INVALID` when the file
 * does, and what a definition in it throws.
 */
export async function importDefault(file: string): Promise<unknown> {
  try {
    // What a file exports is unknown until it is checked.
    const module: unknown = await import(pathToFileURL(file).href);
    return typeof module === "object" && module !== null && "default" in module ? module.default : undefined;
  } catch (error) {
    // A faulty definition names its own faults.
    if (isFootholdError(error)) throw error;
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new FootholdError("CONFIG_INVALID", `Loading ${file} failed: ${why}${helpFor(error)}`, {
      cause: error,
    });
  }
}

function helpFor(error: unknown): string {
  const code: unknown = error instanceof Error && "code" in error ? error.code : null;
  return code === "ERR_UNKNOWN_FILE_EXTENSION"
    ? `. Node ${process.versions.node} runs no such file: compile it, and name the .js`
    : "";
}
