/**
 * The desk: what people and the outside may do to cases, and what they may read. Each act is one commit through the
 * store's one door, judged by core. The desk never calls `run`, `check` or a probe; plans are made from recorded answers.
 */

import type { Ports } from "../core/ports.ts";
import type { SecondMove, SecondRule } from "../core/second-person.ts";
import { PAGE_LEASE_MS } from "../core/repair.ts";
import type { CaseType } from "../define/case-type.ts";
import type { NoticeBook } from "../define/notice-book.ts";
import type { Registry } from "../define/registry.ts";
import { NO_SCHEDULES, type ScheduleBook } from "../define/schedule.ts";
import type { BulkAct, BulkItem } from "../store/bulk-port.ts";
import type { MilestoneFilter } from "../store/milestone-port.ts";
import type { CaseFilter, Store, TypeCount } from "../store/port.ts";
import type { StateSample } from "../store/sample-port.ts";
import { restoreAccess, type AccessReply, type AccessRequest } from "./access.ts";
import {
  addNote,
  answerApproval,
  cancel,
  correctInput,
  pause,
  recordEvent,
  resume,
  type ApprovalRequest,
  type CancelRequest,
  type CorrectionRequest,
  type EventRequest,
  type NoteRequest,
  type PauseRequest,
  type ResumeRequest,
} from "./acts.ts";
import {
  confirmStep,
  redoStep,
  ruleOut,
  type ConfirmRequest,
  type RedoRequest,
  type RuleOutRequest,
} from "./vouching.ts";
import { audited, auditedInHouse, headOfAct, houseHead, type ActRequest } from "./audited.ts";
import { assignCase, handOver, type AssignRequest, type HandOverRequest } from "./assigning.ts";
import {
  listBulks,
  orderBulk,
  previewBulk,
  showBulk,
  startBulk,
  type BulkOrder,
  type BulkPreview,
  type BulkRequest,
  type BulkView,
} from "./bulk.ts";
import { createBulkRunner, type BulkRunner } from "./bulk-run.ts";
import {
  listProblems,
  markProblem,
  type MarkRequest,
  type ProblemFilter,
  type ProblemsView,
} from "./problems.ts";
import { viewLine, type CaseLine } from "./case-view.ts";
import type { ReviewPacket } from "./packet.ts";
import { previewMove, viewForms, type FormsView } from "./preview.ts";
import type { MovePreview, PreviewRequest } from "./move-preview.ts";
import {
  answerSecond,
  askSecond,
  listSeconds,
  type SecondAnswerRequest,
  type SecondMoveRequest,
} from "./seconds.ts";
import type { SecondView } from "./second-view.ts";
import {
  checkNow,
  leaveOutside,
  skipStep,
  undoStep,
  type CheckRequest,
  type SkipRequest,
} from "./step-orders.ts";
import type { ActReply } from "./change.ts";
import { definitionOf } from "./definition.ts";
import { diffDefinitions, type DefinitionDiff, type DiffRequest } from "./definition-diff.ts";
import { viewCaseMap, type CaseMap } from "./case-map.ts";
import {
  readHistory,
  readTraffic,
  type HistoryRequest,
  type StateHistory,
  type TrafficView,
} from "./history.ts";
import { readMilestones, type MilestonesView, type SeesCase } from "./milestones.ts";
import { listSchedules } from "./schedule-view.ts";
import { scheduleActs, type ScheduleDesk } from "./schedules.ts";
import { createSampler, statesOf, type Sampler } from "./sampling.ts";
import { keyStandingsFor } from "./key-standings.ts";
import { readDestinations, readingsFor, type DestinationsView } from "./destinations.ts";
import type { DeskParts } from "./desk-parts.ts";
import { importCase, type ImportedCase, type ImportRequest } from "./import-case.ts";
import { markRestored, type RestoredReport, type RestoredRequest } from "./restored.ts";
import { viewOverview, type Overview } from "./overview.ts";
import {
  closeRepair,
  keepRepair,
  openRepair,
  takeOverRepair,
  type OpenedRepair,
  type OpenRequest,
  type RepairLife,
  type TakeOverRequest,
} from "./repairs.ts";
import type { LacksNow, Who } from "./requests.ts";
import { erasureDesk, type ErasureDesk } from "./erase.ts";
import { revealCase, type Revealed, type RevealRequest } from "./revealing.ts";
import { startCase, type StartedCase, type StartOptions } from "./start.ts";
import { shareCounts } from "./shared-counts.ts";
import { showCase, type Viewer } from "./show-case.ts";
import { followStoreTime } from "./store-time.ts";

