/** One act on one case: judged under the case's lock, written in one commit, sent again when the reply was lost. */

import type { CaseState, OpenRepair } from "../core/case-state.ts";
import { FootholdError, isFootholdError } from "../core/errors.ts";
import { foldEntries } from "../core/fold.ts";
import type { Entry, JournalEntry } from "../core/journal.ts";
import { isEnded, type HeldBy, type MoveVerdict } from "../core/moves.ts";
import { standingOfRepair } from "../core/repair-moves.ts";
import { endOfStaleRepair, endRepair, REPAIR_ACT_WITHIN_MS } from "../core/repair.ts";
import { inFormerNames, renamesFor, renameSteps } from "../core/renames.ts";
import { rowOf } from "../core/row.ts";
import type { CaseChange, ClaimChange, FoldedCase, StoredHolder, StoredRow } from "../store/port.ts";
import { lineOfChange } from "./audited.ts";
import { definitionOf } from "./definition.ts";
import type { DeskParts } from "./desk-parts.ts";
import { caseNotFound, checkActId, isCaseId } from "./requests.ts";
import { sendAgain } from "./send-again.ts";
import { followChange } from "./traced.ts";
import { headWithout, maskWords, textsAround } from "./typed-words.ts";

/** What became of an act. A refusal is thrown, with its code. */
export interface ActReply {
  readonly caseId: string;
  /**
   * `requested`: a worker carries it out: its holder with its next commit, or, where what was done is undone first, the next
   * one that takes the case. `repeated`: it was known
   * already, and nothing was written.
   */
  readonly outcome: "done" | "requested" | "repeated";
  readonly sentence: string;
  /** Why an event that was stored is not applied. */
  readonly ignored?: string;
}

/** What an act is judged on. */
export interface ActView {
  readonly row: StoredRow;
  readonly state: CaseState;
  /** Somebody else's claim; null for the holder of the repair under which the act is made. */
  readonly held: HeldBy | null;
  /** The repair under which the act is made; null = it is made on a case that nobody need hold. */
  readonly repair: OpenRepair | null;
  readonly now: number;
}

/** An act, judged by a pure function. It may throw a `FootholdError`; then nothing is written. */
export type JudgeAct = (view: ActView) => MoveVerdict;

/** The case to act on, and the open repair under which the act is made, if it is made under one. */
export interface ActOn {
  readonly caseId: string;
  readonly repairId: string | undefined;
  /** What the act is known by when it is asked for again. */
  readonly actId?: string | undefined;
}

type Decision =
  | {
      readonly kind: "verdict";
      readonly verdict: MoveVerdict;
      /** The page under whose repair it was judged: the act is a sign of its life. */
      readonly pageId: string | null;
      /** True where a holder stood in the way that the list of holders did not name. */
      readonly isNameless: boolean;
    }
  | { readonly kind: "threw"; readonly error: unknown };

/**
 * Carries out an act; a fact with a `sourceId` is stored once. Throws the refusal's code, `REPAIR_OVER`,
 * `CASE_NOT_FOUND`, `CORRUPT_JOURNAL`, `ENGINE_TOO_OLD`, or
 * `DATABASE_UNAVAILABLE` after a bounded number of tries; then the act may or may not be stored, and doing it again is
 * safe.
 */
export async function changeCase(
  parts: DeskParts,
  { caseId, repairId, actId }: ActOn,
  judge: JudgeAct,
  sourceId: string | null = null,
): Promise<ActReply> {
  if (!isCaseId(caseId)) throw caseNotFound(caseId);
  return followChange(parts.ports, caseId, () => change(parts, { caseId, repairId, actId }, judge, sourceId));
}

