/** Words that many providers use: OAuth (RFC 6749, 6750, 8628), and plain codes beside a message. */

import { codes, denied, maybe, no, type Meaning } from "../meaning.ts";
import { textInside } from "../plain-data.ts";
import type { SeenResponse } from "../../core/seen-failure.ts";
import type { Family } from "./family.ts";

/** Our registration at the provider, which every user's grant goes through; the grants themselves are still good. */
const registration: Meaning = denied("blocked", { owner: "operator", scope: "destination" });

/** Any provider without a language of its own. */
export const plain: Family = {
  name: "http",
  fromAnswer: (answer) => {
    const words = wordsIn(answer);
    return words.length === 0 ? null : { codes: words };
  },
  codes: codes(
    [denied("revoked"), "invalid_grant"],
    [registration, "invalid_client unauthorized_client"],
    [denied("scope", { scope: "credential" }), "invalid_scope insufficient_scope access_denied"],
    [no("rejected"), "invalid_request"],
    [no("bug"), "unsupported_grant_type unsupported_response_type"],
    [no("transient"), "temporarily_unavailable lock_timeout resource_locked locked"],
    [no("throttled"), "slow_down rate_limited rate_limit_exceeded too_many_requests"],
    [no("quota"), "quota_exceeded insufficient_quota daily_limit_exceeded"],
    [no("conflict"), "already_exists duplicate resource_already_exists duplicate_key"],
    [no("precondition"), "version_conflict version_mismatch stale_version precondition_failed"],
    // The earlier request with this key is still being worked on.
    [maybe("transient"), "idempotency_key_in_use concurrent_idempotent_request"],
  ),
};

function wordsIn({ headers, body }: SeenResponse): readonly string[] {
  const challenge = /\berror="([a-z_]+)"/.exec(headers["www-authenticate"] ?? "")?.[1];
  const places = [
    challenge ?? null,
    textInside(body, "error"),
    textInside(body, "code"),
    textInside(body, "error", "code"),
    textInside(body, "errors", 0, "code"),
  ];
  return places.filter((word) => word !== null);
}
