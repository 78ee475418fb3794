import { defineCase } from "../../src/define/builder.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import type { Duration } from "../../src/define/duration.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { input } from "../engine/steps.ts";
import {
  askFor,
  readVersion,
  sendTo,
  type AskContext,
  type Made,
  type SendContext,
  type VersionContext,
  writeEffect,
} from "./clients.ts";
import { KINDS, type KindName } from "./kinds.ts";

/** The steps of every case type of the fault tests, in order. */
export const STEPS = ["first", "second", "third"] as const;
/** One of {@link STEPS}. */
export type StepName = (typeof STEPS)[number];

/** Where a `run` function is. */
interface RunPlace {
  readonly caseId: string;
  readonly step: StepName;
  readonly signal: AbortSignal;
}

/** Makes the request; with another signal than that of `run` it may go out whatever the engine wants. */
type SendRequest = (signal: AbortSignal) => Promise<Made>;

/** What a `run` function does: whatever a worker process plans around the one request. */
export type OnRun = (place: RunPlace, send: SendRequest) => Promise<Made>;

const JUST_SEND: OnRun = ({ signal }, send) => send(signal);

/** A case type of the fault tests. */
export interface PlannedType {
  readonly name: string;
  readonly kind: KindName;
  /** How long one send may take; as long as the kind says when left out. */
  readonly deadline?: Duration;
}

/** Three steps, each a POST to `/NAME/STEP` of the destination at `url`. */
export function threeSteps(url: string, type: PlannedType, onRun: OnRun = JUST_SEND): CaseType {
  const { name, kind } = type;
  const { idempotency, deadline } = KINDS[kind];
  const to = defineDestination(kind, {
    idempotency,
    readLag: "200ms",
    retry: { maxAttempts: 20, firstDelay: "50ms", maxDelay: "200ms" },
    // Many cases are to be under way when a process ends.
    inFlight: { start: 1_000, max: 1_000 },
  });
  const check = (context: AskContext) => askFor(url, name, context);
  const step = (stepName: StepName) => {
    const run = (context: SendContext) =>
      onRun({ caseId: context.caseId, step: stepName, signal: context.signal }, (signal) =>
        idempotency.by === "transaction"
          ? writeEffect(context)
          : sendTo(url, name, stepName, { ...context, signal }),
      );
    const plain = { to, deadline: type.deadline ?? deadline, run };
    switch (idempotency.by) {
      case "key":
      case "none":
      case "transaction":
        return plain;
      case "unique":
      case "fence":
      case "lookup":
        return { ...plain, check };
      case "if-match":
        return { ...plain, check, version: (context: VersionContext) => readVersion(url, stepName, context) };
    }
  };
  return defineCase(name, { version: 1, owner: "ops", input })
    .step("first", step("first"))
    .step("second", step("second"))
    .step("third", step("third"));
}
