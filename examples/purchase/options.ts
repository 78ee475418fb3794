/** The command line of `npm start`. */

import { resolve } from "node:path";
import { parseArgs } from "node:util";

/** Port of the page where none is named. */
const pagePort = 4680;
const portMax = 65_535;

/** Folder of the database where none is named. */
export const usualDataFolder = ".foothold";

/** What was asked for. */
export interface StartOptions {
  /** 0 = any free one. */
  readonly port: number;
  /** As it was written, for commands that people type next. */
  readonly data: string;
  /** The same as an absolute path. */
  readonly folder: string;
  /** Whether a browser is opened where a person watches. */
  readonly opensPage: boolean;
}

/** How to call it. */
export const usageLines: readonly string[] = [
  "npm start -- [--port PORT] [--data FOLDER] [--no-open]",
  `  --port PORT    port of the page, ${pagePort} when left out; 0 = any free one`,
  `  --data FOLDER  folder of the database, ${usualDataFolder} when left out`,
  "  --no-open      do not open a browser",
];

/** The options of a command line, or what is wrong with it; null = only the help is wanted. */
export function readOptions(words: readonly string[]): StartOptions | string | null {
  let values;
  try {
    const options = {
      port: { type: "string" },
      data: { type: "string" },
      "no-open": { type: "boolean" },
      help: { type: "boolean", short: "h" },
    } as const;
    values = parseArgs({ args: [...words], options }).values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (values.help === true) return null;
  const port = Number(values.port ?? pagePort);
  if (!/^\d{1,5}$/.test(values.port ?? "0") || port > portMax) {
    return `--port must be a whole number from 0 to ${portMax}`;
  }
  const data = values.data ?? usualDataFolder;
  if (data.trim() === "") return "--data must name a folder";
  return { port, data, folder: resolve(data), opensPage: values["no-open"] !== true };
}
