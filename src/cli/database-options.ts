/** How a command is told which database to work on. */

import type { OptionSpec } from "./command.ts";

/** Options of every command that reaches a database. */
export const DATABASE_OPTIONS: readonly OptionSpec[] = [
  {
    name: "config",
    value: "FILE",
    help: "configuration; foothold.config.js or .mjs in the working folder when left out",
  },
  {
    name: "database",
    value: "URL",
    help: "PostgreSQL; else FOOTHOLD_DATABASE_URL, the configuration's `database`, or the embedded one",
  },
  { name: "data", value: "FOLDER", help: "folder of the embedded database; .foothold when left out" },
];
