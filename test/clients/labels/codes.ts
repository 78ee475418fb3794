/** Codes of providers, through their own clients and through plain fetch: a table of one line a code. */

import { json, spoken, type Answer, type Said } from "./answer.ts";

type Words = Omit<Answer, "status">;

const oauth = (error: string): Words => ({ headers: json(), body: { error } });
const plain = (code: string): Words => ({ headers: json(), body: { code } });
const anthropic = (type: string): Words => ({
  headers: json(),
  body: { type: "error", error: { type, message: "m" } },
});
const openai = (code: string): Words => ({
  headers: json(),
  body: { error: { message: "m", type: code, code } },
});
const stripe = (code: string): Words => ({
  headers: json(),
  body: { error: { message: "m", type: "invalid_request_error", code, doc_url: "https://stripe.com/docs" } },
});
const slack = (error: string): Words => ({ headers: json(), body: { ok: false, error } });
const aws = (type: string): Words => ({
  headers: json({ "content-type": "application/x-amz-json-1.0" }),
  body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: "m" },
});
const transaction = (reasons: string): Words => ({
  headers: json({ "content-type": "application/x-amz-json-1.0" }),
  body: {
    __type: "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
    Message: "m",
    CancellationReasons: reasons.split(",").map((Code) => ({ Code })),
  },
});
const s3 = (code: string): Words => ({
  headers: { "content-type": "application/xml" },
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>m</Message></Error>`,
});
const azure = (code: string): Words => ({
  headers: json({ "x-ms-error-code": code }),
  body: { error: { code, message: "m" } },
});
const googleReason = (reason: string, code: number): Words => ({
  headers: json(),
  body: { error: { code, message: "m", errors: [{ reason, domain: "usageLimits", message: "m" }] } },
});
const googleStatus = (status: string, code: number): Words => ({
  headers: json(),
  body: { error: { code, status, message: "m" } },
});
const twilio = (code: string, status: number): Words => ({
  headers: json(),
  body: {
    code: Number(code),
    message: "m",
    more_info: `https://www.twilio.com/docs/errors/${code}`,
    status,
  },
});
const hubspot = (category: string): Words => ({
  headers: json(),
  body: { status: "error", message: "m", category, correlationId: "c" },
});
const salesforce = (errorCode: string): Words => ({
  headers: json(),
  body: [{ errorCode, message: "m", fields: ["Name"] }],
});
const shopify = (code: string): Words => ({
  headers: json(),
  body: { errors: [{ message: "m", extensions: { code } }] },
});

