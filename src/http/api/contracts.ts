/** The schemas of every route: what it takes is checked against them, what it gives is described by them. */

import type { z } from "zod";
import type { RouteId } from "./types.ts";
import { auditPage, auditQuery, sealHeads } from "./schemas/audit-schemas.ts";
import {
  bulkAct,
  bulkActs,
  bulkBody,
  bulkItemsQuery,
  bulkOrderBody,
  bulkPage,
  bulkParams,
  bulkPreview,
  bulkPreviewBody,
  markBody,
  problemParams,
  problems,
  problemsQuery,
} from "./schemas/bulk-schemas.ts";
import { caseCount, listPage, reviewPacket } from "./schemas/case-schemas.ts";
import {
  caseOutline,
  caseTypes,
  claims,
  destinations,
  me,
  overview,
  workers,
} from "./schemas/house-schemas.ts";
import {
  eventBodyView,
  eventHistory,
  eventPage,
  ignoreReply,
  reconciled,
  refusals,
  replayReply,
  workCounts,
} from "./schemas/inbox-schemas.ts";
import { messageParams, notices, ownerParams, owners, retried, tested } from "./schemas/notice-schemas.ts";
import { caseExport } from "./schemas/export-schemas.ts";
import { forms, movePreview } from "./schemas/preview-schemas.ts";
import { milestones, milestonesQuery } from "./schemas/milestone-schemas.ts";
import { caseMap, history, historyQuery, traffic } from "./schemas/picture-schemas.ts";
import {
  leaveSlotBody,
  pauseScheduleBody,
  resumeScheduleBody,
  schedule,
  scheduleDetail,
  scheduleParams,
  schedules,
  slotsQuery,
  slotsToCome,
  slotsToComeQuery,
  startedSlot,
  startSlotBody,
} from "./schemas/schedule-schemas.ts";
import { preview } from "./schemas/plan-schemas.ts";
import {
  accessReply,
  actReply,
  openedRepair,
  repairLife,
  startedCase,
  told,
} from "./schemas/reply-schemas.ts";
import {
  accessBody,
  approvalBody,
  assignBody,
  cancelBody,
  casePageQuery,
  caseParams,
  casesQuery,
  caseTypeParams,
  checkBody,
  confirmationBody,
  correctionBody,
  destinationParams,
  eventBody,
  eventParams,
  eventsQuery,
  handOverBody,
  ignoreBody,
  limitQuery,
  noteBody,
  nothing,
  pauseBody,
  previewBody,
  redoBody,
  repairParams,
  replayBody,
  resumeBody,
  revealBody,
  rulingOutBody,
  sessionBody,
  showQuery,
  skipBody,
  sourceParams,
  startBody,
  takeOverBody,
} from "./schemas/request-schemas.ts";
import { erasurePreview, erasureReply } from "./schemas/erasure-schemas.ts";
import { revealed } from "./schemas/reveal-schemas.ts";
import { peopleView, settings, signInWays } from "./schemas/settings-schemas.ts";
import { secondAnswerBody, secondParams, seconds, secondsQuery } from "./schemas/second-schemas.ts";
import { savedView, savedViews, viewParams } from "./schemas/view-schemas.ts";
import {
  beatWorkerBody,
  claimedWork,
  claimWorkBody,
  leaveWorkBody,
  registered,
  registerWorkerBody,
  reportWorkBody,
  workLife,
  workTaken,
} from "./schemas/work-schemas.ts";
import type { ApiTypes } from "./types.ts";

/** The schemas of one route. */
export interface Contract<Id extends RouteId = RouteId> {
  readonly params: z.ZodType<ApiTypes[Id]["params"]>;
  readonly query: z.ZodType<ApiTypes[Id]["query"]>;
  /** Null = it has no body. */
  readonly body: ApiTypes[Id]["body"] extends null ? null : z.ZodType<ApiTypes[Id]["body"]>;
  readonly reply: z.ZodType<ApiTypes[Id]["reply"]>;
}

const none = { params: nothing, query: nothing, body: null } as const;
const onCase = { params: caseParams, query: nothing } as const;
const onSchedule = { params: scheduleParams, query: nothing } as const;
const onRepair = { params: repairParams, query: nothing, body: nothing } as const;

