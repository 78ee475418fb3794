import { createHash } from "node:crypto";
import { z } from "zod";
import { describe, expect, test } from "vitest";
import type { Json } from "../core/json.ts";
import { defineCase } from "./builder.ts";
import { concurrencyKeyOf, type ConcurrencyOption } from "./concurrency.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

type Refund = { readonly customer: string; readonly iban?: string | undefined };

function refund(concurrency: ConcurrencyOption<Refund>) {
  return defineCase("refund", {
    version: 1,
    owner: "finance",
    input: z.object({ customer: z.string(), iban: z.string().optional() }),
    masked: ["iban"],
    concurrency,
  }).sleep("wait", { for: "1h" });
}

function keyOf(key: (facts: { readonly input: Refund }) => unknown, input: Json): string | null {
  return concurrencyKeyOf(refund({ key: key as ConcurrencyOption<Refund>["key"] }), input, digest);
}

describe("the key by which cases are worked on one at a time", () => {
  test("is what its function gives from the input, and nothing limits a case where that is nothing", () => {
    expect(keyOf(({ input }) => input.customer, { customer: "c-7" })).toBe("c-7");
    expect(keyOf(() => null, { customer: "c-7" })).toBeNull();
    expect(keyOf(() => undefined, { customer: "c-7" })).toBeNull();
    expect(
      concurrencyKeyOf(
        defineCase("a", { version: 1, owner: "o", input: z.object({}) }).sleep("s", { for: 1 }),
        {},
        digest,
      ),
    ).toBeNull();
  });

  test("is no masked value: what repeats one is kept as a digest, the same for all of its kind", () => {
    const key = keyOf(({ input }) => `iban ${input.iban}`, {
      customer: "c-7",
      iban: "DE02120300000000202051",
    });
    expect(key).toBe(digest("iban DE02120300000000202051").slice(0, 32));
    expect(keyOf(({ input }) => input.customer, { customer: "c-7", iban: "DE02120300000000202051" })).toBe(
      "c-7",
    );
  });

  test.each([
    [
      "threw",
      () => {
        throw new RangeError("no customer");
      },
    ],
    ["gave a number", () => 7],
    ["gave a text of 0 characters", () => ""],
    ["gave a text of 201 characters", () => "x".repeat(201)],
    ["gave a text of 3 characters", () => "a\nb"],
  ])("refuses the start where its function %s", (what, key) => {
    const start = (): unknown => keyOf(key, { customer: "c-7" });
    expect(start).toThrow(expect.objectContaining({ code: "INVALID_DEFINITION" }));
    expect(start).toThrow(what);
  });

  test("stands in the outline with its limit, which is one unless said, and with what frees a place", () => {
    expect(refund({ key: () => "k" }).outline.concurrency).toEqual({ limit: 1, freedBy: "rest" });
    expect(refund({ key: () => "k", limit: 1_000, freedBy: "end" }).outline.concurrency).toEqual({
      limit: 1_000,
      freedBy: "end",
    });
  });
});
