/**
 * What a step with a child does: starts a case, or asks the one that it started to cancel. Both are written in the
 * transaction that the outcome of the step is stored with, so neither is done twice, and none by a late worker.
 */

import { stepOf, type CaseState, type Intent } from "../core/case-state.ts";
import { CHILD_DEPTH_MAX, decideCancelByParent } from "../core/child-telling.ts";
import { FootholdError, invariant } from "../core/errors.ts";
import { foldJournal } from "../core/fold.ts";
import type { ParentRef } from "../core/child-standing.ts";
import type { Actor, Entry } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import type { MoveVerdict } from "../core/moves.ts";
import type { SendStepOutline } from "../core/outline.ts";
import type { Ports } from "../core/ports.ts";
import { endOfStaleRepair } from "../core/repair.ts";
import { engineVersionFor } from "../core/key-places.ts";
import { rowOf } from "../core/row.ts";
import { undoneName } from "../core/undo.ts";
import { concurrencyKeyOf } from "../define/concurrency.ts";
import { keyShard } from "../define/case-keys.ts";
import type { CaseType } from "../define/case-type.ts";
import type { ChildCalls } from "../define/child-calls.ts";
import type { Registry } from "../define/registry.ts";
import {
  SHARD_COUNT,
  type CaseChange,
  type FoldedCase,
  type NewCase,
  type StepTransaction,
} from "../store/port.ts";
import { preview } from "./advance.ts";

/** Case ids drawn before giving up: with 60 random bits, one that is taken is all but impossible. */
const ID_DRAWS_MAX = 5;

/** What is needed to start and cancel children. */
export interface ChildContext {
  readonly registry: Registry;
  readonly ports: Ports;
}

/** The step that acts, and the case that it is of, right after the attempt was committed. */
export interface ChildCallsOf {
  readonly step: SendStepOutline;
  readonly state: CaseState;
}

/** The calls for one attempt, in its transaction; null for a step that has nothing to do with other cases. */
export function childCallsOf(
  context: ChildContext,
  of: ChildCallsOf,
  open: StepTransaction,
): ChildCalls | null {
  if (of.step.child === undefined) return null;
  return {
    start: (input) => startChild(context, of, open, input),
    cancel: () => cancelChild(context, of, open),
  };
}

async function startChild(
  { registry, ports }: ChildContext,
  { step, state }: ChildCallsOf,
  open: StepTransaction,
  given: Json,
): Promise<Json> {
  const { child } = step;
  const { intent } = stepOf(state, step.name);
  invariant(child?.act === "start" && intent !== null, `${step.name} of case ${state.caseId} starts no case`);
  const caseType = registry.get(child.caseType);
  const input = await validChildInput(caseType, step.name, given);
  const parent = parentRef(state, step.name, intent);
  for (let draws = 0; draws < ID_DRAWS_MAX; draws += 1) {
    const start = newChild(ports, caseType, { state, intent, input, parent });
    const reply = await open.startCase(start);
    switch (reply.kind) {
      case "started":
      case "repeated":
        return { caseId: start.identity.caseId };
      case "exists":
        throw keyTaken(step.name, intent.idempotencyKey, reply.caseId);
      case "idTaken":
    }
  }
  throw new FootholdError(
    "INVARIANT_BROKEN",
    `${ID_DRAWS_MAX} random case ids in a row were taken: the source of random ids does not work.`,
  );
}

async function validChildInput({ input, outline }: CaseType, step: string, given: Json): Promise<Json> {
  const validation = await input(given);
  if (validation.kind === "valid") return validation.value;
  const { faults: fields } = validation;
  const told = fields.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  throw new FootholdError(
    "INVALID_INPUT",
    `What ${step} gives is no input of ${outline.name}: ${told}. No case was started.`,
    { details: { fields } },
  );
}

function parentRef({ caseId, parent }: CaseState, step: string, { version }: Intent): ParentRef {
  const depth = (parent?.depth ?? 0) + 1;
  if (depth > CHILD_DEPTH_MAX) {
    throw new FootholdError(
      "INVALID_DEFINITION",
      `${step} of case ${caseId} would start a case ${depth} deep below others; at most ${CHILD_DEPTH_MAX} are allowed.`,
      { details: { step } },
    );
  }
  return { caseId, step, intentVersion: version, depth };
}

