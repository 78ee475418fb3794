/** What traces are told of the work of a pick-up: its sends, its questions, and a case that came to its end. */

import type { CaseState } from "../core/case-state.ts";
import type { AttemptRef, Entry } from "../core/journal.ts";
import type { SendStepOutline } from "../core/outline.ts";
import type { Ports } from "../core/ports.ts";
import { untraced, type TracedEnd, type TracedWork } from "../core/tracing.ts";
import type { Question } from "./advance.ts";
import type { AttemptEnd } from "./attempt.ts";

/** Makes a send, and follows it. */
export function followSend<End extends AttemptEnd>(
  { tracing = untraced }: Ports,
  state: CaseState,
  { name, destination }: SendStepOutline,
  { intentVersion, attempt }: AttemptRef,
  make: () => Promise<End>,
): Promise<End> {
  const work = workOn(state, `send ${name}`, {
    "foothold.step": name,
    "foothold.destination": destination.name,
    "foothold.intent_version": intentVersion,
    "foothold.attempt": attempt,
  });
  return tracing.follow(work, make, endOfSend);
}

/** Asks, and follows what is asked. */
export function followQuestion(
  { tracing = untraced }: Ports,
  state: CaseState,
  asked: { readonly kind: Question["kind"]; readonly step: string },
  ask: () => Promise<readonly Entry[]>,
): Promise<readonly Entry[]> {
  const work = workOn(state, `${asked.kind} ${asked.step}`, { "foothold.step": asked.step });
  return tracing.follow(work, ask, (entries) => ({
    facts: { "foothold.entries": entries.map(({ kind }) => kind).join(",") },
  }));
}

/** Tells that a case is done, as one piece of work from its start. */
export async function followDone({ tracing = untraced }: Ports, state: CaseState): Promise<void> {
  const work = { ...workOn(state, `case ${state.caseType}`, {}), startedAt: state.startedAt };
  await tracing.follow(
    work,
    () => Promise.resolve(),
    () => ({ facts: { "foothold.state": "done" } }),
  );
}

function workOn(state: CaseState, name: string, facts: TracedWork["facts"]): TracedWork {
  const { caseId, caseType, definitionVersion } = state;
  return {
    name,
    of: { kind: "case", caseId },
    facts: {
      "foothold.case.type": caseType,
      "foothold.case.version": definitionVersion,
      ...(state.parent === null ? {} : { "foothold.case.parent": state.parent.caseId }),
      ...facts,
    },
  };
}

function endOfSend({ outcome }: AttemptEnd): TracedEnd {
  const requests = outcome.wire === undefined ? {} : { "foothold.requests": outcome.wire.requests };
  if (outcome.kind === "succeeded") return { facts: { "foothold.outcome": "succeeded", ...requests } };
  const { kind, cause, executed, sentence } = outcome.failure;
  return {
    facts: {
      "foothold.outcome": "failed",
      "foothold.failure.kind": kind,
      "foothold.failure.cause": cause,
      "foothold.failure.executed": executed,
      ...requests,
    },
    failed: sentence,
  };
}
