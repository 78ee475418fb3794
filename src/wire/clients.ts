/**
 * Clients that repeat requests by themselves: how each is recognized by what it sends, and the setting that turns its
 * repeats off. Data, read from the named versions and measured against local servers.
 */

/** A header that a client sends. Values are compared in lower case; without any the header must only be there. */
interface ClientSign {
  readonly header: string;
  readonly startsWith?: string;
  readonly equals?: string;
}

/** A client that can be recognized. */
export interface KnownClient {
  /** As it is named in findings and in the journal. */
  readonly name: string;
  /** Any one of these recognizes it; none where it sends no HTTP. */
  readonly signs: readonly ClientSign[];
  /** How its repeats are turned off. */
  readonly setting: string;
  /** The version that was looked at. */
  readonly version: string;
  /** The day on which it was looked at. */
  readonly checkedOn: string;
}

const checkedOn = "2026-11-29";

/** A client that tells of itself on a diagnostics channel, and of what it repeats nothing. */
export const IOREDIS = "ioredis";

/** In the order in which they are tried: what is built on another client comes before it. */
export const KNOWN_CLIENTS: readonly KnownClient[] = [
  {
    name: "Stripe",
    signs: [{ header: "x-stripe-client-user-agent" }, { header: "user-agent", startsWith: "stripe/" }],
    setting:
      "maxNetworkRetries: 0, and pass the step's idempotencyKey with each call (it still sends once more after a reset)",
    version: "stripe 23.1.0",
    checkedOn,
  },
  {
    name: "OpenAI",
    signs: [{ header: "user-agent", startsWith: "openai/" }],
    setting: "maxRetries: 0",
    version: "openai 6.49.0",
    checkedOn,
  },
  {
    name: "Anthropic",
    signs: [{ header: "user-agent", startsWith: "anthropic/" }],
    setting: "maxRetries: 0",
    version: "@anthropic-ai/sdk 1.14.0",
    checkedOn,
  },
  {
    name: "AWS SDK",
    signs: [{ header: "amz-sdk-invocation-id" }, { header: "user-agent", startsWith: "aws-sdk-js/" }],
    setting: "maxAttempts: 1",
    version: "@aws-sdk/client-s3 3.1175.0",
    checkedOn,
  },
  {
    name: "Octokit",
    signs: [{ header: "user-agent", startsWith: "octokit" }],
    setting: "retry: { enabled: false }, throttle: { enabled: false }",
    version: "octokit 5.0.5",
    checkedOn,
  },
  {
    name: "Slack",
    signs: [{ header: "user-agent", startsWith: "@slack:web-api/" }],
    setting: "retryConfig: { retries: 0 }, rejectRateLimitedCalls: true",
    version: "@slack/web-api 8.2.0",
    checkedOn,
  },
  {
    name: "Azure Storage",
    signs: [{ header: "user-agent", startsWith: "azsdk-js-azure-storage" }],
    setting: "retryOptions: { maxTries: 1 }",
    version: "@azure/storage-blob 12.32.0",
    checkedOn,
  },
  {
    name: "Azure SDK",
    signs: [
      { header: "x-ms-client-request-id" },
      { header: "user-agent", startsWith: "azsdk-js" },
      { header: "user-agent", startsWith: "core-rest-pipeline/" },
    ],
    setting: "retryOptions: { maxRetries: 0 }",
    version: "@azure/core-rest-pipeline 1.24.0",
    checkedOn,
  },
  {
    name: "Twilio",
    signs: [{ header: "user-agent", startsWith: "twilio-node/" }],
    setting: "autoRetry: false",
    version: "twilio 6.3.1",
    checkedOn,
  },
  {
    name: "HubSpot",
    signs: [{ header: "user-agent", startsWith: "hubspot-api-client-nodejs" }],
    setting: "numberOfApiCallRetries: 0",
    version: "@hubspot/api-client 13.5.0",
    checkedOn,
  },
  {
    name: "Shopify",
    signs: [{ header: "x-sdk-variant" }, { header: "x-shopify-storefront-access-token" }],
    setting: "retries: 0",
    version: "@shopify/graphql-client 1.4.2",
    checkedOn,
  },
  {
    name: "gRPC",
    signs: [{ header: "user-agent", startsWith: "grpc-node" }],
    setting:
      "the channel option 'grpc.enable_retries': 0 (google-gax: retry: { retryCodes: [] } with each call)",
    version: "@grpc/grpc-js 1.14.7, google-gax 5.0.8",
    checkedOn,
  },
  {
    name: "Google API client",
    signs: [
      { header: "x-goog-api-client" },
      { header: "user-agent", startsWith: "google-api-nodejs-client" },
    ],
    setting: "retry: false (Cloud Storage: retryOptions: { autoRetry: false }; its maxRetries: 0 is ignored)",
    version: "gaxios 7.3.1",
    checkedOn,
  },
  {
    name: "node-fetch",
    signs: [{ header: "user-agent", startsWith: "node-fetch" }],
    setting:
      "turn off the retry of whatever calls it (gaxios: retry: false; jsforce: retry: { maxRetries: 0 })",
    version: "node-fetch 3.3.2, gaxios 7.3.1, jsforce 3.10.16",
    checkedOn,
  },
  {
    name: "axios",
    signs: [{ header: "user-agent", startsWith: "axios/" }],
    setting: "axios-retry: retries: 0",
    version: "axios 1.21.1, axios-retry 4.5.0",
    checkedOn,
  },
  {
    name: "got",
    signs: [{ header: "user-agent", startsWith: "got " }],
    setting: "retry: { limit: 0 }",
    version: "got 14.6.6",
    checkedOn,
  },
  {
    name: "undici",
    signs: [{ header: "user-agent", startsWith: "undici" }],
    setting: "do not use RetryAgent or interceptors.retry",
    version: "undici 7.30.2",
    checkedOn,
  },
  {
    name: "fetch",
    signs: [{ header: "user-agent", equals: "node" }],
    setting: "turn off the retry of whatever calls fetch (ky: retry: 0; undici: no RetryAgent)",
    version: "ky 1.14.3",
    checkedOn,
  },
  {
    name: IOREDIS,
    signs: [],
    setting:
      "autoResendUnfulfilledCommands: false, with a commandTimeout (in 6.0.0 such a call does not end otherwise)",
    version: "ioredis 6.0.0",
    checkedOn,
  },
];

/** The client that sends a request with these headers; null = not recognized. */
export function clientOf(header: (name: string) => string | null): string | null {
  const seen = new Map<string, string | null>();
  const read = (name: string): string | null => {
    const known = seen.get(name);
    if (known !== undefined) return known;
    const value = header(name)?.toLowerCase() ?? null;
    seen.set(name, value);
    return value;
  };
  const found = KNOWN_CLIENTS.find(({ signs }) =>
    signs.some(({ header: name, startsWith = "", equals }) => {
      const value = read(name);
      if (value === null) return false;
      return equals === undefined ? value.startsWith(startsWith) : value === equals;
    }),
  );
  return found?.name ?? null;
}

/** The setting that turns a client's repeats off; a general sentence where it was not recognized. */
export function settingOf(client: string | null): string {
  return KNOWN_CLIENTS.find(({ name }) => name === client)?.setting ?? "turn off the retry of the client";
}