async function change(
  parts: DeskParts,
  { caseId, repairId, actId }: ActOn,
  judge: JudgeAct,
  sourceId: string | null,
): Promise<ActReply> {
  const { store, ports, engineVersion } = parts;
  checkActId(actId);
  const commitId = actId ?? ports.ids.unique();
  const decide = (holders: readonly StoredHolder[]) => (stored: FoldedCase, now: number) =>
    decideChange({ stored, now, holders, commitId, engineVersion, repairId, judge, parts });
  const send = async (): ReturnType<typeof store.changeCase<Decision>> => {
    // Only names a holder in a refusal; what guards the case is the claim under its lock.
    const holders = await store.listHolders();
    return store.changeCase(caseId, { commitId, sourceId }, decide(holders));
  };
  let reply = await sendAgain(ports.clock, send);
  const first = reply?.kind === "decided" && reply.reply.kind === "verdict" ? reply.reply : null;
  // Whoever stands in the way had only just begun. Nothing was written, so it may be judged again.
  if (first?.isNameless === true) reply = await sendAgain(ports.clock, send);
  if (reply === null) throw caseNotFound(caseId);
  if (reply.kind === "repeated") return repliedBefore(parts, caseId, commitId);
  if (reply.kind === "known") return readVerdict(caseId, { kind: "repeated" });
  if (reply.kind === "erased") throw caseErased(caseId);
  if (reply.reply.kind === "threw") throw reply.reply.error;
  const { verdict, pageId } = reply.reply;
  if (pageId !== null) await showLife(parts, pageId);
  return readVerdict(caseId, verdict);
}

interface ChangeInput {
  readonly stored: FoldedCase;
  readonly now: number;
  readonly holders: readonly StoredHolder[];
  readonly commitId: string;
  readonly engineVersion: number;
  readonly repairId: string | undefined;
  readonly judge: JudgeAct;
  readonly parts: Pick<DeskParts, "ports" | "act" | "registry">;
}

function decideChange(input: ChangeInput): CaseChange<Decision> {
  const { stored, now, commitId } = input;
  // Carried out as a value, so that what a store makes of an exception in its transaction does not matter.
  try {
    checkEngine(stored.row, input.engineVersion);
    const { state: found } = stored;
    const at = Math.max(now, found.changedAt);
    const fold = (state: CaseState, entries: readonly Entry[]): CaseState =>
      foldEntries(state, numbered(entries, state.revision, at, commitId));
    const stale = endOfStaleRepair(found, stored.row.claim?.claimId ?? null);
    const state = fold(found, stale);
    const { caseType } = definitionOf(input.parts.registry, stored.row);
    // People see steps by the names that they have now; the journal learns those from the worker that goes on with it.
    const renamed = caseType === null ? [] : renamesFor(caseType.outline, state);
    const seen = renameSteps(state, renamed);
    const judged = judgeUnderRepair(input, seen);
    const { verdict, pageId } = judged;
    if (verdict.kind !== "write") return leave({ kind: "verdict", ...judged });
    const texts = textsAround(caseType, seen, () => fold(seen, verdict.entries));
    const own = inFormerNames(maskWords(verdict.entries, texts), renamed);
    const moved = fold(state, own);
    const over = isEnded(moved) ? endRepair(moved, "caseEnded") : [];
    const entries = [...stale, ...own, ...over];
    const row = rowOf(fold(moved, over));
    const { ports, act } = input.parts;
    const line = lineOfChange(
      { ports, act: act === null ? null : headWithout(act, texts) },
      {
        caseId: stored.row.caseId,
        before: { revision: stored.row.revision, state: stored.row.state },
        after: { revision: row.revision, state: row.state },
        entries: verdict.entries,
      },
    );
    return {
      kind: "write",
      commitId,
      entries,
      at,
      row,
      ...(line === null ? {} : { line }),
      claim: claimAfter(entries, { claimId: stored.row.claim?.claimId ?? null, isOwn: pageId !== null }),
      reply: { kind: "verdict", ...judged },
    };
  } catch (error) {
    return leave({ kind: "threw", error });
  }
}

function judgeUnderRepair(
  { stored, now, holders, repairId, judge }: ChangeInput,
  state: CaseState,
): Omit<Extract<Decision, { kind: "verdict" }>, "kind"> {
  const held = heldBy(stored.row, holders);
  const isUnknown = held !== null && held.holder === null;
  if (repairId === undefined) {
    const verdict = judge({ ...stored, state, held, repair: null, now });
    return { verdict, pageId: null, isNameless: isUnknown && verdict.kind === "refused" };
  }
  const standing = standingOfRepair(state, held?.claim.claimId ?? null, repairId);
  if (standing.kind === "refused") return { verdict: standing, pageId: null, isNameless: false };
  const verdict = judge({ ...stored, state, held: null, repair: standing.repair, now });
  return { verdict, pageId: held?.claim.holderId ?? null, isNameless: false };
}

