/** The routes of pictures, as data. */

import type { PictureApiTypes } from "./picture-types.ts";
import type { RouteHead } from "./route-head.ts";

const read = { method: "GET", verb: "see", on: "visible", plan: "none", tag: "House" } as const;

/** Each by the name of its operation. */
export const PICTURE_ROUTES: {
  readonly [Id in keyof PictureApiTypes]: RouteHead & { readonly plan: "none" };
} = {
  showCaseMap: {
    ...read,
    path: "/case-types/{caseType}/map",
    summary: "The steps of a case type, and how many open cases stand at each, in which state",
  },
  showHistory: {
    ...read,
    path: "/history",
    summary: "How many open cases stood in which state over time, and since when the oldest did",
  },
  showTraffic: {
    ...read,
    path: "/traffic",
    summary:
      "What each destination may be sent, what is under way and who is held back, now and over 12 hours",
  },
};
