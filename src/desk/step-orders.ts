/** What people order about one step: leave it out, take back what it did, ask anew what is known of it. */

import { readJson, type Json } from "../core/json.ts";
import { decideCheck } from "../core/moves.ts";
import { nameWithoutKey } from "../core/part-name.ts";
import { findStep, undoneName } from "../core/undo.ts";
import { decideLeavingOutside, decideSkip, decideUndo } from "../core/vouching.ts";
import { FootholdError } from "../core/errors.ts";
import { awaitedSchema } from "../define/awaited-event.ts";
import type { CaseType, Validate } from "../define/case-type.ts";
import { sendStepNamed } from "../define/facts.ts";
import { VALUE_CHARS_MAX } from "../define/schema.ts";
import { actOnPlan, checkStep, onCase, rowNamed, seenPlan, type PlannedRequest } from "./acts.ts";
import type { ActReply } from "./change.ts";
import { neededDefinition } from "./definition.ts";
import type { DeskParts } from "./desk-parts.ts";
import { checkTexts, personOf, REASON_CHARS_MAX, reasonOf } from "./requests.ts";
import { checked } from "./validated.ts";
import type { RedoRequest } from "./vouching.ts";

/** An order to leave a step out. */
export interface SkipRequest extends RedoRequest {
  /** What later steps use in place of what the step would have given; needed where a step follows it. Left out = null. */
  readonly result?: unknown;
}

/** An order to ask anew what is known of a step. */
export interface CheckRequest extends PlannedRequest {
  readonly step: string;
  readonly reason?: string | null | undefined;
}

/**
 * Leaves a step out; what follows goes on with the result given. Throws `NOTHING_TO_SKIP`, and `INVALID_REQUEST` for a result
 * that is not what the step gives while a later step follows it.
 */
export async function skipStep(parts: DeskParts, caseId: string, request: SkipRequest): Promise<ActReply> {
  const { step, reason } = request;
  checkTexts([{ path: "reason", value: reason, charsMax: REASON_CHARS_MAX, isProse: true }]);
  const by = personOf(request.by);
  const row = await rowNamed(parts, caseId);
  const caseType = neededDefinition(parts.registry, row);
  checkStep(caseType, step);
  const result = await insteadOf(caseType, step, request.result ?? null);
  const seen = { plan: request.plan, step };
  return actOnPlan(parts, onCase(caseId, request), seen, (view) =>
    decideSkip(seenPlan(parts, view, seen), view.held, { step, result, by, reason }),
  );
}

/** Takes back what a confirmed step did; it is not done again before somebody resumes it. Throws `NOTHING_TO_UNDO`. */
export async function undoStep(parts: DeskParts, caseId: string, request: RedoRequest): Promise<ActReply> {
  const { step, reason } = request;
  checkTexts([{ path: "reason", value: reason, charsMax: REASON_CHARS_MAX, isProse: true }]);
  const by = personOf(request.by);
  const seen = { plan: request.plan, step };
  return actOnPlan(parts, onCase(caseId, request), seen, (view) => {
    checkStep(neededDefinition(parts.registry, view.row), step);
    return decideUndo(seenPlan(parts, view, seen), view.held, { step, by, reason });
  });
}

/**
 * Says, in a case that is being canceled, that what a step did stays outside; of a step that the definition has no more too.
 * Needs no definition unless there is a plan to compare. Throws `NOTHING_TO_LEAVE`.
 */
export async function leaveOutside(
  parts: DeskParts,
  caseId: string,
  request: RedoRequest,
): Promise<ActReply> {
  const { step, reason, plan } = request;
  checkTexts([{ path: "reason", value: reason, charsMax: REASON_CHARS_MAX, isProse: true }]);
  const by = personOf(request.by);
  const seen = { plan, step: undoneName(step) };
  return actOnPlan(parts, onCase(caseId, request), seen, (view) => {
    if (plan !== undefined) seenPlan(parts, view, seen);
    return decideLeavingOutside(view.state, view.held, { step, by, reason });
  });
}

/**
 * Has a worker ask anew what is known of a step: its probes, and whether its effect is there. The answers are in the history
 * once they came. Throws `NOTHING_TO_CHECK`.
 */
export async function checkNow(parts: DeskParts, caseId: string, request: CheckRequest): Promise<ActReply> {
  const { step } = request;
  const reason = reasonOf(request.reason);
  const by = personOf(request.by);
  // An undo is asked about under its own name, and belongs to the plan of what it takes back.
  const seen = { plan: request.plan, step: undoneName(step) };
  return actOnPlan(parts, onCase(caseId, request), seen, (view) => {
    checkStep(neededDefinition(parts.registry, view.row), step);
    return decideCheck(seenPlan(parts, view, seen), view.held, { step, by, reason });
  });
}

/** What a look finds must match; null where the step looks for nothing, or for any JSON. */
function lookSchema({ steps }: CaseType, name: string): Validate | null {
  const runtime = Object.hasOwn(steps, name) ? steps[name] : undefined;
  return runtime?.kind === "poll" ? runtime.result : null;
}

/** What later steps are given: checked as the step's own result would be, where there are any. */
export async function insteadOf(caseType: CaseType, name: string, value: unknown): Promise<Json> {
  const { outline, events } = caseType;
  const message = `The result given is not what ${name} gives, and later steps use it`;
  const step = findStep(outline, name);
  const runtime = sendStepNamed(caseType, name);
  // What follows all keys of an `each` is given what each of them gave.
  const isFollowed = outline.steps.some(({ closure }) => closure.includes(nameWithoutKey(name)));
  const schema =
    runtime?.result ??
    (step?.kind === "waitForEvent" ? awaitedSchema(step, events) : lookSchema(caseType, name));
  if (isFollowed && schema !== null) return checked(schema, value, "INVALID_REQUEST", message);
  const read = readJson(value, VALUE_CHARS_MAX);
  if (read.kind === "json") return read.value;
  throw new FootholdError("INVALID_REQUEST", `The result given for ${name} cannot be stored: ${read.why}.`);
}
