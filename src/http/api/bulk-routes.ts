/** The routes for problems and bulk acts, as data. */

import type { BulkApiTypes } from "./bulk-types.ts";
import type { RouteHead } from "./route-head.ts";

const common = { on: "visible", plan: "none", tag: "Many cases" } as const;
const read = { ...common, method: "GET", verb: "see" } as const;
const act = { ...common, method: "POST", verb: "bulk" } as const;

/** Each by the name of its operation. */
export const BULK_ROUTES: {
  readonly [Id in keyof BulkApiTypes]: RouteHead & { readonly plan: "none" };
} = {
  listProblems: {
    ...read,
    path: "/problems",
    summary: "What waits for people, in groups with the same cause",
  },
  markProblem: {
    ...common,
    method: "POST",
    path: "/problems/{problemId}/mark",
    verb: "assign",
    on: "house",
    summary: "Say whose a group of problems is, and a note; both outlive its cases",
  },
  previewBulk: {
    ...act,
    path: "/bulk-preview",
    summary: "What one move on many cases would do, by counts; changes and records nothing",
  },
  startBulk: {
    ...act,
    path: "/bulk-acts",
    summary: "Make one move on many cases, frozen now; it needs the right to the move too",
  },
  listBulkActs: {
    ...read,
    path: "/bulk-acts",
    summary: "Bulk acts, newest first: one's own, or all for who may see every case",
  },
  showBulkAct: {
    ...read,
    path: "/bulk-acts/{bulkId}",
    summary: "A bulk act with one page of its cases and what became of each",
  },
  orderBulkAct: {
    ...act,
    path: "/bulk-acts/{bulkId}/order",
    summary: "Pause a bulk act, let it go on, or stop it for good",
  },
};
