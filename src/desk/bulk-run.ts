/**
 * Works off bulk acts. Any number of processes may do so at once: each takes a few cases under a claim that ends by itself,
 * makes the move, and stores what became of it. The move carries the id of the bulk act, so that a case whose worker was
 * killed in between is not moved twice.
 */

import { FootholdError, isFootholdError } from "../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { VERBS, type Verb } from "../core/rights.ts";
import { needsSecond, SECOND_MOVES } from "../core/second-person.ts";
import type { BulkAct, BulkItem, BulkOutcome } from "../store/bulk-port.ts";
import type { StoredRow } from "../store/port.ts";
import { addNote, cancel, pause, resume } from "./acts.ts";
import { assignCase } from "./assigning.ts";
import { audited, headOfAct } from "./audited.ts";
import { filterOf, type BulkFilter } from "./bulk.ts";
import type { ActReply } from "./change.ts";
import type { DeskParts } from "./desk-parts.ts";
import type { Who } from "./requests.ts";
import { checkNow, skipStep } from "./step-orders.ts";

/** Cases in one claim. */
const CLAIM_CASES = 40;
/** Cases moved side by side. */
const AT_ONCE = 8;
/** How long a claim on a case lasts, in ms: moving one takes a few statements. */
const HOLD_MS = 60_000;
/** How often a runner without work looks for some, in ms. */
const LOOK_EVERY_MS = 1_000;
/** How long the case that is tried first may take before people are told, in ms. */
const TRY_MS_MAX = 300_000;

/** What a runner is made of. */
export interface BulkRunnerOptions {
  readonly parts: DeskParts;
  /** Told of a pass that failed. The next one is made all the same. */
  readonly onError: (error: unknown) => void;
  /** Default 60 s. */
  readonly holdMs?: number;
}

/** Works off bulk acts. */
export interface BulkRunner {
  /** Works from now on. Safe twice. */
  start(): void;
  /** Ends after the cases under way. Safe twice. */
  stop(): Promise<void>;
  /** One pass; true if there was something to do. */
  runOnce(): Promise<boolean>;
}

/** Makes a runner; nothing runs before `start` or `runOnce`. */
export function createBulkRunner(options: BulkRunnerOptions): BulkRunner {
  const stopped = new AbortController();
  const { clock } = options.parts.ports;
  let loop: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const isBusy = await attemptPass(options, stopped.signal);
      if (!isBusy) await clock.sleep(LOOK_EVERY_MS, stopped.signal);
    }
  };
  return {
    start: () => {
      loop ??= run();
    },
    stop: async () => {
      stopped.abort();
      await loop;
    },
    runOnce: () => pass(options, stopped.signal),
  };
}

async function attemptPass(options: BulkRunnerOptions, stopped: AbortSignal): Promise<boolean> {
  try {
    return await pass(options, stopped);
  } catch (error) {
    options.onError(error);
    return false;
  }
}

async function pass({ parts, holdMs = HOLD_MS }: BulkRunnerOptions, stopped: AbortSignal): Promise<boolean> {
  const { store, ports } = parts;
  await judgeTried(parts);
  const claimId = ports.ids.unique();
  const items = await store.bulk.claim({ claimId, limit: CLAIM_CASES, holdMs });
  const acts = new Map<string, BulkAct | null>();
  for (const bulkId of new Set(items.map((one) => one.bulkId)))
    acts.set(bulkId, await store.bulk.load(bulkId));
  const queue = [...items];
  const moveNext = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      // What is not begun is taken up by another process once the claim has ended.
      if (stopped.aborted) return;
      const act = acts.get(item.bulkId) ?? null;
      const outcome = act === null ? null : await moveCase(parts, act, item);
      if (outcome !== null) await store.bulk.settle({ ...outcome, claimId });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, moveNext));
  await store.bulk.finish();
  return items.length > 0;
}

/** What a second person has to approve is shown to them case by case. */
function secondNeeded(move: string, caseId: string): FootholdError {
  return new FootholdError(
    "SECOND_NEEDED",
    `To ${move} case ${caseId}, a second person has to approve it: make the move on the case itself.`,
    { details: { caseId } },
  );
}

type Ended = Omit<BulkOutcome, "claimId">;

/** Null = it is left for a process that has its definition. */
async function moveCase(parts: DeskParts, act: BulkAct, { bulkId, caseId }: BulkItem): Promise<Ended | null> {
  const about = { bulkId, caseId };
  try {
    const stored = await parts.store.loadCase(caseId);
    if (stored !== null && parts.registry.find(stored.row.caseType) === null) return null;
    const isMoved = stored?.journal.some(({ commitId }) => commitId === bulkId) === true;
    if (stored !== null && !isMoved && !filterOf(parts, readFilter(act.filter))(stored.row)) {
      const sentence = `Case ${caseId} is not as it was when the bulk act was made; nothing was done.`;
      return { ...about, state: "refused", code: "PLAN_CHANGED", sentence };
    }
    const needed = SECOND_MOVES.find((one) => one === act.move) ?? null;
    if (stored !== null && !isMoved && needed !== null) {
      const { caseType } = stored.row;
      if (needsSecond(parts.secondRules, needed, caseType)) throw secondNeeded(act.move, caseId);
    }
    if (isMoved) return { ...about, state: "done", code: null, sentence: "It was done before." };
    const head = { ...headOfAct(act.move, caseId, { by: whoOf(act.by), reason: act.reason }), about: bulkId };
    const reply = await audited(parts, head, async (acting) => {
      if (stored !== null) await checkRights(acting, act, stored.row);
      return makeMove(acting, act, caseId);
    });
    return { ...about, state: "done", code: null, sentence: reply.sentence };
  } catch (error) {
    if (!isFootholdError(error) || error.code === "DATABASE_UNAVAILABLE") throw error;
    if (error.code === "UNKNOWN_CASE_TYPE") return null;
    return { ...about, state: "refused", code: error.code, sentence: error.message };
  }
}

