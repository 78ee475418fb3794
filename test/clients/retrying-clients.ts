/** Clients as they come: they try again by themselves. Only their waits are shortened. */

import { Redis } from "ioredis";
import { Octokit } from "octokit";
import { Stripe } from "stripe";

/** Creates an issue. Octokit sends it up to four times, whatever the method; its unit of waiting is 1 s, and 1 ms here. */
export function createIssue(baseUrl: string, fetch: typeof globalThis.fetch): Promise<unknown> {
  const octokit = new Octokit({ baseUrl, auth: "t", request: { fetch }, retry: { retryAfterBaseValue: 1 } });
  return octokit.rest.issues.create({ owner: "o", repo: "r", title: "t" });
}

/** Creates a customer without a key of one's own: each call makes a new one. */
export function createCustomer(baseUrl: string, fetch: typeof globalThis.fetch): Promise<unknown> {
  const { hostname, port } = new URL(baseUrl);
  const httpClient = Stripe.createFetchHttpClient(fetch);
  const options = { host: hostname, port, protocol: "http", httpClient } as const;
  return new Stripe("sk_test_x", options).customers.create({ name: "n" });
}

/** Counts one up. A command whose answer was lost is sent again once there is a connection again. */
export async function increment(port: number): Promise<number> {
  const redis = new Redis({ host: "127.0.0.1", port, retryStrategy: () => 1, enableReadyCheck: false });
  redis.on("error", () => undefined);
  try {
    return await redis.incr("c");
  } finally {
    redis.disconnect();
  }
}
