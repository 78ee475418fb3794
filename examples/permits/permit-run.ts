import { rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createDesk, createSweep, ENGINE_VERSION, registryOf, systemPorts } from "foothold";
import type { Desk, Registry, Report, Store, StoredCase, Sweep } from "foothold";
import { findClosedUrl } from "../services/closed-port.ts";
import { faultPlan } from "../services/faults.ts";
import { Ledger } from "../services/ledger.ts";
import { startMail } from "../services/mail.ts";
import { startRegistry } from "../services/registry.ts";
import { permitCaseTypes, permitTypeName, type Outside } from "./case-types.ts";
import { Crew } from "./crew.ts";
import { openDatabase, type RunDatabase } from "./database.ts";
import { inputOf } from "./effects.ts";
import { readFaultBook, type BookedFault, type PlannedFault } from "./fault-book.ts";
import { planWorkerFaults } from "./fault-plan.ts";
import { isGood, judgeRun } from "./figures.ts";
import type { EndedCase, Verdict } from "./figures.ts";
import type { PermitLog } from "./log.ts";
import { LoneWorker, tellTrouble } from "./lone-worker.ts";
import type { RunOptions } from "./options.ts";
import { stopSending } from "./sending.ts";
import { nameSteps } from "./step-names.ts";
import { leaseMs, sweepEveryMs } from "./worker-messages.ts";

/** How far a run is. */
export interface Progress {
  readonly cases: number;
  readonly started: number;
  readonly done: number;
  readonly inReview: number;
}

/** How a run is watched. */
export interface RunWatch {
  /** Ends the run early. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Told where the cases are kept, once that is known. */
  readonly onPlace: (place: string) => void;
  /** Told of whatever must not happen in a good run. */
  readonly onTrouble: (text: string) => void;
}

/** How a run ended. */
export interface RunOutcome extends Verdict {
  /** Null = it came to its end; else why it did not. */
  readonly gaveUp: string | null;
}

/** Cases that are started, or read, at the same time. */
const atOnceMax = 16;

/** Cases that all workers together hold at once: a kill costs those of one worker their claim. */
const casesHeldMax = 64;

/** How often it is looked how far the cases are, in milliseconds. */
const lookEveryMs = 100;

/** Runs a log: starts one case for each permit, lets the workers work on them, and looks what came of it. */
export async function runPermits(log: PermitLog, options: RunOptions, watch: RunWatch): Promise<RunOutcome> {
  const closers: Closer[] = [];
  let isGoodRun = false;
  try {
    const outcome = await runOpened(log, options, watch, closers);
    isGoodRun = outcome.gaveUp === null && isGood(outcome.figures);
    return outcome;
  } finally {
    for (const close of closers.toReversed()) await close(isGoodRun);
  }
}

/** Ends something that the run began; what a bad run wrote is kept for people to look at. */
type Closer = (isGoodRun: boolean) => void | Promise<void>;

async function runOpened(
  log: PermitLog,
  options: RunOptions,
  watch: RunWatch,
  closers: Closer[],
): Promise<RunOutcome> {
  const startedAt = performance.now();
  const outside = await openOutside(options.seed, closers);
  const database = await openDatabase(options.store, watch.signal);
  closers.push((wasGood) => database.close(!wasGood));
  watch.onPlace(database.place);
  const { store } = database;
  const bookFolder = mkdtempSync(join(tmpdir(), "foothold-permits-faults-"));
  closers.push(() => rmSync(bookFolder, { recursive: true, force: true }));
  const faultBook = join(bookFolder, "faults.jsonl");
  const registry = registryOf(permitCaseTypes(log.variants, outside.told));
  const workers = hire({ log, options, database, registry, outside: outside.told, faultBook, watch });
  closers.push(() => workers.end());
  const sweep = startSweep(store, watch);
  closers.push(() => sweep.stop());

  const desk = createDesk({ store, registry, ports: systemPorts(), engineVersion: ENGINE_VERSION });
  const permitIds = await startCases(log, desk, watch);
  await workers.begin(workerFaults(log, options, permitIds));
  const gaveUp = await untilAtRest({ store, workers, caseCount: permitIds.size, watch });
  // Those that were stopped may have something to report; what they say belongs to the figures.
  await workers.end();

  const verdict = judgeRun({
    log,
    effects: outside.ledger.effects(),
    cases: await readCases(store, permitIds),
    kills: readFaultBook(faultBook).filter(({ act }) => act === "kill"),
    stops: workers.endedStops,
    leaseMs,
    seconds: (performance.now() - startedAt) / 1_000,
  });
  return { ...verdict, gaveUp };
}

