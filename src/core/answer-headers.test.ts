import { expect, it } from "vitest";
import { isKeptHeader } from "./answer-headers.ts";

it("keeps what tells when to come back and how to name a request, and nothing that may be a secret", () => {
  expect(["retry-after", "x-request-id", "x-ratelimit-reset-tokens"].map(isKeptHeader)).toEqual([
    true,
    true,
    true,
  ]);
  expect(["set-cookie", "authorization", "x-api-key"].map(isKeptHeader)).toEqual([false, false, false]);
});
