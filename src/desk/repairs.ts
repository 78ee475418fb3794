/**
 * Repairs: a person's open page holds the case, and every move is made under its claim id. A page is a holder as a worker
 * is: a random id, a lease, and the sweep that ends it when it falls silent.
 */

import type { ReceivedEvent } from "../core/case-state.ts";
import { BEAT_SHARE } from "../core/claim.ts";
import { isFootholdError } from "../core/errors.ts";
import type { Actor } from "../core/journal.ts";
import type { MoveVerdict } from "../core/moves.ts";
import {
  decideCloseRepair,
  decideOpenRepair,
  decideTakeOver,
  standingOfRepair,
  type RepairOpening,
} from "../core/repair-moves.ts";
import { changeCase, checkEngine, type ActReply, type ActView } from "./change.ts";
import { definitionOf } from "./definition.ts";
import type { DeskParts } from "./desk-parts.ts";
import { maskEvents, maskOf } from "./masked-views.ts";
import { sayEvents } from "./plan-version.ts";
import { caseNotFound, checkTexts, isCaseId, personOf, REASON_CHARS_MAX, type Who } from "./requests.ts";
import { sendAgain } from "./send-again.ts";

/** Longest name of a machine or a build. */
const LABEL_CHARS_MAX = 200;

/** Who opens a case for repair. */
export interface OpenRequest {
  readonly by: Who;
  /** Where the page is open, for people; such as the name of a machine. */
  readonly host: string;
  /** What serves it, for people. */
  readonly build: string;
}

/** Who takes a repair over, and why. */
export interface TakeOverRequest extends OpenRequest {
  readonly reason: string;
  /** The holder that the person saw; refused if it is another one by now. Left out = whoever it is. */
  readonly from?: string | undefined;
}

/** A repair that is open. */
export interface OpenedRepair {
  readonly caseId: string;
  /** Every move in the repair is made with it. */
  readonly repairId: string;
  readonly holderId: string;
  /** When it ends if nothing more is heard of the page, epoch ms. */
  readonly untilAt: number;
  /** How often the page must be heard of, in ms. */
  readonly beatEveryMs: number;
  readonly sentence: string;
}

/** What a page learns when it shows that it is still there. */
export type RepairLife =
  | {
      readonly kind: "open";
      readonly untilAt: number;
      /** What came since it was opened, and is applied when the repair ends. */
      readonly attached: readonly ReceivedEvent[];
      readonly sentence: string;
    }
  /** Somebody took it over, or the sweep freed it: the sentence says who and when. */
  | { readonly kind: "over"; readonly sentence: string };

/**
 * Opens a repair on a case that nobody holds; what it waits for stays below the repair. Throws `CASE_CLAIMED` naming who
 * holds it until when, and `CASE_ENDED`.
 */
export function openRepair(parts: DeskParts, caseId: string, request: OpenRequest): Promise<OpenedRepair> {
  return takeCase(parts, caseId, request, ({ state, held }, opening) =>
    decideOpenRepair(state, held, opening),
  );
}

/**
 * Takes a repair over from another person; their page is refused from then on. Throws `NOTHING_TO_TAKE_OVER`,
 * `CASE_CLAIMED` where a worker holds the case or another page than the one seen, and `CASE_ENDED`.
 */
export async function takeOverRepair(
  parts: DeskParts,
  caseId: string,
  request: TakeOverRequest,
): Promise<OpenedRepair> {
  const { reason, from = null } = request;
  checkTexts([{ path: "reason", value: reason, charsMax: REASON_CHARS_MAX, isProse: true }]);
  return takeCase(parts, caseId, request, ({ state, held }, opening) =>
    decideTakeOver(state, held, { ...opening, reason, from }),
  );
}

/**
 * Ends a repair. The state before it returns, unless a move changed it, and what came meanwhile is applied. Closing it
 * again is known already. Throws `REPAIR_OVER`.
 */
