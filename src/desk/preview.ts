/** What a move would do, before anybody makes it. A preview is free: it changes nothing and is not recorded. */

import type { PreviewRequest, LapsePreview, MovePreview } from "./move-preview.ts";
import type { CaseState } from "../core/case-state.ts";
import { FootholdError } from "../core/errors.ts";
import type { Actor } from "../core/journal.ts";
import { diffJson } from "../core/json-diff.ts";
import type { Json } from "../core/json.ts";
import {
  decideCancel,
  decideCheck,
  decideCorrection,
  decideResume,
  previewWith,
  type HeldBy,
  type MoveVerdict,
} from "../core/moves.ts";
import { planCase } from "../core/plan.ts";
import type { PlanInput } from "../core/planning.ts";
import { standingOfRepair } from "../core/repair-moves.ts";
import {
  decideConfirmation,
  decideLeavingOutside,
  decideRedo,
  decideRulingOut,
  decideSkip,
  decideUndo,
} from "../core/vouching.ts";
import type { CaseType } from "../define/case-type.ts";
import type { JsonSchemaReading } from "../define/json-schema.ts";
import type { FoldedCase, StoredCase } from "../store/port.ts";
import { checkStep } from "./acts.ts";
import { attentionOf } from "./case-view.ts";
import { caseErased, checkEngine, heldBy } from "./change.ts";
import { asDefined, neededDefinition } from "./definition.ts";
import type { DeskParts } from "./desk-parts.ts";
import { sayLapse } from "./entry-words.ts";
import { fingerprintNow, inputsOf, planFrom, requestMaker } from "./plan-input.ts";
import { correctedInput } from "./kept-values.ts";
import { maskOf, maskPreview } from "./masked-views.ts";
import { viewPlan, type PlanView } from "./plan-view.ts";
import { caseNotFound, isCaseId } from "./requests.ts";
import { insteadOf } from "./step-orders.ts";

/** Whoever looks, in sentences that tell of what they would do. */
const anybody: Actor = { kind: "person", name: "you" };
const reason = "your reason";

/**
 * Shows what a move would do, from recorded answers. Throws `CASE_NOT_FOUND`, `UNKNOWN_CASE_TYPE`, `INVALID_INPUT` naming each
 * field, `INVALID_REQUEST` for a step that the case type has not, and `REPAIR_OVER`.
 */
export async function previewMove(
  parts: DeskParts,
  caseId: string,
  request: PreviewRequest,
): Promise<MovePreview> {
  const { store, registry, ports, engineVersion } = parts;
  const [found, holders] = await Promise.all([
    isCaseId(caseId) ? store.loadCase(caseId) : null,
    store.listHolders(),
  ]);
  if (found === null) throw caseNotFound(caseId);
  checkEngine(found.row, engineVersion);
  if (found.state.erased !== undefined) throw caseErased(caseId);
  const stored = asDefined(registry, found);
  const caseType = neededDefinition(registry, stored.row);
  if ("step" in request && request.step !== undefined) checkStep(caseType, request.step);
  const held = isOwn(stored, request.repairId) ? null : heldBy(stored.row, holders);
  const now = await store.now();
  const inputFor = (state: CaseState): PlanInput => planFrom(ports, caseType, { ...stored, state, now });
  const input = inputFor(stored.state);
  const value = await valueOf(caseType, stored.state, request);
  const verdict = judge(request, { input, held, caseType, value });
  const preview = tell(parts, { request, stored, caseType, inputFor, verdict, value });
  return maskPreview(preview, maskOf(caseType, stored.journal));
}

/** Throws `REPAIR_OVER` for a repair that is over. */
function isOwn({ row, state }: FoldedCase, repairId: string | undefined): boolean {
  if (repairId === undefined) return false;
  const standing = standingOfRepair(state, row.claim?.claimId ?? null, repairId);
  if (standing.kind === "open") return true;
  throw new FootholdError(standing.code, standing.sentence, { details: { caseId: state.caseId } });
}

/** The new input, or what a step would be taken to have given, as its schema makes it; null for other moves. */
async function valueOf(caseType: CaseType, state: CaseState, request: PreviewRequest): Promise<Json> {
  switch (request.move) {
    case "correct":
      return correctedInput(caseType, state, request.input);
    case "confirm":
    case "skip":
      return request.result === undefined ? null : insteadOf(caseType, request.step, request.result);
    case "resume":
    case "check":
    case "ruleOut":
    case "redo":
    case "undo":
    case "leaveOutside":
    case "cancel":
      return null;
  }
}

interface Judging {
  readonly input: PlanInput;
  readonly held: HeldBy | null;
  readonly caseType: CaseType;
  readonly value: Json;
}

