/** The routes for moves that wait for a second person, as data. */

import type { RouteHead } from "./route-head.ts";
import type { SecondApiTypes } from "./second-types.ts";

const common = { verb: "see", on: "visible", plan: "none", tag: "Second persons" } as const;

/** Each by the name of its operation. */
export const SECOND_ROUTES: {
  readonly [Id in keyof SecondApiTypes]: RouteHead & { readonly plan: "none" };
} = {
  listSeconds: {
    ...common,
    method: "GET",
    path: "/second-requests",
    summary: "Moves that wait for a second person, oldest first",
  },
  answerSecond: {
    ...common,
    method: "POST",
    path: "/second-requests/{requestId}/answer",
    summary: "Approve or decline a move that somebody else asked for; it needs the right to the move",
  },
};