/** What the desk is made of. */
export interface DeskOptions {
  readonly store: Store;
  readonly registry: Registry;
  /** What `scheduleBookOf` gave; no schedules when left out. */
  readonly schedules?: ScheduleBook;
  readonly ports: Ports;
  readonly engineVersion: number;
  /** How long a page with an open repair may be silent, in ms. Default 300,000. */
  readonly pageLeaseMs?: number;
  /** Which moves need a second person; none when left out. */
  readonly secondRules?: readonly SecondRule[];
  /** Who the names of owners stand for: an approval is for its owner alone. Left out = whoever has the right answers it. */
  readonly owners?: NoticeBook["owners"];
  /** Asked before each move of a bulk act that a person ordered; nothing is asked when left out. */
  readonly lacksNow?: LacksNow;
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

/**
 * Acts and readings. A refusal is thrown as a `FootholdError` with its code; then nothing was written. Any act of a person
 * made under a repair throws `REPAIR_OVER` once that is over.
 */
export interface Desk extends ScheduleDesk, ErasureDesk {
  /** Throws `UNKNOWN_CASE_TYPE`, `INVALID_INPUT`, `INVALID_REQUEST`. */
  startCase<Input>(caseType: CaseType<Input>, input: Input, options: StartOptions): Promise<StartedCase>;
  /** The same by the name of a loaded case type. */
  startCase(caseType: string, input: unknown, options: StartOptions): Promise<StartedCase>;
  /** Throws `INVALID_EVENT`; stores the same source id once. */
  recordEvent(caseId: string, event: EventRequest): Promise<ActReply>;
  /** Throws `NOT_WAITING_FOR_APPROVAL`, `ALREADY_ANSWERED`, `INVALID_APPROVAL`, `APPROVER_REFUSED`, `PLAN_CHANGED`. */
  answerApproval(caseId: string, answer: ApprovalRequest): Promise<ActReply>;
  /** Throws `NOTHING_TO_RESUME`, `RESUME_BLOCKED`, `CASE_CLAIMED`, `PLAN_CHANGED`. */
  resume(caseId: string, request: ResumeRequest): Promise<ActReply>;
  /**
   * Cancels a case: at once where nothing of it is outside; else what was done is undone first, and what cannot be goes to
   * people.
   */
  cancel(caseId: string, request: CancelRequest): Promise<ActReply>;
  /** Stops a case until a time, or until it is resumed. */
  pause(caseId: string, request: PauseRequest): Promise<ActReply>;
  /** Throws `INVALID_INPUT`, `CASE_CLAIMED`. */
  correctInput(caseId: string, request: CorrectionRequest): Promise<ActReply>;
  /** Throws `NOTHING_TO_CONFIRM`, `CONFIRM_BLOCKED`, `INVALID_REQUEST`, `CASE_CLAIMED`, `PLAN_CHANGED`. */
  confirmStep(caseId: string, request: ConfirmRequest): Promise<ActReply>;
  /** Vouches that a step whose outcome is not known did not happen. Throws `NOTHING_TO_RULE_OUT`, `RULE_OUT_TOO_EARLY`. */
  ruleOut(caseId: string, request: RuleOutRequest): Promise<ActReply>;
  /** Orders a confirmed step to be done again. Throws `NOTHING_TO_REDO`. */
  redoStep(caseId: string, request: RedoRequest): Promise<ActReply>;
  /** Leaves a step out; what follows goes on with the result given. Throws `NOTHING_TO_SKIP`, `INVALID_REQUEST`. */
  skipStep(caseId: string, request: SkipRequest): Promise<ActReply>;
  /** Takes back what a confirmed step did; it then waits for a person. Throws `NOTHING_TO_UNDO`. */
  undoStep(caseId: string, request: RedoRequest): Promise<ActReply>;
  /** Says, in a case that is being canceled, that what a step did stays outside. Throws `NOTHING_TO_LEAVE`. */
  leaveOutside(caseId: string, request: RedoRequest): Promise<ActReply>;
  /** Has a worker ask anew what is known of a step; it sends nothing. Throws `NOTHING_TO_CHECK`. */
  checkNow(caseId: string, request: CheckRequest): Promise<ActReply>;
  /** Gives a case to a person or a team, or to nobody in particular. */
  assignCase(caseId: string, request: AssignRequest): Promise<ActReply>;
  /** Ends one's own repair and gives the case to somebody else. Throws `REPAIR_OVER`. */
  handOver(caseId: string, request: HandOverRequest): Promise<ActReply>;
  /**
   * Lets every case go on that waits on a credential, after one of them was tried. Throws `INVALID_REQUEST` for a
   * destination that no loaded case type sends to, or of which the credential must be named.
   */
  restoreAccess(request: AccessRequest): Promise<AccessReply>;
  /** Adds a note to its history. */
  addNote(caseId: string, request: NoteRequest): Promise<ActReply>;
  /** Tells what is behind the marks of a case; on record before it is told. Throws `INVALID_REQUEST`, `CASE_NOT_FOUND`. */
  reveal(caseId: string, request: RevealRequest): Promise<Revealed>;
  /**
   * Approves or declines a move that waits for a second person. Throws `SECOND_NOT_FOUND`, `SECOND_OVER`, `SECOND_REFUSED`,
   * and what the move is refused with: then the request is void.
   */
  answerSecond(requestId: string, answer: SecondAnswerRequest): Promise<ActReply>;
  /** Moves that wait for a second person, oldest first; of one case where one is named. */
  listSeconds(caseId?: string): Promise<readonly SecondView[]>;
  /**
   * Opens a repair: the person's page holds the case until it is closed, or falls silent for a lease. Throws
   * `CASE_CLAIMED`, `CASE_ENDED`.
   */
  openRepair(caseId: string, request: OpenRequest): Promise<OpenedRepair>;
  /** Takes a repair over from another person. Throws `NOTHING_TO_TAKE_OVER`, `CASE_CLAIMED`, `CASE_ENDED`. */
  takeOverRepair(caseId: string, request: TakeOverRequest): Promise<OpenedRepair>;
  /** A sign of life of the page; tells it what came, or that its repair is over. */
  keepRepair(caseId: string, repairId: string): Promise<RepairLife>;
  /** Ends a repair, and applies what came meanwhile. `by`: who closes it, for the audit. Throws `REPAIR_OVER`. */
  closeRepair(caseId: string, repairId: string, by?: Who): Promise<ActReply>;
  /**
   * The review packet: everything about one case, with the moves as they are for anybody, for the holder of a repair, and
   * for whoever looks (with every right when left out). Throws
   * `CASE_NOT_FOUND`, `CORRUPT_JOURNAL`, `ENGINE_TOO_OLD`, `REPAIR_OVER`.
   */
  show(caseId: string, repairId?: string, viewer?: Viewer): Promise<ReviewPacket>;
  /**
   * What a move would do: the plan after it, what it lapses, what is sent under which key. Changes and records nothing.
   * Throws `CASE_NOT_FOUND`, `UNKNOWN_CASE_TYPE`, `INVALID_INPUT`, `INVALID_REQUEST`, `REPAIR_OVER`.
   */
  preview(caseId: string, request: PreviewRequest): Promise<MovePreview>;
  /** What the loaded definitions would change about open cases; reads only. Throws `INVALID_REQUEST`. */
  diffDefinitions(request?: DiffRequest): Promise<DefinitionDiff>;
  /** After a restore, before workers run: what open cases sent since is found out first. Throws `INVALID_REQUEST`. */
  markRestored(request: RestoredRequest): Promise<RestoredReport>;
  /** Takes over a case that another installation exported. Throws `INVALID_REQUEST` for what cannot be taken over. */
  importCase(request: ImportRequest): Promise<ImportedCase>;
  /** What forms for the input, approvals, results and events of a case type are made of. Throws `UNKNOWN_CASE_TYPE`. */
  forms(caseType: string): FormsView;
  /** What waits for people, in groups with the same cause. */
  problems(filter?: ProblemFilter): Promise<ProblemsView>;
  /** Says whose a group of problems is, and a note; both outlive its cases. Throws `INVALID_REQUEST`. */
  markProblem(request: MarkRequest): Promise<void>;
  /** What a bulk act would do, by counts. Changes and records nothing. */
  previewBulk(request: Pick<BulkRequest, "move" | "filter" | "reach">): Promise<BulkPreview>;
  /** Makes one move on many cases; their ids are frozen now. Throws `BULK_EMPTY`, `BULK_REFUSED`, `INVALID_REQUEST`. */
  startBulk(request: BulkRequest): Promise<BulkAct>;
  /** A bulk act with a page of its cases and what became of each. Throws `BULK_NOT_FOUND`. */
  showBulk(
    bulkId: string,
    page?: { readonly afterPlace?: number; readonly state?: BulkItem["state"] },
  ): Promise<BulkView>;
  /** Newest first, at most 100. */
  listBulks(): Promise<readonly BulkAct[]>;
  /** Throws `BULK_NOT_FOUND`, `BULK_REFUSED`. */
  orderBulk(
    bulkId: string,
    request: { readonly order: BulkOrder; readonly by: Who; readonly reason?: string | null | undefined },
  ): Promise<BulkAct>;
  /** Works off bulk acts; a process that has the definitions starts one. */
  bulkRunner(options: { readonly onError: (error: unknown) => void; readonly holdMs?: number }): BulkRunner;
  /** Reads rows only, so that one corrupt journal hides no other case. Throws `INVALID_REQUEST` for a limit out of bounds. */
  list(filter?: ListFilter): Promise<ListPage>;
  /** How many cases there are, by type and readable state, and what is wrong with the house. */
  overview(): Promise<Overview>;
  /** Where loaded case types send to: what each may be sent now and why, what is under way, and who waits for it. */
  destinations(): Promise<DestinationsView>;
  /** The steps of a case type, and how many open cases stand at each. Throws `UNKNOWN_CASE_TYPE`. */
  caseMap(caseType: string): Promise<CaseMap>;
  /** Open cases by type and by the state that people read. */
  openCases(): Promise<readonly StateSample[]>;
  /** How open cases stood over time, and stand now. */
  history(request: HistoryRequest): Promise<StateHistory>;
  /** The same destinations with what they took over the last hours. */
  traffic(): Promise<TrafficView>;
  /** What became of all cases: reviews, ends and lost workers, newest first. Throws `INVALID_REQUEST`, `CORRUPT_JOURNAL`. */
  milestones(filter: MilestoneFilter, sees?: SeesCase): Promise<MilestonesView>;
  /** Samples what pictures over time show; a process that has the definitions starts one. */
  sampler(options: { readonly onError: (error: unknown) => void }): Sampler;
}

/** Cases on one page of a list where nothing else is asked for. */
export const LIST_LIMIT_DEFAULT = 50;

/** Makes a desk. It starts nothing and holds nothing but what it is given. */
export function createDesk(options: DeskOptions): Desk {
  const { store, registry, ports, engineVersion } = options;
  const parts: DeskParts = {
    store,
    registry,
    schedules: options.schedules ?? NO_SCHEDULES,
    ports,
    engineVersion,
    pageLeaseMs: options.pageLeaseMs ?? PAGE_LEASE_MS,
    now: followStoreTime(store, ports.clock),
    formatTime: options.formatTime ?? ((at) => new Date(at).toISOString()),
    secondRules: options.secondRules ?? [],
    owners: options.owners ?? null,
    lacksNow: options.lacksNow ?? null,
    act: null,
  };
  return {
    ...actsOn(parts),
    ...bulkActs(parts),
    ...scheduleActs(parts),
    ...erasureDesk(parts),
    ...readings(parts),
  };
}

/** Acts on one case, or on a credential; each on record. */
function actsOn(
  parts: DeskParts,
): Omit<Desk, keyof BulkActs | keyof ScheduleDesk | keyof ErasureDesk | keyof Readings> {
  const move =
    <Request extends ActRequest, Reply>(act: string, work: Act<Request, Reply>) =>
    (caseId: string, request: Request): Promise<Reply> =>
      audited(parts, headOfAct(act, caseId, request), (by) => work(by, caseId, request));
  /** A move that is only asked for where it needs a second person. */
  const guarded = <Request extends SecondMoveRequest>(act: SecondMove, work: Act<Request, ActReply>) =>
    move<Request, ActReply>(
      act,
      async (by, caseId, request) => (await askSecond(by, act, caseId, request)) ?? work(by, caseId, request),
    );
  return {
    startCase: (caseType: string | CaseType, input: unknown, start: StartOptions) =>
      startCase(parts, typeof caseType === "string" ? caseType : caseType.outline.name, input, start),
    recordEvent: (caseId, event) => recordEvent(parts, caseId, event),
    answerApproval: (caseId, answer) =>
      audited(parts, headOfAct("approve", caseId, { ...answer, reason: answer.note }), (by) =>
        answerApproval(by, caseId, answer),
      ),
    resume: (caseId, request) =>
      guarded(request.force === true ? "force" : "resume", resume)(caseId, request),
    cancel: guarded("cancel", cancel),
    pause: move("pause", pause),
    correctInput: guarded("correct", correctInput),
    confirmStep: guarded("confirm", confirmStep),
    ruleOut: guarded("ruleOut", ruleOut),
    redoStep: guarded("redo", redoStep),
    skipStep: guarded("skip", skipStep),
    undoStep: guarded("undo", undoStep),
    leaveOutside: guarded("leaveOutside", leaveOutside),
    checkNow: move("check", checkNow),
    assignCase: move("assign", assignCase),
    handOver: move("handOver", handOver),
    restoreAccess: (request) => auditedAccess(parts, request),
    addNote: move("note", addNote),
    reveal: move("reveal", revealCase),
    openRepair: move("open", openRepair),
    takeOverRepair: move("takeOver", takeOverRepair),
    answerSecond: (requestId, answer) => answerSecond(parts, requestId, answer),
    keepRepair: (caseId, repairId) => keepRepair(parts, caseId, repairId),
    importCase: (request) => importCase(parts, request),
    closeRepair: (caseId, repairId, by) =>
      audited(parts, headOfAct("close", caseId, { by }), (acting) => closeRepair(acting, caseId, repairId)),
  };
}

/** An act on a case as the files beside this one have it. */
type Act<Request, Reply> = (parts: DeskParts, caseId: string, request: Request) => Promise<Reply>;
type BulkActs = Pick<
  Desk,
  | "markProblem"
  | "previewBulk"
  | "startBulk"
  | "showBulk"
  | "listBulks"
  | "orderBulk"
  | "bulkRunner"
  | "problems"
>;
type Readings = Pick<
  Desk,
  | "show"
  | "preview"
  | "diffDefinitions"
  | "markRestored"
  | "forms"
  | "list"
  | "overview"
  | "destinations"
  | "caseMap"
  | "openCases"
  | "history"
  | "traffic"
  | "milestones"
  | "sampler"
  | "listSeconds"
>;

function bulkActs(parts: DeskParts): BulkActs {
  return {
    problems: (filter) => listProblems(parts, filter ?? {}),
    markProblem: (request) =>
      auditedInHouse(
        parts,
        houseHead("markProblem", { ...request, reason: request.note }),
        (by) => markProblem(by, request),
        () => ({ about: request.problemId, after: { owner: request.owner ?? null } }),
      ),
    previewBulk: (request) => previewBulk(parts, request),
    startBulk: (request) =>
      auditedInHouse(
        parts,
        houseHead("startBulk", request),
        (by) => startBulk(by, request),
        ({ bulkId, move, counts }) => ({ about: bulkId, after: { move, cases: counts.total } }),
      ),
    showBulk: (bulkId, page) => showBulk(parts, bulkId, page),
    listBulks: () => listBulks(parts),
    orderBulk: (bulkId, request) =>
      auditedInHouse(
        parts,
        { ...houseHead("orderBulk", request), about: bulkId },
        (by) => orderBulk(by, bulkId, request),
        ({ state }) => ({ about: bulkId, after: { order: request.order, state } }),
      ),
    bulkRunner: (runner) => createBulkRunner({ parts, ...runner }),
  };
}

function readings(parts: DeskParts): Readings {
  const { store, registry, ports } = parts;
  const counts = shareCounts(() => store.countCases(), ports.clock);
  const stepCounts = shareCounts(() => store.samples.countSteps(), ports.clock);
  return {
    show: (caseId, repairId, viewer) => showCase(parts, caseId, repairId ?? null, viewer ?? {}),
    preview: (caseId, request) => previewMove(parts, caseId, request),
    diffDefinitions: (request) => diffDefinitions(parts, request ?? {}),
    markRestored: (request) => markRestored(parts, request),
    forms: (caseType) => viewForms(parts, caseType),
    list: (filter) => listCases(parts, filter ?? {}),
    overview: () => readOverview(parts, counts),
    destinations: () => readDestinations(parts),
    caseMap: async (caseType) => {
      const [steps, types] = await Promise.all([stepCounts(), counts()]);
      return viewCaseMap({ registry, caseType, steps, types });
    },
    openCases: async () => statesOf(await stepCounts()),
    history: (request) => readHistory(parts, stepCounts, request),
    traffic: () => readTraffic(parts),
    milestones: (filter, sees) => readMilestones(parts, filter, sees ?? (() => true)),
    sampler: (options) => createSampler(parts, options),
    listSeconds: (caseId) => listSeconds(parts, caseId ?? null),
  };
}

/** Each case that it lets go on has a line of its own beside the one of the act. */
function auditedAccess(parts: DeskParts, request: AccessRequest): Promise<AccessReply> {
  return auditedInHouse(
    parts,
    { ...houseHead("restoreAccess", request), about: request.destination },
    (by) => restoreAccess(by, request),
    ({ destination, credentialId, probe, released, waiting }) => ({
      about: destination,
      after: { credentialId, probe: probe.kind, released, waiting },
    }),
  );
}

async function listCases(parts: DeskParts, filter: ListFilter): Promise<ListPage> {
  const { store, registry, formatTime } = parts;
  const limit = filter.limit ?? LIST_LIMIT_DEFAULT;
  const [page, holders] = await Promise.all([store.listCases({ ...filter, limit }), store.listHolders()]);
  const destinations = await readingsFor(parts, page.rows);
  const keyOf = await keyStandingsFor(store, page.rows, holders);
  const now = await store.now();
  const cases = page.rows.map((row) => {
    const isDefinitionLoaded = definitionOf(registry, row).standing.kind === "loaded";
    const key = keyOf(row);
    return viewLine({ row, holders, isDefinitionLoaded, destinations, key, now, formatTime });
  });
  return { cases, next: page.next, now };
}

async function readOverview(
  parts: DeskParts,
  counting: () => Promise<readonly TypeCount[]>,
): Promise<Overview> {
  const { store, registry, formatTime } = parts;
  const [counts, holders, undelivered, { schedules }] = await Promise.all([
    counting(),
    store.listHolders(),
    store.notices.countUndeliverable(),
    listSchedules(parts),
  ]);
  const now = await store.now();
  return viewOverview({ counts, holders, registry, schedules, undelivered, now, formatTime });
}
