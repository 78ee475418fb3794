import { defineCase } from "../../src/define/builder.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { input, look, post } from "../engine/steps.ts";
import { KINDS, type KindName } from "./kinds.ts";

/** The steps of every case type of the fault tests, in order. */
export const STEPS = ["first", "second", "third"] as const;
/** One of {@link STEPS}. */
export type StepName = (typeof STEPS)[number];

/** Where a `run` function is. */
export interface RunPlace {
  readonly caseId: string;
  readonly step: StepName;
  readonly signal: AbortSignal;
}

/** Makes the request; with another signal than that of `run` it may go out whatever the engine wants. */
export type SendRequest = (signal: AbortSignal) => Promise<{ id: string }>;

/** What a `run` function does: whatever a worker process plans around the one request. */
export type OnRun = (place: RunPlace, send: SendRequest) => Promise<{ id: string }>;

const JUST_SEND: OnRun = ({ signal }, send) => send(signal);

/** Three steps, each a POST to `/NAME/STEP` of the destination at `url`, which is of this kind. */
export function threeSteps(url: string, name: string, kind: KindName, onRun: OnRun = JUST_SEND): CaseType {
  const { idempotency, deadline } = KINDS[kind];
  const to = defineDestination(kind, {
    idempotency,
    readLag: "200ms",
    retry: { maxAttempts: 20, firstDelay: "50ms", maxDelay: "200ms" },
  });
  const step = (stepName: StepName) =>
    ({
      to,
      deadline,
      run: (context: Parameters<ReturnType<typeof post>>[0] & { readonly caseId: string }) =>
        onRun({ caseId: context.caseId, step: stepName, signal: context.signal }, (signal) =>
          post({ url }, `/${name}/${stepName}`)({ ...context, signal }),
        ),
      ...(idempotency.by === "lookup" ? { check: look({ url }) } : {}),
    }) as const;
  return defineCase(name, { version: 1, owner: "ops", input })
    .step("first", step("first"))
    .step("second", step("second"))
    .step("third", step("third"));
}
