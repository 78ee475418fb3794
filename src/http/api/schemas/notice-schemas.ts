/** What the API takes and tells of owners and notices. */

import { z } from "zod";
import type {
  MessageView,
  NoticesView,
  NoticeView,
  OwnerView,
  RetriedMessage,
  TestReply,
} from "../../../notices/notice-views.ts";
import type { NoticeApiTypes } from "../notice-types.ts";
import { executed, failureKind } from "./failure-schemas.ts";
import { id, name } from "./request-schemas.ts";
import { count, list, named, oneOf, text, textOrNone, time, timeOrNone, typed } from "./schema.ts";

/** Names a message. */
export const messageParams: z.ZodType<{ messageId: string }> = typed<{ messageId: string }>()(
  z.strictObject({ messageId: id }),
);

/** Names an owner. */
export const ownerParams: z.ZodType<{ owner: string }> = typed<{ owner: string }>()(
  z.strictObject({ owner: name }),
);

const message = named<MessageView>("NoticeMessage")(
  z.strictObject({
    messageId: text,
    noticeId: text,
    owner: text,
    title: text,
    channel: text,
    whom: text,
    state: oneOf<MessageView["state"]>({
      waiting: true,
      claimed: true,
      sent: true,
      undeliverable: true,
      dropped: true,
    }),
    attempts: count,
    createdAt: time,
    dueAt: timeOrNone,
    sentAt: timeOrNone,
    failure: z.strictObject({ kind: failureKind, executed, rule: text, sentence: text, at: time }).nullable(),
  }),
);

const notice = named<NoticeView>("Notice")(
  z.strictObject({
    noticeId: text,
    owner: text,
    title: text,
    openedAt: time,
    toldAt: time,
    toldCases: count,
    tellings: count,
    whom: list(text),
  }),
);

/** What owners were told. */
export const notices: z.ZodType<NoticesView> = named<NoticesView>("Notices")(
  z.strictObject({
    now: time,
    isConfigured: z.boolean(),
    notices: list(notice),
    undeliverable: list(message),
    undeliverableCount: count,
    messages: list(message),
    unanswered: list(text),
  }),
);

/** What became of a message that was to be sent anew. */
export const retried: z.ZodType<RetriedMessage> = named<RetriedMessage>("RetriedMessage")(
  z.strictObject({ became: oneOf<RetriedMessage["became"]>({ waiting: true, over: true }), sentence: text }),
);

const owner = named<OwnerView>("Owner")(
  z.strictObject({
    owner: text,
    uses: list(text),
    answeredBy: oneOf<OwnerView["answeredBy"]>({ people: true, rota: true, otherwise: true, nobody: true }),
    places: list(z.strictObject({ whom: text, channel: text })),
    rotaFault: textOrNone,
    cases: count,
  }),
);

/** Owners. */
export const owners: z.ZodType<NoticeApiTypes["listOwners"]["reply"]> = typed<
  NoticeApiTypes["listOwners"]["reply"]
>()(z.strictObject({ owners: list(owner) }));

/** What became of a test. */
export const tested: z.ZodType<TestReply> = named<TestReply>("OwnerTest")(
  z.strictObject({
    owner: text,
    results: list(z.strictObject({ whom: text, channel: text, isSent: z.boolean(), sentence: textOrNone })),
  }),
);
