/** The routes for owners and notices, as data. */

import type { NoticeApiTypes } from "./notice-types.ts";
import type { RouteHead } from "./route-head.ts";

const common = { on: "house", plan: "none", tag: "House" } as const;
const read = { ...common, method: "GET", verb: "seeNotices" } as const;
const act = { ...common, method: "POST", verb: "tell" } as const;

/** Each by the name of its operation. */
export const NOTICE_ROUTES: {
  readonly [Id in keyof NoticeApiTypes]: RouteHead & { readonly plan: "none" };
} = {
  listNotices: {
    ...read,
    path: "/notices",
    summary: "What owners were told, and what could not be delivered",
  },
  retryNotice: {
    ...act,
    path: "/messages/{messageId}/retry",
    summary: "Send a message anew that could not be delivered",
  },
  listOwners: {
    ...read,
    path: "/owners",
    summary: "Who would be told now for what, and which names of owners nobody answers to",
  },
  testOwner: {
    ...act,
    path: "/owners/{owner}/test",
    summary: "Send a test to everybody whom the name of an owner stands for",
  },
};