export async function closeRepair(parts: DeskParts, caseId: string, repairId: string): Promise<ActReply> {
  let pageId: string | null = null;
  const reply = await changeCase(parts, { caseId, repairId: undefined }, ({ state, held }) => {
    const verdict = decideCloseRepair(state, held?.claim.claimId ?? null, repairId);
    if (verdict.kind === "write") pageId = held?.claim.holderId ?? null;
    return verdict;
  });
  if (pageId !== null) await endPage(parts, pageId);
  return reply;
}

/** Takes a sign of life of the page, and tells it what came. Throws `CASE_NOT_FOUND`, `CORRUPT_JOURNAL`, `ENGINE_TOO_OLD`. */
export async function keepRepair(parts: DeskParts, caseId: string, repairId: string): Promise<RepairLife> {
  const { store, formatTime, pageLeaseMs } = parts;
  const stored = isCaseId(caseId) ? await store.loadCase(caseId) : null;
  if (stored === null) throw caseNotFound(caseId);
  checkEngine(stored.row, parts.engineVersion);
  const { state } = stored;
  const { claim } = stored.row;
  const standing = standingOfRepair(state, claim?.claimId ?? null, repairId);
  if (standing.kind === "refused") return { kind: "over", sentence: standing.sentence };
  const beat = claim === null ? null : await store.beat(claim.holderId);
  if (beat?.kind !== "alive") {
    const sentence =
      `This repair of case ${caseId} is over: its page gave no sign of life for a whole lease. ` +
      `Open the case again to go on.`;
    return { kind: "over", sentence };
  }
  const { attached } = standing.repair;
  const untilAt = beat.now + pageLeaseMs;
  const came = attached.length === 0 ? "" : ` ${sayEvents(attached)}; applied when the repair ends.`;
  return {
    kind: "open",
    untilAt,
    attached: maskEvents(attached, maskOf(definitionOf(parts.registry, stored.row).caseType, stored.journal)),
    sentence: `Open for repair until ${formatTime(untilAt)}.${came}`,
  };
}

type JudgeOpening = (view: ActView, opening: RepairOpening) => MoveVerdict;

/** A page of its own for each repair, so that one that is over can never act under the next one's lease (R6). */
async function takeCase(
  parts: DeskParts,
  caseId: string,
  request: OpenRequest,
  judge: JudgeOpening,
): Promise<OpenedRepair> {
  const by = personOf(request.by);
  const claimId = parts.ports.ids.unique();
  const { holderId, now } = await registerPage(parts, by, request);
  try {
    await changeCase(parts, { caseId, repairId: undefined }, (view) =>
      judge(view, { claimId, holderId, by }),
    );
  } catch (error) {
    await endPage(parts, holderId);
    throw error;
  }
  const { pageLeaseMs, formatTime } = parts;
  const untilAt = now + pageLeaseMs;
  return {
    caseId,
    repairId: claimId,
    holderId,
    untilAt,
    beatEveryMs: pageLeaseMs / BEAT_SHARE,
    sentence: `Open for repair by ${by.name} until ${formatTime(untilAt)}, or longer while the page is open.`,
  };
}

/** Under a new id with each try: a row whose reply was lost holds nothing, and the sweep ends it. */
function registerPage(
  { store, ports, pageLeaseMs }: DeskParts,
  { name }: Actor,
  { host, build }: OpenRequest,
): Promise<{ readonly holderId: string; readonly now: number }> {
  checkTexts([
    { path: "host", value: host, charsMax: LABEL_CHARS_MAX },
    { path: "build", value: build, charsMax: LABEL_CHARS_MAX },
  ]);
  return sendAgain(ports.clock, async () => {
    const holderId = ports.ids.unique();
    const page = { holderId, kind: "page", name, host, build, leaseMs: pageLeaseMs } as const;
    const { now } = await store.registerHolder({ ...page, caseTypes: [], destinations: [] });
    return { holderId, now };
  });
}

/** A page that has nothing any more; or that does not know whether it got the case, which the sweep then frees at once. */
async function endPage({ store }: DeskParts, holderId: string): Promise<void> {
  try {
    await store.endHolder(holderId, null);
  } catch (error) {
    // Then the sweep ends it after one lease, and nobody waits for that.
    if (!isFootholdError(error) || error.code !== "DATABASE_UNAVAILABLE") throw error;
  }
}
