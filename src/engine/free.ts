/** Freeing a claim: by the sweep when its holder fell silent, by its own holder when it does not know it (R8). */

import type { CaseState } from "../core/case-state.ts";
import { isFootholdError, type FootholdError } from "../core/errors.ts";
import type { AttemptRef, Entry } from "../core/journal.ts";
import { endRepair, repairUnder } from "../core/repair.ts";
import { rowOf } from "../core/row.ts";
import type { CaseChange, FoldedCase, Store } from "../store/port.ts";
import { preview } from "./advance.ts";
import { setAside } from "./set-aside.ts";

/** A claim to free, and why. */
export interface FreeInput {
  readonly caseId: string;
  readonly claimId: string;
  readonly holderId: string;
  readonly holderName: string;
  readonly why: "silent" | "actBy" | "orphaned";
  readonly commitId: string;
}

/** What became of a claim that was to be freed. */
export type Freed =
  | { readonly kind: "freed" }
  /** It had ended before. */
  | { readonly kind: "gone" }
  /** The journal cannot be read; the case was set aside. */
  | { readonly kind: "setAside"; readonly fault: FootholdError };

/**
 * Frees a claim if it is still the one named. With an attempt open, a loss is journaled and counts (R9); else the case
 * goes back as it stood. A repair ends, with what came meanwhile applied, and is no loss (R22). A case whose journal
 * cannot be read is set aside, so that it keeps nobody busy.
 */
export async function freeClaim(store: Store, input: FreeInput): Promise<Freed> {
  const { caseId, claimId, commitId } = input;
  try {
    const changed = await store.changeCase(caseId, { commitId, sourceId: null }, (stored, now) =>
      decideFree(stored, now, input),
    );
    return changed?.kind === "decided" && changed.reply ? { kind: "freed" } : { kind: "gone" };
  } catch (error) {
    if (!isFootholdError(error) || error.code !== "CORRUPT_JOURNAL") throw error;
    const isAside = await setAside(store, { caseId, claimId, fault: error, summary: null });
    return isAside ? { kind: "setAside", fault: error } : { kind: "gone" };
  }
}

function decideFree({ row, state }: FoldedCase, now: number, input: FreeInput): CaseChange<boolean> {
  if (row.claim?.claimId !== input.claimId) return { kind: "leave", reply: false };
  const { claimId, holderId, holderName, why } = input;
  const openAttempts = attemptsOf(state, claimId);
  const lost: readonly Entry[] =
    openAttempts.length === 0
      ? []
      : [{ kind: "claimLost", claimId, holderId, holderName, why, openAttempts }];
  const isRepair = repairUnder(state, claimId) !== null;
  const entries = isRepair ? endRepair(state, why) : lost;
  const at = Math.max(now, state.changedAt);
  const after = preview(state, entries, at);
  return {
    kind: "write",
    commitId: input.commitId,
    entries,
    at,
    row: rowOf(after),
    claim: "free",
    reply: true,
  };
}

function attemptsOf(state: CaseState, claimId: string): readonly AttemptRef[] {
  return Object.entries(state.steps).flatMap(([step, { intent }]) =>
    (intent?.attempts ?? [])
      .filter((one) => one.claimId === claimId && one.outcome.kind === "open")
      .map((one) => ({ step, intentVersion: intent?.version ?? 0, attempt: one.number })),
  );
}