/** Hours may lie between the order and this case: whoever lost the right meanwhile has lost it here too. */
async function checkRights({ lacksNow }: DeskParts, act: BulkAct, row: StoredRow): Promise<void> {
  const who = whoOf(act.by);
  if (lacksNow === null || typeof who === "string") return;
  const rights: readonly Verb[] = ["bulk", ...VERBS.filter((one) => one === act.move)];
  const lacked = await lacksNow(who, rights, row);
  if (lacked === null) return;
  throw new FootholdError(
    "NOT_ALLOWED",
    `${who.label} has the right "${lacked}" for ${row.caseType} of the tenant ${row.tenant} no more, so case ` +
      `${row.caseId} was left as it is.`,
    { details: { caseId: row.caseId } },
  );
}

/** Makes the move of an act on one case. What is stored was checked when the act was made. */
function makeMove(parts: DeskParts, act: BulkAct, caseId: string): Promise<ActReply> {
  const { bulkId, reason } = act;
  const request = objectOf(act.request);
  const common = { by: whoOf(act.by), actId: bulkId, reason };
  switch (act.move) {
    case "resume": {
      const step = textOf(request["step"]);
      return resume(parts, caseId, { ...common, ...(step === null ? {} : { step }) });
    }
    case "check":
      return checkNow(parts, caseId, { ...common, step: stepOf(request) });
    case "skip": {
      const { result = null } = request;
      return skipStep(parts, caseId, { ...common, reason: reason ?? "", step: stepOf(request), result });
    }
    case "pause": {
      const { untilAt } = request;
      return pause(parts, caseId, { ...common, untilAt: typeof untilAt === "number" ? untilAt : null });
    }
    case "cancel":
      return cancel(parts, caseId, common);
    case "assign": {
      const to = request["to"] ?? null;
      const named = to === null ? null : objectOf(to);
      const [id, label] = [textOf(named?.["id"]), textOf(named?.["label"])];
      return assignCase(parts, caseId, {
        ...common,
        to: id === null || label === null ? null : { id, label },
      });
    }
    case "note":
      return addNote(parts, caseId, { ...common, text: textOf(request["text"]) ?? "" });
    default:
      throw new FootholdError("INVALID_REQUEST", `This release knows no bulk act of ${act.move}.`);
  }
}

/** What became of the first case decides whether the others go on. */
async function judgeTried(parts: DeskParts): Promise<void> {
  const { store } = parts;
  for (const { act, first } of await store.bulk.listTrying()) {
    const { bulkId } = act;
    const said = await judgeFirst(parts, act, first);
    if (said === null) continue;
    const to = said.isGood ? "running" : "paused";
    await store.bulk.shift({ bulkId, from: ["trying"], to, why: said.why, isTried: said.isGood });
  }
}

interface Judged {
  readonly isGood: boolean;
  readonly why: string | null;
}

/** Null = it is under way. */
async function judgeFirst(
  { store }: DeskParts,
  act: BulkAct,
  { caseId, state, sentence, endedAt }: BulkItem,
): Promise<Judged | null> {
  if (state === "refused")
    return { isGood: false, why: `the first case, ${caseId}, was refused: ${sentence}` };
  if (act.move !== "resume" && act.move !== "skip") return { isGood: true, why: null };
  const row = await store.loadRow(caseId);
  const since = endedAt ?? 0;
  const isBad = (why: string): Judged => ({ isGood: false, why: `the first case, ${caseId}: ${why}` });
  if (row === null) return isBad("it is not there any more");
  const [review] = row.summary.reviews;
  const { lastFailure } = row.summary;
  if (row.state === "done") return { isGood: true, why: null };
  if (row.state === "canceled" || row.state === "paused") return isBad(`it is ${row.state}`);
  if (review !== undefined && row.state === "in_review") return isBad(review.sentence);
  if (row.state === "waiting" && lastFailure !== null && lastFailure.at >= since) {
    return isBad(`it failed again. ${lastFailure.sentence}`);
  }
  // It waits for an event, an approval or a time: it got past what it had stopped at.
  if (row.state === "waiting") return { isGood: true, why: null };
  const isLate = (await store.now()) >= since + TRY_MS_MAX;
  return isLate ? isBad("no worker has tried it yet") : null;
}

/** A filter as it was stored. */
function readFilter(stored: Json): BulkFilter {
  const { by, problemId } = objectOf(stored);
  if (by === "problem") return { by, problemId: textOf(problemId) ?? "" };
  // What was named or met criteria is not asked again.
  return { by: "cases", caseIds: [] };
}

function whoOf(stored: Json): Who {
  if (typeof stored === "string") return stored;
  const { id, label, roles } = objectOf(stored);
  const names = Array.isArray(roles) ? roles.filter((one) => typeof one === "string") : [];
  return { id: textOf(id) ?? "", label: textOf(label) ?? "", roles: names };
}

function stepOf(request: JsonObject): string {
  return textOf(request["step"]) ?? "";
}

function objectOf(value: Json): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}
