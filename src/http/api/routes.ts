/**
 * The routes of the API as data: what the server answers, what the description lists, what a role may be tried on, and
 * what the client calls. Nothing here but values, so that it can be read in a browser too.
 */

import { AUDIT_ROUTES } from "./audit-routes.ts";
import { BULK_ROUTES } from "./bulk-routes.ts";
import { INBOX_ROUTES } from "./inbox-routes.ts";
import { MILESTONE_ROUTES } from "./milestone-routes.ts";
import { NOTICE_ROUTES } from "./notice-routes.ts";
import { PICTURE_ROUTES } from "./picture-routes.ts";
import type { RouteHead } from "./route-head.ts";
import { SCHEDULE_ROUTES } from "./schedule-routes.ts";
import { SETTINGS_ROUTES } from "./settings-routes.ts";
import { SECOND_ROUTES } from "./second-routes.ts";
import { VIEW_ROUTES } from "./view-routes.ts";
import { WORK_ROUTES } from "./work-routes.ts";
import type { PlannedRoute, RouteId } from "./types.ts";

export type { RouteHead } from "./route-head.ts";

const read = { method: "GET", plan: "none" } as const;
const act = { method: "POST", on: "case" } as const;
const move = { ...act, plan: "needed", tag: "Moves" } as const;
const fact = { ...act, plan: "none", tag: "Moves" } as const;
const repair = { ...act, plan: "none", tag: "Repairs" } as const;

