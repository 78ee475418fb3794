/** gRPC, by the number of its status, through grpc-js and gax. */

import type { Json } from "../../core/json.ts";
import { denied, maybe, no, type Meaning } from "../meaning.ts";
import { objectsInside, textInside } from "../plain-data.ts";
import type { Family } from "./family.ts";

/** Statuses by number, and by the name that they have over HTTP. */
export const RPC_STATUSES: readonly (readonly [number: number, name: string | null, meaning: Meaning])[] = [
  // Over HTTP its status is 499, which says as much.
  [1, null, maybe("stopped")],
  [2, "UNKNOWN", maybe("transient")],
  [3, "INVALID_ARGUMENT", no("rejected")],
  [4, "DEADLINE_EXCEEDED", maybe("transient")],
  [5, "NOT_FOUND", no("gone")],
  [6, "ALREADY_EXISTS", no("conflict")],
  [7, "PERMISSION_DENIED", denied("scope")],
  [8, "RESOURCE_EXHAUSTED", no("throttled")],
  [9, "FAILED_PRECONDITION", no("precondition")],
  // Read again first: a step that is picked up again does.
  [10, "ABORTED", no("transient")],
  [11, "OUT_OF_RANGE", no("rejected")],
  [12, "UNIMPLEMENTED", no("bug")],
  [13, "INTERNAL", maybe("transient")],
  [14, "UNAVAILABLE", maybe("transient", { scope: "destination" })],
  [15, "DATA_LOSS", maybe("bug")],
  [16, "UNAUTHENTICATED", denied("refreshable")],
];

/** Said in place of a status, where a quota is used up and no time is named at which it is not. */
export const QUOTA_FAILURE = "QuotaFailure";

/** gRPC. */
export const grpc: Family = {
  name: "grpc",
  fromError: ({ chain: [first] }) => {
    const number = first?.facts["code"];
    if (first === undefined || typeof number !== "number" || number < 1 || number > 16) return null;
    const { details, statusDetails = null, pushback } = first.facts;
    if (typeof details !== "string" && statusDetails === null) return null;
    const headers = typeof pushback === "string" ? { "grpc-retry-pushback-ms": pushback } : {};
    const quota = isQuotaUsedUp(statusDetails) ? [QUOTA_FAILURE] : [];
    return { codes: [...quota, String(number)], answer: null, hints: { headers, body: { statusDetails } } };
  },
  codes: new Map([
    ...RPC_STATUSES.map(([number, , meaning]) => [String(number), meaning] as const),
    [QUOTA_FAILURE, no("quota")],
  ]),
};

/** True where a list of google.rpc details tells of a quota, and of no time at which to come back. */
export function isQuotaUsedUp(details: Json | undefined): boolean {
  const all = objectsInside(details);
  const isQuota = all.some(
    (one) => one["violations"] !== undefined || textInside(one, "@type")?.endsWith(QUOTA_FAILURE) === true,
  );
  return isQuota && !all.some((one) => one["retryDelay"] !== undefined);
}
