import { describe, expect, test } from "vitest";
import { z } from "zod";
import { refusalOf } from "../desk/refusal.fixture.ts";
import { defineCase, type CaseOptions, type NoEvents } from "./builder.ts";
import { defineDestination } from "./destination.ts";

const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" }, masked: ["token"] });
const input = z.object({
  no: z.string(),
  customer: z.object({ iban: z.string(), tags: z.array(z.string()) }),
});
type Options = Partial<CaseOptions<typeof input, NoEvents>>;

function orderOf(options: Options) {
  return defineCase("order", { version: 1, owner: "ops", input, ...options }).step("book", {
    to: erp,
    masked: ["secret"],
    request: () => null,
    run: () => ({ id: "B-1", token: "t", secret: "s" }),
  });
}

async function faultsOf(options: Options): Promise<readonly string[]> {
  const error = await refusalOf(Promise.resolve().then(() => orderOf(options).outline));
  return error.message.split("\n");
}

describe("what a case type declares to find its cases by", () => {
  test("is read: fields of the input by name or path, results of steps, and tags", () => {
    const { search } = orderOf({
      attributes: {
        no: "text",
        iban: { type: "text", path: "customer.name" },
        bookedAs: { type: "text", step: "book", path: "id" },
      },
      tags: ["customer.tags"],
      masked: ["customer.iban"],
    }).outline;
    expect(search).toEqual({
      attributes: [
        { name: "no", type: "text", step: null, path: ["no"] },
        { name: "iban", type: "text", step: null, path: ["customer", "name"] },
        { name: "bookedAs", type: "text", step: "book", path: ["id"] },
      ],
      tags: [["customer", "tags"]],
      masked: { input: [["customer", "iban"]], results: { book: [["secret"], ["token"]] } },
    });
    expect(orderOf({}).outline).not.toHaveProperty("search");
  });

  test.each<[string, Options, string]>([
    [
      "a masked field",
      { attributes: { no: "text" }, masked: ["no"] },
      "attributes.no: no of the input is masked",
    ],
    [
      "a field within a masked one",
      { attributes: { iban: { type: "text", path: "customer.iban" } }, masked: ["customer"] },
      "attributes.iban: customer.iban of the input is masked",
    ],
    [
      "a masked result",
      { attributes: { it: { type: "text", step: "book", path: "secret" } } },
      "attributes.it: secret of the result of book is masked",
    ],
    [
      "what its destination masks",
      { attributes: { it: { type: "text", step: "book", path: "token" } } },
      "attributes.it: token of the result of book is masked",
    ],
    [
      "masked tags",
      { tags: ["customer.tags"], masked: ["**.tags"] },
      "tags: customer.tags of the input is masked",
    ],
    [
      "masked items of tags",
      { tags: ["customer.tags"], masked: ["customer.tags.*"] },
      "tags: customer.tags of the input is masked",
    ],
    [
      "a step that is not there",
      { attributes: { it: { type: "text", step: "pay" } } },
      "attributes.it.step: there is no step pay. There are: book",
    ],
    ["the name of tags", { attributes: { tag: "text" } }, "attributes.tag: is what tags are found by"],
    ["a name that is none", { attributes: { "a b": "text" } }, "is not a name"],
    ["a path with a star", { tags: ["customer.*"] }, 'tags: "customer.*" is no path'],
    ["a path of nothing", { attributes: { it: { type: "text", path: "a..b" } } }, "attributes.it.path"],
    [
      "too many",
      { attributes: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`a${n}`, "text" as const])) },
      "attributes: has 21, at most 20 are allowed",
    ],
    [
      "too many tags",
      { tags: Array.from({ length: 11 }, (_, n) => `t${n}`) },
      "tags: has 11 paths, at most 10",
    ],
  ])("is refused for %s", async (_what, options, fault) => {
    expect((await faultsOf(options)).join("\n")).toContain(fault);
  });

  test.each([
    ["a type that is none", { no: "date" }, "attributes.no: must be one of text, number, time, boolean"],
    ["no type", { no: {} }, "attributes.no.type: must be one of text, number, time, boolean"],
    ["a number for a path", { no: { type: "text", path: 7 } }, "attributes.no.path: 7 is no path"],
    ["a list", ["no"], "attributes: give an object"],
    ["an option too many", { no: { type: "text", of: "x" } }, "attributes.no.of: there is no such option"],
  ])("is refused for %s, as JavaScript may write it", async (_what, attributes, fault) => {
    // @ts-expect-error -- what the compiler refuses
    const options: Options = { attributes };
    expect((await faultsOf(options)).join("\n")).toContain(fault);
  });
});