/** Every route by the name of its operation. */
export const API_ROUTES: {
  readonly [Id in RouteId]: RouteHead & { readonly plan: Id extends PlannedRoute ? "needed" : "none" };
} = {
  showMe: {
    ...read,
    path: "/me",
    verb: null,
    on: "anyone",
    tag: "People",
    summary: "Who is signed in, and what they may do",
  },
  openSession: {
    method: "POST",
    path: "/session",
    verb: null,
    on: "anyone",
    plan: "none",
    isOpen: true,
    tag: "People",
    summary: "Sign in with a name and a password; the answer sets a cookie",
  },
  endSession: {
    method: "DELETE",
    path: "/session",
    verb: null,
    on: "anyone",
    plan: "none",
    isOpen: true,
    tag: "People",
    summary: "Sign out",
  },
  showOverview: {
    ...read,
    path: "/overview",
    verb: "see",
    on: "visible",
    tag: "House",
    summary: "Counts by case type, and what is wrong now",
  },
  listCases: {
    ...read,
    path: "/cases",
    verb: "see",
    on: "visible",
    tag: "Cases",
    summary: "One page of cases, newest start first",
  },
  countCases: {
    ...read,
    path: "/case-count",
    verb: "see",
    on: "visible",
    tag: "Cases",
    summary: "How many cases match, up to 1,000",
  },
  showCase: {
    ...read,
    path: "/cases/{caseId}",
    verb: "see",
    on: "case",
    tag: "Cases",
    summary: "Everything about one case; its ETag is the plan version",
  },
  previewCase: {
    ...read,
    path: "/cases/{caseId}/plan",
    verb: "see",
    on: "case",
    tag: "Cases",
    summary: "What a pick-up would do now; free and not logged",
  },
  exportCase: {
    ...read,
    path: "/cases/{caseId}/export",
    verb: "see",
    on: "case",
    tag: "Cases",
    summary: "The case with its whole journal, to be kept; with marks for what is masked",
  },
  revealExport: {
    ...fact,
    path: "/cases/{caseId}/export/reveal",
    verb: "reveal",
    tag: "Cases",
    summary: "The same as it is, for a reason that is on record: it can be replayed",
  },
  previewMove: {
    method: "POST",
    path: "/cases/{caseId}/preview",
    verb: "see",
    on: "case",
    plan: "none",
    tag: "Cases",
    summary: "What a move would do; changes and records nothing",
  },
  startCase: {
    method: "POST",
    path: "/cases",
    verb: "start",
    on: "caseType",
    plan: "none",
    tag: "Cases",
    summary: "Start a case; the same business key again finds the first one",
  },
  answerApproval: {
    ...move,
    path: "/cases/{caseId}/approval",
    verb: "approve",
    also: { field: "standIn", verb: "standIn" },
    summary: "Answer an approval that the case waits for",
  },
  resumeCase: {
    ...move,
    path: "/cases/{caseId}/resume",
    verb: "resume",
    also: { field: "force", verb: "force" },
    summary: "Let a case go on, with fresh bounds",
  },
  correctInput: {
    ...move,
    path: "/cases/{caseId}/correction",
    verb: "correct",
    summary: "Replace the input; the original is kept",
  },
  confirmStep: {
    ...move,
    path: "/cases/{caseId}/confirmation",
    verb: "confirm",
    summary: "Vouch that a step took effect",
  },
  ruleOutStep: {
    ...move,
    path: "/cases/{caseId}/ruling-out",
    verb: "confirm",
    summary: "Vouch that a step did not happen",
  },
  redoStep: {
    ...move,
    path: "/cases/{caseId}/redo",
    verb: "redo",
    summary: "Order a confirmed step to be done again",
  },
  checkStep: {
    ...move,
    path: "/cases/{caseId}/check",
    verb: "check",
    summary: "Have a worker ask anew what is known of a step; nothing is sent",
  },
  skipStep: {
    ...move,
    path: "/cases/{caseId}/skip",
    verb: "skip",
    summary: "Leave a step out; what follows goes on with the result given",
  },
  undoStep: {
    ...move,
    path: "/cases/{caseId}/undo",
    verb: "undo",
    summary: "Take back what a confirmed step did",
  },
  leaveOutside: {
    ...move,
    path: "/cases/{caseId}/leave-outside",
    verb: "cancel",
    summary: "Say, in a case that is being canceled, that what a step did stays outside",
  },
  assignCase: {
    ...fact,
    path: "/cases/{caseId}/assignment",
    verb: "assign",
    summary: "Give the case to a person or a team, or to nobody in particular",
  },
  cancelCase: {
    ...move,
    path: "/cases/{caseId}/cancel",
    verb: "cancel",
    summary: "Cancel a case, or have what it did undone first",
  },
  pauseCase: {
    ...fact,
    path: "/cases/{caseId}/pause",
    verb: "pause",
    summary: "Pause a case, or ask its holder to",
  },
  addNote: {
    ...fact,
    path: "/cases/{caseId}/notes",
    verb: "note",
    summary: "Add a note to the history",
  },
  revealCase: {
    ...fact,
    path: "/cases/{caseId}/reveal",
    verb: "reveal",
    summary: "See what is masked of a case, for a reason that is on record",
  },
  previewErasure: {
    ...read,
    path: "/cases/{caseId}/erasure",
    verb: "erase",
    on: "case",
    tag: "Cases",
    summary: "What erasing a case would be of, and what is in its way; changes nothing",
  },
  eraseCase: {
    ...fact,
    path: "/cases/{caseId}/erase",
    verb: "erase",
    summary: "Erase what is kept of a case and all that stand above and below it",
  },
  tellEvent: {
    ...fact,
    path: "/cases/{caseId}/events",
    verb: "tellEvent",
    summary: "Tell the case an event; the same source id is stored once",
  },
  openRepair: {
    ...repair,
    path: "/cases/{caseId}/repair",
    verb: "repair",
    summary: "Hold the case while a page is open",
  },
  takeOverRepair: {
    ...repair,
    path: "/cases/{caseId}/repair/take-over",
    verb: "takeOver",
    summary: "Take a repair over from another person",
  },
  keepRepair: {
    ...repair,
    path: "/cases/{caseId}/repair/{repairId}/beat",
    verb: "repair",
    summary: "A sign of life of the page; tells what came meanwhile",
  },
  closeRepair: {
    ...repair,
    path: "/cases/{caseId}/repair/{repairId}/close",
    verb: "repair",
    summary: "End a repair and apply what came meanwhile",
  },
  handOverRepair: {
    ...repair,
    path: "/cases/{caseId}/repair/{repairId}/hand-over",
    verb: "assign",
    summary: "End a repair and give the case to somebody else",
  },
  listCaseTypes: {
    ...read,
    path: "/case-types",
    verb: "see",
    on: "visible",
    tag: "House",
    summary: "The loaded case types, as data",
  },
  showCaseType: {
    ...read,
    path: "/case-types/{caseType}",
    verb: "see",
    on: "visible",
    tag: "House",
    summary: "One case type: its steps, what each follows, its events",
  },
  showForms: {
    ...read,
    path: "/case-types/{caseType}/forms",
    verb: "see",
    on: "visible",
    tag: "House",
    summary: "JSON Schemas of the input, approvals, results and events of a case type",
  },
  listDestinations: {
    ...read,
    path: "/destinations",
    verb: "see",
    on: "visible",
    tag: "House",
    summary: "Outside systems that steps send to or ask",
  },
  restoreAccess: {
    method: "POST",
    path: "/destinations/{destination}/access-restored",
    verb: "restoreAccess",
    on: "house",
    plan: "none",
    tag: "House",
    summary: "Try one case that waits on a credential, and let the others go on if it is taken",
  },
  listWorkers: {
    ...read,
    path: "/workers",
    verb: "seeWorkers",
    on: "house",
    tag: "House",
    summary: "Workers and open pages, with what each holds",
  },
  listClaims: {
    ...read,
    path: "/claims",
    verb: "seeWorkers",
    on: "house",
    tag: "House",
    summary: "Who holds which case, and until when",
  },
  ...SCHEDULE_ROUTES,
  ...BULK_ROUTES,
  ...MILESTONE_ROUTES,
  ...PICTURE_ROUTES,
  ...AUDIT_ROUTES,
  ...SECOND_ROUTES,
  ...VIEW_ROUTES,
  ...INBOX_ROUTES,
  ...SETTINGS_ROUTES,
  ...NOTICE_ROUTES,
  ...WORK_ROUTES,
};

/** Where the API begins. */
export const API_BASE = "/api/v1";
/** Where hints of changes come from, as server-sent events. */
export const CHANGES_PATH = "/api/v1/changes";
/** Where its description is. */
export const OPENAPI_PATH = "/api/openapi.json";
