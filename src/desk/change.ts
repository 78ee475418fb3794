/** One act on one case: judged under the case's lock, written in one commit, sent again when the reply was lost. */

import { FootholdError } from "../core/errors.ts";
import { foldEntries, foldJournal } from "../core/fold.ts";
import type { CaseState } from "../core/case-state.ts";
import type { Entry, JournalEntry } from "../core/journal.ts";
import type { HeldBy, MoveVerdict } from "../core/moves.ts";
import { rowOf } from "../core/row.ts";
import type { CaseChange, StoredCase, StoredHolder, StoredRow } from "../store/port.ts";
import type { DeskParts } from "./desk-parts.ts";
import { caseNotFound, isCaseId } from "./requests.ts";
import { sendAgain } from "./send-again.ts";

/** What became of an act. A refusal is thrown, with its code. */
export interface ActReply {
  readonly caseId: string;
  /**
   * `requested`: a worker holds the case and gets the request back with its next commit. `repeated`: it was known
   * already, and nothing was written.
   */
  readonly outcome: "done" | "requested" | "repeated";
  readonly sentence: string;
}

/** What an act is judged on. */
export interface ActView {
  readonly row: StoredRow;
  readonly journal: readonly JournalEntry[];
  readonly state: CaseState;
  readonly held: HeldBy | null;
  readonly now: number;
}

/** An act, judged by a pure function. It may throw a `FootholdError`; then nothing is written. */
export type JudgeAct = (view: ActView) => MoveVerdict;

type Decision =
  | { readonly kind: "verdict"; readonly verdict: MoveVerdict }
  | { readonly kind: "threw"; readonly error: unknown };

/**
 * Carries out an act. Throws the refusal's code, `CASE_NOT_FOUND`, `CORRUPT_JOURNAL`, `ENGINE_TOO_OLD`, or
 * `DATABASE_UNAVAILABLE` after a bounded number of tries; then the act may or may not be stored, and doing it again is
 * safe.
 */
export async function changeCase(parts: DeskParts, caseId: string, judge: JudgeAct): Promise<ActReply> {
  if (!isCaseId(caseId)) throw caseNotFound(caseId);
  const { store, ports, engineVersion } = parts;
  const commitId = ports.ids.unique();
  const decide = (holders: readonly StoredHolder[]) => (stored: StoredCase, now: number) =>
    decideChange({ stored, now, holders, commitId, engineVersion, judge });
  const reply = await sendAgain(ports.clock, async () => {
    // Only names a holder in a refusal; what guards the case is the claim under its lock.
    const holders = await store.listHolders();
    return store.changeCase(caseId, commitId, decide(holders));
  });
  if (reply === null) throw caseNotFound(caseId);
  if (reply.kind === "repeated") return repliedBefore(parts, caseId, commitId);
  if (reply.reply.kind === "threw") throw reply.reply.error;
  return readVerdict(caseId, reply.reply.verdict);
}

interface ChangeInput {
  readonly stored: StoredCase;
  readonly now: number;
  readonly holders: readonly StoredHolder[];
  readonly commitId: string;
  readonly engineVersion: number;
  readonly judge: JudgeAct;
}

function decideChange(input: ChangeInput): CaseChange<Decision> {
  const { stored, now, commitId } = input;
  // Carried out as a value, so that what a store makes of an exception in its transaction does not matter.
  try {
    checkEngine(stored.row, input.engineVersion);
    const state = foldJournal(stored.row.caseId, stored.journal);
    const held = heldBy(stored.row, input.holders);
    const verdict = input.judge({ ...stored, state, held, now });
    if (verdict.kind !== "write") return leave({ kind: "verdict", verdict });
    const at = Math.max(now, state.changedAt);
    const row = rowOf(foldEntries(state, numbered(verdict.entries, state.revision, at, commitId)));
    return {
      kind: "write",
      commitId,
      entries: verdict.entries,
      at,
      row,
      claim: "keep",
      reply: { kind: "verdict", verdict },
    };
  } catch (error) {
    return leave({ kind: "threw", error });
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
      const isRequest = verdict.entries.some(isRequestEntry);
      return isRequest
        ? {
            caseId,
            outcome: "requested",
            sentence: "Requested: its holder carries it out with its next commit.",
          }
        : { caseId, outcome: "done", sentence: "Stored." };
    }
  }
}

function isRequestEntry({ kind }: Entry): boolean {
  return kind === "cancelRequested" || kind === "pauseRequested";
}
