import { describe, expect, test } from "vitest";
import { isAutomaticKey, requestFacts, sameness, type RequestFacts } from "./request-facts.ts";
import { readerOf } from "./undici-channels.ts";

function factsWith(headers: Readonly<Record<string, string>>, path = "/v1/things"): RequestFacts {
  return requestFacts({ method: "post", origin: "https://api.example", path, header: readerOf(headers) });
}

describe("what a request tells of itself", () => {
  test("is its method, place and length, without its query", () => {
    expect(factsWith({ "Content-Length": "12" }, "/v1/things?token=secret")).toEqual({
      method: "POST",
      origin: "https://api.example",
      path: "/v1/things",
      bodyBytes: 12,
      key: null,
      client: null,
      clientTry: null,
    });
  });

  test.each([["Idempotency-Key"], ["X-Idempotency-Key"], ["PayPal-Request-Id"]])(
    "is its key in %s",
    (name) => {
      expect(factsWith({ [name]: "k-1" }).key).toBe("k-1");
    },
  );

  test("is no key where that is empty, and an automatic one where a client makes it", () => {
    expect(factsWith({ "idempotency-key": "" }).key).toBeNull();
    expect(isAutomaticKey("stripe-node-retry-4f1")).toBe(true);
    expect(isAutomaticKey("order-1")).toBe(false);
  });

  test.each<[string, Record<string, string>, RequestFacts["clientTry"]]>([
    ["AWS", { "amz-sdk-request": "attempt=2; max=4" }, { number: 2, max: 4 }],
    ["AWS without a maximum", { "amz-sdk-request": "attempt=1" }, { number: 1, max: null }],
    ["AWS in a form that is not known", { "amz-sdk-request": "again" }, null],
    ["OpenAI and Anthropic", { "x-stainless-retry-count": "1" }, { number: 2, max: null }],
    ["gRPC", { "grpc-previous-rpc-attempts": "3" }, { number: 4, max: null }],
    ["Google", { "x-goog-api-client": "gl-node/20 gccl-attempt-count/2" }, { number: 2, max: null }],
    ["nobody", { "x-stainless-retry-count": "-1" }, null],
  ])("is the try that %s counts", (_, headers, clientTry) => {
    expect(factsWith(headers).clientTry).toEqual(clientTry);
  });

  test("is its length also where client and fetch have both named it", () => {
    expect(factsWith({ "content-length": "12, 12" }).bodyBytes).toBe(12);
    expect(factsWith({ "content-length": "many" }).bodyBytes).toBeNull();
  });

  test("tells tries of one request from other requests to the same place", () => {
    const one = sameness(factsWith({ "content-length": "12" }, "/graphql?a=1"));
    expect(sameness(factsWith({ "content-length": "12" }, "/graphql?a=2"))).toBe(one);
    expect(sameness(factsWith({ "content-length": "13" }, "/graphql"))).not.toBe(one);
    expect(sameness(factsWith({ "content-length": "12" }, "/other"))).not.toBe(one);
  });
});

describe("headers as undici takes and keeps them", () => {
  test.each<[string, unknown]>([
    ["a flat list", ["Accept", "json", "User-Agent", "got (x)"]],
    [
      "a list of pairs",
      [
        ["Accept", "json"],
        ["User-Agent", "got (x)"],
      ],
    ],
    ["an object", { Accept: "json", "User-Agent": "got (x)" }],
    ["anything that can be walked", new Map(Object.entries({ Accept: "json", "User-Agent": "got (x)" }))],
    ["lines of text", "Accept: json\r\nUser-Agent: got (x)\r\n"],
  ])("can be %s", (_, headers) => {
    expect(readerOf(headers)("user-agent")).toBe("got (x)");
    expect(readerOf(headers)("cookie")).toBeNull();
  });

  test("can be missing", () => {
    expect(readerOf(undefined)("user-agent")).toBeNull();
    expect(readerOf(null)("user-agent")).toBeNull();
  });
});
