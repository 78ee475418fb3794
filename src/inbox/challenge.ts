/** What a provider asks to see whether somebody listens. Answered only for the preset that knows it. */

import { createHmac } from "node:crypto";
import type { Json } from "../core/json.ts";
import { textAt } from "./fields.ts";
import type { Answer, ChallengeRule } from "./preset.ts";
import { isSnsAddress } from "./signatures/sns.ts";

/** Longest challenge that is given back, in characters. */
const CHALLENGE_CHARS_MAX = 1_024;

/** What is to be done about a request that is a challenge. */
export type Challenge =
  | { readonly kind: "answer"; readonly answer: Answer }
  /** An address of the provider's own that must be asked for once. */
  | { readonly kind: "confirm"; readonly url: string };

/** The challenge in an authentic body; null where it is none. */
export function challengeIn(
  rule: ChallengeRule,
  body: Json,
  secrets: readonly { readonly secret: string }[],
): Challenge | null {
  switch (rule) {
    case "slack": {
      const given = textAt(body, ["type"]) === "url_verification" ? textAt(body, ["challenge"]) : null;
      return given === null ? null : answered("text/plain", given);
    }
    case "zoom": {
      const token =
        textAt(body, ["event"]) === "endpoint.url_validation"
          ? textAt(body, ["payload", "plainToken"])
          : null;
      const [newest] = secrets;
      if (token === null || newest === undefined || token.length > CHALLENGE_CHARS_MAX) return null;
      const encryptedToken = createHmac("sha256", newest.secret).update(token).digest("hex");
      return answered("application/json", JSON.stringify({ plainToken: token, encryptedToken }));
    }
    case "sns": {
      const url =
        textAt(body, ["Type"]) === "SubscriptionConfirmation" ? textAt(body, ["SubscribeURL"]) : null;
      return isSnsAddress(url) ? { kind: "confirm", url } : null;
    }
    case "graph":
    case "cloudEvents":
    case null:
      return null;
  }
}

/** The challenge in a request that has no body to sign: the address of Graph, the OPTIONS of CloudEvents. */
export function challengeInRequest(
  rule: ChallengeRule,
  request: { readonly method: string; readonly query: string },
): Challenge | null {
  if (rule !== "graph" || request.method !== "POST") return null;
  const token = new URLSearchParams(request.query).get("validationToken");
  return token === null ? null : answered("text/plain", token);
}

function answered(contentType: string, body: string): Challenge | null {
  if (body.length > CHALLENGE_CHARS_MAX || /\p{Cc}/u.test(body)) return null;
  return { kind: "answer", answer: { status: 200, contentType, body } };
}