/** The labels, with what is answered. */
export const CODES: readonly Said[] = [
  // OAuth, RFC 6749 and 6750, and codes that many providers use.
  spoken("OAuth", "fetch axios gaxios", oauth, [
    ["400 invalid_grant", "denied no access=revoked owner=access scope=credential"],
    ["400 invalid_client", "denied no access=blocked owner=operator scope=destination"],
    ["401 invalid_client", "denied no access=blocked owner=operator scope=destination"],
    ["400 unauthorized_client", "denied no access=blocked owner=operator"],
    ["400 invalid_scope", "denied no access=scope owner=access"],
    ["400 invalid_request", "rejected no owner=input"],
    ["400 unsupported_grant_type", "bug no owner=developer"],
    ["400 temporarily_unavailable", "transient no owner=system"],
    ["429 slow_down", "throttled no"],
    ["500 server_error", "unknown maybe cause=transient"],
    // Whoever stands before the destination says so too, and does not know what was done behind it.
    ["504 temporarily_unavailable", "unknown maybe cause=transient"],
  ]),
  spoken("a plain code", "fetch axios", plain, [
    ["409 already_exists", "conflict no"],
    ["409 version_conflict", "precondition no"],
    ["409 lock_timeout", "transient no"],
    ["409 idempotency_key_in_use", "unknown maybe cause=transient"],
    ["429 quota_exceeded", "quota no owner=access"],
    ["500 lock_timeout", "unknown maybe cause=transient"],
  ]),
  spoken("Stripe", "stripe fetch", stripe, [
    ["400 parameter_missing", "rejected no owner=input"],
    ["404 resource_missing", "gone no"],
    ["400 resource_already_exists", "conflict no"],
    ["409 idempotency_key_in_use", "unknown maybe cause=transient"],
    ["429 lock_timeout", "transient no"],
    ["429 rate_limit", "throttled no scope=credential"],
    ["401 api_key_expired", "denied no access=revoked owner=access scope=credential"],
    ["403 more_permissions_required", "denied no access=scope owner=access"],
    ["500 api_error", "unknown maybe cause=transient"],
  ]),
  spoken("OpenAI", "openai fetch", openai, [
    ["429 insufficient_quota", "quota no owner=access scope=credential"],
    ["429 billing_hard_limit_reached", "quota no owner=access"],
    ["429 rate_limit_exceeded", "throttled no"],
    ["401 invalid_api_key", "denied no access=revoked owner=access scope=credential"],
    ["404 model_not_found", "gone no"],
    ["400 context_length_exceeded", "rejected no owner=input"],
    ["500 server_error", "unknown maybe cause=transient"],
  ]),
  spoken("Anthropic", "anthropic fetch", anthropic, [
    ["529 overloaded_error", "throttled no scope=destination"],
    ["429 rate_limit_error", "throttled no scope=credential"],
    ["400 invalid_request_error", "rejected no owner=input"],
    ["401 authentication_error", "denied no access=revoked scope=credential"],
    ["402 billing_error", "quota no owner=access"],
    ["403 permission_error", "denied no access=scope"],
    ["404 not_found_error", "gone no"],
    ["500 api_error", "unknown maybe cause=transient"],
  ]),
  // Slack answers 200 to most that goes wrong, and says itself that parts may have succeeded.
  spoken("Slack", "slack", slack, [
    ["200 internal_error", "unknown maybe cause=transient"],
    ["200 fatal_error", "unknown maybe cause=transient"],
    ["200 a_code_nobody_knows", "unknown maybe cause=transient"],
    ["200 channel_not_found", "gone no"],
    ["200 user_not_found", "gone no"],
    ["200 invalid_auth", "denied no access=revoked owner=access scope=credential"],
    ["200 token_revoked", "denied no access=revoked scope=credential"],
    ["200 token_expired", "denied no access=refreshable scope=credential"],
    ["200 account_inactive", "denied no access=revoked scope=credential"],
    ["200 missing_scope", "denied no access=scope scope=credential"],
    ["200 not_in_channel", "denied no access=scope scope=case"],
    ["200 is_archived", "denied no access=scope scope=case"],
    ["200 msg_too_long", "rejected no owner=input"],
    ["200 invalid_blocks", "rejected no owner=input"],
    ["200 no_text", "rejected no owner=input"],
    ["200 invalid_arguments", "rejected no owner=input"],
    ["200 ratelimited", "throttled no"],
    ["503 upstream", "unknown maybe cause=transient"],
  ]),
  spoken("DynamoDB", "dynamodb fetch", aws, [
    ["400 ThrottlingException", "throttled no scope=credential"],
    ["400 ProvisionedThroughputExceededException", "throttled no"],
    ["400 RequestLimitExceeded", "throttled no"],
    ["400 ConditionalCheckFailedException", "precondition no"],
    ["400 ResourceNotFoundException", "gone no"],
    ["400 ResourceInUseException", "conflict no"],
    ["400 ValidationException", "rejected no owner=input"],
    ["400 LimitExceededException", "quota no owner=access"],
    ["400 ExpiredTokenException", "denied no access=refreshable scope=credential"],
    ["400 UnrecognizedClientException", "denied no access=revoked scope=credential"],
    ["400 AccessDeniedException", "denied no access=scope"],
    ["400 TransactionInProgressException", "unknown maybe cause=transient"],
    ["400 IdempotentParameterMismatchException", "bug no owner=developer"],
    ["400 RequestTimeTooSkewed", "bug no owner=operator"],
    ["500 InternalServerError", "unknown maybe cause=transient"],
  ]),
  spoken("DynamoDB, a transaction", "dynamodb fetch", transaction, [
    ["400 None,ConditionalCheckFailed", "precondition no"],
    ["400 TransactionConflict,ConditionalCheckFailed", "precondition no"],
    ["400 TransactionConflict,None", "transient no"],
    ["400 ThrottlingError,None", "throttled no"],
    ["400 ValidationError", "rejected no owner=input"],
    ["400 ItemCollectionSizeLimitExceeded", "quota no owner=access"],
    ["400 DuplicateItem", "conflict no"],
  ]),
  spoken("S3", "s3 fetch", s3, [
    ["503 SlowDown", "throttled no"],
    ["404 NoSuchBucket", "gone no"],
    ["409 BucketAlreadyOwnedByYou", "conflict no"],
    ["409 OperationAborted", "transient no"],
    ["412 PreconditionFailed", "precondition no"],
    ["403 AccessDenied", "denied no access=scope"],
    ["403 InvalidAccessKeyId", "denied no access=revoked scope=credential"],
    ["400 ExpiredToken", "denied no access=refreshable scope=credential"],
    ["400 RequestTimeout", "unknown maybe cause=transient"],
    ["409 EntityAlreadyExistsException", "conflict no"],
    ["500 InternalError", "unknown maybe cause=transient"],
  ]),
  spoken("Azure", "azure fetch", azure, [
    ["503 ServerBusy", "throttled no"],
    ["500 OperationTimedOut", "unknown maybe cause=transient"],
    ["403 AuthenticationFailed", "denied no access=revoked scope=credential"],
    ["403 AuthorizationFailure", "denied no access=scope"],
    ["412 ConditionNotMet", "precondition no"],
    ["409 BlobAlreadyExists", "conflict no"],
    ["404 ContainerNotFound", "gone no"],
    ["409 LeaseAlreadyPresent", "transient no"],
  ]),
  spoken("Google, its reason", "gaxios fetch", googleReason, [
    ["403 rateLimitExceeded", "throttled no scope=credential"],
    ["403 userRateLimitExceeded", "throttled no"],
    ["403 dailyLimitExceeded", "quota no owner=access scope=credential"],
    ["403 quotaExceeded", "quota no owner=access"],
    ["403 insufficientPermissions", "denied no access=scope"],
    ["403 domainPolicy", "denied no access=blocked"],
  ]),
  spoken("Google, its status", "gaxios fetch", googleStatus, [
    ["409 ALREADY_EXISTS", "conflict no"],
    ["409 ABORTED", "transient no"],
    ["400 FAILED_PRECONDITION", "precondition no"],
    ["400 INVALID_ARGUMENT", "rejected no owner=input"],
    ["401 UNAUTHENTICATED", "denied no access=refreshable scope=credential"],
    ["429 RESOURCE_EXHAUSTED", "throttled no"],
    ["503 UNAVAILABLE", "unknown maybe cause=transient"],
  ]),
  spoken("Twilio", "twilio fetch", twilio, [
    ["429 20429", "throttled no"],
    ["401 20003", "denied no access=revoked scope=credential"],
    ["404 20404", "gone no"],
    ["400 21211", "rejected no owner=input"],
    ["400 21614", "rejected no owner=input"],
    ["400 21610", "rejected no owner=input wait=never"],
    ["500 20500", "unknown maybe cause=transient"],
  ]),
  spoken("HubSpot", "hubspot fetch", hubspot, [
    ["400 VALIDATION_ERROR", "rejected no owner=input"],
    ["409 CONFLICT", "conflict no"],
    ["403 MISSING_SCOPES", "denied no access=scope scope=credential"],
    ["401 EXPIRED_AUTHENTICATION", "denied no access=refreshable scope=credential"],
    ["404 OBJECT_NOT_FOUND", "gone no"],
    ["502 GATEWAY", "unknown maybe cause=transient"],
  ]),
  spoken("Salesforce", "jsforce fetch", salesforce, [
    ["401 INVALID_SESSION_ID", "denied no access=refreshable scope=credential"],
    ["403 REQUEST_LIMIT_EXCEEDED", "quota no owner=access scope=credential"],
    ["400 UNABLE_TO_LOCK_ROW", "transient no"],
    ["400 DUPLICATE_VALUE", "conflict no"],
    ["400 DUPLICATES_DETECTED", "conflict no"],
    ["400 REQUIRED_FIELD_MISSING", "rejected no owner=input"],
    ["400 STRING_TOO_LONG", "rejected no owner=input"],
    ["400 FIELD_CUSTOM_VALIDATION_EXCEPTION", "rejected no owner=input"],
    ["403 INSUFFICIENT_ACCESS_OR_READONLY", "denied no access=scope"],
    ["403 API_DISABLED_FOR_ORG", "denied no access=blocked"],
    ["404 ENTITY_IS_DELETED", "gone no"],
    ["404 NOT_FOUND", "gone no"],
    ["503 SERVER_UNAVAILABLE", "unknown maybe cause=transient"],
  ]),
  // Shopify answers 200 to most that goes wrong. A plain client's author throws the body.
  spoken("Shopify", "shopify thrown-body", shopify, [
    ["200 THROTTLED", "throttled no"],
    ["200 ACCESS_DENIED", "denied no access=scope owner=access"],
    ["200 MAX_COST_EXCEEDED", "bug no owner=developer"],
    ["200 INTERNAL_SERVER_ERROR", "unknown maybe cause=transient"],
    ["200 BAD_USER_INPUT", "rejected no owner=input"],
    ["200 UNAUTHENTICATED", "denied no access=refreshable owner=access"],
    ["200 GRAPHQL_VALIDATION_FAILED", "bug no owner=developer"],
    ["200 SOMETHING_NEW", "unknown maybe cause=transient"],
  ]),
].flat();
