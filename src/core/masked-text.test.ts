import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { isSecretName, MASK, maskSecrets } from "./masked-text.ts";
import { storableText } from "./storable-text.ts";

const random = "aB3dE5fG7hJ9kL1mN3pQ5rS7";

describe("a secret in a text", () => {
  test.each<[string, string, string]>([
    ["a live key", `No such key: sk_live_${random}!`, `No such key: ${MASK}!`],
    [
      "a model's key",
      `Incorrect API key provided: sk-proj-${random}.`,
      `Incorrect API key provided: ${MASK}.`,
    ],
    ["a webhook secret", `whsec_${random}= is wrong`, `${MASK} is wrong`],
    ["a repository token", `ghp_${random} expired`, `${MASK} expired`],
    ["a chat token", `xoxb-12345678-${random}`, MASK],
    ["a cloud key", "The key AKIAIOSFODNN7EXAMPLE is not there", `The key ${MASK} is not there`],
    ["a web token", `jwt eyJhbGciOiJIUzI1.eyJzdWIiOiIx.${random} malformed`, `jwt ${MASK} malformed`],
    ["one of our own", `foothold_pat_${random}`, MASK],
    [
      "a private key",
      "bad -----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY----- here",
      `bad ${MASK} here`,
    ],
    ["a private key that was cut", "-----BEGIN PRIVATE KEY-----\nMIIE", MASK],
    ["a bearer", `sent Authorisation Bearer ${random}`, `sent Authorisation Bearer ${MASK}`],
    ["a header", `Authorization: Digest user realm ${random}\nHost: a`, `Authorization: ${MASK}\nHost: a`],
    ["cookies", `cookie: a=1; b=${random}\r\nHost: a`, `cookie: ${MASK}\r\nHost: a`],
    ["a header in JSON", `{"x-api-key":"${random}","host":"a"}`, `{"x-api-key":"${MASK}","host":"a"}`],
    [
      "a password in an address",
      "postgres://app:hunter2@db:5432/x is down",
      `postgres://${MASK}@db:5432/x is down`,
    ],
    [
      "a key in an address",
      `GET https://api.example.com/v1?key=${random}&q=1 failed`,
      `GET https://api.example.com/v1?key=${MASK}&q=1 failed`,
    ],
    ["an assignment", "client_secret=hunter2&grant=x", `client_secret=${MASK}&grant=x`],
    ["a field in JSON", '{"password": "hunter2", "user": "a"}', `{"password": "${MASK}", "user": "a"}`],
    ["a token in JSON", '{"token":"abc"}', `{"token":"${MASK}"}`],
    ["one that is told", "wrong password: hunter2", `wrong password: ${MASK}`],
  ])("is masked: %s", (_, text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
    expect(maskSecrets(masked)).toBe(masked);
  });

  test.each([
    "connect ECONNREFUSED 10.0.0.1:5432",
    "The password must have 12 characters",
    "password: is missing",
    "Bearer authentication is needed",
    'Bearer realm="api", error="invalid_token"',
    "Basic access is over",
    "signature: does not match",
    "mail to ada@example.com was refused",
    "https://api.example.com/v1/charges?limit=3 answered 500",
    "Token expired",
    "idempotency key purchase-1-createRecord",
  ])("is not seen where there is none: %s", (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  it("is masked before a text is cut, so that no half of it is left", () => {
    expect(storableText(`${"x".repeat(10)} sk_live_${random}`, 24)).toBe(`${"x".repeat(10)} ${MASK}`);
  });

  it("is looked for in time that grows with the text alone", () => {
    for (const part of [
      "password",
      "x-",
      "Bearer ",
      "https://a",
      "eyJaaaaaaaa.",
      "-----BEGIN ",
      '"token" : "',
    ]) {
      const startedAt = performance.now();
      maskSecrets(part.repeat(20_000));
      expect(performance.now() - startedAt).toBeLessThan(2_000);
    }
  });

  it("is masked in any text around it", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        expect(maskSecrets(`${before} sk_live_${random} ${after}`)).not.toContain(random);
      }),
    );
  });
});

test.each<[string, boolean]>([
  ["password", true],
  ["clientSecret", true],
  ["client_secret", true],
  ["API-Key", true],
  ["access_token", true],
  ["Set-Cookie", true],
  ["signature", true],
  ["tokenType", false],
  ["credentialId", false],
  ["code", false],
  ["message", false],
])("a field called %s holds a secret: %s", (name, secret) => {
  expect(isSecretName(name)).toBe(secret);
});