function judge(request: PreviewRequest, { input, held, caseType, value }: Judging): MoveVerdict {
  const by = anybody;
  const said = { evidence: null, by, reason } as const;
  switch (request.move) {
    case "resume": {
      const step = request.step ?? null;
      const forced = request.force === true ? { forced: true as const } : {};
      return decideResume(input, held, { step, by, reason, ...forced }, fingerprintNow(caseType, input));
    }
    case "correct":
      return decideCorrection(input.state, held, { input: value, by, reason });
    case "confirm":
      return decideConfirmation(input, held, { ...said, step: request.step, result: value });
    case "skip":
      return decideSkip(input, held, { ...said, step: request.step, result: value });
    case "check":
      return decideCheck(input, held, { step: request.step, by, reason });
    case "ruleOut":
      return decideRulingOut(input, held, { ...said, step: request.step });
    case "redo":
      return decideRedo(input, held, { step: request.step, by, reason });
    case "undo":
      return decideUndo(input, held, { step: request.step, by, reason });
    case "leaveOutside":
      return decideLeavingOutside(input.state, held, { step: request.step, by, reason });
    case "cancel":
      return decideCancel(input.state, held, { by, reason });
  }
}

interface Telling {
  readonly request: PreviewRequest;
  readonly stored: StoredCase;
  readonly caseType: CaseType;
  readonly inputFor: (state: CaseState) => PlanInput;
  readonly verdict: MoveVerdict;
  readonly value: Json;
}

function tell(parts: DeskParts, telling: Telling): MovePreview {
  const { request, stored, caseType, inputFor, verdict, value } = telling;
  const viewing = {
    formatTime: parts.formatTime,
    makeRequest: requestMaker(caseType),
    attention: attentionOf({ stored, state: stored.state }),
  };
  const inputs = inputsOf(stored.state, inputFor);
  const before = viewPlan(inputs, viewing);
  const inputChanges = request.move === "correct" ? diffJson(stored.state.input, value) : [];
  const told = { move: request.move, plan: before.version, before, inputChanges };
  if (verdict.kind !== "write") {
    const refused = verdict.kind === "refused" ? verdict : null;
    const why = refused?.sentence ?? "It is asked for already, or done.";
    return { ...told, isAllowed: false, code: refused?.code ?? null, why, after: null, lapses: [] };
  }
  const moved = verdict.entries.reduce(
    (input: PlanInput, entry) => inputFor(previewWith(input, entry)),
    inputs.ahead,
  );
  const after = viewPlan(inputsOf(moved.state, inputFor), viewing);
  return {
    ...told,
    isAllowed: true,
    code: null,
    why: null,
    after,
    lapses: lapsesBetween(inputs.now, moved, after),
  };
}

function lapsesBetween(before: PlanInput, moved: PlanInput, after: PlanView): readonly LapsePreview[] {
  const stood = new Set(
    planCase(before).steps.flatMap(({ step, standing }) =>
      standing.kind === "lapsed" || standing.kind === "open" ? [] : [step.name],
    ),
  );
  return planCase(moved).steps.flatMap(({ step, standing }): readonly LapsePreview[] => {
    if (standing.kind !== "lapsed" || !stood.has(step.name)) return [];
    const next = after.steps.find((one) => one.step === step.name)?.sentence ?? "";
    return [{ step: step.name, because: sayLapse(standing.because), next }];
  });
}

/** What a form for the input, for an approval or for an event of a case type can be made of. */
export interface FormsView {
  readonly caseType: string;
  readonly version: number;
  readonly input: JsonSchemaReading;
  /** By approval; one without a form has none. */
  readonly approvals: { readonly [step: string]: JsonSchemaReading };
  /**
   * By step: what confirming by hand or leaving out gives it; only where the definition says what that is. Of the keys of an
   * `each` under its name and `[]`.
   */
  readonly results: { readonly [step: string]: JsonSchemaReading };
  readonly events: { readonly [eventType: string]: JsonSchemaReading };
}

/** Tells the forms of a loaded case type. Throws `UNKNOWN_CASE_TYPE`. */
export function viewForms({ registry }: DeskParts, name: string): FormsView {
  const caseType = registry.find(name);
  if (caseType === null) {
    const known = registry.all.map(({ outline }) => outline.name).join(", ") || "none";
    throw new FootholdError(
      "UNKNOWN_CASE_TYPE",
      `No case type ${JSON.stringify(name.slice(0, 60))} is loaded here. Loaded: ${known}.`,
    );
  }
  const { outline, input, events, steps } = caseType;
  const approvals: Record<string, JsonSchemaReading> = {};
  const results: Record<string, JsonSchemaReading> = {};
  for (const [step, runtime] of Object.entries(steps)) {
    if (runtime.kind === "approval" && runtime.form !== null) approvals[step] = schemaOf(runtime.form);
    if (runtime.kind === "step" && runtime.result !== null) results[step] = schemaOf(runtime.result);
    const ofKey = runtime.kind === "each" ? runtime.part("").result : null;
    if (ofKey !== null) results[`${step}[]`] = schemaOf(ofKey);
  }
  const payloads = Object.entries(events).map(([type, validate]) => [type, schemaOf(validate)] as const);
  return {
    caseType: outline.name,
    version: outline.version,
    input: schemaOf(input),
    approvals,
    results,
    events: Object.fromEntries(payloads),
  };
}

function schemaOf(validate: CaseType["input"]): JsonSchemaReading {
  return validate.jsonSchema?.() ?? { kind: "none", why: "no schema stands behind it" };
}