/** The two services with one ledger, so that all effects of a case are in one true order. */
async function openOutside(
  seed: number | null,
  closers: Closer[],
): Promise<{ readonly told: Outside; readonly ledger: Ledger }> {
  const ledger = Ledger.open();
  const plan = seed === null ? null : faultPlan(seed);
  const registry = await startRegistry({ ledger, switches: { plan } });
  closers.push(() => registry.stop());
  const mail = await startMail({ ledger, switches: { plan } });
  closers.push(() => mail.stop());
  closers.push(() => stopSending());
  const closedUrl = await findClosedUrl();
  return { told: { registryUrl: registry.url, mailUrl: mail.url, closedUrl, plan }, ledger };
}

type Workers = LoneWorker | Crew;

function hire(needed: {
  readonly log: PermitLog;
  readonly options: RunOptions;
  readonly database: RunDatabase;
  readonly registry: Registry;
  readonly outside: Outside;
  readonly faultBook: string;
  readonly watch: RunWatch;
}): Workers {
  const { log, options, database, registry, outside, faultBook, watch } = needed;
  const { onTrouble } = watch;
  const concurrency = Math.ceil(casesHeldMax / options.workerCount);
  if (database.reach === null) {
    return new LoneWorker({ name: "w-1", store: database.store, registry, concurrency, onTrouble });
  }
  const config = { variants: log.variants, ...database.reach, concurrency, outside, faultBook };
  const isFreed = (fault: BookedFault): Promise<boolean> => isClaimLost(database.store, fault);
  const isReported = (fault: BookedFault): Promise<boolean> => hasLateReport(database.store, fault);
  return new Crew({ workerCount: options.workerCount, config, isFreed, isReported, onTrouble });
}

/** True once the journal has what a worker reported of this attempt after it had lost the case. */
async function hasLateReport(store: Store, { caseId, step, attempt }: BookedFault): Promise<boolean> {
  const stored = await store.loadCase(caseId);
  return (
    stored?.journal.some(
      ({ entry }) => entry.kind === "lateReport" && entry.step === step && entry.attempt === attempt,
    ) === true
  );
}

/** True once the journal says that the claim was lost under which this attempt was open. */
async function isClaimLost(store: Store, { caseId, step, attempt }: BookedFault): Promise<boolean> {
  const stored = await store.loadCase(caseId);
  const lost = stored === null ? [] : endedCase("", stored).lostAttempts;
  return lost.some((one) => one.step === step && one.attempt === attempt);
}

/** The workers sweep too, but one that was just started has watched nobody for a whole lease yet; this one goes on. */
function startSweep(store: Store, { onTrouble }: RunWatch): Sweep {
  const onReport = (report: Report): void => tellTrouble(report, onTrouble);
  const sweep = createSweep({ store, ports: systemPorts(), intervalMs: sweepEveryMs, onReport });
  sweep.start();
  return sweep;
}

