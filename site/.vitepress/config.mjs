import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const built = fileURLToPath(new URL("../../build/site", import.meta.url));
const source = join(built, "source");

// What builds the documentation: its pages are those that ../build.mjs prepared.
export default {
  title: "Foothold",
  description: "Every case picks up again after the last step that still stands.",
  srcDir: source,
  outDir: join(built, "pages"),
  cacheDir: join(built, "cache"),
  cleanUrls: false,
  lastUpdated: false,
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/start" },
      { text: "Documentation", link: "/" },
      { text: "API", link: "/reference/api/" },
    ],
    sidebar: [
      group("Start", ["start.md", "index.md", "states.md", "limits.md", "comparison.md", "benchmarks.md"]),
      group("Guides", pagesIn("guides")),
      group("Reference", pagesIn("reference")),
      group("API", pagesIn("reference/api")),
      group("Decisions", pagesIn("decisions")),
      group("The project", [
        "architecture.md",
        "changelog.md",
        "contributing.md",
        "security.md",
        "license.md",
      ]),
    ],
  },
};

/**
 * @param {string} text
 * @param {readonly string[]} paths
 */
function group(text, paths) {
  return {
    text,
    collapsed: text !== "Start" && text !== "Guides",
    items: paths.map((path) => ({ text: titleOf(path), link: `/${path.replace(/(index)?\.md$/, "")}` })),
  };
}

/** @param {string} folder */
function pagesIn(folder) {
  const at = join(source, folder);
  if (!existsSync(at)) return [];
  const names = readdirSync(at).filter((name) => name.endsWith(".md"));
  return names.map((name) => `${folder}/${name}`).toSorted((a, b) => titleOf(a).localeCompare(titleOf(b)));
}

/** @param {string} path */
function titleOf(path) {
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(source, path), "utf8")) ?? [];
  return (title ?? path).replaceAll(/[`*\\]/g, "");
}
