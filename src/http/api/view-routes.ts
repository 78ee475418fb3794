/** The routes of saved views, as data. */

import type { RouteHead } from "./route-head.ts";
import type { ViewApiTypes } from "./view-types.ts";

const own = { verb: null, on: "anyone", plan: "none", tag: "People" } as const;

/** Each by the name of its operation. */
export const VIEW_ROUTES: {
  readonly [Id in keyof ViewApiTypes]: RouteHead & { readonly plan: "none" };
} = {
  listViews: {
    ...own,
    method: "GET",
    path: "/views",
    summary: "The lists of cases that one keeps under a name",
  },
  saveView: {
    ...own,
    method: "POST",
    path: "/views",
    summary: "Keep a list of cases under a name, in place of one of that name; at most 50",
  },
  removeView: {
    ...own,
    method: "DELETE",
    path: "/views/{view}",
    summary: "Keep a list no more",
  },
};
