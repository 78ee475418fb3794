/** The acts of people and of the outside on one case, each judged by core (moves.ts) and stored in one commit. */

import type { CaseState } from "../core/case-state.ts";
import { FootholdError, isFootholdError } from "../core/errors.ts";
import type { Actor } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import {
  askedApproval,
  decideApproval,
  decideCancel,
  decideCorrection,
  decideEvent,
  decideNote,
  decidePause,
  decideResume,
  type MoveVerdict,
} from "../core/moves.ts";
import type { PlanInput } from "../core/planning.ts";
import { findStep } from "../core/undo.ts";
import type { CaseType } from "../define/case-type.ts";
import { outdatedBy, PLAIN_RULE } from "../define/event.ts";
import { hasMasks } from "../define/masking.ts";
import type { StoredRow } from "../store/port.ts";
import { approverOf } from "./approvers.ts";
import { changeCase, type ActOn, type ActReply, type ActView, type JudgeAct } from "./change.ts";
import { neededDefinition } from "./definition.ts";
import type { DeskParts } from "./desk-parts.ts";
import { correctedInput, isSameInput } from "./kept-values.ts";
import { fingerprintNow, inputsOf, planFrom } from "./plan-input.ts";
import { planChange } from "./plan-version.ts";
import {
  caseNotFound,
  checkTexts,
  isCaseId,
  NOTE_CHARS_MAX,
  personOf,
  REASON_CHARS_MAX,
  reasonOf,
  SOURCE_ID_CHARS_MAX,
  type Who,
} from "./requests.ts";
import { checked, validInput } from "./validated.ts";

/** An event for a case. */
export interface EventRequest {
  readonly eventType: string;
  readonly payload: unknown;
  /** The same id is stored once; random when left out, so that a repeat by the sender is then a second event. */
  readonly sourceId?: string | undefined;
  /** Who sent it, for people. */
  readonly by?: Who | undefined;
}

/** A person's act. Made under a repair, it is refused with `REPAIR_OVER` once that is over. */
export interface PersonRequest {
  readonly by: Who;
  /** The same id does it once, however often it is asked for; random when left out. */
  readonly actId?: string | undefined;
  /** The id of the open repair under which it is made; left out = on a case that nobody need hold. */
  readonly repairId?: string | undefined;
}

/** An act that is judged on a plan. */
export interface PlannedRequest extends PersonRequest {
  /**
   * The plan version that the person saw (R5). Left out, the act binds to the plan of its own commit; in a repair it is
   * refused where an event that matters has come since.
   */
  readonly plan?: string | undefined;
}

/** An answer to an approval. */
export interface ApprovalRequest extends PlannedRequest {
  readonly step: string;
  readonly approved: boolean;
  /** What the approval's form asks for; left out = null. A refusal needs none. */
  readonly form?: unknown;
  /** Needed where the person stands in. */
  readonly note?: string | null | undefined;
  /** True = also in place of the owner whom it is asked of, by somebody who is none of its people. Default false. */
  readonly standIn?: boolean | undefined;
  /** The same id is stored once; random when left out. */
  readonly sourceId?: string | undefined;
}

/** A resume. */
export interface ResumeRequest extends PlannedRequest {
  /** Only this step's review and bounds; left out = every step's. */
  readonly step?: string | undefined;
  readonly reason?: string | null | undefined;
  /** True = also send exactly what the destination rejected; needs a step and a reason. */
  readonly force?: boolean | undefined;
}

/** A cancel. With a plan version it needs the definition. */
export interface CancelRequest extends PlannedRequest {
  readonly reason?: string | null | undefined;
}

/** A pause. It does no harm, so it needs no plan. */
export interface PauseRequest extends PersonRequest {
  readonly reason?: string | null | undefined;
  /** When it ends by itself, epoch ms; left out = when somebody resumes the case. */
  readonly untilAt?: number | null | undefined;
}

/** A correction of the input. */
export interface CorrectionRequest extends PlannedRequest {
  /** The whole input as it must be. */
  readonly input: unknown;
  readonly reason: string;
}

