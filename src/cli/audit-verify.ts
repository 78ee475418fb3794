/** `audit verify`: it reads the database itself, and trusts no server. */

import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { SealHead } from "../core/seal.ts";
import { verifyAudit, type AuditVerdict } from "../desk/verify-audit.ts";
import { JSON_OPTION } from "./act.ts";
import { usage, type Call, type Command } from "./command.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { DATABASE_OPTIONS } from "./database-options.ts";
import { withOpened } from "./open.ts";
import { say, sayJson, sayProgress } from "./terminal.ts";

/** Verifies the seals. */
export const auditVerifyCommand: Command = {
  name: "audit verify",
  summary: "find what somebody changed by hand in journals or the audit",
  positionals: [],
  options: [
    { name: "against", value: "FILE", help: "what `audit head` printed before; finds a chain that was cut" },
    JSON_OPTION,
    ...DATABASE_OPTIONS,
  ],
  noServer: "it reads the sealed rows themselves, and must not trust whoever serves them",
  notes: ["It reads every sealed row. Ends with code 7 where something is not as it was sealed."],
  run: async (call) => {
    const file = call.text("against");
    const exported = file === null ? [] : await readHeads(call, file);
    let verdict: AuditVerdict | null = null;
    await withOpened(call, { definitions: "optional" }, async ({ store, ports }) => {
      verdict = await verifyAudit({ store, digest: ports.digest, exported, onSeals: saySeals });
      sayProgress(null);
      sayVerdict(call, verdict, file !== null);
    });
    return isClean(verdict) ? EXIT_CODES.ok : EXIT_CODES.findings;
  },
};

function saySeals(looked: number, of: number): void {
  sayProgress(`seal ${looked} of ${of}`);
}

function isClean(verdict: AuditVerdict | null): boolean {
  return verdict?.findings.length === 0;
}

const headsFile = z.looseObject({
  heads: z.array(
    z.looseObject({
      shard: z.int().min(0),
      sealNo: z.int().min(0),
      hash: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

async function readHeads(call: Call, file: string): Promise<readonly SealHead[]> {
  try {
    return headsFile.parse(JSON.parse(await readFile(file, "utf8"))).heads;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usage(call.command, `${file} is not what \`audit head\` printed: ${why}`);
  }
}

function sayVerdict(call: Call, verdict: AuditVerdict, isAgainst: boolean): void {
  if (call.flag("json")) return sayJson(verdict);
  const { findings, seals, entries, lines, erased, unsealed } = verdict;
  for (const { kind, sentence } of findings) say(`${kind}: ${sentence}`);
  say(`${seals} seals over ${entries} journal entries and ${lines} audit lines were compared.`);
  if (erased > 0) say(`${erased} of them were erased since, by erasures on record.`);
  if (unsealed.entries + unsealed.lines > 0) {
    say(`Not sealed yet: ${unsealed.entries} entries and ${unsealed.lines} lines.`);
  }
  if (findings.length === 0) say("Everything sealed is as it was sealed.");
  if (!isAgainst) say("Without --against, a chain that was cut or made anew as a whole is not found.");
}
