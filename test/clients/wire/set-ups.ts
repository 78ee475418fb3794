/** Clients as they come: in their default settings, pointed at a local server. */

import Anthropic from "@anthropic-ai/sdk";
import { DynamoDBClient, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import {
  createDefaultHttpClient,
  createPipelineFromOptions,
  createPipelineRequest,
} from "@azure/core-rest-pipeline";
import { LogLevel, WebClient } from "@slack/web-api";
import axios, { create as createAxios } from "axios";
import axiosRetry from "axios-retry";
import { Gaxios } from "gaxios";
import { got } from "got";
import { Agent, request as httpRequest } from "node:http";
import { once } from "node:events";
import { Connection } from "jsforce";
import ky from "ky";
import nodeFetch from "node-fetch";
import { Octokit } from "octokit";
import OpenAI from "openai";
import { Stripe } from "stripe";
import { request as undiciRequest } from "undici";
import type { BoundTransport } from "../../../src/wire/bound-transport.ts";

/** A client, sending one write. */
export interface SetUp {
  readonly name: string;
  readonly send: (url: string, transport: BoundTransport) => Promise<unknown>;
  /** The name that it is recognized by; null = it cannot be told from others. */
  readonly client: string | null;
}

const post = { method: "POST", body: "{}" } as const;
/** Where time passes faster, their own time-out would come before the answer. */
const patient = { timeout: 86_400_000 } as const;
const aws = { region: "eu-west-1", credentials: { accessKeyId: "a", secretAccessKey: "b" } };

async function overHttp(url: string, agent: Agent): Promise<void> {
  const request = httpRequest(url, { method: "POST", agent });
  request.end("{}");
  const [response] = (await once(request, "response")) as [NodeJS.ReadableStream];
  response.resume();
  await once(response, "end");
}

const keptAlive = new Agent({ keepAlive: true });
const oneSocket = new Agent({ keepAlive: true, maxSockets: 1 });
const retrying = createAxios({ proxy: false });
axiosRetry(retrying, { retryCondition: () => true });

function s3(endpoint: string, maxSockets?: number): Promise<unknown> {
  const requestHandler = maxSockets === undefined ? {} : { httpAgent: { maxSockets } };
  const client = new S3Client({ ...aws, endpoint, forcePathStyle: true, requestHandler });
  return client.send(new PutObjectCommand({ Bucket: "b", Key: "k", Body: "{}" }));
}

function stripe(url: string, fetch?: BoundTransport["fetch"]): Promise<unknown> {
  const { hostname: host, port } = new URL(url);
  const httpClient = fetch === undefined ? {} : { httpClient: Stripe.createFetchHttpClient(fetch) };
  return new Stripe("sk_test_x", { host, port, protocol: "http", ...httpClient }).customers.create({
    name: "n",
  });
}

function openai(baseURL: string, over: { readonly fetch?: BoundTransport["fetch"] } = {}): Promise<unknown> {
  const client = new OpenAI({ apiKey: "k", baseURL, ...patient, ...over });
  return client.chat.completions.create({ model: "m", messages: [{ role: "user", content: "c" }] });
}

function octokit(baseUrl: string, over: { readonly fetch?: BoundTransport["fetch"] }): Promise<unknown> {
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  return new Octokit({ baseUrl, auth: "t", request: over, log }).rest.issues.create({
    owner: "o",
    repo: "r",
    title: "t",
  });
}

function slack(url: string): Promise<unknown> {
  const { chat } = new WebClient("xoxb-1", { slackApiUrl: `${url}/`, logLevel: LogLevel.ERROR });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a message of Slack, to no window
  return chat.postMessage({ channel: "c", text: "t" });
}

async function azure(url: string): Promise<unknown> {
  const request = createPipelineRequest({ url, ...post, allowInsecureConnection: true });
  return createPipelineFromOptions({}).sendRequest(createDefaultHttpClient(), request);
}

/** Clients that repeat nothing by themselves. */
export const ONCE: readonly SetUp[] = [
  { name: "fetch", client: "fetch", send: async (url) => (await fetch(url, post)).text() },
  {
    name: "undici request",
    client: null,
    send: async (url) => (await undiciRequest(url, post)).body.text(),
  },
  { name: "node:http", client: null, send: (url) => overHttp(url, new Agent()) },
  { name: "node:http, kept alive", client: null, send: (url) => overHttp(url, keptAlive) },
  { name: "node:http, one socket for all", client: null, send: (url) => overHttp(url, oneSocket) },
  { name: "axios", client: "axios", send: (url) => axios.post(url, "{}", { proxy: false }) },
  {
    name: "axios over fetch",
    client: "axios",
    send: (url) => axios.post(url, "{}", { adapter: "fetch", proxy: false }),
  },
  { name: "node-fetch", client: "node-fetch", send: async (url) => (await nodeFetch(url, post)).text() },
  {
    name: "gaxios",
    client: "node-fetch",
    send: (url) => new Gaxios().request({ url, method: "POST", data: {} }),
  },
];

/** Clients that repeat a write by themselves as they come, after 503 or after a lost answer. */
export const REPEATING: readonly SetUp[] = [
  { name: "axios-retry", client: "axios", send: (url) => retrying.post(url, "{}") },
  { name: "AWS S3", client: "AWS SDK", send: (url) => s3(url) },
  { name: "AWS S3, one socket", client: "AWS SDK", send: (url) => s3(url, 1) },
  {
    name: "AWS DynamoDB",
    client: "AWS SDK",
    send: (endpoint) =>
      new DynamoDBClient({ ...aws, endpoint }).send(
        new UpdateItemCommand({
          TableName: "t",
          Key: { id: { S: "1" } },
          UpdateExpression: "ADD n :one",
          ExpressionAttributeValues: { ":one": { N: "1" } },
        }),
      ),
  },
  { name: "Stripe", client: "Stripe", send: (url) => stripe(url) },
  { name: "Stripe over the step's fetch", client: "Stripe", send: (url, { fetch }) => stripe(url, fetch) },
  { name: "OpenAI", client: "OpenAI", send: (url) => openai(url) },
  {
    name: "OpenAI over the step's fetch",
    client: "OpenAI",
    send: (url, { fetch }) => openai(url, { fetch }),
  },
  {
    name: "Anthropic",
    client: "Anthropic",
    send: (baseURL) =>
      new Anthropic({ apiKey: "k", baseURL, ...patient }).messages.create({
        model: "m",
        max_tokens: 1,
        messages: [{ role: "user", content: "c" }],
      }),
  },
  { name: "Slack", client: "Slack", send: (url) => slack(url) },
  { name: "Azure", client: "Azure SDK", send: azure },
  {
    name: "Octokit over the step's fetch",
    client: "Octokit",
    send: (url, { fetch }) => octokit(url, { fetch }),
  },
];

/** Octokit as it comes: its requests wait in a queue of its own, in whose context they are sent. */
export const OCTOKIT: SetUp = { name: "Octokit", client: "Octokit", send: (url) => octokit(url, {}) };

/** Clients that repeat a read, and writes only where they are told so. */
export const REPEATING_READS: readonly SetUp[] = [
  { name: "got", client: "got", send: (url) => got(url).text() },
  { name: "ky", client: "fetch", send: (url) => ky(url, patient).text() },
  {
    name: "ky over the step's fetch",
    client: "fetch",
    send: (url, { fetch }) => ky(url, { ...patient, fetch }).text(),
  },
  { name: "gaxios told to", client: "node-fetch", send: (url) => new Gaxios().request({ url, retry: true }) },
  {
    name: "jsforce",
    client: "node-fetch",
    send: (url) =>
      new Connection({ instanceUrl: url, accessToken: "t", version: "60.0" }).request({
        method: "GET",
        url: `${url}/services/data/v60.0/sobjects/Contact/1`,
      }),
  },
];
