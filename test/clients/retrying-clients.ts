/** Clients as they come: they try again by themselves. Only their waits are shortened. */

import { Octokit } from "octokit";
import Stripe from "stripe";
import { PATIENCE_MS } from "./plain-clients.ts";

/** Creates an issue. Octokit sends it up to four times, whatever the method; its unit of waiting is 1 s, and 1 ms here. */
export function createIssue(baseUrl: string): Promise<unknown> {
  const octokit = new Octokit({ baseUrl, auth: "t", retry: { retryAfterBaseValue: 1 } });
  return octokit.rest.issues.create({ owner: "o", repo: "r", title: "t" });
}

/** Creates a customer without a key of one's own: each call makes a new one. */
export function createCustomer(baseUrl: string): Promise<unknown> {
  const { hostname, port } = new URL(baseUrl);
  const options = { host: hostname, port, protocol: "http", timeout: PATIENCE_MS } as const;
  return new Stripe("sk_test_x", options).customers.create({ name: "n" });
}
