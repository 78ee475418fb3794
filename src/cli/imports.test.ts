import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** What works on the database itself, or on definitions that are here; each is a reason of its own (`noServer`), or serves one. */
const ON_THE_DATABASE: readonly string[] = [
  // The API in this process, for every other command.
  "local-api.ts",
  // What opens the database, and what a configuration names.
  "open.ts",
  "config-file.ts",
  "notice-parts.ts",
  // What runs: dev, serve, worker, sweep.
  "dev.ts",
  "parts.ts",
  "processes.ts",
  "upkeep.ts",
  // Commands that no server can do.
  "audit-verify.ts",
  "cases-import.ts",
  "diff.ts",
  "doctor.ts",
  "inbox-send.ts",
  "keys.ts",
  "people.ts",
  "rehearse.ts",
  "replay.ts",
  "restored.ts",
];

const BEHIND_THE_API =
  /from "(?:\.\.\/(?:desk|store|engine|inbox|people|notices|doctor|testing)\/|\.\/open\.ts)/;

test("no command reaches desk or store but through the API, unless it says why", () => {
  const folder = new URL("./", import.meta.url);
  const reaching = readdirSync(folder)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .filter((file) => BEHIND_THE_API.test(readFileSync(new URL(file, folder), "utf8")));
  expect(reaching.toSorted()).toEqual(ON_THE_DATABASE.toSorted());
});
