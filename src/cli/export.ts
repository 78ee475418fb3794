/** A case as a file, and that file planned again by the definitions that are loaded: `cases export`, `replay`. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { EXPORT_FORMAT, readExportedCase, type ExportedCase } from "../core/exported-case.ts";
import { FootholdError } from "../core/errors.ts";
import { definitionOf } from "../desk/definition.ts";
import { maskJournal } from "../desk/masked-journal.ts";
import { caseNotFound, isCaseId } from "../desk/requests.ts";
import { formatReplay, replay, type ReplayReport } from "../testing/replay.ts";
import { needed, type Command } from "./command.ts";
import { configMissing, findConfigFile, loadConfig } from "./config-file.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { DATABASE_OPTIONS, whoActs, withOpened } from "./open.ts";
import { say, sayJson } from "./terminal.ts";

/** Prints a case, whole. */
export const casesExportCommand: Command = {
  name: "cases export",
  summary: "print a case with its whole journal as one JSON document, to be replayed against other code",
  positionals: ["CASE"],
  options: [
    {
      name: "reveal",
      value: "REASON",
      help: "what is masked too, as it is, for this reason, which goes on record; it can then be replayed",
    },
    { name: "by", value: "NAME", help: "who reveals it; your account's name when left out" },
    ...DATABASE_OPTIONS,
  ],
  notes: [
    "It holds the input and every result: keep it as you keep those. What the case type masks is a mark.",
    "Where the definition is not loaded nobody knows what is masked: all of it is.",
  ],
  run: async (call) => {
    const caseId = needed(call, 0);
    const reason = call.text("reveal");
    await withOpened(call, { definitions: "optional" }, async ({ store, desk, registry }) => {
      const stored = isCaseId(caseId) ? await store.loadCase(caseId) : null;
      if (stored === null) throw caseNotFound(caseId);
      const { caseType } = definitionOf(registry, stored.row);
      const masked = reason === null ? maskJournal(caseType, stored.journal) : null;
      if (reason !== null) await desk.reveal(caseId, { by: whoActs(call), reason });
      const exported: ExportedCase = {
        format: EXPORT_FORMAT,
        caseId,
        exportedAt: await store.now(),
        ...(masked === null ? {} : { isMasked: true }),
        entries: masked ?? stored.journal,
      };
      sayJson(exported);
    });
  },
};

/** Plans exported cases again. */
export const replayCommand: Command = {
  name: "replay",
  summary: "say where these definitions would have done something else than an exported case did",
  positionals: ["FILE"],
  options: [
    { name: "config", value: "FILE", help: "the configuration; foothold.config.js when left out" },
    { name: "json", value: null, help: "print one JSON document" },
  ],
  notes: [
    "FILE is what foothold cases export printed. Nothing is sent, asked or stored; no database is used.",
    "Ends with exit code 1 where something differs.",
  ],
  run: async (call) => {
    const exported = readFile(resolve(process.cwd(), needed(call, 0)));
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

function readFile(file: string): ExportedCase {
  try {
    return readExportedCase(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if (error instanceof FootholdError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new FootholdError("INVALID_REQUEST", `${file} cannot be read: ${why}.`, { cause: error });
  }
}
