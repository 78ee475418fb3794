/**
 * Repairs: a person holds the claim of a case while a page is open (R22). What comes meanwhile is attached to the repair
 * and applied when it ends; the state of the case lies below the repair, as it lies below a worker's claim.
 */

import type { CaseState, FormerRepair, OpenRepair } from "./case-state.ts";
import type { Entry, RepairEnd } from "./journal.ts";
import { addEvents } from "./received-events.ts";

/** How long an open page may be silent, in ms. */
export const PAGE_LEASE_MS = 300_000;
/** How long a repair may go without a move although its page is open, in ms: a forgotten page holds no case for days. */
export const REPAIR_ACT_WITHIN_MS: number = 8 * 3_600_000;
/** Repairs that are over of which a case remembers how they ended, so that a page left open can be told. */
const FORMER_REPAIRS_MAX = 20;

/** The repair that holds this claim; null where a worker holds it, or nobody. */
export function repairUnder({ repair }: CaseState, claimId: string | null): OpenRepair | null {
  return repair !== null && repair.claimId === claimId ? repair : null;
}

/** The entry that ends the open repair, with what becomes of the events attached to it; none where no repair is open. */
export function endRepair({ repair, rest }: CaseState, why: RepairEnd): readonly Entry[] {
  if (repair === null) return [];
  const { claimId, attached } = repair;
  const isOver = rest.kind === "done" || rest.kind === "canceled";
  const ignored = isOver && attached.length > 0 ? `the case is ${rest.kind}` : null;
  return [{ kind: "repairEnded", claimId, why, events: attached.length, ignored }];
}

/**
 * What ends a repair whose claim is gone. That happens only where a claim was freed without the journal: a case that was
 * set aside because its journal could not be read, and whose journal was restored since.
 */
export function endOfStaleRepair(state: CaseState, heldClaimId: string | null): readonly Entry[] {
  return repairUnder(state, heldClaimId) === null ? endRepair(state, "orphaned") : [];
}

/** The case as its facts will be once the repair has ended: what is attached is applied, in the order in which it came. */
export function withAttached(state: CaseState): CaseState {
  const { repair } = state;
  if (repair === null || repair.attached.length === 0) return state;
  return {
    ...state,
    events: addEvents(state.events, repair.attached),
    repair: { ...repair, attached: [] },
  };
}

/** A state whose repair is over. */
export function withoutRepair(state: CaseState, former: FormerRepair): CaseState {
  const formerRepairs = [...state.formerRepairs, former].slice(-FORMER_REPAIRS_MAX);
  return { ...state, repair: null, formerRepairs };
}
