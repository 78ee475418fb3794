import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { piecesIn, root, typeCheck } from "./type-check.ts";

/** How long the compiler may take over all examples, in ms. */
const COMPILE_MS_MAX = 120_000;

const documents = [
  ...readdirSync(root),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((path) => join("docs", path)),
].filter((path) => path.endsWith(".md"));

describe("the examples in the documents", () => {
  const pieces = documents.flatMap((path) => piecesIn(path, readFileSync(join(root, path), "utf8")));

  test("are found", () => {
    expect(pieces.filter(({ origin }) => origin === join("docs", "reference", "definitions.md"))).not.toEqual(
      [],
    );
  });

  test("compile against the package as a user sees it", { timeout: COMPILE_MS_MAX }, () => {
    expect(typeCheck(pieces)).toEqual([]);
  });
});

describe("the judge of the examples", () => {
  const document = [
    "Text.",
    "```ts",
    'import { defineDestination } from "foothold";',
    'export const erp = defineDestination("erp", { idempotency: { by: "luck" } });',
    "```",
    "```sh",
    "const x: string = 1;",
    "```",
    "- in a list",
    "  ```ts",
    "  const half: string = ;",
    "  ```",
  ].join("\n");

  test("takes what stands in ts fences, without their indent", () => {
    expect(piecesIn("guide.md", document)).toEqual([
      {
        origin: "guide.md",
        lineBefore: 2,
        text: document.split("\n").slice(2, 4).join("\n"),
      },
      { origin: "guide.md", lineBefore: 10, text: "const half: string = ;" },
    ]);
  });

  test("refuses a fence that is not closed", () => {
    expect(() => piecesIn("guide.md", "```ts\n1")).toThrow("guide.md:1: the fence is not closed");
  });

  test("names each fault with its line in the document", { timeout: COMPILE_MS_MAX }, () => {
    const faults = typeCheck(piecesIn("guide.md", document));
    expect(faults).toEqual([
      expect.stringMatching(/^guide\.md:4: Type '"luck"' is not assignable to type/),
      "guide.md:11: Expression expected.",
    ]);
  });
});
