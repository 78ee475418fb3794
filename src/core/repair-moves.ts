/** Opening, taking over and ending a repair, and what a page may still do whose repair is over (R4). */

import type { CaseState, FormerRepair, OpenRepair } from "./case-state.ts";
import type { Actor, Assignee, RepairEnd } from "./journal.ts";
import { caseClaimed, isEnded, refuse, type HeldBy, type MoveVerdict } from "./moves.ts";
import { endRepair, repairUnder } from "./repair.ts";
import { formatUtc } from "./utc-time.ts";

/** A page that asks for a case. Both ids are random and made before. */
export interface RepairOpening {
  readonly claimId: string;
  readonly holderId: string;
  readonly by: Actor;
}

/** A page that wants the case of another one. */
export interface TakeOver extends RepairOpening {
  readonly reason: string;
  /** The holder that the person saw; null = whoever it is. */
  readonly from: string | null;
}

/**
 * Opens a repair on a case that nobody holds, whatever it waits for. An ended case is not held: nothing can be set right
 * in it any more, and its stored state must stay what it is.
 */
export function decideOpenRepair(state: CaseState, held: HeldBy | null, opening: RepairOpening): MoveVerdict {
  if (isEnded(state)) return nothingToRepair(state);
  if (held !== null) return caseClaimed(state, held);
  return { kind: "write", entries: [{ kind: "repairOpened", ...opening }] };
}

/** Takes the claim from another person's page, whether that is still open or not. A worker's claim stays with it. */
export function decideTakeOver(state: CaseState, held: HeldBy | null, takeOver: TakeOver): MoveVerdict {
  const { from, ...request } = takeOver;
  if (isEnded(state)) return nothingToRepair(state);
  if (held === null) {
    return refuse("NOTHING_TO_TAKE_OVER", `Nobody holds case ${state.caseId} any more. Open it for repair.`);
  }
  const repair = repairUnder(state, held.claim.claimId);
  const isAsSeen = from === null || from === held.claim.holderId;
  if (repair === null || !isAsSeen) return caseClaimed(state, held);
  const { claimId, by } = repair;
  return { kind: "write", entries: [{ kind: "repairTakenOver", ...request, from: { claimId, by } }] };
}

/** Whether the repair under which a person acts is still theirs. */
export type RepairStanding =
  { readonly kind: "open"; readonly repair: OpenRepair } | (MoveVerdict & { readonly kind: "refused" });

/** Looks for the repair with this claim id; refused where it is over, with who ended it and when. */
export function standingOfRepair(
  state: CaseState,
  heldClaimId: string | null,
  claimId: string,
): RepairStanding {
  const repair = claimId === heldClaimId ? repairUnder(state, claimId) : null;
  if (repair !== null) return { kind: "open", repair };
  const former = state.formerRepairs.find((one) => one.claimId === claimId);
  const why = former === undefined ? "is not open" : `is over: ${sayEnd(former)}`;
  return {
    kind: "refused",
    code: "REPAIR_OVER",
    sentence: `This repair of case ${state.caseId} ${why}. Nothing was done; open the case again to go on.`,
  };
}

function sayEnd({ end, endedAt }: FormerRepair): string {
  const at = formatUtc(endedAt);
  return end.kind === "takenOver"
    ? `${end.by.name} took it over at ${at} (${end.reason})`
    : `${sayRepairEnd(end.why)} at ${at}`;
}

/** Why a repair ended, in words that go before a time. */
export function sayRepairEnd(why: RepairEnd): string {
  switch (why) {
    case "closed":
      return "it was closed";
    case "handedOver":
      return "the case was handed over";
    case "caseEnded":
      return "it ended with the case";
    case "silent":
      return "its page had given no sign of life for a whole lease; it was freed";
    case "actBy":
      return "it had gone without a move for too long; it was freed";
    case "orphaned":
      return "nobody held it any more; it was freed";
  }
}

/**
 * Gives the case to somebody else: the repair ends, what came meanwhile is applied, and the case is theirs from now on.
 * They open it themselves; until then it waits for whatever it waited for.
 */
export function decideHandOver(
  state: CaseState,
  order: { readonly to: Assignee; readonly by: Actor; readonly reason: string },
): MoveVerdict {
  const { to, by, reason } = order;
  return {
    kind: "write",
    entries: [{ kind: "assigned", to, by, reason }, ...endRepair(state, "handedOver")],
  };
}

/** Closes a repair; doing so again is known already. */
export function decideCloseRepair(
  state: CaseState,
  heldClaimId: string | null,
  claimId: string,
): MoveVerdict {
  const standing = standingOfRepair(state, heldClaimId, claimId);
  if (standing.kind === "open") return { kind: "write", entries: endRepair(state, "closed") };
  const former = state.formerRepairs.find((one) => one.claimId === claimId);
  const isClosed = former?.end.kind === "ended" && former.end.why === "closed";
  return isClosed ? { kind: "repeated" } : standing;
}

function nothingToRepair(state: CaseState): MoveVerdict {
  return refuse(
    "CASE_ENDED",
    `Case ${state.caseId} is ${state.rest.kind}: there is nothing to repair. ` +
      `Notes can be added, and a resume closes a review that is still open.`,
  );
}
