/** Slack, which answers 200 to most that goes wrong. */

import type { SeenResponse } from "../../core/seen-failure.ts";
import { codes, denied, maybe, no, type Meaning } from "../meaning.ts";
import { inside, textInside } from "../plain-data.ts";
import type { Family, Words } from "./family.ts";

/** Slack says of its own faults that parts may have succeeded; of a new word nothing is known. */
const unsure: Meaning = maybe("transient");

/** Slack. */
export const slack: Family = {
  name: "slack",
  fromError: ({ chain: [first] }) => {
    if (first?.code === "slack_webapi_platform_error") {
      const body = first.facts["data"] ?? null;
      return wordsOf({ status: 200, headers: {}, body });
    }
    const seconds = first?.facts["retryAfter"];
    if (first?.code !== "slack_webapi_rate_limited_error" || typeof seconds !== "number") return null;
    return { codes: [], answer: { status: 429, headers: { "retry-after": String(seconds) }, body: null } };
  },
  fromAnswer: (answer) => (inside(answer.body, "ok") === false ? wordsOf(answer) : null),
  codes: codes(
    [denied("revoked"), "invalid_auth token_revoked account_inactive not_authed org_login_required"],
    [denied("refreshable"), "token_expired"],
    [denied("scope", { scope: "credential" }), "missing_scope not_allowed_token_type no_permission"],
    [denied("scope"), "not_in_channel is_archived restricted_action channel_is_limited_access"],
    [denied("blocked"), "access_denied ekm_access_denied enterprise_is_restricted team_access_not_granted"],
    [
      no("gone"),
      "channel_not_found user_not_found users_not_found message_not_found file_not_found thread_not_found",
    ],
    [
      no("rejected"),
      "msg_too_long invalid_blocks no_text invalid_arguments invalid_attachments too_many_attachments " +
        "invalid_arg_name invalid_array_arg invalid_blocks_format",
    ],
    [no("conflict"), "name_taken already_reacted already_in_channel"],
    [no("bug"), "method_deprecated deprecated_endpoint unknown_method invalid_charset invalid_form_data"],
    [no("throttled"), "ratelimited rate_limited"],
  ),
};

function wordsOf(answer: SeenResponse): Words {
  const code = textInside(answer.body, "error");
  // A status that is bad by itself says enough.
  const otherwise = answer.status < 300 ? unsure : null;
  return { codes: code === null ? [] : [code], otherwise, answer };
}
