/** A file of JSON that a command is given. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { FootholdError } from "../core/errors.ts";

/** What it holds. Throws `INVALID_REQUEST` where it cannot be read or is no JSON. */
export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(resolve(process.cwd(), file), "utf8"));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FootholdError("INVALID_REQUEST", `${file} cannot be read: ${why}.`, { cause: error });
  }
}
