/** Clients that leave the status to their caller, or throw one error for all of them. No client tries again by itself. */

import axios from "axios";
import { Gaxios } from "gaxios";
import { got } from "got";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import ky from "ky";
import nodeFetch from "node-fetch";
import { request as undiciRequest } from "undici";
import { expectOk } from "../../src/triage/response.ts";

/** Sends one request and throws whatever its client, or a plain author, throws. Waits for an answer no longer than told. */
export type Call = (url: string, method: string, patienceMs: number) => Promise<unknown>;

const headers = { "content-type": "application/json" };

function bodyFor(method: string): { readonly body?: string } {
  return method === "GET" ? {} : { body: "{}" };
}

/** An author who throws what a good answer says went wrong. */
async function throwBody(url: string, method: string): Promise<unknown> {
  const response = await fetch(url, { method, ...bodyFor(method), headers });
  const body: unknown = await response.json();
  throw body;
}

function callNodeHttp(url: string, method: string, patienceMs: number): Promise<unknown> {
  const request = url.startsWith("https:") ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, signal: AbortSignal.timeout(patienceMs) }, (response) => {
      let data = "";
      response.on("data", (chunk: Buffer) => (data += chunk.toString()));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode = 0 } = response;
        if (statusCode < 300) return resolve(data);
        const answered = { status: statusCode, headers: response.headers, data };
        return reject(Object.assign(new Error("not ok"), { response: answered }));
      });
    });
    sent.on("error", reject);
    sent.end(method === "GET" ? undefined : "{}");
  });
}

/** The clients by name. */
export const PLAIN_CLIENTS: Readonly<Record<string, Call>> = {
  fetch: async (url, method, patienceMs) => {
    const signal = AbortSignal.timeout(patienceMs);
    return (await expectOk(await fetch(url, { method, ...bodyFor(method), headers, signal }))).text();
  },
  undici: async (url, method, patienceMs) => {
    const options = { ...bodyFor(method), headers, signal: AbortSignal.timeout(patienceMs) };
    const {
      statusCode,
      headers: answered,
      body,
    } = await undiciRequest(url, {
      ...options,
      method: method === "GET" ? "GET" : "POST",
    });
    const text = await body.text();
    if (statusCode < 300) return text;
    throw Object.assign(new Error("not ok"), { statusCode, headers: answered, body: text });
  },
  "node:http": callNodeHttp,
  axios: (url, method, patienceMs) =>
    axios.request({
      url,
      method,
      ...(method === "GET" ? {} : { data: "{}" }),
      headers,
      timeout: patienceMs,
      proxy: false,
    }),
  got: (url, method, patienceMs) =>
    got(url, {
      method: method === "GET" ? "GET" : "POST",
      ...bodyFor(method),
      headers,
      retry: { limit: 0 },
      timeout: { request: patienceMs },
    }),
  ky: (url, method, patienceMs) =>
    ky(url, { method, ...bodyFor(method), headers, retry: 0, timeout: patienceMs }).text(),
  "node-fetch": async (url, method, patienceMs) => {
    const signal = AbortSignal.timeout(patienceMs);
    const response = await nodeFetch(url, { method, ...bodyFor(method), headers, signal });
    return (await expectOk(response)).text();
  },
  gaxios: (url, method, patienceMs) =>
    new Gaxios().request({
      url,
      method: method === "GET" ? "GET" : "POST",
      ...(method === "GET" ? {} : { data: {} }),
      timeout: patienceMs,
      retry: false,
    }),
  // An author who swallows what went wrong.
  bare: async (url, method) => {
    await fetch(url, { method, ...bodyFor(method), headers }).catch(() => undefined);
    throw new Error("failed");
  },
  "thrown-body": throwBody,
};
