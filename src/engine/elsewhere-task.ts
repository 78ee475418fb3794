/** What a worker elsewhere is asked to do, and how its report names that again. Pure. */

import { attemptOf, stepOf, type CaseState } from "../core/case-state.ts";
import type { AttemptRef } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import { readPartName } from "../core/part-name.ts";
import { undoneName } from "../core/undo.ts";
import type { CaseType } from "../define/case-type.ts";
import { decodeRequest } from "../define/decode-request.ts";
import { undoneBy } from "../define/facts.ts";

/** What is asked: to send, whether it happened, and both for the undo of a step. */
type WorkAsk = "run" | "check" | "undo" | "checkUndo";

/** One thing to do, for one case. */
export interface WorkTask {
  readonly caseId: string;
  readonly caseType: string;
  readonly claimId: string;
  /** Names it in the report. */
  readonly task: string;
  /** As the definition names it. */
  readonly step: string;
  /** Of an `each`: the item's key. */
  readonly key: string | null;
  readonly ask: WorkAsk;
  /** Of the intent; of a check, the last one that was made. */
  readonly attempt: number;
  readonly request: Json;
  readonly idempotencyKey: string;
  readonly fencingToken: number;
  /** Tells this request from any other one. */
  readonly fingerprint: string;
  /** What an undo takes back; null for anything else. */
  readonly undoes: { readonly result: Json; readonly evidence: Json } | null;
  /** How long it may take from when this was answered, in ms. */
  readonly withinMs: number;
}

/** A task as its report names it. */
export type TaskName =
  | { readonly kind: "run"; readonly ref: AttemptRef }
  | {
      readonly kind: "check";
      readonly step: string;
      readonly about: "outcome" | "present";
      /** Of the case when it was asked: an answer to a case that moved since is not used. */
      readonly revision: number;
      readonly askedAt: number;
    };

/** The name as one text. */
function taskText(name: TaskName): string {
  return name.kind === "run"
    ? `run ${name.ref.intentVersion} ${name.ref.attempt} ${name.ref.step}`
    : `check ${name.about} ${name.revision} ${name.askedAt} ${name.step}`;
}

const RUN = /^run (\d{1,9}) (\d{1,9}) (\S{1,200})$/;
const CHECK = /^check (outcome|present) (\d{1,12}) (\d{1,15}) (\S{1,200})$/;

/** Null for a text that names none. */
export function readTaskText(text: string): TaskName | null {
  const [, version, attempt, step] = RUN.exec(text) ?? [];
  if (version !== undefined && attempt !== undefined && step !== undefined) {
    return { kind: "run", ref: { step, intentVersion: Number(version), attempt: Number(attempt) } };
  }
  const [, about, revision, askedAt, checked] = CHECK.exec(text) ?? [];
  if (about === undefined || revision === undefined || askedAt === undefined || checked === undefined)
    return null;
  return {
    kind: "check",
    step: checked,
    about: about === "outcome" ? "outcome" : "present",
    revision: Number(revision),
    askedAt: Number(askedAt),
  };
}

/** The attempt that is open under a claim; null = none is. One claim has one at a time elsewhere. */
export function openUnder(state: CaseState, claimId: string): AttemptRef | null {
  for (const [step, { intent }] of Object.entries(state.steps)) {
    const open = intent?.attempts.find((one) => one.claimId === claimId && one.outcome.kind === "open");
    if (intent !== null && open !== undefined)
      return { step, intentVersion: intent.version, attempt: open.number };
  }
  return null;
}

/** The send of an open attempt as a task; null where the journal has no such attempt. */
export function sendTask(
  caseType: CaseType,
  state: CaseState,
  { ref, claimId, now }: { readonly ref: AttemptRef; readonly claimId: string; readonly now: number },
): WorkTask | null {
  const { intent } = stepOf(state, ref.step);
  const attempt = attemptOf(intent, { ...ref, claimId });
  if (intent === null || attempt === undefined) return null;
  const undone = undoneBy(caseType, state, ref.step);
  return {
    ...addressOf(caseType, state, { step: ref.step, claimId, isCheck: false }),
    task: taskText({ kind: "run", ref }),
    attempt: ref.attempt,
    request: (undone === undefined ? decodeRequest(intent) : undone.request) ?? null,
    idempotencyKey: intent.idempotencyKey,
    fencingToken: attempt.fencingToken,
    fingerprint: intent.fingerprint,
    undoes: undone === undefined ? null : { result: undone.result, evidence: undone.evidence },
    withinMs: Math.max(0, attempt.sendDeadlineAt - now),
  };
}

/** A question to the destination as it was worked out. */
export interface CheckAsked {
  readonly step: string;
  readonly claimId: string;
  readonly about: "outcome" | "present";
  readonly request: Json;
  readonly idempotencyKey: string;
  readonly fingerprint: string;
  readonly fencingToken: number;
  readonly askedAt: number;
  readonly withinMs: number;
}

/** A check as a task. */
export function checkTask(caseType: CaseType, state: CaseState, asked: CheckAsked): WorkTask {
  const { step, about, askedAt, claimId, request, ...rest } = asked;
  const undone = undoneBy(caseType, state, step);
  return {
    ...addressOf(caseType, state, { step, claimId, isCheck: true }),
    ...rest,
    task: taskText({ kind: "check", step, about, askedAt, revision: state.revision }),
    attempt: stepOf(state, step).intent?.attempts.at(-1)?.number ?? 0,
    request: undone === undefined ? request : (undone.request ?? null),
    undoes: undone === undefined ? null : { result: undone.result, evidence: undone.evidence },
  };
}

function addressOf(
  { outline }: CaseType,
  { caseId }: CaseState,
  { step, claimId, isCheck }: { readonly step: string; readonly claimId: string; readonly isCheck: boolean },
): Pick<WorkTask, "caseId" | "caseType" | "claimId" | "step" | "key" | "ask"> {
  const own = undoneName(step);
  const part = readPartName(own);
  const isUndo = own !== step;
  const ask = isCheck ? (isUndo ? "checkUndo" : "check") : isUndo ? "undo" : "run";
  return {
    caseId,
    caseType: outline.name,
    claimId,
    step: part === null ? own : part.step,
    key: part?.key ?? null,
    ask,
  };
}
