/**
 * One import from start to end, with its worker killed half-way: a file with one bad row, a CRM, a worker process, and a
 * person who mends the row.
 */

import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDesk, ENGINE_VERSION, registryOf, systemPorts, type Desk } from "foothold";
import { postgresStore } from "foothold/postgres";
import { Chunk, defineImport } from "./contacts.ts";
import { startCrm, type Crm } from "./crm.ts";

/** What is run. */
export interface ImportOptions {
  readonly databaseUrl: string;
  /** Where the file is written, and the worker finds it. */
  readonly folder: string;
  readonly rowCount: number;
  /** Told what happens, in words. */
  readonly tell: (text: string) => void;
}

/** What came of it. */
export interface ImportFigures {
  /** Contacts in the CRM when the worker was killed. */
  readonly takenAtKill: number;
  /** From the start until nothing was left but the bad row, in ms. */
  readonly restMs: number;
  /** Of the case that waits for people then: what its review says. */
  readonly review: string;
  /** Contacts then, and at the end. */
  readonly taken: number;
  readonly takenAtEnd: number;
  /** Rows that are in the CRM more than once at the end. */
  readonly twice: number;
  /** What the import told of itself at its end, each time that it did. */
  readonly reports: readonly object[];
}

const LOOK_EVERY_MS = 50;
const WAIT_MS_MAX = 3_600_000;
const FILE = "contacts.csv";

/** Runs one. */
export async function runImport({
  databaseUrl,
  folder,
  rowCount,
  tell,
}: ImportOptions): Promise<ImportFigures> {
  const badRow = String(Math.ceil(rowCount / 3));
  await writeFile(join(folder, FILE), csvOf(rowCount, badRow));
  const crm = await startCrm();
  const types = defineImport({ folder, crmUrl: crm.url });
  const store = postgresStore({ url: databaseUrl, poolMax: 2 });
  const workers: ChildProcess[] = [];
  const startWorker = (): ChildProcess => {
    const program = fileURLToPath(new URL(`worker${extname(import.meta.filename)}`, import.meta.url));
    const child = fork(program, [databaseUrl, folder, crm.url], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    workers.push(child);
    return child;
  };
  try {
    await store.migrate();
    const desk = createDesk({
      store,
      registry: registryOf(types),
      ports: systemPorts(),
      engineVersion: ENGINE_VERSION,
    });
    const first = startWorker();
    const startedAt = performance.now();
    const { caseId } = await desk.startCase(types[0], { file: FILE }, { by: "ann", businessKey: FILE });
    await until("half of the rows", () => crm.contacts.length >= rowCount / 2);
    first.kill("SIGKILL");
    await once(first, "exit");
    const takenAtKill = crm.contacts.length;
    tell(`${takenAtKill} of ${rowCount} rows are in the CRM, and the worker is killed`);
    startWorker();
    const stopped = await restOf(desk, crm, rowCount);
    const restMs = performance.now() - startedAt;
    const taken = crm.contacts.length;
    tell(`${taken} rows are in the CRM; ${stopped.caseId} waits: ${stopped.review}`);
    await mend(desk, stopped.caseId, badRow);
    await until("the import to be done", async () => (await desk.show(caseId)).storedState === "done");
    const numbers = new Set(crm.contacts.map(({ number }) => number));
    const takenAtEnd = crm.contacts.length;
    const reports = [...crm.reports.values()];
    return {
      takenAtKill,
      restMs,
      review: stopped.review,
      taken,
      takenAtEnd,
      twice: takenAtEnd - numbers.size,
      reports,
    };
  } finally {
    await Promise.all(workers.map(endWorker));
    await store.close();
    await crm.stop();
  }
}

/** Waits until nothing is left to be done without people, and gives the case that waits for them. */
async function restOf(
  desk: Desk,
  crm: Crm,
  rowCount: number,
): Promise<{ readonly caseId: string; readonly review: string }> {
  const open = {
    caseType: "contacts",
    states: ["ready", "claimed", "waiting", "paused", "in_review"],
  } as const;
  await until("nothing but the bad row to be left", async () => {
    if (crm.contacts.length < rowCount - 1) return false;
    const { cases } = await desk.list(open);
    return cases.length === 1 && cases[0]?.storedState === "in_review";
  });
  const [only] = (await desk.list(open)).cases;
  if (only === undefined) throw new Error("nothing waits for people");
  const [review] = (await desk.show(only.caseId)).reviews;
  return { caseId: only.caseId, review: `${review?.step}, ${review?.sentence}` };
}

/** What a person does who knows the right address. */
async function mend(desk: Desk, caseId: string, number: string): Promise<void> {
  const input = Chunk.parse((await desk.show(caseId)).input);
  const mended = { [number]: { name: `Contact ${number}`, email: `contact-${number}@example.com` } };
  await desk.correctInput(caseId, { input: { ...input, mended }, by: "ann", reason: "asked the customer" });
}

/** A file of so many rows; the bad one has no mail address. */
function csvOf(rowCount: number, badRow: string): string {
  const lines = Array.from({ length: rowCount }, (_, index) => {
    const number = String(index + 1);
    return `${number},Contact ${number},${number === badRow ? "unknown" : `contact-${number}@example.com`}`;
  });
  return ["number,name,email", ...lines, ""].join("\n");
}

async function endWorker(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.disconnect();
  await exited;
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedAt > WAIT_MS_MAX)
      throw new Error(`waited ${WAIT_MS_MAX / 1_000} s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
