/** What a step would send if the case went on now: where, under which key, and what makes a repeat safe. */

import { isWithoutEffect, stepOf } from "../core/case-state.ts";
import { decideOpenAttempt } from "../core/decide.ts";
import type { AttemptRef } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import type { RepeatSafety, SendStepOutline } from "../core/outline.ts";
import { resendSafeUntilAt } from "../core/plan-send.ts";
import type { PlanInput } from "../core/planning.ts";
import { isOneEffect } from "../core/repeat-safety.ts";
import { hasNoEffect, pendingIntent } from "../core/settled.ts";
import { undoneStep } from "../core/undo.ts";
import type { MadeRequest } from "../define/make-request.ts";

/** Makes what a step would send for the state of an input. */
export type MakesRequest = (input: PlanInput, step: SendStepOutline) => MadeRequest;

/** One send that the plan calls for. */
export interface SendPreview {
  readonly step: string;
  /** The step whose effect this one takes back; null = it takes nothing back. */
  readonly undoes: string | null;
  readonly destination: string;
  readonly credentialId: string;
  /** Null where what would be sent cannot be made. */
  readonly idempotencyKey: string | null;
  readonly attempt: number;
  readonly repeatSafety: RepeatSafety["by"];
  /**
   * `first`: nothing of it happened before. `repeat`: an earlier attempt may have happened, and this one counts once with
   * it. `further`: an effect of this step was made before, and this will be another one.
   */
  readonly effect: "first" | "repeat" | "further";
  /** Attempts that may have happened and that this one repeats. */
  readonly repeats: readonly AttemptRef[];
  /** Conditions that are asked first; it is sent only if they hold. */
  readonly onlyIf: readonly string[];
  /** Until when the repeat is safe, epoch ms; null = no time runs on. */
  readonly safeToResendUntilAt: number | null;
  /** What will be sent, where the definition has a `request`; null where it has none or it cannot be made. */
  readonly request: Json;
  readonly sentence: string;
}

/** A send that the plan calls for. */
export interface PlannedSend {
  readonly step: SendStepOutline;
  readonly repeats: readonly AttemptRef[];
  /** Conditions that are asked first. */
  readonly onlyIf: readonly string[];
}

/** Of a send that the plan calls for. The key is the one that a worker would use for this very state. */
export function previewSend(
  input: PlanInput,
  { step, repeats, onlyIf }: PlannedSend,
  makeRequest: MakesRequest,
): SendPreview {
  const { outline, state, now, digest } = input;
  const { name, credentialId, repeatSafety } = step.destination;
  const { intent, confirmation } = stepOf(state, step.name);
  const pending = pendingIntent(intent, confirmation);
  const made = pending === null ? makeRequest(input, step) : null;
  const holder = { kind: "engine", name: "preview" } as const;
  const opened =
    made?.kind === "failed"
      ? null
      : decideOpenAttempt({
          outline,
          step,
          state,
          request: made?.value ?? null,
          claimId: "",
          holder,
          now,
          digest,
        });
  const entries = opened?.kind === "open" ? opened.entries : [];
  const isNew = entries.find((entry) => entry.kind === "intentOpened");
  const attempt = entries.find((entry) => entry.kind === "attemptOpened");
  // What was done before and not taken back is there still, whatever its confirmation is worth.
  const isVouchedFor = confirmation !== null && !isWithoutEffect(confirmation);
  const isThere = pending === null && (isVouchedFor || (intent !== null && !hasNoEffect(intent)));
  const effect = repeats.length > 0 ? "repeat" : isThere ? "further" : "first";
  const undoes = undoneStep(outline, step.name)?.name ?? null;
  const idempotencyKey =
    isNew?.idempotencyKey ?? (attempt === undefined ? null : (intent?.idempotencyKey ?? null));
  return {
    step: step.name,
    undoes,
    destination: name,
    credentialId,
    idempotencyKey,
    attempt: attempt?.attempt ?? 1,
    repeatSafety: repeatSafety.by,
    effect,
    repeats,
    onlyIf,
    safeToResendUntilAt: pending === null ? null : resendSafeUntilAt(step, pending),
    request: made?.kind === "made" ? made.value : requestOf(pending?.request ?? null),
    sentence: say({ step, undoes, effect, why: whyNot(made, opened) }),
  };
}

function requestOf(text: string | null): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the journal holds canonical JSON that core wrote
  return text === null ? null : (JSON.parse(text) as Json);
}

function whyNot(
  made: MadeRequest | null,
  opened: ReturnType<typeof decideOpenAttempt> | null,
): string | null {
  if (made?.kind === "failed") return `its request cannot be made: ${made.why}`;
  return opened?.kind === "refused" ? opened.review.sentence : null;
}

interface Told {
  readonly step: SendStepOutline;
  readonly undoes: string | null;
  readonly effect: SendPreview["effect"];
  readonly why: string | null;
}

function say({ step, undoes, effect, why }: Told): string {
  const what = undoes === null ? step.name : `the undo of ${undoes}`;
  const { name, repeatSafety } = step.destination;
  if (why !== null) return `${what} would not be sent to ${name}: ${why}`;
  switch (effect) {
    case "first":
      return `${what} is sent to ${name}; nothing of it is there.`;
    case "repeat":
      return `${what} is sent to ${name} again, the same request with the same key, so that it counts once there.`;
    case "further": {
      const key = isOneEffect(repeatSafety) ? " under a new key" : "";
      return `${what} is sent to ${name} once more${key}: a further effect beside the one that is there.`;
    }
  }
}
