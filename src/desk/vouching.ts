/** What people vouch for about one step, and order: confirmed by hand, ruled out, to be done again. Nothing is sent by it. */

import { FootholdError } from "../core/errors.ts";
import { readJson, type Json } from "../core/json.ts";
import { decideConfirmation, decideRedo, decideRulingOut } from "../core/vouching.ts";
import type { CaseType } from "../define/case-type.ts";
import { sendStepNamed } from "../define/facts.ts";
import { VALUE_CHARS_MAX } from "../define/schema.ts";
import { actOnPlan, checkStep, onCase, rowNamed, seenPlan, type PlannedRequest } from "./acts.ts";
import type { ActReply } from "./change.ts";
import { neededDefinition } from "./definition.ts";
import type { DeskParts } from "./desk-parts.ts";
import { checkTexts, personOf, REASON_CHARS_MAX } from "./requests.ts";
import { checked } from "./validated.ts";

/** An order to do a confirmed step again. */
export interface RedoRequest extends PlannedRequest {
  readonly step: string;
  readonly reason: string;
}

/** A person's word that what is not known did not happen. */
export interface RuleOutRequest extends RedoRequest {
  /** How it is known: a statement, a look into the destination. */
  readonly evidence?: string | null | undefined;
}

/** A confirmation by hand. */
export interface ConfirmRequest extends RuleOutRequest {
  /** What the step gave, as `run` would have returned it; left out = null. */
  readonly result?: unknown;
}

/** Confirms a step by hand. Throws `NOTHING_TO_CONFIRM`, `CONFIRM_BLOCKED`, and `INVALID_REQUEST` for a wrong result. */
export async function confirmStep(
  parts: DeskParts,
  caseId: string,
  request: ConfirmRequest,
): Promise<ActReply> {
  const { step, evidence, reason } = vouchedIn(request);
  const by = personOf(request.by);
  const row = await rowNamed(parts, caseId);
  const caseType = neededDefinition(parts.registry, row);
  checkStep(caseType, step);
  const result = await validResult(caseType, request);
  const seen = { plan: request.plan, step };
  return actOnPlan(parts, onCase(caseId, request), seen, (view) =>
    decideConfirmation(seenPlan(parts, view, seen), view.held, {
      step,
      result,
      evidence,
      by,
      reason,
    }),
  );
}

/**
 * Rules out by hand that a step happened whose outcome is not known. Throws `NOTHING_TO_RULE_OUT`, and
 * `RULE_OUT_TOO_EARLY` while a request of it can still arrive.
 */
export async function ruleOut(parts: DeskParts, caseId: string, request: RuleOutRequest): Promise<ActReply> {
  const { step, evidence, reason } = vouchedIn(request);
  const by = personOf(request.by);
  const seen = { plan: request.plan, step: null };
  return actOnPlan(parts, onCase(caseId, request), seen, (view) =>
    decideRulingOut(seenPlan(parts, view, seen), view.held, {
      step,
      evidence,
      by,
      reason,
    }),
  );
}

/** Orders a confirmed step to be done again. Throws `NOTHING_TO_REDO`. */
export async function redoStep(parts: DeskParts, caseId: string, request: RedoRequest): Promise<ActReply> {
  const { step, reason } = vouchedIn(request);
  const by = personOf(request.by);
  const seen = { plan: request.plan, step };
  return actOnPlan(parts, onCase(caseId, request), seen, (view) => {
    checkStep(neededDefinition(parts.registry, view.row), step);
    return decideRedo(seenPlan(parts, view, seen), view.held, { step, by, reason });
  });
}

function vouchedIn(request: RuleOutRequest): {
  readonly step: string;
  readonly evidence: string | null;
  readonly reason: string;
} {
  const { step, reason } = request;
  const evidence = request.evidence ?? null;
  const prose = { charsMax: REASON_CHARS_MAX, isProse: true } as const;
  checkTexts([
    { path: "reason", value: reason, ...prose },
    ...(evidence === null ? [] : [{ path: "evidence", value: evidence, ...prose }]),
  ]);
  return { step, evidence, reason };
}

async function validResult(caseType: CaseType, { step, result }: ConfirmRequest): Promise<Json> {
  const validate = sendStepNamed(caseType, step)?.result ?? null;
  const message = `The result is not what ${step} gives`;
  if (validate !== null) return checked(validate, result ?? null, "INVALID_REQUEST", message);
  const read = readJson(result ?? null, VALUE_CHARS_MAX);
  if (read.kind === "json") return read.value;
  throw new FootholdError("INVALID_REQUEST", `${message}: ${read.why}.`);
}
