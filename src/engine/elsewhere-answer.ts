/** What a worker elsewhere reports, read as what a step's own functions would have given or thrown. */

import type { SendOutcome } from "../core/decide.ts";
import type { Json } from "../core/json.ts";
import type { WireEvidence, WireSummary } from "../core/wire-evidence.ts";
import type { RuntimeSendStep } from "../define/case-type.ts";
import { maskFailure } from "../define/masking.ts";
import { sortFailure } from "../triage/sort.ts";
import { succeeded, type OutcomeMasking } from "./attempt.ts";
import type { ElsewhereAnswer, FailedElsewhere } from "./elsewhere-words.ts";

/** What it is read with. */
export interface AnswerReading {
  readonly step: RuntimeSendStep;
  readonly masking: OutcomeMasking | undefined;
  /** When the attempt was opened, and now; epoch ms. */
  readonly startedAt: number;
  readonly now: number;
}

/** The outcome of a send that was reported; null for what only answers a check. */
export async function outcomeElsewhere(
  answer: ElsewhereAnswer,
  reading: AnswerReading,
): Promise<SendOutcome | null> {
  const { step, masking, startedAt, now } = reading;
  switch (answer.kind) {
    case "confirmed": {
      const outcome = await succeeded(answer.result, { step, masking, startedAt, answeredAt: now });
      return { ...outcome, wire: wireOf(answer.requests ?? 1) };
    }
    case "failed": {
      const failure = sortFailure(new ElsewhereError(answer), {
        destination: step.outline.destination.name,
        stopped: answer.stopped ?? null,
        now,
        sorters: step.sorters,
        evidence: evidenceOf(answer),
      });
      const requests = answer.requests ?? (answer.sent === "no" ? 0 : 1);
      const wire = requests === 0 ? {} : { wire: wireOf(requests) };
      return { kind: "failed", failure: maskFailure(failure, masking?.texts ?? []), ...wire };
    }
    case "happened":
    case "differs":
    case "didNotHappen":
    case "cannotTell":
      return null;
  }
}

/** The meter of this process sees nothing of what another one sends: it says so, and counts what it is told. */
function wireOf(requests: number): WireSummary {
  return { requests, repeats: 0, isAtLeast: true, findings: [{ code: "BLIND", client: null }] };
}

/** Only the worker knows whether anything left; where it does not, what its error says alone proves nothing. */
function evidenceOf({ sent }: FailedElsewhere): WireEvidence | null {
  const nothing = { requests: [], sentCount: 0, unsentCount: 0, blindSpots: [] };
  switch (sent) {
    case "no":
      return nothing;
    case "maybe":
      return { ...nothing, sentCount: 1, blindSpots: ["elsewhere"] };
    case "answered":
      return null;
  }
}

/** An error of another process in the shape that sorting reads. */
class ElsewhereError extends Error {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: Json;
  readonly code?: string;

  constructor({ name, message, stack, code, sent, status, headers, body }: FailedElsewhere) {
    super(message);
    this.name = name;
    this.stack = stack ?? `${name}: ${message}`;
    if (code !== undefined) this.code = code;
    if (sent !== "answered") return;
    if (status !== undefined) this.status = status;
    if (headers !== undefined) this.headers = headers;
    if (body !== undefined) this.body = body;
  }
}
