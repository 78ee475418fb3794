/**
 * What the desk tells of a case, with marks in the place of what is masked, and without the words that repeat it. Everybody
 * sees these; what is behind a mark is told by a reveal alone.
 */

import { isJsonObject, type Json } from "../core/json.ts";
import type { JsonChange } from "../core/json-diff.ts";
import type { JournalEntry } from "../core/journal.ts";
import { maskAt, maskData, maskTexts, maskTextsIn, type MaskedPath } from "../core/masked-values.ts";
import type { CaseType } from "../define/case-type.ts";
import {
  EVERYTHING,
  eventPaths,
  hasMasks,
  maskedPartsIn,
  resultPaths,
  sentPaths,
  textsOfParts,
} from "../define/masking.ts";
import type { ReceivedEvent } from "../core/case-state.ts";
import type { ConfirmedAction } from "./confirmed-actions.ts";
import type { ReviewPacket } from "./packet.ts";
import type { MovePreview } from "./move-preview.ts";
import type { PlanView } from "./plan-view.ts";
import type { SecondView } from "./second-view.ts";
import type { SendPreview } from "./send-preview.ts";

/** What is masked of one case. */
export interface CaseMask {
  readonly input: readonly MaskedPath[];
  readonly result: (step: string) => readonly MaskedPath[];
  readonly sent: (step: string) => readonly MaskedPath[];
  readonly event: (eventType: string) => readonly MaskedPath[];
  /** Masked values that no other text may repeat. */
  readonly texts: readonly string[];
}

/** Fields that hold names and ids, never what a case is about: a masked value that equals one must not break them. */
const NAMES: ReadonlySet<string> = new Set([
  "caseId",
  "tenant",
  "caseType",
  "businessKey",
  "step",
  "steps",
  "kind",
  "act",
  "state",
  "storedState",
  "move",
  "code",
  "how",
  "standing",
  "outcome",
  "executed",
  "became",
  "path",
  "name",
  "eventType",
  "sourceId",
  "plan",
  "version",
  "idempotencyKey",
  "destination",
  "credentialId",
  "requestId",
  "foothold",
  "kept",
  "askedAgain",
  "lapsed",
]);

/**
 * What is masked of a case; null = nothing. Where its definition is not loaded nobody knows what it masks, so all that it
 * holds is masked. Left out of `journal`: what it held before.
 */
export function maskOf(caseType: CaseType | null, journal: readonly JournalEntry[]): CaseMask | null {
  if (caseType === null) {
    return { input: EVERYTHING, result: wholly, sent: wholly, event: wholly, texts: [] };
  }
  if (!hasMasks(caseType)) return null;
  return {
    input: caseType.masks.input,
    result: (step) => resultPaths(caseType, step),
    sent: (step) => sentPaths(caseType, step),
    event: (eventType) => eventPaths(caseType, eventType),
    texts: textsOfParts(maskedPartsIn(caseType, journal)),
  };
}

const wholly = (): readonly MaskedPath[] => EVERYTHING;

/** A packet as everybody sees it. */
export function maskPacket(packet: ReviewPacket, mask: CaseMask | null): ReviewPacket {
  if (mask === null) return packet;
  const { texts } = mask;
  return withoutTexts(
    {
      ...packet,
      input: maskData(packet.input, mask.input, texts),
      originalInput: maskData(packet.originalInput, mask.input, texts),
      inputChanges: maskChanges(packet.inputChanges, mask),
      corrections: packet.corrections.map((one) => ({ ...one, changes: maskChanges(one.changes, mask) })),
      confirmed: packet.confirmed.map((one) => maskConfirmed(one, mask)),
      events: maskEvents(packet.events, mask),
      repair:
        packet.repair === null
          ? null
          : { ...packet.repair, attached: maskEvents(packet.repair.attached, mask) },
      arrivedMeanwhile: packet.arrivedMeanwhile.map((one) => maskEvent(one, mask)),
      plan: packet.plan === null ? null : maskPlan(packet.plan, mask),
      ifResumed: packet.ifResumed === null ? null : maskPlan(packet.ifResumed, mask),
      seconds: packet.seconds.map((one) => maskSecond(one, mask)),
      pastSeconds: packet.pastSeconds.map((one) => maskSecond(one, mask)),
    },
    mask,
  );
}

/** A preview as everybody sees it. */
export function maskPreview(preview: MovePreview, mask: CaseMask | null): MovePreview {
  if (mask === null) return preview;
  return withoutTexts(
    {
      ...preview,
      before: maskPlan(preview.before, mask),
      after: preview.after === null ? null : maskPlan(preview.after, mask),
      inputChanges: maskChanges(preview.inputChanges, mask),
    },
    mask,
  );
}

/** A request for a second person as everybody sees it. */
export function maskSecond(view: SecondView, mask: CaseMask | null): SecondView {
  if (mask === null || !isJsonObject(view.request)) return view;
  const { input, result, ...others } = view.request;
  const request: { [field: string]: Json } = { ...others };
  if (input !== undefined) request["input"] = maskData(input, mask.input, mask.texts);
  if (result !== undefined) {
    request["result"] = maskData(
      result,
      view.step === null ? EVERYTHING : mask.result(view.step),
      mask.texts,
    );
  }
  return withoutTexts({ ...view, request }, mask);
}

/** Events as everybody sees them. */
export function maskEvents(
  events: readonly ReceivedEvent[],
  mask: CaseMask | null,
): readonly ReceivedEvent[] {
  return mask === null ? events : events.map((one) => maskEvent(one, mask));
}

/** Words as everybody reads them. */
export function withoutTexts<Value>(value: Value, { texts }: Pick<CaseMask, "texts">): Value {
  return maskTextsIn(value, texts, NAMES);
}

function maskEvent<Event extends { readonly eventType: string; readonly payload: Json }>(
  event: Event,
  mask: CaseMask,
): Event {
  return { ...event, payload: maskData(event.payload, mask.event(event.eventType), mask.texts) };
}

function maskConfirmed(action: ConfirmedAction, mask: CaseMask): ConfirmedAction {
  const { step, result, evidence } = action;
  return {
    ...action,
    // A sentence here, and elsewhere the name of a way.
    how: maskTexts(action.how, mask.texts),
    result:
      result.kind === "value"
        ? { kind: "value", value: maskData(result.value, mask.result(step), mask.texts) }
        : result,
    evidence: maskData(evidence, mask.sent(step), mask.texts),
  };
}

function maskPlan(plan: PlanView, mask: CaseMask): PlanView {
  const maskSend = (send: SendPreview): SendPreview => ({
    ...send,
    request: maskData(send.request, mask.sent(send.step), mask.texts),
  });
  return {
    ...plan,
    steps: plan.steps.map((one) => (one.send === null ? one : { ...one, send: maskSend(one.send) })),
    willSend: plan.willSend.map(maskSend),
  };
}

function maskChanges(changes: readonly JsonChange[], { input, texts }: CaseMask): readonly JsonChange[] {
  return changes.map((change) => ({
    ...change,
    from: maskData(maskAt(change.from, change.path, input), [], texts),
    to: maskData(maskAt(change.to, change.path, input), [], texts),
  }));
}