/** The claim follows from what happened: who opens a repair has it, and who ends one has it no more. */
function claimAfter(
  entries: readonly Entry[],
  held: { readonly claimId: string | null; readonly isOwn: boolean },
): ClaimChange {
  const actWithinMs = REPAIR_ACT_WITHIN_MS;
  const last = entries.at(-1);
  if (last?.kind === "repairOpened" || last?.kind === "repairTakenOver") {
    const { claimId, holderId } = last;
    return { kind: "take", claimId, holderId, actWithinMs };
  }
  if (last?.kind === "repairEnded" && last.claimId === held.claimId) return "free";
  return held.isOwn ? { kind: "touch", actWithinMs } : "keep";
}

/**
 * The sweep may end the repair meanwhile, or the database be away: the act is stored all the same, and the page learns
 * the rest with its next sign of life.
 */
async function showLife({ store }: DeskParts, holderId: string): Promise<void> {
  try {
    await store.beat(holderId);
  } catch (error) {
    if (!isFootholdError(error) || error.code !== "DATABASE_UNAVAILABLE") throw error;
  }
}

function leave(reply: Decision): CaseChange<Decision> {
  return { kind: "leave", reply };
}

/** Entries with their places after `revision`, as the store will number them. */
function numbered(
  entries: readonly Entry[],
  revision: number,
  at: number,
  commitId: string,
): readonly JournalEntry[] {
  return entries.map((entry, index) => ({ revision: revision + index + 1, at, commitId, entry }));
}

/** The claim on a case, with its holder where it is known. */
export function heldBy({ claim }: StoredRow, holders: readonly StoredHolder[]): HeldBy | null {
  if (claim === null) return null;
  return { claim, holder: holders.find(({ holderId }) => holderId === claim.holderId) ?? null };
}

/** Throws `ENGINE_TOO_OLD` for a case that a later engine wrote (R12): this one may not understand all of its journal. */
export function checkEngine(row: StoredRow, engineVersion: number): void {
  if (row.engineVersion <= engineVersion) return;
  throw new FootholdError(
    "ENGINE_TOO_OLD",
    `Case ${row.caseId} was written by engine version ${row.engineVersion}; this one is version ${engineVersion}. ` +
      `Nothing was changed. Use the newer release of Foothold that its workers run.`,
    { details: { caseId: row.caseId } },
  );
}

/** `CASE_ERASED`. */
export function caseErased(caseId: string): FootholdError {
  return new FootholdError(
    "CASE_ERASED",
    `The data of case ${caseId} was erased, so nothing is done with it any more. Nothing was changed.`,
    { details: { caseId } },
  );
}

/** An earlier send of this act was stored and its reply was lost; the journal tells what it did. */
async function repliedBefore(parts: DeskParts, caseId: string, commitId: string): Promise<ActReply> {
  const stored = await parts.store.loadCase(caseId);
  const entries = stored?.journal.filter((one) => one.commitId === commitId).map(({ entry }) => entry) ?? [];
  return readVerdict(caseId, { kind: "write", entries });
}

function readVerdict(caseId: string, verdict: MoveVerdict): ActReply {
  switch (verdict.kind) {
    case "refused":
      throw new FootholdError(verdict.code, verdict.sentence, { details: { caseId } });
    case "repeated":
      return {
        caseId,
        outcome: "repeated",
        sentence: `Case ${caseId} knew that already; nothing was written.`,
      };
    case "write": {
      const [request] = verdict.entries.flatMap(sayRequest);
      return request === undefined
        ? { caseId, outcome: "done", ...toldOf(verdict.entries) }
        : { caseId, outcome: "requested", sentence: request };
    }
  }
}

function toldOf(entries: readonly Entry[]): Pick<ActReply, "sentence" | "ignored"> {
  for (const entry of entries) {
    if (entry.kind === "eventReceived" && entry.ignored !== null) {
      return { sentence: `Stored, and ignored: ${entry.ignored}.`, ignored: entry.ignored };
    }
    if (entry.kind === "repairEnded" && entry.why === "closed") {
      return { sentence: entry.events === 0 ? "Closed." : "Closed, and what came meanwhile is applied." };
    }
    if (entry.kind === "eventAttached") {
      return { sentence: "Stored, and attached to the open repair: it is applied when the repair ends." };
    }
  }
  return { sentence: "Stored." };
}

function sayRequest({ kind }: Entry): readonly string[] {
  if (kind === "pauseRequested") return ["Requested: its holder carries it out with its next commit."];
  if (kind !== "cancelRequested") return [];
  return [
    "Requested: a worker finds out what may have happened and undoes what was done; then it is canceled.",
  ];
}
