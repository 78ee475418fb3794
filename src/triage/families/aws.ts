/** AWS: the errors of its clients (v3), and its answers in JSON and XML. */

import type { Json } from "../../core/json.ts";
import type { SeenResponse } from "../../core/seen-failure.ts";
import { codes, denied, maybe, no } from "../meaning.ts";
import { inside, objectsInside, textInside } from "../plain-data.ts";
import { factObject, type Snapshot } from "../snapshot.ts";
import type { Family, Words } from "./family.ts";

/** AWS. */
export const aws: Family = {
  name: "aws",
  fromError,
  fromAnswer: (answer) => {
    const code = codeIn(answer);
    return code === null ? null : { codes: [...reasonsIn(answer.body), ...namesOf(code)] };
  },
  codes: codes(
    [
      no("throttled"),
      "BandwidthLimitExceeded EC2ThrottledException ProvisionedThroughputExceededException RequestLimitExceeded " +
        "RequestThrottled RequestThrottledException SlowDown ThrottledException Throttling ThrottlingException " +
        "TooManyRequestsException ThrottlingErrorException",
    ],
    // A hard quota in many services; the client says where it is not.
    [
      no("quota"),
      "LimitExceededException ServiceQuotaExceededException ItemCollectionSizeLimitExceededException",
    ],
    // An earlier request of ours is still being worked on; the last two may come after the whole request had arrived.
    [
      maybe("transient"),
      "TransactionInProgressException PriorRequestNotComplete RequestTimeout RequestTimeoutException",
    ],
    [no("precondition"), "ConditionalCheckFailedException PreconditionFailed ConditionalRequestConflict"],
    [no("transient"), "OperationAborted ConcurrentModificationException TransactionConflictException"],
    [
      no("conflict"),
      "ResourceInUseException BucketAlreadyOwnedByYou BucketAlreadyExists EntityAlreadyExists ResourceExistsException " +
        "DuplicateItemException",
    ],
    [no("gone"), "ResourceNotFoundException NoSuchKey NoSuchBucket NoSuchEntity QueueDoesNotExist NotFound"],
    [
      no("rejected"),
      "ValidationException ValidationErrorException InvalidParameterValue InvalidRequest EntityTooLarge MalformedXML",
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
  return { codes: isThrottling ? ["Throttling"] : [...reasonsIn(facts), ...namesOf(name)], answer };
}

/** Services differ in whether they end their codes so. */
function namesOf(code: string): readonly string[] {
  return [code, code.endsWith("Exception") ? code.slice(0, -"Exception".length) : `${code}Exception`];
}

/** Why a transaction of DynamoDB was canceled, by item: what only collided with another one says the least. */
function reasonsIn(holder: Json): readonly string[] {
  const reasons = objectsInside(holder, "CancellationReasons").map((one) => textInside(one, "Code"));
  const found = reasons.filter((code) => code !== null && code !== "None").map((code) => `${code}Exception`);
  return found.toSorted((a, b) => Number(isCollision(a)) - Number(isCollision(b)));
}

function isCollision(code: string): boolean {
  return code === "TransactionConflictException";
}

/** A header, a field of JSON that may carry its namespace, or an element of XML. */
function codeIn({ headers, body }: SeenResponse): string | null {
  const named = headers["x-amzn-errortype"] ?? textInside(body, "__type");
  if (named !== null) return named.replace(/^.*#/, "").replace(/:.*$/, "");
  return typeof body === "string" ? (/<Error>\s*<Code>(\w+)<\/Code>/.exec(body)?.[1] ?? null) : null;
}
