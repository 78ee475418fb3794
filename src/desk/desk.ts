/**
 * The desk: what people and the outside may do to cases, and what they may read. Each act is one commit through the
 * store's one door, judged by core. The desk never calls `run`, `check` or a probe; plans are made from recorded answers.
 */

import { foldJournal } from "../core/fold.ts";
import type { Ports } from "../core/ports.ts";
import type { CaseType } from "../define/case-type.ts";
import type { Registry } from "../define/registry.ts";
import type { CaseFilter, Store } from "../store/port.ts";
import {
  addNote,
  answerApproval,
  cancel,
  confirmStep,
  correctInput,
  pause,
  recordEvent,
  resume,
  type ApprovalRequest,
  type ConfirmRequest,
  type CorrectionRequest,
  type EventRequest,
  type MoveRequest,
  type NoteRequest,
  type PauseRequest,
  type ResumeRequest,
} from "./acts.ts";
import { viewCase, viewLine, type CaseLine, type CaseView } from "./case-view.ts";
import { checkEngine, type ActReply } from "./change.ts";
import { definitionOf } from "./definition.ts";
import type { DeskParts } from "./desk-parts.ts";
import { viewOverview, type Overview } from "./overview.ts";
import { fingerprintNow, planFrom } from "./plan-input.ts";
import { caseNotFound, isCaseId } from "./requests.ts";
import { startCase, type StartedCase, type StartOptions } from "./start.ts";
import { followStoreTime } from "./store-time.ts";

/** What the desk is made of. */
export interface DeskOptions {
  readonly store: Store;
  readonly registry: Registry;
  readonly ports: Ports;
  readonly engineVersion: number;
  /** How times are written in sentences; ISO 8601 in UTC when left out. */
  readonly formatTime?: (at: number) => string;
}

/** Which cases to list. */
export type ListFilter = Omit<CaseFilter, "limit"> & {
  /** 50 when left out; at most `LIST_LIMIT_MAX`. */
  readonly limit?: number;
};

/** One page of cases, newest start first. */
export interface ListPage {
  readonly cases: readonly CaseLine[];
  /** Cursor of the next page; null = this is the last one. */
  readonly next: string | null;
  readonly now: number;
}

/** Acts and readings. A refusal is thrown as a `FootholdError` with its code; then nothing was written. */
export interface Desk {
  /** Throws `UNKNOWN_CASE_TYPE`, `INVALID_INPUT`, `INVALID_REQUEST`. */
  startCase<Input>(caseType: CaseType<Input>, input: Input, options: StartOptions): Promise<StartedCase>;
  /** The same by the name of a loaded case type. */
  startCase(caseType: string, input: unknown, options: StartOptions): Promise<StartedCase>;
  /** Throws `INVALID_EVENT`; stores the same source id once. */
  recordEvent(caseId: string, event: EventRequest): Promise<ActReply>;
  /** Throws `NOT_WAITING_FOR_APPROVAL`, `ALREADY_ANSWERED`, `INVALID_APPROVAL`, `PLAN_CHANGED`. */
  answerApproval(caseId: string, answer: ApprovalRequest): Promise<ActReply>;
  /** Throws `NOTHING_TO_RESUME`, `RESUME_BLOCKED`, `CASE_CLAIMED`, `PLAN_CHANGED`. */
  resume(caseId: string, request: ResumeRequest): Promise<ActReply>;
  /** Throws `CANCEL_NEEDS_UNDO`. */
  cancel(caseId: string, request: MoveRequest): Promise<ActReply>;
  pause(caseId: string, request: PauseRequest): Promise<ActReply>;
  /** Throws `INVALID_INPUT`, `CASE_CLAIMED`. */
  correctInput(caseId: string, request: CorrectionRequest): Promise<ActReply>;
  /** Throws `NOTHING_TO_CONFIRM`, `CONFIRM_BLOCKED`, `INVALID_REQUEST`, `CASE_CLAIMED`, `PLAN_CHANGED`. */
  confirmStep(caseId: string, request: ConfirmRequest): Promise<ActReply>;
  addNote(caseId: string, request: NoteRequest): Promise<ActReply>;
  /** Everything about one case. Throws `CASE_NOT_FOUND`, `CORRUPT_JOURNAL`, `ENGINE_TOO_OLD`. */
  show(caseId: string): Promise<CaseView>;
  /** Reads rows only, so that one corrupt journal hides no other case. Throws `INVALID_REQUEST` for a limit out of bounds. */
  list(filter?: ListFilter): Promise<ListPage>;
  overview(): Promise<Overview>;
}

