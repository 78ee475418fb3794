/**
 * `npm start`: purchase requests, live. A server, a worker and a sweep run in this process, on a PostgreSQL of its own,
 * against an ERP and a mail service that are real HTTP servers. The mail service fails on purpose; watch what follows.
 */

import { isFootholdError } from "foothold";
import { startDev, type Dev } from "foothold/dev";
import { startEmbedded } from "foothold/embedded";
import { postgresStore } from "foothold/postgres";
import { findRunning, putSign, takeSign } from "./already-running.ts";
import { readOptions, usageLines, type StartOptions } from "./options.ts";
import { nextLines, headLines, pickedUpLines } from "./screen.ts";
import { proofLine } from "./proof.ts";
import { print, printApart } from "./print.ts";
import { definePurchase } from "./purchase.ts";
import { demoRequests, type DemoRequest } from "./requests.ts";
import { startSystems } from "./systems.ts";
import { tellError, tellTrouble } from "./trouble.ts";
import { watchCases } from "./watch.ts";

/** How long the worker may be silent, in ms: short, so that a kill is followed by a pick-up that people wait for. */
const leaseMs = 3_000;

/** Things to take down, last first. */
const stops: (() => Promise<void>)[] = [];
const stopping = new AbortController();

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    // Twice means now.
    if (stopping.signal.aborted) process.exit(1);
    stopping.abort();
  });
}
// A reader that went away, as with `| head`, wants no more of it.
process.stdout.on("error", () => stopping.abort());

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const options = readOptions(words);
  if (options === null || typeof options === "string") {
    if (options !== null) process.stderr.write(`${options}\n`);
    for (const line of usageLines) print(line);
    return options === null ? 0 : 2;
  }
  let failed = false;
  try {
    await run(options);
  } catch (error) {
    // A start that is given up half way is no failure.
    failed = !stopping.signal.aborted;
    if (failed) tellError(error);
  }
  stopping.abort();
  for (const stop of stops.toReversed()) await stop().catch(tellError);
  if (!failed) printApart(["Stopped. npm start goes on where this ended."]);
  return failed ? 1 : 0;
}

async function run(options: StartOptions): Promise<void> {
  const { folder, port, opensPage } = options;
  const { signal } = stopping;
  await refuseSecond(options);
  const database = await startEmbedded({ folder, signal });
  stops.push(() => database.stop());
  const store = postgresStore({ url: database.url, applicationName: "foothold example" });
  stops.push(() => store.close());
  const systems = await startSystems(folder, port);
  stops.push(() => systems.stop());
  const startedAt = await store.now();
  const dev = await startDev({
    store,
    cases: [definePurchase({ erpUrl: systems.erp.url, mailUrl: systems.mail.url })],
    port,
    leaseMs,
    opensPage,
    onReport: tellTrouble,
    onError: (error) => tellTrouble({ kind: "bug", caseId: null, error }),
  });
  stops.push(() => dev.stop());
  putSign(folder, dev.url);
  stops.push(async () => takeSign(folder));

  const { cases } = await dev.desk.list();
  printApart(headLines({ options, dev, systems, database }));
  printApart(pickedUpLines(cases));
  let isSetGoing = false;
  let isFirstRest = true;
  const watching = watchCases({
    store,
    since: startedAt,
    print,
    signal,
    isSetGoing: () => isSetGoing,
    onRest: (watched) => {
      const approved = watched
        .filter(({ isApproved }) => isApproved)
        .map(({ row, name }) => ({ caseId: row.caseId, name }));
      printApart([proofLine(approved, systems.erp.ledger.effects())]);
      if (isFirstRest) printApart(nextLines(watched, options, dev.url));
      isFirstRest = false;
    },
  });
  const play = async (): Promise<void> => {
    for (const request of demoRequests) await startDemo(dev, request);
    isSetGoing = true;
  };
  await Promise.all([watching, play()]);
}

/** Throws if it runs already on this folder: the ledgers there have one writer. */
async function refuseSecond({ folder, data, port }: StartOptions): Promise<void> {
  const running = await findRunning(folder);
  if (running === null) return;
  const other = `npm start -- --data ANOTHER-FOLDER --port ${port === 0 ? port : port + 10}`;
  throw new Error(
    `It runs already on ${data}, as process ${running.pid}: open ${running.pageUrl}\n` +
      `Stop that one first, or run a second one beside it: ${other}`,
  );
}

/** Starts a request, once however often this runs, and approves it where that is not left to whoever watches. */
async function startDemo({ desk }: Dev, { businessKey, input, isApproved }: DemoRequest): Promise<void> {
  const { caseId } = await desk.startCase("purchase", input, { businessKey, by: "the demonstration" });
  if (!isApproved) return;
  try {
    const by = "the demonstration";
    await desk.answerApproval(caseId, {
      step: "approve",
      approved: true,
      by,
      sourceId: `demo ${businessKey}`,
    });
  } catch (error) {
    // Whatever a person has done to it meanwhile counts.
    if (!isFootholdError(error)) throw error;
  }
}
