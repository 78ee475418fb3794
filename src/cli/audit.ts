/** The commands of the audit: `audit list`, `audit head`, `audit verify`. */

import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { SealHead } from "../core/seal.ts";
import { verifyAudit, type AuditVerdict } from "../desk/verify-audit.ts";
import { AUDIT_LINES_MAX, type AuditFilter, type StoredAuditLine } from "../store/audit-port.ts";
import { readWhole, usage, type Call, type Command } from "./command.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { DATABASE_OPTIONS, withOpened } from "./open.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { formatTime, readSince } from "./times.ts";

const json = { name: "json", value: null, help: "print one JSON document" } as const;
const LINES_DEFAULT = 50;

/** Lists audit lines. */
export const auditListCommand: Command = {
  name: "audit list",
  summary: "show what people did and were refused, newest first",
  positionals: [],
  options: [
    { name: "act", value: "ACT", help: "only this act, such as resume or signIn" },
    { name: "outcome", value: "OUTCOME", help: "only what was done, requested or refused" },
    { name: "who", value: "WHO", help: "only acts of this name, or of the person with this id" },
    { name: "case", value: "CASE", help: "only acts on this case" },
    {
      name: "about",
      value: "WHAT",
      help: "only acts about this step, person, token, destination or bulk act",
    },
    { name: "since", value: "TIME", help: "from this time on: 2h for two hours ago, or a time" },
    { name: "limit", value: "LINES", help: `lines at most; ${LINES_DEFAULT} when left out` },
    { name: "after", value: "CURSOR", help: "go on after a page: its `next`" },
    json,
    ...DATABASE_OPTIONS,
  ],
  notes: ["Starting a case and telling it an event stand in its own history."],
  run: (call) =>
    withOpened(call, { definitions: "optional" }, async ({ store }) => {
      const page = await store.audit.list(readFilter(call, await store.now()));
      if (call.flag("json")) return sayJson(page);
      if (page.lines.length === 0) return say("Nothing is on record.");
      const heads = ["WHEN", "WHO", "ACT", "ABOUT", "OUTCOME", "WHY", "WHAT BECAME OF IT"];
      for (const line of tableLines(heads, page.lines.map(rowOf), columns())) say(line);
      if (page.next !== null) say(`There is more: --after ${page.next}`);
    }),
};

function readFilter(call: Call, now: number): AuditFilter {
  const outcome = call.text("outcome");
  if (outcome !== null && outcome !== "done" && outcome !== "requested" && outcome !== "refused") {
    throw usage(call.command, "--outcome must be done, requested or refused.");
  }
  const [act, who, caseId] = [call.text("act"), call.text("who"), call.text("case")];
  const [about, since, after] = [call.text("about"), call.text("since"), call.text("after")];
  return {
    ...(act === null ? {} : { act }),
    ...(outcome === null ? {} : { outcome }),
    ...(who === null ? {} : { who }),
    ...(caseId === null ? {} : { caseId }),
    ...(about === null ? {} : { about }),
    ...(since === null ? {} : { sinceAt: readSince(since, now) }),
    ...(after === null ? {} : { after }),
    limit: readWhole(call, "limit", { min: 1, max: AUDIT_LINES_MAX }) ?? LINES_DEFAULT,
  };
}

function rowOf(line: StoredAuditLine): readonly string[] {
  const { at, who, act, caseId, about, outcome, code, why, sentence, after } = line;
  return [
    formatTime(at),
    who ?? "",
    act,
    [caseId, about].filter((one) => one !== null).join(" "),
    code === null ? outcome : `${outcome} ${code}`,
    why ?? "",
    sentence ?? (after === null ? "" : JSON.stringify(after)),
  ];
}

/** Prints the heads. */
export const auditHeadCommand: Command = {
  name: "audit head",
  summary: "print where each chain of seals ends, to be kept where nobody can change it",
  positionals: [],
  options: [...DATABASE_OPTIONS],
  notes: ["One JSON document. `foothold audit verify --against FILE` compares with it."],
  run: (call) =>
    withOpened(call, { definitions: "optional" }, async ({ store }) => {
      sayJson({ now: await store.now(), heads: await store.audit.readHeads() });
    }),
};

/** Verifies the seals. */
export const auditVerifyCommand: Command = {
  name: "audit verify",
  summary: "find what somebody changed by hand in journals or the audit",
  positionals: [],
  options: [
    { name: "against", value: "FILE", help: "what `audit head` printed before; finds a chain that was cut" },
    json,
    ...DATABASE_OPTIONS,
  ],
  notes: ["It reads every sealed row. Ends with code 7 where something is not as it was sealed."],
  run: async (call) => {
    const file = call.text("against");
    const exported = file === null ? [] : await readHeads(call, file);
    let verdict: AuditVerdict | null = null;
    await withOpened(call, { definitions: "optional" }, async ({ store, ports }) => {
      verdict = await verifyAudit({ store, digest: ports.digest, exported });
      sayVerdict(call, verdict, file !== null);
    });
    return isClean(verdict) ? EXIT_CODES.ok : EXIT_CODES.findings;
  },
};

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
  const { findings, seals, entries, lines, unsealed } = verdict;
  for (const { kind, sentence } of findings) say(`${kind}: ${sentence}`);
  say(`${seals} seals over ${entries} journal entries and ${lines} audit lines were compared.`);
  if (unsealed.entries + unsealed.lines > 0) {
    say(`Not sealed yet: ${unsealed.entries} entries and ${unsealed.lines} lines.`);
  }
  if (findings.length === 0) say("Everything sealed is as it was sealed.");
  if (!isAgainst) say("Without --against, a chain that was cut or made anew as a whole is not found.");
}
