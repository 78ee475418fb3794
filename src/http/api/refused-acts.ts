/** Acts that are refused before the desk sees them: the audit has these too. */

import type { ActHead } from "../../desk/act-head.ts";
import { isCaseId } from "../../desk/requests.ts";
import { actorOf, type Identity } from "./identity.ts";
import type { RouteHead } from "./routes.ts";
import type { RouteId } from "./types.ts";

/** What the audit calls the acts of routes whose operation is called otherwise. */
const ACTS: Readonly<Partial<Record<RouteId, string>>> = {
  startCase: "start",
  answerApproval: "approve",
  resumeCase: "resume",
  correctInput: "correct",
  confirmStep: "confirm",
  ruleOutStep: "ruleOut",
  redoStep: "redo",
  checkStep: "check",
  skipStep: "skip",
  undoStep: "undo",
  assignCase: "assign",
  cancelCase: "cancel",
  pauseCase: "pause",
  addNote: "note",
  openRepair: "open",
  takeOverRepair: "takeOver",
  closeRepair: "close",
  handOverRepair: "handOver",
  orderBulkAct: "orderBulk",
  replayEvent: "replay",
  ignoreEvent: "ignore",
  reconcileSource: "reconcile",
  revealExport: "reveal",
  revealCase: "reveal",
  eraseCase: "erase",
  revealEventBody: "revealBody",
};

/** What a request wanted, as far as it was read. */
export interface RefusedCall {
  readonly who: Identity | null;
  readonly params: Readonly<Record<string, string>>;
  readonly body: object | null;
  readonly plan: string | undefined;
}

/** The head of a refused act; null where the request was none: it only reads, or nobody was signed in. */
export function refusedAct(id: RouteId, { method, verb }: RouteHead, call: RefusedCall): ActHead | null {
  if (call.who === null || method === "GET" || verb === null || verb === "see" || id === "previewBulk")
    return null;
  const { schedule, caseId, destination, bulkId, problemId, eventId, source } = call.params;
  const { step, reason } = textsOf(call.body);
  return {
    act: ACTS[id] ?? id,
    who: actorOf(call.who),
    caseId: caseId !== undefined && isCaseId(caseId) ? caseId : null,
    about: step ?? schedule ?? destination ?? bulkId ?? problemId ?? eventId ?? source ?? null,
    plan: call.plan ?? null,
    why: reason,
    ...(schedule === undefined ? {} : { schedule }),
    input: call.body !== null && "input" in call.body ? call.body.input : undefined,
  };
}

function textsOf(body: object | null): { readonly step: string | null; readonly reason: string | null } {
  const step = body !== null && "step" in body ? body.step : null;
  const reason = body !== null && "reason" in body ? body.reason : null;
  return {
    step: typeof step === "string" ? step : null,
    reason: typeof reason === "string" ? reason : null,
  };
}
