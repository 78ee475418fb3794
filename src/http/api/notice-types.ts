/** What the routes for owners and notices take and give. */

import type { NoticesView, OwnerView, RetriedMessage, TestReply } from "../../notices/notice-views.ts";

/** What each route takes and gives. */
export interface NoticeApiTypes {
  readonly listNotices: { params: object; query: { limit?: number }; body: null; reply: NoticesView };
  readonly retryNotice: { params: { messageId: string }; query: object; body: object; reply: RetriedMessage };
  readonly listOwners: {
    params: object;
    query: object;
    body: null;
    reply: { readonly owners: readonly OwnerView[] };
  };
  readonly testOwner: { params: { owner: string }; query: object; body: object; reply: TestReply };
}
