/** Anthropic: the body of its answer is of type `error`. */

import { codes, denied, no } from "../meaning.ts";
import { inside, textInside } from "../plain-data.ts";
import type { Family } from "./family.ts";

/** Anthropic. */
export const anthropic: Family = {
  name: "anthropic",
  fromAnswer: ({ body }) => {
    const type = textInside(body, "error", "type");
    return type !== null && inside(body, "type") === "error" ? { codes: [type] } : null;
  },
  codes: codes(
    [no("throttled", { scope: "destination" }), "overloaded_error"],
    [no("throttled"), "rate_limit_error"],
    [no("rejected"), "invalid_request_error request_too_large"],
    [no("quota"), "billing_error"],
    [denied("revoked"), "authentication_error"],
    [denied("scope"), "permission_error"],
    [no("gone"), "not_found_error"],
  ),
};
