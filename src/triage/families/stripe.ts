/** Stripe: the error part of its answers, as its client and every other one find it. */

import { codes, denied, maybe, no } from "../meaning.ts";
import { inside, textInside } from "../plain-data.ts";
import type { Family } from "./family.ts";

/** Types that nobody else uses; the others are shared with OpenAI, and told apart by the link to the docs. */
const OWN_TYPES = ["card_error", "idempotency_error", "api_error"];

/** Stripe. */
export const stripe: Family = {
  name: "stripe",
  fromAnswer: ({ headers, body }) => {
    const type = textInside(body, "error", "type");
    if (type === null || inside(body, "type") === "error") return null;
    const isStripe =
      OWN_TYPES.includes(type) ||
      headers["stripe-version"] !== undefined ||
      textInside(body, "error", "doc_url")?.startsWith("https://stripe.com/") === true;
    if (!isStripe) return null;
    const advice = textInside(body, "error", "advice_code");
    const code = textInside(body, "error", "code");
    return { codes: [advice, code, type].filter((word) => word !== null) };
  },
  codes: codes(
    [no("rejected"), "card_error"],
    [
      no("transient", {
        instruction: { kind: "pace", firstMs: 3_600_000, maxMs: 4 * 3_600_000, source: "advice_code" },
      }),
      "try_again_later",
    ],
    [no("rejected", { instruction: { kind: "doNotRetry", source: "advice_code" } }), "do_not_try_again"],
    [no("gone"), "resource_missing"],
    [no("conflict"), "resource_already_exists"],
    [no("transient"), "lock_timeout"],
    [no("throttled"), "rate_limit"],
    [denied("revoked"), "api_key_expired platform_api_key_expired"],
    [denied("scope"), "more_permissions_required"],
    // The earlier request with this key is still being worked on.
    [maybe("transient"), "idempotency_key_in_use"],
    // The same key with other parameters.
    [no("bug"), "idempotency_error"],
  ),
};
