/** What arrived from outside, over the API: events with their work, their bytes, and work that is opened again. */

import type { Json } from "../../core/json.ts";
import type { MaskedPath } from "../../core/masked-values.ts";
import type { ActHead } from "../../desk/act-head.ts";
import { houseHead, noteDone, recorded, type AuditParts } from "../../desk/audited.ts";
import { ignoreSentence, standingsOf } from "../../inbox/ignore.ts";
import { createInbox } from "../../inbox/inbox.ts";
import { maskedPathsOf, maskedText } from "../../inbox/masked-body.ts";
import type { EventFilter } from "../../store/inbox-port.ts";
import type { ApiParts, Handler } from "./call.ts";
import { actorOf, type Identity } from "./identity.ts";
import type { EventBodyView, EventsQuery, InboxApiTypes } from "./inbox-types.ts";

/** Events and refusals in one answer where nothing else is asked for. */
const LIST_LIMIT = 100;
/** How long a request begins further pages of a provider's list, in ms: less than a connection may take. */
const RECONCILE_MS_MAX = 20_000;
/** Bytes of a body that are told as text. */
const TEXT_BYTES_MAX = 8 * 1024 * 1024;
/** Bytes of a body that is no text that are told. */
const HEX_BYTES_MAX = 4_096;

/** Every route's. */
export const INBOX_HANDLERS: { readonly [Id in keyof InboxApiTypes]: Handler<Id> } = {
  listEvents: async ({ parts, query }) => ({ reply: await parts.store.inbox.listEvents(eventFilter(query)) }),
  showEvent: async ({ parts, params }) => ({ reply: await createInbox(parts).show(params.eventId) }),
  countWork: async ({ parts }) => ({ reply: { counts: await parts.store.inbox.countWork() } }),
  listRefusals: async ({ parts, query }) => ({
    reply: { refusals: await parts.store.inbox.listRefusals(query.limit ?? LIST_LIMIT) },
  }),
  showEventBody: async ({ parts, params, who }) => {
    const { event } = await createInbox(parts).show(params.eventId);
    await onRecord(parts, { ...houseHead("seeBody", { by: actorOf(who) }), about: params.eventId }, null);
    const view = viewBody(await parts.store.inbox.loadBody(event.deliveryId));
    return { reply: await maskBody(view, maskedPathsOf(parts.sources, event.source)) };
  },
  revealEventBody: async ({ parts, params, body, who }) => {
    const { event } = await createInbox(parts).show(params.eventId);
    await onRecord(parts, headOf("revealBody", params, body, who), null);
    return { reply: viewBody(await parts.store.inbox.loadBody(event.deliveryId)) };
  },
  reconcileSource: async ({ parts, params: { source }, who }) => {
    const head = { ...houseHead("reconcile", { by: actorOf(who) }), about: source };
    const inbox = createInbox(parts);
    try {
      const reply = await recorded(
        auditOf(parts),
        head,
        () => inbox.reconcile(source, { beginsForMs: RECONCILE_MS_MAX }),
        (report) => ({ before: null, after: { ...report } }),
      );
      return { reply };
    } finally {
      await inbox.close();
    }
  },
  replayEvent: async ({ parts, params, body, who }) => {
    const opened = await recorded(
      auditOf(parts),
      headOf("replay", params, body, who),
      () => createInbox(parts).replay(params.eventId, { ...body, by: who.name }),
      (consumers) => ({ before: null, after: { opened: consumers } }),
    );
    const sentence =
      opened.length === 0
        ? "Nothing was opened: a worker is at it just now."
        : `Opened again: ${opened.join(", ")}.`;
    return { reply: { opened, sentence } };
  },
  ignoreEvent: async ({ parts, params, body, who }) => {
    const report = await recorded(
      auditOf(parts),
      headOf("ignore", params, body, who),
      () => createInbox(parts).ignore(params.eventId, { ...body, by: who.name }),
      standingsOf,
    );
    const ignored = report.ignored.map(({ consumer }) => consumer);
    return { reply: { ignored, left: report.left, sentence: ignoreSentence(report) } };
  },
};

function headOf(
  act: string,
  { eventId }: { readonly eventId: string },
  { reason }: { readonly reason: string },
  who: Identity,
): ActHead {
  return { ...houseHead(act, { by: actorOf(who), reason }), about: eventId };
}

function auditOf({ store, ports }: ApiParts): AuditParts {
  return { store, ids: ports.ids };
}

function onRecord(parts: ApiParts, head: ActHead, after: Json): Promise<void> {
  return noteDone(auditOf(parts), head, after);
}

function eventFilter(query: EventsQuery): EventFilter {
  const { tenant, source, type, standing, work, limit, cursor } = query;
  return {
    limit: limit ?? LIST_LIMIT,
    ...(tenant === undefined ? {} : { tenant }),
    ...(source === undefined ? {} : { source }),
    ...(type === undefined ? {} : { eventType: type }),
    ...(standing === undefined ? {} : { standing }),
    ...(work === undefined ? {} : { workStates: work }),
    ...(cursor === undefined ? {} : { after: cursor }),
  };
}

function viewBody(body: Uint8Array | null): EventBodyView {
  if (body === null) return { bytes: null, text: null, hex: null, isCut: false, isMasked: false };
  const bytes = body.length;
  const text = textOf(body.subarray(0, TEXT_BYTES_MAX), bytes > TEXT_BYTES_MAX);
  if (text !== null) return { bytes, text, hex: null, isCut: bytes > TEXT_BYTES_MAX, isMasked: false };
  const hex = Buffer.from(body.subarray(0, HEX_BYTES_MAX)).toString("hex");
  return { bytes, text: null, hex, isCut: bytes > HEX_BYTES_MAX, isMasked: false };
}

/** What its source masks, in JSON with marks; a body in which nobody can tell it is not told. */
async function maskBody(view: EventBodyView, paths: readonly MaskedPath[]): Promise<EventBodyView> {
  if (paths.length === 0 || view.bytes === null) return view;
  const text = view.text === null || view.isCut ? null : await maskedText(view.text, paths);
  return { ...view, text, hex: null, isMasked: true };
}

/** A mark at its begin is kept, as every character is. Null = it is no UTF-8; a cut may fall within a character. */
function textOf(body: Uint8Array, isCut: boolean): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body, { stream: isCut });
  } catch {
    return null;
  }
}
