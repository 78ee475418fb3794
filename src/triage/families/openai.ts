/** OpenAI, and the many that speak as it does: an error with a code, and often a type that says the same. */

import { codes, denied, no } from "../meaning.ts";
import { textInside } from "../plain-data.ts";
import type { Family } from "./family.ts";

/** OpenAI. */
export const openai: Family = {
  name: "openai",
  fromAnswer: ({ body }) => {
    const [code, type] = [textInside(body, "error", "code"), textInside(body, "error", "type")];
    return type === null ? null : { codes: code === null ? [type] : [code, type] };
  },
  codes: codes(
    [no("quota"), "insufficient_quota billing_hard_limit_reached billing_not_active"],
    [no("throttled"), "rate_limit_exceeded"],
    [denied("revoked"), "invalid_api_key account_deactivated"],
    [no("gone"), "model_not_found"],
    [no("rejected"), "context_length_exceeded content_policy_violation string_above_max_length"],
  ),
};
