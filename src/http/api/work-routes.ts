/** The routes of workers in other places, as data. What a worker may be given is judged by case type, with each request anew. */

import type { RouteHead } from "./route-head.ts";
import type { WorkApiTypes } from "./work-types.ts";

const work = { method: "POST", verb: "work", on: "visible", plan: "none", tag: "Work" } as const;

/** Each by the name of its operation. */
export const WORK_ROUTES: {
  readonly [Id in keyof WorkApiTypes]: RouteHead & { readonly plan: "none" };
} = {
  registerWorker: {
    ...work,
    path: "/work/workers",
    summary: "A worker in another place starts: tells its secret and its lease",
  },
  beatWorker: {
    ...work,
    path: "/work/beats",
    summary: "A sign of life of a worker in another place, and which claims it has",
  },
  claimWork: {
    ...work,
    path: "/work/claims",
    summary: "Claim due cases and tell what is to be done for each; waits for some",
  },
  leaveWork: {
    ...work,
    path: "/work/goodbyes",
    summary: "A worker in another place stops in order",
  },
  reportWork: {
    ...work,
    path: "/cases/{caseId}/work",
    on: "case",
    summary: "Tell what came of a task, and learn what comes next for its case",
  },
};
