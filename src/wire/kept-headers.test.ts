import { describe, expect, test } from "vitest";
import { keepFlat, keepNamed } from "./kept-headers.ts";

describe("the headers of an answer that are kept", () => {
  test("are instructions, limits and ids, and nothing that may be a secret", () => {
    const pairs = ["Retry-After", "37", "Set-Cookie", "a=b", "X-RateLimit-Remaining", "0", "X-Api-Key", "k"];
    expect(keepFlat(pairs)).toEqual({ "retry-after": "37", "x-ratelimit-remaining": "0" });
    expect(keepNamed({ "request-id": "r-1", authorization: "Bearer x", date: undefined })).toEqual({
      "request-id": "r-1",
    });
  });

  test("are joined where one came twice, in whatever form a client gives them", () => {
    expect(keepFlat([Buffer.from("Via"), Buffer.from("a"), "via", "b"])).toEqual({ via: "a, b" });
    expect(keepFlat(["via", ["a", "b"]])).toEqual({ via: "a, b" });
    expect(keepNamed({ via: ["a", "b"], ":status": 200 })).toEqual({ via: "a, b" });
  });

  test("are bounded in number and length, and a name without a value is none", () => {
    const many = Array.from({ length: 100 }, (_, index) => [`x-ratelimit-${index}`, "1"]).flat();
    expect(Object.keys(keepFlat(many))).toHaveLength(40);
    expect(keepFlat(["server", "x".repeat(10_000)])["server"]).toHaveLength(500);
    expect(keepFlat(["server"])).toEqual({});
  });
});
