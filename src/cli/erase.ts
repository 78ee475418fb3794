/** `cases erase`: what is kept of a person. */

import { readFile } from "node:fs/promises";
import { z } from "zod";
import { isFootholdError } from "../core/errors.ts";
import type { Client } from "../http/client/client.ts";
import { END_OPTIONS, neededReason, REASON_OPTION } from "./act.ts";
import { needed, usage, type Call, type Command } from "./command.ts";
import { EXIT_CODES, type ExitCode } from "./exit-codes.ts";
import type { Reply } from "./replies.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { withClient } from "./with-client.ts";

/** Erases cases, or tells what that would be. */
export const casesEraseCommand: Command = {
  name: "cases erase",
  summary: "erase what is kept of a case and all that stand above and below it, for good",
  positionals: ["[CASE]"],
  options: [
    { name: "preview", value: null, help: "only tell what would be erased and what is in the way" },
    {
      name: "from",
      value: "FILE",
      help: "erase again what `audit list --act erase --json` printed: after a backup was restored",
    },
    REASON_OPTION,
    ...END_OPTIONS,
  ],
  notes: [
    "--reason is needed, and stays: it must not say whom it is about.",
    "Nothing brings back what was erased, and nothing more is done with such a case.",
  ],
  run: async (call) => {
    const file = call.text("from");
    if (file !== null) return eraseAgain(call, file);
    const caseId = needed(call, 0);
    if (call.flag("preview")) {
      await withClient(call, { definitions: "optional" }, async (client) => {
        sayPreview(call, await client.previewErasure({ caseId }));
      });
      return EXIT_CODES.ok;
    }
    const reason = neededReason(call);
    await withClient(call, { definitions: "optional" }, async (client) => {
      const reply = await client.eraseCase({ caseId, reason });
      if (call.flag("json")) return sayJson(reply);
      for (const id of reply.erased) say(`${id}: erased.`);
      for (const id of reply.known) say(`${id}: was erased before.`);
    });
    return EXIT_CODES.ok;
  },
};

function sayPreview(call: Call, preview: Reply<"previewErasure">): void {
  if (call.flag("json")) return sayJson(preview);
  const heads = ["CASE", "TYPE", "ENTRIES", "AUDIT", "EVENTS", "BODIES", "FOUND BY", "SECONDS", "BULK ACTS"];
  const rows = preview.cases.map(({ caseId, caseType, traces }) => [
    caseId,
    caseType,
    ...[traces.entries, traces.auditLines, traces.events, traces.bodies].map(String),
    ...[traces.searchValues, traces.seconds, traces.bulkActs].map(String),
  ]);
  for (const line of tableLines(heads, rows, columns())) say(line);
  for (const { caseId, isErased, refusal } of preview.cases) {
    if (isErased) say(`${caseId} was erased before.`);
    if (refusal !== null) say(`! ${refusal}`);
  }
  if (preview.cases.every(({ refusal }) => refusal === null)) say("Nothing is in the way.");
}

const auditFile = z.looseObject({
  lines: z.array(z.looseObject({ act: z.string(), outcome: z.string(), caseId: z.string().nullable() })),
});

async function readErased(call: Call, file: string): Promise<readonly string[]> {
  try {
    const { lines } = auditFile.parse(JSON.parse(await readFile(file, "utf8")));
    const erased = lines.filter(({ act, outcome }) => act === "erase" && outcome === "done");
    return [...new Set(erased.flatMap(({ caseId }) => caseId ?? []))];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usage(call.command, `${file} is not what \`audit list --act erase --json\` printed: ${why}`);
  }
}

/** One that the restored database does not have needs no erasing; any other that is refused must be seen to. */
async function eraseAgain(call: Call, file: string): Promise<ExitCode> {
  const reason = neededReason(call);
  const caseIds = await readErased(call, file);
  let areAllErased = true;
  await withClient(call, { definitions: "optional" }, async (client) => {
    for (const caseId of caseIds) {
      const said = await eraseOrSay(client, { caseId, reason });
      areAllErased &&= said.isFine;
      say(`${said.isFine ? "" : "! "}${caseId}: ${said.sentence}`);
    }
  });
  return areAllErased ? EXIT_CODES.ok : EXIT_CODES.refused;
}

async function eraseOrSay(
  client: Client,
  request: { readonly caseId: string; readonly reason: string },
): Promise<{ readonly isFine: boolean; readonly sentence: string }> {
  try {
    const { erased } = await client.eraseCase(request);
    return { isFine: true, sentence: erased.length === 0 ? "was erased before." : "erased again." };
  } catch (error) {
    if (!isFootholdError(error)) throw error;
    if (error.code === "CASE_NOT_FOUND") return { isFine: true, sentence: "is not in this database." };
    if (error.code !== "ERASE_REFUSED") throw error;
    return { isFine: false, sentence: error.message };
  }
}
