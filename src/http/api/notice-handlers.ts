/** The routes for owners and notices. */

import {
  listNotices,
  listOwners,
  retryMessage,
  testOwner,
  type NoticeDeskParts,
} from "../../notices/notice-desk.ts";
import type { Json } from "../../core/json.ts";
import { houseHead, noteDone } from "../../desk/audited.ts";
import type { ApiParts, Call, Handler } from "./call.ts";
import { actorOf } from "./identity.ts";
import type { NoticeApiTypes } from "./notice-types.ts";

/** How long a rota and channels may take within one request, in ms: less than a connection may. */
const WAIT_MS_MAX = 25_000;

/** Each of them. */
export const NOTICE_HANDLERS: { readonly [Id in keyof NoticeApiTypes]: Handler<Id> } = {
  listNotices: async ({ parts, query }) => ({ reply: await listNotices(partsOf(parts), query.limit) }),
  retryNotice: async (call) => {
    const { messageId } = call.params;
    const reply = await retryMessage(partsOf(call.parts), messageId);
    await onRecord(call, "retryNotice", messageId, { became: reply.became });
    return { reply };
  },
  listOwners: async ({ parts }) => ({
    reply: { owners: await listOwners(partsOf(parts), AbortSignal.timeout(WAIT_MS_MAX)) },
  }),
  testOwner: async (call) => {
    const { owner } = call.params;
    const reply = await testOwner(partsOf(call.parts), owner, AbortSignal.timeout(WAIT_MS_MAX));
    const sent = reply.results.filter(({ isSent }) => isSent).length;
    await onRecord(call, "testOwner", owner, { sent, failed: reply.results.length - sent });
    return { reply };
  },
};

function onRecord(
  { parts: { store, ports }, who }: Pick<Call<keyof NoticeApiTypes>, "parts" | "who">,
  act: string,
  about: string,
  after: Json,
): Promise<void> {
  return noteDone({ store, ids: ports.ids }, { ...houseHead(act, { by: actorOf(who) }), about }, after);
}

function partsOf({ notices, store, registry, ports, formatTime }: ApiParts): NoticeDeskParts {
  const sending = { consoleUrl: null, formatTime, reachesLoopback: false };
  return notices ?? { store, registry, ports, book: null, sending };
}
