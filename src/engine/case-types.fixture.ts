/** Case types, cases and states for the tests of the engine. */

import { createHash } from "node:crypto";
import type { CaseState } from "../core/case-state.ts";
import { foldJournal } from "../core/fold.ts";
import type { Actor, AttemptRef, Entry } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import { rowOf } from "../core/row.ts";
import type { CaseType } from "../define/case-type.ts";
import type { NewCase, NewClaim, Store } from "../store/port.ts";
import { advance, preview, type Advance, type AdvanceInput } from "./advance.ts";
import { ENGINE_VERSION } from "./version.ts";

/** A Standard Schema that takes any JSON. */
export const anything: {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "test";
    readonly validate: (value: unknown) => { readonly value: Json };
  };
} = {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value: value as Json }) },
};

/** The worker of these tests. */
const worker: Extract<Actor, { kind: "worker" }> = { kind: "worker", name: "w-1", holderId: "h-1" };
/** A person of these tests. */
export const ann: Actor = { kind: "person", name: "ann" };

/** SHA-256 in hexadecimal. */
function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The state of a case that was just started at `at`. */
export function startedState(caseType: CaseType, input: Json = {}, at = 1_000): CaseState {
  return foldJournal("00case", [{ revision: 1, at, commitId: "c-1", entry: startEntry(caseType, input) }]);
}

function startEntry({ outline }: CaseType, input: Json): Entry {
  const { name, version } = outline;
  return {
    kind: "caseStarted",
    caseType: name,
    definitionVersion: version,
    tenant: "default",
    businessKey: null,
    input,
    by: ann,
  };
}

/** What `advance` needs, with defaults for all but the case. */
export function advanceInput(
  caseType: CaseType,
  state: CaseState,
  options: Partial<AdvanceInput> = {},
): AdvanceInput {
  return {
    caseType,
    state,
    outcomes: [],
    busy: new Set(),
    claimId: "claim-1",
    holder: worker,
    now: state.changedAt,
    digest,
    mayBegin: true,
    mayOpenAttempt: true,
    ...options,
  };
}

/** Advances a case; `state` is what it is once all of it is stored. */
export function advanced(
  caseType: CaseType,
  state: CaseState,
  options: Partial<AdvanceInput> = {},
): { readonly next: Advance; readonly state: CaseState } {
  const input = advanceInput(caseType, state, options);
  const next = advance(input);
  return { next, state: preview(state, [...input.outcomes, ...next.onward], input.now) };
}

/** A case with an attempt of its first open step committed. */
export function withAttempt(
  caseType: CaseType,
  state: CaseState,
  now: number = state.changedAt,
): { readonly ref: AttemptRef; readonly state: CaseState } {
  const opened = advanced(caseType, state, { now });
  if (opened.next.opens === null) throw new Error("no attempt was opened");
  return { ref: opened.next.opens, state: opened.state };
}

/** Starts a case in a store; claimed from the start with `claim`. */
export async function startCase(
  store: Store,
  caseType: CaseType,
  options: {
    readonly caseId?: string;
    readonly tenant?: string;
    readonly input?: Json;
    readonly claim?: NewClaim;
  } = {},
): Promise<string> {
  const { caseId = "00case", tenant = "default", input = {}, claim = null } = options;
  const at = await store.now();
  const entry = { ...startEntry(caseType, input), tenant };
  const journal = [{ revision: 1, at, commitId: `start-${caseId}`, entry }];
  const start: NewCase = {
    identity: {
      caseId,
      shard: Number(caseId.slice(0, 2)),
      tenant,
      caseType: caseType.outline.name,
      businessKey: null,
      startedAt: at,
      definitionVersion: caseType.outline.version,
      engineVersion: ENGINE_VERSION,
    },
    commitId: `start-${caseId}`,
    at,
    entries: [entry],
    row: rowOf(foldJournal(caseId, journal)),
    claim,
  };
  const reply = await store.insertCase(start);
  if (reply.kind !== "started") throw new Error(`the case was not started: ${reply.kind}`);
  return caseId;
}

/** The state of a stored case. */
export async function stateOf(store: Store, caseId = "00case"): Promise<CaseState> {
  const stored = await store.loadCase(caseId);
  if (stored === null) throw new Error(`there is no case ${caseId}`);
  return foldJournal(caseId, stored.journal);
}

/** The kinds of a case's entries, in order. */
export async function entriesOf(store: Store, caseId = "00case"): Promise<readonly string[]> {
  const stored = await store.loadCase(caseId);
  return (stored?.journal ?? []).map(({ entry }) => entry.kind);
}
