/** The headers of an answer that may be kept as evidence. Every other one may be a cookie or a secret. */

const KEPT: ReadonlySet<string> = new Set([
  "age",
  "allow",
  "cf-ray",
  "content-type",
  "date",
  "server",
  "via",
  "www-authenticate",
  "proxy-authenticate",
  // When to come back.
  "grpc-retry-pushback-ms",
  "retry-after",
  "retry-after-ms",
  "stripe-should-retry",
  "x-amz-retry-after",
  "x-ms-retry-after-ms",
  "x-should-retry",
  // What it calls the request, and what went wrong with it.
  "grpc-status",
  "request-id",
  "traceparent",
  "x-amz-id-2",
  "x-amz-request-id",
  "x-amzn-errortype",
  "x-amzn-requestid",
  "x-correlation-id",
  "x-github-request-id",
  "x-ms-error-code",
  "x-ms-request-id",
  "x-request-id",
  "x-slack-req-id",
  // Whether it was a repeat.
  "idempotency-replayed",
  "idempotent-replayed",
  "original-request",
  "x-idempotent-replayed",
]);

/** Families of limits and of proxies, which every provider spells in its own way. */
const KEPT_STARTS: readonly string[] = [
  "anthropic-ratelimit",
  "ratelimit",
  "sforce-limit-info",
  "x-envoy-",
  "x-hubspot-ratelimit",
  "x-rate-limit",
  "x-ratelimit",
  "x-shopify-shop-api-call-limit",
];

/** True for a header, by its lower-case name, that tells when to come back, how to name the request, or who answered. */
export function isKeptHeader(name: string): boolean {
  return KEPT.has(name) || KEPT_STARTS.some((start) => name.startsWith(start));
}
