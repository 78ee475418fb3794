/** `replay`: an exported case, planned again by the definitions that are loaded. */

import { readExportedCase } from "../core/exported-case.ts";
import { formatReplay, replay, type ReplayReport } from "../testing/replay.ts";
import { JSON_OPTION } from "./act.ts";
import { needed, type Command } from "./command.ts";
import { configMissing, findConfigFile, loadConfig } from "./config-file.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { readJsonFile } from "./json-file.ts";
import { say, sayJson } from "./terminal.ts";

/** Plans exported cases again. */
export const replayCommand: Command = {
  name: "replay",
  summary: "say where these definitions would have done something else than an exported case did",
  positionals: ["FILE"],
  options: [
    { name: "config", value: "FILE", help: "the configuration; foothold.config.js when left out" },
    JSON_OPTION,
  ],
  noServer: "it reads a file, and the definitions that are here",
  notes: [
    "FILE is what foothold cases export printed. Nothing is sent, asked or stored; no database is used.",
    "Ends with exit code 1 where something differs.",
  ],
  run: async (call) => {
    const exported = readExportedCase(readJsonFile(needed(call, 0)));
    const file = findConfigFile(call.text("config"), process.cwd());
    if (file === null) throw configMissing(process.cwd());
    const { registry } = await loadConfig(file);
    const started = exported.entries[0]?.entry;
    const report: ReplayReport = replay(
      registry.get(started?.kind === "caseStarted" ? started.caseType : ""),
      exported,
    );
    if (call.flag("json")) sayJson(report);
    else for (const line of formatReplay(report).split("\n")) say(line);
    return report.differences.length === 0 ? EXIT_CODES.ok : EXIT_CODES.unexpected;
  },
};
