/** What the routes for second persons take and give. */

import type { ActReply } from "../../desk/change.ts";
import type { SecondView } from "../../desk/second-view.ts";

/** Which requests. */
export interface SecondsQuery {
  readonly caseId?: string;
}

/** Names a request. */
export interface SecondParams {
  readonly requestId: string;
}

/** An answer to a request. */
export interface SecondAnswerBody {
  readonly approved: boolean;
  readonly reason?: string | null;
}

/** What each route takes and gives. */
export interface SecondApiTypes {
  readonly listSeconds: {
    params: object;
    query: SecondsQuery;
    body: null;
    reply: { readonly requests: readonly SecondView[] };
  };
  readonly answerSecond: { params: SecondParams; query: object; body: SecondAnswerBody; reply: ActReply };
}
