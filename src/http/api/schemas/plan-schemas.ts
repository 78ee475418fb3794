/** What the API tells of plans. */

import { z } from "zod";
import type { Standing } from "../../../core/planning.ts";
import type { PrerequisiteView } from "../../../desk/packet.ts";
import type { ConditionView, PlannedStepView, PlanView } from "../../../desk/plan-view.ts";
import type { SendPreview } from "../../../desk/send-preview.ts";
import type { Preview } from "../types.ts";
import { count, json, list, named, oneOf, text, textOrNone, time, timeOrNone } from "./schema.ts";

/** Where a step stands. */
export const standingKind: z.ZodType<Standing["kind"]> = oneOf<Standing["kind"]>({
  open: true,
  stands: true,
  lapsed: true,
  uncertain: true,
});

const conditionFields = {
  name: text,
  kind: oneOf<ConditionView["kind"]>({ fact: true, probe: true }),
  role: oneOf<ConditionView["role"]>({ when: true, requires: true, before: true }),
  answer: oneOf<NonNullable<ConditionView["answer"]>>({
    holds: true,
    broken: true,
    cannotTell: true,
  }).nullable(),
  why: textOrNone,
  askedAt: timeOrNone,
  ageMs: z.number().nullable(),
  nextCheckAllowedAt: timeOrNone,
} as const;

const conditionView = named<ConditionView>("ConditionView")(z.strictObject(conditionFields));

/** A condition of a step, with its last answer. */
export const prerequisiteView: z.ZodType<PrerequisiteView> = named<PrerequisiteView>("Prerequisite")(
  z.strictObject({ ...conditionFields, step: text, canCheckNow: z.boolean() }),
);

const sendPreview = named<SendPreview>("SendPreview")(
  z.strictObject({
    step: text,
    undoes: textOrNone,
    destination: text,
    credentialId: text,
    idempotencyKey: textOrNone,
    attempt: count,
    repeatSafety: oneOf<SendPreview["repeatSafety"]>({
      key: true,
      unique: true,
      "if-match": true,
      fence: true,
      transaction: true,
      lookup: true,
      none: true,
    }),
    effect: oneOf<SendPreview["effect"]>({ first: true, repeat: true, further: true }),
    repeats: list(z.strictObject({ step: text, intentVersion: count, attempt: count })),
    onlyIf: list(text),
    safeToResendUntilAt: timeOrNone,
    request: json,
    sentence: text,
  }),
);

/** What a step is. */
const stepKind = oneOf<PlannedStepView["kind"]>({
  step: true,
  each: true,
  approval: true,
  waitForEvent: true,
  poll: true,
  sleep: true,
});

const plannedStep = named<PlannedStepView>("PlannedStep")(
  z.strictObject({
    step: text,
    kind: stepKind,
    standing: standingKind,
    act: oneOf<PlannedStepView["act"]>({
      nothing: true,
      fanOut: true,
      ask: true,
      send: true,
      check: true,
      look: true,
      refresh: true,
      confirm: true,
      record: true,
      wait: true,
      review: true,
    }),
    sentence: text,
    destination: textOrNone,
    idempotencyKey: textOrNone,
    actsNext: textOrNone,
    byAt: timeOrNone,
    conditions: list(conditionView),
    send: sendPreview.nullable(),
    lapsedBecause: textOrNone,
    version: text,
  }),
);

/** What a pick-up would do now. */
export const planView: z.ZodType<PlanView> = named<PlanView>("Plan")(
  z.strictObject({
    version: text,
    madeAt: time,
    isComplete: z.boolean(),
    halt: oneOf<PlanView["halt"]>({ none: true, cancel: true, pause: true }),
    foothold: list(text),
    steps: list(plannedStep),
    kept: list(text),
    askedAgain: list(text),
    lapsed: list(text),
    willSend: list(sendPreview),
    needs: list(z.strictObject({ step: text, who: text, sentence: text })),
  }),
);

/** The plan of one case. */
export const preview: z.ZodType<Preview> = named<Preview>("Preview")(
  z.strictObject({ caseId: text, revision: count, plan: planView.nullable() }),
);