/** Starts a case for each permit. Gives the permits by case id; not all of them if the run is given up meanwhile. */
async function startCases(
  log: PermitLog,
  desk: Desk,
  { signal, onProgress }: RunWatch,
): Promise<ReadonlyMap<string, string>> {
  const permitIds = new Map<string, string>();
  await eachAtOnce(log.cases, async (permit) => {
    if (signal.aborted) return;
    const { caseId } = await desk.startCase(permitTypeName(permit.variantNumber), inputOf(permit), {
      by: "the permit log",
      businessKey: permit.caseId,
    });
    permitIds.set(caseId, permit.caseId);
    onProgress({ cases: log.cases.length, started: permitIds.size, done: 0, inReview: 0 });
  });
  return permitIds;
}

/** Which workers die and stop, in the words of the engine. One worker alone is left in peace. */
function workerFaults(
  log: PermitLog,
  { seed, workerCount }: RunOptions,
  permitIds: ReadonlyMap<string, string>,
): readonly PlannedFault[] {
  if (seed === null || workerCount === 1) return [];
  const caseIds = new Map([...permitIds].map(([caseId, permitId]) => [permitId, caseId]));
  const variants = new Map(log.variants.map((variant) => [variant.number, variant]));
  const permits = new Map(log.cases.map((permit) => [permit.caseId, permit]));
  return planWorkerFaults(log.cases, seed).flatMap(({ act, point, permitId, position }) => {
    const caseId = caseIds.get(permitId);
    const variant = variants.get(permits.get(permitId)?.variantNumber ?? 0);
    const step = variant === undefined ? undefined : nameSteps(variant.steps).names[position - 1];
    return caseId === undefined || step === undefined ? [] : [{ act, point, caseId, step }];
  });
}

/** Waits until no case can go on by itself. Null = so it is; else why it was not waited for any longer. */
async function untilAtRest(run: {
  readonly store: Store;
  readonly workers: Workers;
  readonly caseCount: number;
  readonly watch: RunWatch;
}): Promise<string | null> {
  const { store, workers, caseCount, watch } = run;
  while (!watch.signal.aborted) {
    const counts = await store.countCases();
    const inState = (state: "done" | "in_review" | "canceled" | "paused"): number =>
      counts.reduce((sum, { states }) => sum + (states[state] ?? 0), 0);
    const [done, inReview] = [inState("done"), inState("in_review")];
    watch.onProgress({ cases: caseCount, started: caseCount, done, inReview });
    const resting = done + inReview + inState("canceled") + inState("paused");
    if (resting === caseCount && !workers.hasStopped) return null;
    if (workers.isGone) return "no worker is left";
    await delay(lookEveryMs, undefined, { signal: watch.signal }).catch(() => undefined);
  }
  const reason: unknown = watch.signal.reason;
  return reason instanceof Error ? reason.message : String(reason);
}

async function readCases(
  store: Store,
  permitIds: ReadonlyMap<string, string>,
): Promise<readonly EndedCase[]> {
  const cases: EndedCase[] = [];
  await eachAtOnce([...permitIds], async ([caseId, permitId]) => {
    const stored = await store.loadCase(caseId);
    if (stored !== null) cases.push(endedCase(permitId, stored));
  });
  return cases;
}

function endedCase(permitId: string, { row, journal }: StoredCase): EndedCase {
  const entries = journal.map(({ entry }) => entry);
  const losses = entries.filter((entry) => entry.kind === "claimLost");
  const lostClaims = new Set(losses.map(({ claimId }) => claimId));
  return {
    permitId,
    caseId: row.caseId,
    state: row.state,
    sentence: row.summary.reviews[0]?.sentence ?? null,
    lostAttempts: losses.flatMap(({ openAttempts }) => openAttempts),
    lateReports: entries.filter((entry) => entry.kind === "lateReport" && lostClaims.has(entry.claimId))
      .length,
  };
}

/** Does something with each item in order, several at once. */
async function eachAtOnce<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const lane = async (): Promise<void> => {
    // All lanes take from the same iterator, so each item is taken once.
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: atOnceMax }, lane));
}
