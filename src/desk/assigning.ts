/** Whose a case is: given to a person or a team, or handed over out of an open repair. */

import type { Assignee } from "../core/journal.ts";
import { decideAssignment, refuse } from "../core/moves.ts";
import { decideHandOver } from "../core/repair-moves.ts";
import { onCase, type PersonRequest } from "./acts.ts";
import { changeCase, type ActReply } from "./change.ts";
import type { DeskParts } from "./desk-parts.ts";
import { checkTexts, personOf, REASON_CHARS_MAX, reasonOf } from "./requests.ts";

/** Longest id and longest label of who a case is given to. */
const ASSIGNEE_CHARS_MAX = 200;

/** Who a case is given to. */
export interface AssignRequest extends PersonRequest {
  /** Null = nobody in particular: then it is the owner's of what it waits for. */
  readonly to: Assignee | null;
  readonly reason?: string | null | undefined;
}

/** Who gets a case that somebody has open for repair. */
export interface HandOverRequest extends PersonRequest {
  readonly repairId: string;
  readonly to: Assignee;
  readonly reason: string;
}

/** Gives a case to somebody. It moves nothing, so it needs no plan and no claim. */
export async function assignCase(
  parts: DeskParts,
  caseId: string,
  request: AssignRequest,
): Promise<ActReply> {
  const to = request.to === null ? null : readAssignee(request.to);
  const by = personOf(request.by);
  const reason = reasonOf(request.reason);
  return changeCase(parts, onCase(caseId, { ...request, repairId: undefined }), ({ state }) =>
    decideAssignment(state, { to, by, reason }),
  );
}

/**
 * Ends one's own repair and gives the case to somebody else; what came meanwhile is applied. Throws `REPAIR_OVER`.
 */
export async function handOver(
  parts: DeskParts,
  caseId: string,
  request: HandOverRequest,
): Promise<ActReply> {
  const to = readAssignee(request.to);
  const { reason } = request;
  checkTexts([{ path: "reason", value: reason, charsMax: REASON_CHARS_MAX, isProse: true }]);
  const by = personOf(request.by);
  return changeCase(parts, onCase(caseId, request), ({ state, repair }) =>
    repair === null
      ? refuse(
          "REPAIR_OVER",
          `Case ${caseId} is not open for repair, so it cannot be handed over; assign it.`,
        )
      : decideHandOver(state, { to, by, reason }),
  );
}

function readAssignee({ id, label }: Assignee): Assignee {
  checkTexts([
    { path: "to.id", value: id, charsMax: ASSIGNEE_CHARS_MAX },
    { path: "to.label", value: label, charsMax: ASSIGNEE_CHARS_MAX },
  ]);
  return { id, label };
}
