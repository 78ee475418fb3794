/** What the routes of the inbox take and give. */

import type { EventHistory, EventPage, Refusal, WorkCount, WorkState } from "../../store/inbox-port.ts";

/** Filters of a list of events. */
export interface EventsQuery {
  readonly tenant?: string;
  readonly source?: string;
  readonly type?: string;
  readonly standing?: "routed" | "nobody" | "unreadable";
  readonly work?: readonly WorkState[];
  readonly limit?: number;
  readonly cursor?: string;
}

/** Names an event. */
export interface EventParams {
  readonly eventId: string;
}

/** What arrived, as it is kept. */
export interface EventBodyView {
  /** Of the delivery that has it; null = it is deleted by now. */
  readonly bytes: number | null;
  /** What it says in UTF-8, every character; null where it is none, or not there. */
  readonly text: string | null;
  /** Its first bytes in hexadecimal, where it is no UTF-8; null otherwise. */
  readonly hex: string | null;
  /** True where there is more than is told. */
  readonly isCut: boolean;
  /** True where marks stand for something, or the whole is not told because nobody can tell what is masked in it. */
  readonly isMasked: boolean;
}

/** What somebody wants to see masked values for. */
export interface RevealBody {
  readonly reason: string;
}

/** Work to be opened again. */
export interface ReplayBody {
  readonly reason: string;
  /** Left out = that of every consumer. */
  readonly consumer?: string;
}

/** What was opened again. */
export interface ReplayReply {
  /** Consumers. None = a worker is at it just now. */
  readonly opened: readonly string[];
  readonly sentence: string;
}

/** Work to be left undone. */
export interface IgnoreBody {
  readonly reason: string;
  /** Left out = that of every consumer. */
  readonly consumer?: string;
}

/** What was left undone. */
export interface IgnoreReply {
  /** Consumers whose work is ignored by this request. None = it was ignored before. */
  readonly ignored: readonly string[];
  /** What is as it was, and why. */
  readonly left: readonly { readonly consumer: string; readonly why: string }[];
  readonly sentence: string;
}

/** What a provider's own list held. */
export interface ReconcileReply {
  readonly items: number;
  /** Events that had never arrived. */
  readonly missed: number;
  /** False where it stopped before the list's end: asked again, it goes on there. */
  readonly isComplete: boolean;
}

/** What each route takes and gives. */
export interface InboxApiTypes {
  readonly listEvents: { params: object; query: EventsQuery; body: null; reply: EventPage };
  readonly showEvent: { params: EventParams; query: object; body: null; reply: EventHistory };
  readonly countWork: {
    params: object;
    query: object;
    body: null;
    reply: { readonly counts: readonly WorkCount[] };
  };
  readonly listRefusals: {
    params: object;
    query: { limit?: number };
    body: null;
    reply: { readonly refusals: readonly Refusal[] };
  };
  readonly showEventBody: { params: EventParams; query: object; body: null; reply: EventBodyView };
  readonly revealEventBody: { params: EventParams; query: object; body: RevealBody; reply: EventBodyView };
  readonly reconcileSource: {
    params: { source: string };
    query: object;
    body: object;
    reply: ReconcileReply;
  };
  readonly replayEvent: { params: EventParams; query: object; body: ReplayBody; reply: ReplayReply };
  readonly ignoreEvent: { params: EventParams; query: object; body: IgnoreBody; reply: IgnoreReply };
}
