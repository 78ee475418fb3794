/** AWS: the errors of its clients (v3), and its answers in JSON and XML. */

import type { SeenResponse } from "../../core/seen-failure.ts";
import { codes, denied, maybe, no } from "../meaning.ts";
import { inside, textInside } from "../plain-data.ts";
import { factObject, type Snapshot } from "../snapshot.ts";
import type { Family, Words } from "./family.ts";

/** AWS. */
export const aws: Family = {
  name: "aws",
  fromError,
  fromAnswer: (answer) => {
    const code = codeIn(answer);
    return code === null ? null : { codes: [code] };
  },
  codes: codes(
    [
      no("throttled"),
      "BandwidthLimitExceeded EC2ThrottledException ProvisionedThroughputExceededException RequestLimitExceeded " +
        "RequestThrottled RequestThrottledException SlowDown ThrottledException Throttling ThrottlingException " +
        "TooManyRequestsException",
    ],
    // A hard quota in many services; the client says where it is not.
    [no("quota"), "LimitExceededException ServiceQuotaExceededException LimitExceeded"],
    // An earlier request of ours is still being worked on.
    [maybe("transient"), "TransactionInProgressException PriorRequestNotComplete"],
    [no("transient"), "OperationAborted ConcurrentModificationException TransactionConflictException"],
    [no("precondition"), "ConditionalCheckFailedException PreconditionFailed ConditionalRequestConflict"],
    [
      no("conflict"),
      "ResourceInUseException BucketAlreadyOwnedByYou BucketAlreadyExists EntityAlreadyExists ResourceExistsException",
    ],
    [no("gone"), "ResourceNotFoundException NoSuchKey NoSuchBucket NoSuchEntity QueueDoesNotExist NotFound"],
    [
      no("rejected"),
      "ValidationException ValidationError InvalidParameterValue InvalidRequest EntityTooLarge MalformedXML",
    ],
    [
      denied("refreshable"),
      "ExpiredToken ExpiredTokenException TokenRefreshRequired CredentialsProviderError",
    ],
    [
      denied("revoked"),
      "UnrecognizedClientException InvalidClientTokenId InvalidAccessKeyId AuthFailure SignatureDoesNotMatch " +
        "InvalidSignatureException",
    ],
    [denied("scope"), "AccessDenied AccessDeniedException UnauthorizedOperation AuthorizationError"],
    // The clock of this machine is wrong.
    [no("bug", { owner: "operator" }), "RequestTimeTooSkewed RequestExpired RequestInTheFuture"],
    [no("bug"), "IdempotentParameterMismatchException InvalidAction UnknownOperationException"],
  ),
};

function fromError({ chain: [first], found }: Snapshot): Words | null {
  if (first === undefined) return null;
  const { facts, name } = first;
  if (name === "CredentialsProviderError") return { codes: [name] };
  if (facts["$metadata"] === undefined && facts["$fault"] === undefined) return null;
  const status = inside(facts["$metadata"], "httpStatusCode");
  const answer = typeof status === "number" ? { headers: {}, body: null, ...found?.answer, status } : null;
  const isThrottling = factObject(facts, "$retryable")["throttling"] === true;
  return { codes: isThrottling ? ["Throttling"] : [name], answer };
}

/** A header, a field of JSON that may carry its namespace, or an element of XML. */
function codeIn({ headers, body }: SeenResponse): string | null {
  const named = headers["x-amzn-errortype"] ?? textInside(body, "__type");
  if (named !== null) return named.replace(/^.*#/, "").replace(/:.*$/, "");
  return typeof body === "string" ? (/<Error>\s*<Code>(\w+)<\/Code>/.exec(body)?.[1] ?? null) : null;
}