/** Cases on one page of a list where nothing else is asked for. */
export const LIST_LIMIT_DEFAULT = 50;

/** Makes a desk. It starts nothing and holds nothing but what it is given. */
export function createDesk(options: DeskOptions): Desk {
  const { store, registry, ports, engineVersion } = options;
  const parts: DeskParts = {
    store,
    registry,
    ports,
    engineVersion,
    now: followStoreTime(store, ports.clock),
    formatTime: options.formatTime ?? ((at) => new Date(at).toISOString()),
  };
  return {
    startCase: (caseType: string | CaseType, input: unknown, start: StartOptions) =>
      startCase(parts, typeof caseType === "string" ? caseType : caseType.outline.name, input, start),
    recordEvent: (caseId, event) => recordEvent(parts, caseId, event),
    answerApproval: (caseId, answer) => answerApproval(parts, caseId, answer),
    resume: (caseId, request) => resume(parts, caseId, request),
    cancel: (caseId, request) => cancel(parts, caseId, request),
    pause: (caseId, request) => pause(parts, caseId, request),
    correctInput: (caseId, request) => correctInput(parts, caseId, request),
    confirmStep: (caseId, request) => confirmStep(parts, caseId, request),
    addNote: (caseId, request) => addNote(parts, caseId, request),
    show: (caseId) => showCase(parts, caseId),
    list: (filter) => listCases(parts, filter ?? {}),
    overview: () => readOverview(parts),
  };
}

async function showCase(parts: DeskParts, caseId: string): Promise<CaseView> {
  const { store, registry, ports, formatTime } = parts;
  if (!isCaseId(caseId)) throw caseNotFound(caseId);
  const [stored, holders] = await Promise.all([store.loadCase(caseId), store.listHolders()]);
  if (stored === null) throw caseNotFound(caseId);
  checkEngine(stored.row, parts.engineVersion);
  const now = await store.now();
  const state = foldJournal(caseId, stored.journal);
  const { standing: definition, caseType } = definitionOf(registry, stored.row);
  const planInput = caseType === null ? null : planFrom(ports, caseType, { row: stored.row, state, now });
  const tellFingerprint =
    caseType === null || planInput === null ? () => null : fingerprintNow(caseType, planInput);
  return viewCase({
    stored,
    state,
    holders,
    definition,
    planInput,
    fingerprintNow: tellFingerprint,
    now,
    formatTime,
  });
}

async function listCases(parts: DeskParts, filter: ListFilter): Promise<ListPage> {
  const { store, registry, formatTime } = parts;
  const limit = filter.limit ?? LIST_LIMIT_DEFAULT;
  const [page, holders] = await Promise.all([store.listCases({ ...filter, limit }), store.listHolders()]);
  const now = await store.now();
  const cases = page.rows.map((row) => {
    const isDefinitionLoaded = definitionOf(registry, row).standing.kind === "loaded";
    return viewLine({ row, holders, isDefinitionLoaded, now, formatTime });
  });
  return { cases, next: page.next, now };
}

async function readOverview(parts: DeskParts): Promise<Overview> {
  const { store, registry, formatTime } = parts;
  const [counts, holders] = await Promise.all([store.countCases(), store.listHolders()]);
  const now = await store.now();
  return viewOverview({ counts, holders, registry, now, formatTime });
}
