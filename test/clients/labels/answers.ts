/** Answers of providers that need more than a code to be understood. */

import { json, said, type Said } from "./answer.ts";

const problem = { "content-type": "application/problem+json" };
const card = { message: "m", type: "card_error", code: "card_declined" };
const github = "https://docs.github.com/rest";
const secondary = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
const tryAgain = { message: "Please try again in 6.2s.", type: "tokens", code: "rate_limit_exceeded" };
const cost = {
  requestedQueryCost: 100,
  throttleStatus: { maximumAvailable: 1000, currentlyAvailable: 50, restoreRate: 5 },
};

/** The labels, with what is answered. `$+300` in a header is the second 300 s from now. */
export const ANSWERS: readonly Said[] = [
  said("fetch axios", "422 problem with fields", "rejected no owner=input", {
    headers: problem,
    body: { title: "Invalid", errors: [{ pointer: "/amount", detail: "too big" }] },
  }),
  said("fetch axios", "400 problem whose status disagrees", "rejected no owner=input", {
    headers: problem,
    body: { title: "Invalid", status: 503 },
  }),
  said("stripe fetch", "402 card declined", "rejected no owner=input", {
    headers: json(),
    body: { error: { ...card, decline_code: "generic_decline" } },
  }),
  said("stripe fetch", "402 card declined, try again later", "transient no wait=3600", {
    headers: json(),
    body: { error: { ...card, advice_code: "try_again_later" } },
  }),
  said("stripe fetch", "402 card declined, do not try again", "rejected no wait=never", {
    headers: json(),
    body: { error: { ...card, advice_code: "do_not_try_again" } },
  }),
  said("stripe fetch", "400 same key, other parameters", "bug no owner=developer", {
    headers: json(),
    body: { error: { message: "m", type: "idempotency_error" } },
  }),
  said("stripe fetch", "409 should not be retried", "conflict no wait=never", {
    headers: json({ "stripe-should-retry": "false" }),
    body: { error: { message: "m", type: "api_error" } },
  }),
  said("openai fetch", "429 with a duration", "throttled no wait=90", {
    headers: json({ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s" }),
    body: { error: { message: "m", type: "requests", code: "rate_limit_exceeded" } },
  }),
  said("openai fetch", "429 with a wait in its text", "throttled no wait=6.2", {
    headers: json(),
    body: { error: tryAgain },
  }),
  said("openai fetch", "429 after 1500 ms", "throttled no wait=1.5", {
    headers: json({ "retry-after-ms": "1500", "retry-after": "2" }),
    body: { error: { message: "m", code: "rate_limit_exceeded" } },
  }),
  said("anthropic fetch", "429 with a reset", "throttled no wait=30", {
    headers: json({
      "anthropic-ratelimit-requests-remaining": "0",
      "anthropic-ratelimit-requests-reset": "$iso+30",
    }),
    body: { type: "error", error: { type: "rate_limit_error", message: "m" } },
  }),
  said("octokit fetch", "422 already exists", "conflict no", {
    headers: json(),
    body: {
      message: "Validation Failed",
      documentation_url: github,
      errors: [{ resource: "Repository", field: "name", code: "already_exists" }],
    },
  }),
  said("octokit fetch", "422 field missing", "rejected no owner=input", {
    headers: json(),
    body: {
      message: "Validation Failed",
      documentation_url: github,
      errors: [{ resource: "Issue", field: "title", code: "missing_field" }],
    },
  }),
  said("octokit fetch", "403 secondary rate limit", "throttled no wait=60 scope=credential", {
    headers: json({ "x-ratelimit-remaining": "4900" }),
    body: { message: secondary, documentation_url: `${github}/overview#about-secondary-rate-limits` },
  }),
  said("octokit fetch", "403 primary rate limit", "throttled no wait=301", {
    headers: json({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "$+300" }),
    body: { message: "API rate limit exceeded", documentation_url: `${github}/overview#rate-limiting` },
  }),
  said("octokit fetch", "403 not accessible", "denied no access=scope owner=access", {
    headers: json({ "x-ratelimit-remaining": "4900" }),
    body: { message: "Resource not accessible by integration", documentation_url: github },
  }),
  said("octokit fetch", "404 hidden or absent", "gone no owner=access", {
    headers: json(),
    body: { message: "Not Found", documentation_url: github },
  }),
  said("octokit", "500 of the server", "unknown maybe cause=transient", { headers: json(), body: {} }),
  said("slack", "429 after 30 s", "throttled no wait=30 scope=credential", {
    headers: { "retry-after": "30" },
  }),
  said("s3 fetch", "503 with a hint", "throttled no wait=1.5", {
    headers: { "content-type": "application/xml", "x-amz-retry-after": "1500" },
    body: "<Error><Code>SlowDown</Code><Message>m</Message></Error>",
  }),
  said("azure fetch", "429 after 2500 ms", "throttled no wait=2.5", {
    headers: json({ "x-ms-retry-after-ms": "2500" }),
  }),
  said("gaxios fetch", "429 with RetryInfo", "throttled no wait=32", {
    headers: json(),
    body: googleDetails(429, "RESOURCE_EXHAUSTED", { type: "RetryInfo", retryDelay: "32s" }),
  }),
  said("gaxios fetch", "429 with QuotaFailure alone", "quota no owner=access", {
    headers: json(),
    body: googleDetails(429, "RESOURCE_EXHAUSTED", { type: "QuotaFailure", violations: [{ subject: "p" }] }),
  }),
  said("sendgrid fetch", "400 a field", "rejected no owner=input", {
    headers: json(),
    body: { errors: [{ message: "Is no address.", field: "from.email", help: "h" }] },
  }),
  said("sendgrid", "401 credits exceeded", "denied no owner=access", {
    headers: json(),
    body: { errors: [{ message: "Maximum credits exceeded", field: null, help: null }] },
  }),
  said("sendgrid", "401 key revoked", "denied no owner=access scope=credential", {
    headers: json(),
    body: { errors: [{ message: "The provided authorization grant is invalid", field: null, help: null }] },
  }),
  said("sendgrid", "429 with a reset", "throttled no wait=30", {
    headers: json({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "$+30" }),
    body: { errors: [{ field: null, message: "too many requests" }] },
  }),
  said("sendgrid", "500 of the server", "unknown maybe cause=transient", { headers: json(), body: {} }),
  said("hubspot fetch", "429 daily", "quota no owner=access", {
    headers: json(),
    body: { status: "error", category: "RATE_LIMITS", policyName: "DAILY", correlationId: "c" },
  }),
  said("hubspot fetch", "429 every ten seconds", "throttled no wait=10", {
    headers: json(),
    body: {
      status: "error",
      category: "RATE_LIMITS",
      policyName: "TEN_SECONDLY_ROLLING",
      correlationId: "c",
    },
  }),
  said("shopify thrown-body", "200 throttled with its cost", "throttled no wait=10", {
    headers: json(),
    body: { errors: [{ message: "m", extensions: { code: "THROTTLED" } }], extensions: { cost } },
  }),
  said("thrown-body", "200 user errors", "rejected no owner=input", {
    headers: json(),
    body: { data: { productCreate: { userErrors: [{ field: ["title"], message: "can't be blank" }] } } },
  }),
  said("shopify fetch", "429 after 2.0 s", "throttled no wait=2", {
    headers: json({ "retry-after": "2.0" }),
  }),
  said("shopify", "401 of the server", "denied no owner=access", { headers: json(), body: { errors: "m" } }),
  said("shopify", "500 of the server", "unknown maybe cause=transient", { headers: json(), body: {} }),
  said("fetch", "429 with a wait in its body", "throttled no wait=64.57", {
    headers: json(),
    body: { message: "You are being rate limited.", retry_after: 64.57, global: false },
  }),
];

interface Detail {
  readonly type: string;
  readonly [field: string]: unknown;
}

function googleDetails(code: number, status: string, detail: Detail): unknown {
  const { type, ...rest } = detail;
  const typed = { "@type": `type.googleapis.com/google.rpc.${type}`, ...rest };
  return { error: { code, status, message: "m", details: [typed] } };
}