/** A note. */
export interface NoteRequest {
  readonly text: string;
  readonly by: Who;
  /** The same id does it once; random when left out. */
  readonly actId?: string | undefined;
}

/** The case to act on, and what the act is known by. */
export function onCase(caseId: string, { repairId, actId }: PersonRequest): ActOn {
  return { caseId, repairId, actId };
}

/** Stores an event. Throws `INVALID_EVENT` for an unknown type or a payload that is not one of it. */
export async function recordEvent(
  parts: DeskParts,
  caseId: string,
  request: EventRequest,
): Promise<ActReply> {
  const { eventType } = request;
  const sourceId = request.sourceId ?? parts.ports.ids.unique();
  checkTexts([{ path: "sourceId", value: sourceId, charsMax: SOURCE_ID_CHARS_MAX }]);
  const by: Actor =
    request.by === undefined ? { kind: "engine", name: "the sender of the event" } : personOf(request.by);
  const row = await rowNamed(parts, caseId);
  const caseType = neededDefinition(parts.registry, row);
  const payload = await validPayload(caseType, eventType, request.payload);
  const rule = caseType.eventRules[eventType] ?? PLAIN_RULE;
  const judge = ({ state, held }: ActView): MoveVerdict => {
    const verdict = decideEvent(state, held, { eventType, sourceId, payload, by });
    // Judged under the case's lock, against what it knows: two that come at once are told apart too.
    const known = [...state.events, ...(state.repair?.attached ?? [])];
    const why = outdatedBy(
      rule,
      payload,
      known.filter((one) => one.eventType === eventType),
    );
    return why === null || verdict.kind !== "write"
      ? verdict
      : {
          kind: "write",
          entries: [{ kind: "eventReceived", eventType, sourceId, payload, by, ignored: why }],
        };
  };
  // A fact: it needs no claim, and an open repair only says that it is not applied yet.
  return changeCase(parts, { caseId, repairId: undefined }, judge, sourceId);
}

/**
 * Answers an approval that a case waits for. Throws `INVALID_APPROVAL` where the form is not filled in as it must be,
 * `APPROVER_REFUSED` where it is asked of others, and `SECOND_REFUSED` where another person has to say yes.
 */
export async function answerApproval(
  parts: DeskParts,
  caseId: string,
  request: ApprovalRequest,
): Promise<ActReply> {
  const { step, approved } = request;
  const note = request.note ?? null;
  const standsIn = request.standIn === true;
  const sourceId = request.sourceId ?? parts.ports.ids.unique();
  checkTexts([
    { path: "sourceId", value: sourceId, charsMax: SOURCE_ID_CHARS_MAX },
    ...(note === null ? [] : [{ path: "note", value: note, charsMax: REASON_CHARS_MAX, isProse: true }]),
  ]);
  if (standsIn && note === null) throw noReason(caseId, step);
  const by = personOf(request.by);
  const row = await rowNamed(parts, caseId);
  const caseType = neededDefinition(parts.registry, row);
  const form = await validForm(caseType, request);
  const seen = { plan: request.plan, step };
  const judgeApprover = await approverOf(parts, row, { caseType, by });
  const judge = (view: ActView): MoveVerdict => {
    const answer = { step, approved, form, note, sourceId, by };
    const plan = seenPlan(parts, view, seen);
    const verdict = decideApproval(plan, view.held, answer);
    const wait = verdict.kind === "write" ? askedApproval(plan, step) : null;
    if (wait === null) return verdict;
    const { state, now } = view;
    const who = judgeApprover({ state, wait, now }, { approved, standsIn });
    if (who.kind === "refused") return who;
    const { inPlaceOf } = who;
    return inPlaceOf === null ? verdict : decideApproval(plan, view.held, { ...answer, inPlaceOf });
  };
  return actOnPlan(parts, onCase(caseId, request), seen, judge, sourceId);
}

function noReason(caseId: string, step: string): FootholdError {
  return new FootholdError(
    "INVALID_REQUEST",
    `To answer ${step} of case ${caseId} in place of its owner, say why in the note.`,
    { details: { caseId, fields: [{ path: "note", message: "is missing" }] } },
  );
}

