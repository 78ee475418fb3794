import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "./type-check.ts";

const documents = [
  ...readdirSync(root),
  ...["docs", "examples", "verify", "simulation", "bench"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  ),
].filter((path) => path.endsWith(".md") && !path.includes("node_modules"));

/** A link of a document, with the line that it begins in. */
interface Link {
  readonly line: number;
  readonly target: string;
}

/** Links outside of code, also those that go over a line's end. */
function linksIn(text: string): readonly Link[] {
  const prose = text.replace(/^( *)```[\s\S]*?^\1```/gm, blank).replace(/`[^`\n]*`/g, blank);
  return [...prose.matchAll(/\]\(\s*([^)\s]+)\s*\)/g)].map((match) => ({
    line: prose.slice(0, match.index).split("\n").length,
    target: match[1] ?? "",
  }));
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

/** The anchors of a document, made of its headings as GitHub makes them. */
function anchorsIn(text: string): ReadonlySet<string> {
  const headings = [...text.replace(/^( *)```[\s\S]*?^\1```/gm, blank).matchAll(/^#{1,6} +(.+)$/gm)];
  return new Set(
    headings.map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replace(/\s/g, "-"),
    ),
  );
}

/** What is wrong with a link; null = it leads somewhere. Links to other sites are not followed. */
function faultOf(from: string, { target }: Link, read: (path: string) => string | null): string | null {
  if (/^[a-z]+:/i.test(target))
    return /^(https|mailto):/i.test(target) ? null : "is neither https nor mailto";
  const [path = "", anchor] = target.split("#");
  const to = path === "" ? from : normalize(join(dirname(from), path));
  if (to.startsWith("..")) return "leads out of the repository";
  const text = read(to);
  if (text === null) return `leads to ${to}, which is not there`;
  return anchor === undefined || anchorsIn(text).has(anchor)
    ? null
    : `names #${anchor}, which ${to} does not have`;
}

function readDocument(path: string): string | null {
  const full = join(root, path);
  if (!existsSync(full)) return null;
  return path.endsWith(".md") ? readFileSync(full, "utf8") : "";
}

describe("the links in the documents", () => {
  test("lead somewhere", () => {
    const faults = documents.flatMap((path) =>
      linksIn(readFileSync(join(root, path), "utf8")).flatMap((link) => {
        const fault = faultOf(path, link, readDocument);
        return fault === null ? [] : [`${path}:${link.line}: ${link.target} ${fault}`];
      }),
    );
    expect(faults).toEqual([]);
  });

  test("lead to every page: none is found only by those who know its name", () => {
    const linked = new Set(
      documents.flatMap((path) =>
        linksIn(readFileSync(join(root, path), "utf8")).map(({ target }) =>
          normalize(join(dirname(path), target.split("#")[0] ?? "")),
        ),
      ),
    );
    // The folder of decisions is linked as a whole.
    const alone = documents.filter(
      (path) => path.startsWith("docs") && !path.startsWith(join("docs", "decisions")) && !linked.has(path),
    );
    expect(alone.filter((path) => path !== join("docs", "README.md"))).toEqual([]);
  });
});

describe("the judge of the links", () => {
  const pages: { readonly [path: string]: string } = { "docs/a.md": "# One `word`, two\n", "README.md": "" };
  const judge = (text: string): readonly (string | null)[] =>
    linksIn(text).map((link) => faultOf("docs/b.md", link, (path) => pages[path] ?? null));

  test("finds what leads nowhere", () => {
    expect(judge("[x](c.md) and [y](../../z.md) and [z](http://z.example)")).toEqual([
      "leads to docs/c.md, which is not there",
      "leads out of the repository",
      "is neither https nor mailto",
    ]);
    expect(judge("[x](a.md#one)")).toEqual(["names #one, which docs/a.md does not have"]);
  });

  test("lets pass what leads somewhere, and does not read code", () => {
    expect(
      judge("[x](a.md#one-word-two), [y](../README.md)\n```ts\nfn[0](nowhere.md)\n```\n`a[0](b)`"),
    ).toEqual([null, null]);
  });
});