/** Every route's. */
export const CONTRACTS: { readonly [Id in RouteId]: Contract<Id> } = {
  showMe: { ...none, reply: me },
  openSession: { ...none, body: sessionBody, reply: me },
  endSession: { ...none, body: nothing, reply: told },
  showOverview: { ...none, reply: overview },
  listCases: { ...none, query: casePageQuery, reply: listPage },
  countCases: { ...none, query: casesQuery, reply: caseCount },
  showCase: { ...onCase, query: showQuery, body: null, reply: reviewPacket },
  previewCase: { ...onCase, body: null, reply: preview },
  exportCase: { ...onCase, body: null, reply: caseExport },
  revealExport: { ...onCase, body: revealBody, reply: caseExport },
  previewMove: { ...onCase, body: previewBody, reply: movePreview },
  startCase: { ...none, body: startBody, reply: startedCase },
  answerApproval: { ...onCase, body: approvalBody, reply: actReply },
  resumeCase: { ...onCase, body: resumeBody, reply: actReply },
  correctInput: { ...onCase, body: correctionBody, reply: actReply },
  confirmStep: { ...onCase, body: confirmationBody, reply: actReply },
  ruleOutStep: { ...onCase, body: rulingOutBody, reply: actReply },
  redoStep: { ...onCase, body: redoBody, reply: actReply },
  checkStep: { ...onCase, body: checkBody, reply: actReply },
  skipStep: { ...onCase, body: skipBody, reply: actReply },
  leaveOutside: { ...onCase, body: redoBody, reply: actReply },
  undoStep: { ...onCase, body: redoBody, reply: actReply },
  assignCase: { ...onCase, body: assignBody, reply: actReply },
  cancelCase: { ...onCase, body: cancelBody, reply: actReply },
  pauseCase: { ...onCase, body: pauseBody, reply: actReply },
  addNote: { ...onCase, body: noteBody, reply: actReply },
  revealCase: { ...onCase, body: revealBody, reply: revealed },
  previewErasure: { ...onCase, body: null, reply: erasurePreview },
  eraseCase: { ...onCase, body: revealBody, reply: erasureReply },
  tellEvent: { ...onCase, body: eventBody, reply: actReply },
  openRepair: { ...onCase, body: nothing, reply: openedRepair },
  takeOverRepair: { ...onCase, body: takeOverBody, reply: openedRepair },
  keepRepair: { ...onRepair, reply: repairLife },
  closeRepair: { ...onRepair, reply: actReply },
  handOverRepair: { ...onRepair, body: handOverBody, reply: actReply },
  listCaseTypes: { ...none, reply: caseTypes },
  showCaseType: { ...none, params: caseTypeParams, reply: caseOutline },
  showForms: { ...none, params: caseTypeParams, reply: forms },
  listMilestones: { ...none, query: milestonesQuery, reply: milestones },
  showCaseMap: { ...none, params: caseTypeParams, reply: caseMap },
  showHistory: { ...none, query: historyQuery, reply: history },
  showTraffic: { ...none, reply: traffic },
  listDestinations: { ...none, reply: destinations },
  restoreAccess: { ...none, params: destinationParams, body: accessBody, reply: accessReply },
  listWorkers: { ...none, reply: workers },
  listClaims: { ...none, query: limitQuery, reply: claims },
  listEvents: { ...none, query: eventsQuery, reply: eventPage },
  showEvent: { ...none, params: eventParams, reply: eventHistory },
  countWork: { ...none, reply: workCounts },
  reconcileSource: { ...none, params: sourceParams, body: nothing, reply: reconciled },
  listRefusals: { ...none, query: limitQuery, reply: refusals },
  showEventBody: { ...none, params: eventParams, reply: eventBodyView },
  revealEventBody: { ...none, params: eventParams, body: revealBody, reply: eventBodyView },
  replayEvent: { ...none, params: eventParams, body: replayBody, reply: replayReply },
  ignoreEvent: { ...none, params: eventParams, body: ignoreBody, reply: ignoreReply },
  showSignIn: { ...none, reply: signInWays },
  showSettings: { ...none, reply: settings },
  listPeople: { ...none, reply: peopleView },
  listViews: { ...none, reply: savedViews },
  saveView: { ...none, body: savedView, reply: told },
  removeView: { ...none, params: viewParams, body: nothing, reply: told },
  listProblems: { ...none, query: problemsQuery, reply: problems },
  markProblem: { ...none, params: problemParams, body: markBody, reply: told },
  previewBulk: { ...none, body: bulkPreviewBody, reply: bulkPreview },
  startBulk: { ...none, body: bulkBody, reply: bulkAct },
  listBulkActs: { ...none, reply: bulkActs },
  showBulkAct: { ...none, params: bulkParams, query: bulkItemsQuery, reply: bulkPage },
  orderBulkAct: { ...none, params: bulkParams, body: bulkOrderBody, reply: bulkAct },
  listSchedules: { ...none, reply: schedules },
  showSchedule: { params: scheduleParams, query: slotsQuery, body: null, reply: scheduleDetail },
  listSlotsToCome: { params: scheduleParams, query: slotsToComeQuery, body: null, reply: slotsToCome },
  pauseSchedule: { ...onSchedule, body: pauseScheduleBody, reply: schedule },
  resumeSchedule: { ...onSchedule, body: resumeScheduleBody, reply: schedule },
  startSlot: { ...onSchedule, body: startSlotBody, reply: startedSlot },
  leaveSlot: { ...onSchedule, body: leaveSlotBody, reply: schedule },
  listSeconds: { ...none, query: secondsQuery, reply: seconds },
  answerSecond: { params: secondParams, query: nothing, body: secondAnswerBody, reply: actReply },
  listAudit: { ...none, query: auditQuery, reply: auditPage },
  listSealHeads: { ...none, reply: sealHeads },
  listNotices: { ...none, query: limitQuery, reply: notices },
  retryNotice: { ...none, params: messageParams, body: nothing, reply: retried },
  listOwners: { ...none, reply: owners },
  testOwner: { ...none, params: ownerParams, body: nothing, reply: tested },
  registerWorker: { ...none, body: registerWorkerBody, reply: registered },
  beatWorker: { ...none, body: beatWorkerBody, reply: workLife },
  claimWork: { ...none, body: claimWorkBody, reply: claimedWork },
  leaveWork: { ...none, body: leaveWorkBody, reply: told },
  reportWork: { ...onCase, body: reportWorkBody, reply: workTaken },
};