/** Lets a case go on. Throws `NOTHING_TO_RESUME` or `RESUME_BLOCKED` with what is still missing. */
export async function resume(parts: DeskParts, caseId: string, request: ResumeRequest): Promise<ActReply> {
  const by = personOf(request.by);
  const reason = reasonOf(request.reason);
  const step = request.step ?? null;
  if (request.force === true && (step === null || reason === null)) {
    throw new FootholdError(
      "INVALID_REQUEST",
      `To send again what was rejected, name the step of case ${caseId} and say why.`,
      { details: { caseId, fields: [{ path: step === null ? "step" : "reason", message: "is missing" }] } },
    );
  }
  const order = { step, by, reason, ...(request.force === true ? { forced: true as const } : {}) };
  const seen = { plan: request.plan, step };
  return actOnPlan(parts, onCase(caseId, request), seen, (view) => {
    const caseType = neededDefinition(parts.registry, view.row);
    if (step !== null) checkStep(caseType, step);
    const input = seenPlan(parts, view, seen);
    return decideResume(input, view.held, order, fingerprintNow(caseType, input));
  });
}

/** Cancels a case, or has what it did undone first. Needs no definition unless there is a plan to compare. */
export async function cancel(parts: DeskParts, caseId: string, request: CancelRequest): Promise<ActReply> {
  const { plan } = request;
  const by = personOf(request.by);
  const reason = reasonOf(request.reason);
  const seen = { plan, step: null };
  return actOnPlan(parts, onCase(caseId, request), seen, (view) => {
    const mayBeStale = plan !== undefined || (view.repair !== null && view.repair.attached.length > 0);
    if (mayBeStale) seenPlan(parts, view, seen);
    return decideCancel(view.state, view.held, { by, reason });
  });
}

/** Pauses a case, or asks its holder to. Needs no definition. */
export async function pause(parts: DeskParts, caseId: string, request: PauseRequest): Promise<ActReply> {
  const by = personOf(request.by);
  const reason = reasonOf(request.reason);
  const untilAt = request.untilAt ?? null;
  return changeCase(parts, onCase(caseId, request), ({ state, held, now }) => {
    if (untilAt !== null && !(Number.isSafeInteger(untilAt) && untilAt > now)) {
      throw new FootholdError("INVALID_REQUEST", "A pause must end in the future, at a whole millisecond.", {
        details: { caseId, fields: [{ path: "untilAt", message: "is not in the future" }] },
      });
    }
    return decidePause(state, held, { by, reason, untilAt });
  });
}

/** Replaces the input; the original is kept. Throws `INVALID_INPUT` naming each field. */
export async function correctInput(
  parts: DeskParts,
  caseId: string,
  request: CorrectionRequest,
): Promise<ActReply> {
  checkTexts([{ path: "reason", value: request.reason, charsMax: REASON_CHARS_MAX, isProse: true }]);
  const by = personOf(request.by);
  const row = await rowNamed(parts, caseId);
  const caseType = neededDefinition(parts.registry, row);
  const stored = hasMasks(caseType) ? await parts.store.loadCase(caseId) : null;
  const input =
    stored === null
      ? await validInput(caseType, request.input)
      : await correctedInput(caseType, stored.state, request.input);
  const { plan, reason } = request;
  const seen = { plan, step: null };
  return actOnPlan(parts, onCase(caseId, request), seen, (view) => {
    seenPlan(parts, view, seen);
    if (stored !== null && !isSameInput(stored.state, view.state)) throw inputMoved(caseId);
    return decideCorrection(view.state, view.held, { input, by, reason });
  });
}

function inputMoved(caseId: string): FootholdError {
  return new FootholdError(
    "PLAN_CHANGED",
    `The input of case ${caseId} was corrected just now, so what is masked in it may be another value. Look at it again.`,
    { details: { caseId } },
  );
}

