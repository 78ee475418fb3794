/** Azure: the service code of an answer stands in a header, and in what its client throws. */

import { codes, denied, maybe, no, type Meaning } from "../meaning.ts";
import type { Family, Words } from "./family.ts";

/** Azure. */
export const azure: Family = {
  name: "azure",
  fromError: ({ chain: [first], found }) =>
    first?.name === "RestError" ? wordsOf(found?.answer.headers["x-ms-error-code"] ?? first.code) : null,
  fromAnswer: ({ headers }) => {
    const code = headers["x-ms-error-code"];
    return code === undefined ? null : wordsOf(code);
  },
  codes: codes(
    [no("throttled"), "ServerBusy TooManyRequests"],
    [maybe("transient"), "OperationTimedOut InternalError"],
    [denied("revoked"), "AuthenticationFailed InvalidAuthenticationInfo"],
    [denied("scope"), "AuthorizationFailure AuthorizationPermissionMismatch InsufficientAccountPermissions"],
    [denied("blocked"), "AccountIsDisabled"],
    [no("precondition"), "ConditionNotMet SequenceNumberConditionNotMet TargetConditionNotMet"],
    [
      no("transient"),
      "LeaseAlreadyPresent LeaseIsBreakingAndCannotBeAcquired BlobBeingRehydrated AccountBeingCreated",
    ],
    [no("rejected"), "InvalidInput InvalidHeaderValue InvalidMetadata OutOfRangeInput RequestBodyTooLarge"],
  ),
};

function wordsOf(code: string | null): Words {
  return { codes: code === null ? [] : [code], otherwise: code === null ? null : bySuffix(code) };
}

/** Each service has a word of its own for the same two things. */
function bySuffix(code: string): Meaning | null {
  if (code.endsWith("AlreadyExists")) return no("conflict");
  return code.endsWith("NotFound") ? no("gone") : null;
}
