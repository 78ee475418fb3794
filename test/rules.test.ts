import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Every rule that is built. R21 and R23 are of the inbox. */
const RULES = [...Array.from({ length: 20 }, (_, index) => `R${index + 1}`), "R22"];

/** The titles of tests and of groups of tests, in whatever quotes. */
const titleForm =
  /\b(?:test|it|describe)(?:\.\w+(?:\([^)]*\))?)?\(\s*(["'`])(?<title>(?:(?!\1)[^\\]|\\.)*)\1/gs;

function titlesIn(path: string): readonly string[] {
  const text = readFileSync(join(root, path), "utf8");
  return [...text.matchAll(titleForm)].map(({ groups }) => groups?.["title"] ?? "");
}

function rulesIn(title: string): readonly string[] {
  return title.match(/\bR\d+\b/g) ?? [];
}

/** Which rules the titles in each file name. */
function rulesByFile(): ReadonlyMap<string, ReadonlySet<string>> {
  const files = ["src", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  const tests = files.filter(
    (path) => path.endsWith(".test.ts") || path.startsWith(join("test", "store", "contract", "")),
  );
  return new Map(
    tests
      .filter((path) => path.endsWith(".ts"))
      .map((path) => [path, new Set(titlesIn(path).flatMap(rulesIn))]),
  );
}

/** The rows of the table on the page: the rule, and the files that hold it. */
function rows(): readonly { readonly rule: string; readonly files: readonly string[] }[] {
  const page = readFileSync(join(root, "docs/reference/rules.md"), "utf8");
  return [...page.matchAll(/^\| (R\d+) .*\|([^|]*)\|$/gm)].map(([, rule = "", held = ""]) => ({
    rule,
    files: [...held.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file),
  }));
}

describe("docs/reference/rules.md", () => {
  const found = rulesByFile();

  test("has every rule, once and in order", () => {
    expect(rows().map(({ rule }) => rule)).toEqual(RULES);
  });

  test.each(rows())("says of $rule where it is held, and those tests name it", ({ rule, files }) => {
    expect(files).not.toEqual([]);
    for (const file of files)
      expect([file, [...(found.get(file) ?? [])]]).toEqual([file, expect.arrayContaining([rule])]);
  });
});