/** Adds a note to the history of any case. */
export async function addNote(parts: DeskParts, caseId: string, request: NoteRequest): Promise<ActReply> {
  checkTexts([{ path: "text", value: request.text, charsMax: NOTE_CHARS_MAX, isProse: true }]);
  const by = personOf(request.by);
  return changeCase(parts, onCase(caseId, { by: request.by, actId: request.actId }), () =>
    decideNote(request.text, by),
  );
}

function planInput(parts: DeskParts, view: Pick<ActView, "row" | "state" | "now">): PlanInput {
  return planFrom(parts.ports, neededDefinition(parts.registry, view.row), view);
}

/** What a person saw; no plan = the act binds to the plan of its own commit. */
export interface Seen {
  readonly plan: string | undefined;
  readonly step: string | null;
}

/** The plan now, if it is still what the person saw. Throws `PLAN_CHANGED`. */
export function seenPlan(parts: DeskParts, view: ActView, seen: Seen): PlanInput {
  const inputFor = (state: CaseState): PlanInput => planInput(parts, { ...view, state });
  const inputs = inputsOf(view.state, inputFor);
  const change = planChange({ inputs, journal: null, inputFor, repair: view.repair }, seen);
  if (change !== null) throw change;
  return inputs.now;
}

/** Carries out an act that binds to a plan; a refusal tells what changed, which takes the whole journal to say. */
export async function actOnPlan(
  parts: DeskParts,
  on: ActOn,
  seen: Seen,
  judge: JudgeAct,
  sourceId: string | null = null,
): Promise<ActReply> {
  try {
    return await changeCase(parts, on, judge, sourceId);
  } catch (error) {
    const isChanged = isFootholdError(error) && error.code === "PLAN_CHANGED";
    const stored = isChanged ? await parts.store.loadCase(on.caseId) : null;
    if (stored === null) throw error;
    const { row, state, journal } = stored;
    const now = await parts.now();
    const inputFor = (one: CaseState): PlanInput => planInput(parts, { row, state: one, now });
    const repair = on.repairId === undefined ? null : state.repair;
    throw planChange({ inputs: inputsOf(state, inputFor), journal, inputFor, repair }, seen) ?? error;
  }
}

/** Throws `INVALID_REQUEST` for a step that the case type has not. */
export function checkStep({ outline }: CaseType, step: string): void {
  if (findStep(outline, step) !== null) return;
  const names = outline.steps.map(({ name }) => name).join(", ");
  throw new FootholdError(
    "INVALID_REQUEST",
    `${outline.name} has no step ${JSON.stringify(step.slice(0, 60))}. Its steps: ${names}.`,
  );
}

/** The row of a case. Throws `CASE_NOT_FOUND`. */
export async function rowNamed({ store }: DeskParts, caseId: string): Promise<StoredRow> {
  const row = isCaseId(caseId) ? await store.loadRow(caseId) : null;
  if (row === null) throw caseNotFound(caseId);
  return row;
}

async function validPayload({ outline, events }: CaseType, eventType: string, value: unknown): Promise<Json> {
  const validate = Object.hasOwn(events, eventType) ? events[eventType] : undefined;
  if (validate === undefined) {
    const known = outline.events.length === 0 ? "It takes none." : `It takes: ${outline.events.join(", ")}.`;
    throw new FootholdError(
      "INVALID_EVENT",
      `${outline.name} takes no event ${JSON.stringify(eventType.slice(0, 60))}. ${known}`,
    );
  }
  return checked(validate, value, "INVALID_EVENT", `The payload is not one of ${eventType}`);
}

async function validForm({ steps }: CaseType, { step, approved, form }: ApprovalRequest): Promise<Json> {
  const runtime = Object.hasOwn(steps, step) ? steps[step] : undefined;
  // Core refuses a step that is no approval, and names those that are.
  if (runtime?.kind !== "approval") return null;
  const isGiven = form !== undefined && form !== null;
  if (!approved && !isGiven) return null;
  if (runtime.form !== null) {
    return checked(
      runtime.form,
      form ?? null,
      "INVALID_APPROVAL",
      `The form of ${step} is not filled in as it must be`,
    );
  }
  if (!isGiven) return null;
  throw new FootholdError("INVALID_APPROVAL", `${step} has no form to fill in; leave it out.`);
}