function keyTaken(step: string, businessKey: string, caseId: string): FootholdError {
  return new FootholdError(
    "INVALID_REQUEST",
    `${step} cannot start its case: case ${caseId} has the business key ${businessKey} already. Cases of that type ` +
      `must not be started by hand under such keys.`,
    { details: { caseId } },
  );
}

interface FirstCommit {
  readonly state: CaseState;
  readonly intent: Intent;
  readonly input: Json;
  readonly parent: ParentRef;
}

/** The key of the intent is the business key: one case for one intent version, whoever starts it how often. */
function newChild(
  { digest, ids }: Ports,
  childType: CaseType,
  { state, intent, input, parent }: FirstCommit,
): NewCase {
  const { tenant, changedAt: at } = state;
  const { name: caseType, version: definitionVersion, search } = childType.outline;
  const concurrencyKey = concurrencyKeyOf(childType, input, digest);
  const businessKey = intent.idempotencyKey;
  const shard = keyShard(digest, { tenant, caseType, key: businessKey }, SHARD_COUNT);
  const caseId = `${String(shard).padStart(2, "0")}-${ids.caseSuffix()}`;
  const commitId = ids.unique();
  const by: Actor = { kind: "engine", name: `${parent.step} of case ${parent.caseId}` };
  const told = { caseType, definitionVersion, tenant, businessKey };
  const entry: Entry = {
    kind: "caseStarted",
    ...told,
    input,
    by,
    parent,
    ...(search === undefined ? {} : { search }),
    ...(concurrencyKey === null ? {} : { concurrencyKey }),
  };
  return {
    identity: { ...told, caseId, shard, startedAt: at, engineVersion: engineVersionFor(concurrencyKey) },
    commitId,
    at,
    entries: [entry],
    row: rowOf(foldJournal(caseId, [{ revision: 1, at, commitId, entry }])),
    claim: null,
  };
}

async function cancelChild(
  { ports }: ChildContext,
  { step, state }: ChildCallsOf,
  open: StepTransaction,
): Promise<Json> {
  const name = undoneName(step.name);
  const { child } = stepOf(state, name);
  const { intent } = stepOf(state, step.name);
  invariant(child !== null && intent !== null, `${name} of case ${state.caseId} has no case to cancel`);
  const commitId = ports.ids.unique();
  const by: Actor = { kind: "engine", name: `case ${state.caseId}` };
  const reason = whyCanceled(state, name);
  const changed = await open.changeCase(
    child.caseId,
    { commitId, sourceId: `canceled by ${intent.idempotencyKey}` },
    (stored, now) => cancelChange(stored, now, commitId, { by, reason }),
  );
  if (changed === null) {
    throw new FootholdError(
      "CASE_NOT_FOUND",
      `Case ${child.caseId}, which ${name} of case ${state.caseId} started, is not there any more.`,
    );
  }
  if (changed.kind === "erased") {
    throw new FootholdError(
      "CASE_ERASED",
      `The data of case ${child.caseId}, which ${name} of case ${state.caseId} started, was erased.`,
    );
  }
  return { caseId: child.caseId };
}

function whyCanceled({ cancelRequest }: CaseState, step: string): string {
  if (cancelRequest === null) return `${step} is undone`;
  const { by, reason } = cancelRequest;
  return `canceled by ${by.name}${reason === null ? "" : ` (${reason})`}`;
}

function cancelChange(
  { row, state: found }: FoldedCase,
  now: number,
  commitId: string,
  request: { readonly by: Actor; readonly reason: string },
): CaseChange<MoveVerdict> {
  const at = Math.max(now, found.changedAt);
  const stale = endOfStaleRepair(found, row.claim?.claimId ?? null);
  const state = preview(found, stale, at);
  const held = row.claim === null ? null : { claim: row.claim, holder: null };
  const verdict = decideCancelByParent(state, held, request);
  if (verdict.kind !== "write") return { kind: "leave", reply: verdict };
  const entries = [...stale, ...verdict.entries];
  return {
    kind: "write",
    commitId,
    entries,
    at,
    row: rowOf(preview(state, verdict.entries, at)),
    claim: "keep",
    reply: verdict,
  };
}
