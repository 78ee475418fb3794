/** Clients of single providers, pointed at a local server. What they try again by themselves is switched off. */

import Anthropic from "@anthropic-ai/sdk";
import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import {
  createDefaultHttpClient,
  createPipelineFromOptions,
  createPipelineRequest,
  RestError,
} from "@azure/core-rest-pipeline";
import { Client as HubSpot } from "@hubspot/api-client";
import sendgrid from "@sendgrid/mail";
import { createGraphQLClient } from "@shopify/graphql-client";
import { WebClient } from "@slack/web-api";
import { Connection } from "jsforce";
import { Octokit } from "octokit";
import OpenAI from "openai";
import { Stripe } from "stripe";
import twilio from "twilio";
import RequestClient from "twilio/lib/base/RequestClient.js";
import type { Call } from "./plain-clients.ts";

const aws = (patienceMs: number) => ({
  region: "eu-west-1",
  credentials: { accessKeyId: "a", secretAccessKey: "b" },
  maxAttempts: 1,
  requestHandler: { requestTimeout: patienceMs, throwOnRequestTimeout: true },
});

/** An author's own patience, for clients that have none. */
async function patiently<Value>(work: Promise<Value>, patienceMs: number): Promise<Value> {
  const signal = AbortSignal.timeout(patienceMs);
  const over = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () =>
      reject(new DOMException("The author waited no longer", "TimeoutError")),
    );
  });
  return Promise.race([work, over]);
}

async function callAzure(url: string, method: string, patienceMs: number): Promise<unknown> {
  const pipeline = createPipelineFromOptions({ retryOptions: { maxRetries: 0 } });
  const request = createPipelineRequest({
    url,
    method: method === "GET" ? "GET" : "POST",
    ...(method === "GET" ? {} : { body: "{}" }),
    timeout: patienceMs,
    allowInsecureConnection: true,
  });
  const response = await pipeline.sendRequest(createDefaultHttpClient(), request);
  if (response.status < 300) return response.bodyAsText;
  // As the clients of its services do with every status that they do not expect.
  const options = { statusCode: response.status, request, response };
  throw new RestError(`Unexpected status code: ${response.status}`, options);
}

async function callShopify(url: string, _: string, patienceMs: number): Promise<unknown> {
  const client = createGraphQLClient({
    url,
    headers: { "content-type": "application/json" },
    retries: 0,
    customFetchApi: (target, options) =>
      fetch(target, { ...options, signal: AbortSignal.timeout(patienceMs) }),
  });
  const { data, errors, extensions } = await client.request<unknown>("mutation { a }");
  if (errors === undefined) return data;
  throw Object.assign(new Error(errors.message ?? "GraphQL"), errors, { extensions });
}

function callTwilio(base: string, method: string, patienceMs: number): Promise<unknown> {
  const http = new RequestClient({ timeout: patienceMs });
  const { origin } = new URL(base);
  // Its address is fixed: the request goes elsewhere, everything else is its own.
  const httpClient = Object.assign(Object.create(http) as RequestClient, {
    request: (options: Parameters<RequestClient["request"]>[0]) =>
      http.request({ ...options, uri: options.uri.replace("https://api.twilio.com", origin) }),
  });
  const client = twilio(`AC${"0".repeat(32)}`, "token", { httpClient });
  return method === "GET"
    ? client.messages("SM1").fetch()
    : client.messages.create({ to: "+15005550006", from: "+15005550006", body: "b" });
}

function callJsforce(url: string, method: string, patienceMs: number): Promise<unknown> {
  const connection = new Connection({ instanceUrl: url, accessToken: "t", version: "60.0" });
  const record = `${url}/services/data/v60.0/sobjects/Contact`;
  const options = { retry: { maxRetries: 0 }, timeout: patienceMs };
  return method === "GET"
    ? connection.request({ method: "GET", url: `${record}/1` }, options)
    : connection.request({ method: "POST", url: record, body: "{}" }, options);
}

/** The part of its client that its types leave out. */
interface SendgridClient {
  setDefaultRequest(name: string, value: string): void;
  request(request: { readonly method: string; readonly url: string }): Promise<unknown>;
}

function callSendgrid(url: string, method: string, patienceMs: number): Promise<unknown> {
  const client = Reflect.get(sendgrid, "client") as SendgridClient;
  // The key sets the address too.
  sendgrid.setApiKey("SG.x");
  client.setDefaultRequest("baseUrl", `${url}/`);
  sendgrid.setTimeout(patienceMs);
  if (method === "GET") return client.request({ method: "GET", url: "/v3/templates" });
  return sendgrid.send({ to: "a@example.com", from: "b@example.com", subject: "s", text: "t" });
}

/** The clients by name. */
export const PROVIDER_CLIENTS: Readonly<Record<string, Call>> = {
  s3: async (endpoint, method, patienceMs) => {
    const client = new S3Client({ ...aws(patienceMs), endpoint, forcePathStyle: true });
    const where = { Bucket: "b", Key: "k" };
    if (method !== "GET") return client.send(new PutObjectCommand({ ...where, Body: "{}" }));
    return (await client.send(new GetObjectCommand(where))).Body?.transformToString();
  },
  dynamodb: (endpoint, _, patienceMs) =>
    new DynamoDBClient({ ...aws(patienceMs), endpoint }).send(
      new PutItemCommand({ TableName: "t", Item: { id: { S: "1" } } }),
    ),
  azure: callAzure,
  stripe: (url, method, patienceMs) => {
    const { hostname, port } = new URL(url);
    const options = {
      host: hostname,
      port,
      protocol: "http",
      maxNetworkRetries: 0,
      timeout: patienceMs,
    } as const;
    const { customers } = new Stripe("sk_test_x", options);
    return method === "GET" ? customers.retrieve("cus_1") : customers.create({ name: "n" });
  },
  openai: (baseURL, method, patienceMs) => {
    const client = new OpenAI({ apiKey: "k", baseURL, maxRetries: 0, timeout: patienceMs });
    return method === "GET"
      ? client.models.retrieve("m")
      : client.chat.completions.create({ model: "m", messages: [{ role: "user", content: "c" }] });
  },
  anthropic: (baseURL, method, patienceMs) => {
    const client = new Anthropic({ apiKey: "k", baseURL, maxRetries: 0, timeout: patienceMs });
    return method === "GET"
      ? client.models.retrieve("m")
      : client.messages.create({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "c" }] });
  },
  octokit: (baseUrl, method, patienceMs) => {
    const octokit = new Octokit({
      baseUrl,
      auth: "t",
      retry: { enabled: false },
      throttle: { enabled: false },
    });
    const request = { signal: AbortSignal.timeout(patienceMs) };
    const where = { owner: "o", repo: "r", request };
    return method === "GET"
      ? octokit.rest.issues.get({ ...where, issue_number: 1 })
      : octokit.rest.issues.create({ ...where, title: "t" });
  },
  slack: (url, _, patienceMs) =>
    new WebClient("xoxb-1", {
      slackApiUrl: `${url}/`,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      timeout: patienceMs,
    }).apiCall("chat.postMessage", { channel: "c", text: "t" }),
  twilio: callTwilio,
  sendgrid: callSendgrid,
  hubspot: (basePath, method, patienceMs) => {
    const { basicApi } = new HubSpot({ accessToken: "t", basePath }).crm.contacts;
    const properties = { email: "a@example.com" };
    return patiently(
      method === "GET" ? basicApi.getById("1") : basicApi.create({ properties, associations: [] }),
      patienceMs,
    );
  },
  shopify: callShopify,
  jsforce: callJsforce,
};
