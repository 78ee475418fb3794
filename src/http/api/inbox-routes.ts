/** The routes of the inbox, as data. */

import type { InboxApiTypes } from "./inbox-types.ts";
import type { RouteHead } from "./route-head.ts";

const common = { on: "house", plan: "none", tag: "Inbox" } as const;
const read = { ...common, method: "GET", verb: "seeInbox" } as const;

/** Each by the name of its operation. */
export const INBOX_ROUTES: {
  readonly [Id in keyof InboxApiTypes]: RouteHead & { readonly plan: "none" };
} = {
  listEvents: {
    ...read,
    path: "/inbox/events",
    summary: "One page of events that arrived, with what became of each",
  },
  showEvent: {
    ...read,
    path: "/inbox/events/{eventId}",
    summary: "Everything about one event",
  },
  countWork: {
    ...read,
    path: "/inbox/work",
    summary: "How much work of each source stands in which state",
  },
  listRefusals: {
    ...read,
    path: "/inbox/refusals",
    summary: "Requests to the inbox that were refused",
  },
  showEventBody: {
    ...read,
    verb: "seeBody",
    path: "/inbox/events/{eventId}/body",
    summary: "What arrived, up to 8 MiB of it; with marks where its source masks something",
  },
  revealEventBody: {
    ...common,
    method: "POST",
    verb: "reveal",
    path: "/inbox/events/{eventId}/body/reveal",
    summary: "What arrived, as it is kept, for a reason that is on record",
  },
  reconcileSource: {
    ...common,
    method: "POST",
    verb: "replay",
    path: "/inbox/sources/{source}/reconcile",
    summary: "Read the provider's own list into the inbox for a while; asked again, it goes on",
  },
  replayEvent: {
    ...common,
    method: "POST",
    verb: "replay",
    path: "/inbox/events/{eventId}/replay",
    summary: "Open the work of an event again; what it did before is not done twice",
  },
  ignoreEvent: {
    ...common,
    method: "POST",
    verb: "ignore",
    path: "/inbox/events/{eventId}/ignore",
    summary: "Leave the work of an event undone; a repeat does not bring it back, a replay does",
  },
};
