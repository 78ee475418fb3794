/** Reads one case for people: the packet, as everybody sees it. */

import type { CaseState } from "../core/case-state.ts";
import { FootholdError } from "../core/errors.ts";
import type { PlanInput } from "../core/planning.ts";
import { standingOfRepair } from "../core/repair-moves.ts";
import type { Registry } from "../define/registry.ts";
import type { StoredRow } from "../store/port.ts";
import { anybodyMay, approverJudge, ownersOf } from "./approvers.ts";
import { checkEngine } from "./change.ts";
import { asDefined, definitionOf, neededDefinition } from "./definition.ts";
import type { DeskParts } from "./desk-parts.ts";
import { readingsFor } from "./destinations.ts";
import { keyStandingsFor } from "./key-standings.ts";
import { maskOf, maskPacket } from "./masked-views.ts";
import type { HasRight } from "./moves-view.ts";
import { viewPacket, type ReviewPacket } from "./packet.ts";
import { fingerprintNow, inputsOf, planFrom, requestMaker } from "./plan-input.ts";
import { caseNotFound, isCaseId, personOf, type Who } from "./requests.ts";
import { hasMaskedValues } from "./revealing.ts";
import { secondsOf } from "./seconds.ts";

/** Who looks at a case; what is left out is not held against them. */
export interface Viewer {
  readonly hasRight?: HasRight;
  readonly who?: Who;
}

/**
 * The packet of a case, for the holder of a repair where one is named, and for whoever looks at it. Throws
 * `CASE_NOT_FOUND`, `CORRUPT_JOURNAL`, `ENGINE_TOO_OLD`, `REPAIR_OVER`.
 */
export async function showCase(
  parts: DeskParts,
  caseId: string,
  repairId: string | null,
  { hasRight = () => true, who }: Viewer,
): Promise<ReviewPacket> {
  const { store, registry, ports, formatTime } = parts;
  if (!isCaseId(caseId)) throw caseNotFound(caseId);
  const [found, holders] = await Promise.all([store.loadCase(caseId), store.listHolders()]);
  if (found === null) throw caseNotFound(caseId);
  const stored = asDefined(registry, found);
  checkEngine(stored.row, parts.engineVersion);
  const destinations = await readingsFor(parts, [stored.row]);
  const keyOf = await keyStandingsFor(store, [stored.row], holders);
  const now = await store.now();
  const { state } = stored;
  if (repairId !== null) checkRepair(stored.row, state, repairId);
  const isErased = state.erased !== undefined;
  const { standing: definition, caseType } = isErased
    ? unplanned(registry, stored.row)
    : definitionOf(registry, stored.row);
  const inputFor = (one: CaseState): PlanInput =>
    planFrom(ports, caseType ?? neededDefinition(registry, stored.row), { row: stored.row, state: one, now });
  const inputs = caseType === null ? null : inputsOf(state, inputFor);
  const tellFingerprint =
    caseType === null || inputs === null ? () => null : fingerprintNow(caseType, inputs.now);
  const seconds = await secondsOf(parts, caseId);
  const named = await ownersOf(parts, caseType, stored.row);
  const { journal } = stored;
  const packet = viewPacket(
    {
      stored,
      state,
      holders,
      definition,
      inputs,
      inputFor,
      makeRequest: requestMaker(caseType),
      hasRight,
      named,
      judgeApprover:
        who === undefined
          ? anybodyMay
          : approverJudge(parts, stored.row, { named, journal, by: personOf(who) }),
      isOwnRepair: repairId !== null,
      fingerprintNow: tellFingerprint,
      destinations,
      key: keyOf(stored.row),
      now,
      formatTime,
    },
    seconds,
  );
  if (isErased) return { ...packet, moves: [] };
  const isMasked = hasMaskedValues(caseType, state);
  return maskPacket({ ...packet, isMasked }, maskOf(caseType, stored.journal));
}

/** Of an erased case: what the functions of its definition would be asked with is not there any more. */
function unplanned(registry: Registry, row: StoredRow): ReturnType<typeof definitionOf> {
  const { standing } = definitionOf(registry, row);
  return {
    standing: { ...standing, sentence: "What the case held was erased, so nothing of it is planned." },
    caseType: null,
  };
}

/** Throws `REPAIR_OVER` unless it is still open. */
function checkRepair({ claim }: StoredRow, state: CaseState, repairId: string): void {
  const standing = standingOfRepair(state, claim?.claimId ?? null, repairId);
  if (standing.kind === "open") return;
  throw new FootholdError(standing.code, standing.sentence, { details: { caseId: state.caseId } });
}
