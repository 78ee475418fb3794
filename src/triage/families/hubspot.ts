/** HubSpot: a category, and the policy of a limit. */

import { codes, denied, no, type Meaning } from "../meaning.ts";
import { inside, textInside } from "../plain-data.ts";
import type { Family } from "./family.ts";

/** HubSpot. */
export const hubspot: Family = {
  name: "hubspot",
  fromAnswer: ({ body }) => {
    const category = textInside(body, "category");
    if (category === null || inside(body, "correlationId") === undefined) return null;
    const policy = textInside(body, "policyName");
    return { codes: policy === null ? [category] : [policy, category] };
  },
  codes: codes(
    [no("quota"), "DAILY"],
    [every(10_000), "TEN_SECONDLY_ROLLING TEN_SECONDLY"],
    [every(1_000), "SECONDLY"],
    [no("throttled"), "RATE_LIMITS"],
    [no("rejected"), "VALIDATION_ERROR"],
    [no("conflict"), "CONFLICT"],
    [no("gone"), "OBJECT_NOT_FOUND"],
    [denied("scope", { scope: "credential" }), "MISSING_SCOPES"],
    [denied("refreshable"), "EXPIRED_AUTHENTICATION"],
    [denied("revoked"), "INVALID_AUTHENTICATION"],
    [denied("blocked"), "BANNED"],
  ),
};

function every(delayMs: number): Meaning {
  return no("throttled", { instruction: { kind: "retryAfter", delayMs, source: "policyName" } });
}
