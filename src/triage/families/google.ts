/** What Google answers over HTTP: AIP-193, and the older form with reasons. */

import { isJsonObject } from "../../core/json.ts";
import { codes, denied, no } from "../meaning.ts";
import { inside, objectsInside, textInside } from "../plain-data.ts";
import type { Family } from "./family.ts";
import { isQuotaUsedUp, QUOTA_FAILURE, RPC_STATUSES } from "./grpc.ts";

/** Google. */
export const google: Family = {
  name: "google",
  fromAnswer: ({ body }) => {
    const error = inside(body, "error");
    if (error === undefined || !isJsonObject(error) || typeof error["code"] !== "number") return null;
    const reasons = [...objectsInside(error, "errors"), ...objectsInside(error, "details")].map((one) =>
      textInside(one, "reason"),
    );
    const quota = isQuotaUsedUp(error["details"]) ? QUOTA_FAILURE : null;
    return { codes: [quota, ...reasons, textInside(error, "status")].filter((word) => word !== null) };
  },
  codes: new Map([
    ...codes(
      [no("throttled"), "rateLimitExceeded userRateLimitExceeded RATE_LIMIT_EXCEEDED"],
      [no("quota"), `dailyLimitExceeded quotaExceeded ${QUOTA_FAILURE} BILLING_DISABLED`],
      [
        denied("scope"),
        "insufficientPermissions forbidden appNotAuthorizedToFile ACCESS_TOKEN_SCOPE_INSUFFICIENT",
      ],
      [denied("blocked"), "domainPolicy SERVICE_DISABLED accessNotConfigured"],
      [denied("revoked"), "authError API_KEY_INVALID ACCOUNT_STATE_INVALID"],
      [no("conflict"), "duplicate"],
      [no("precondition"), "conditionNotMet"],
    ),
    ...RPC_STATUSES.flatMap(([, name, meaning]) => (name === null ? [] : [[name, meaning] as const])),
  ]),
};
