// `npm run docs [-- --serve]`: builds the documentation, with the reference of the API from the docstrings, into pages that
// can be searched offline: build/site/pages. `--serve` then shows them on loopback.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, posix } from "node:path";
import { bootstrapForSite, root, succeeds } from "../scripts/bootstrap.mjs";

/** Pages beside those of docs, and what they are called on the site. */
const FURTHER = new Map([
  ["README.md", "start.md"],
  ["CHANGELOG.md", "changelog.md"],
  ["CONTRIBUTING.md", "contributing.md"],
  ["SECURITY.md", "security.md"],
  ["ARCHITECTURE.md", "architecture.md"],
  ["LICENSE", "license.md"],
]);
const site = join(root, "build/site");
const pages = join(site, "source");
/**
 * Files of the repository that no page of the site is made of by itself.
 *
 * @type {Set<string>}
 */
const linkedTo = new Set();

bootstrapForSite();
rmSync(site, { recursive: true, force: true });
copyDocs();
run("typedoc", ["--options", "site/typedoc.json", "--out", join(pages, "reference/api")]);
nameModules();
run("vitepress", ["build", "site"]);
if (process.argv.includes("--serve")) run("vitepress", ["preview", "site", "--host", "127.0.0.1"]);

/** Every page, with links that lead to pages of the site. */
function copyDocs() {
  for (const path of readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })) {
    const from = posix.join("docs", path);
    if (path.endsWith(".md")) copyPage(from);
    else if (/\.(png|svg)$/.test(path)) cpSync(join(root, from), join(pages, path));
    else if (statSync(join(root, from)).isFile()) showFile(from);
  }
  for (const path of FURTHER.keys()) copyPage(path);
  // What they link to beside them, such as an example; those pages may link to more.
  for (const path of linkedTo)
    if (path.endsWith(".md")) copyPage(path);
    else showFile(path);
  const decisions = readdirSync(join(pages, "decisions")).map((name) => `- [${titleOf(name)}](./${name})`);
  writeFileSync(join(pages, "decisions/index.md"), ["# Decisions", "", ...decisions, ""].join("\n"));
}

/**
 * A file that is no page is shown on one.
 *
 * @param {string} from from the root
 */
function showFile(from) {
  const to = join(pages, pageOf(from));
  mkdirSync(dirname(to), { recursive: true });
  const text = readFileSync(join(root, from), "utf8");
  writeFileSync(to, [`# ${posix.basename(from)}`, "", "```text", text.trimEnd(), "```", ""].join("\n"));
}

/** Each page of the API is called as it is imported. */
function nameModules() {
  const folder = join(pages, "reference/api");
  rmSync(join(folder, "modules.md"));
  for (const file of readdirSync(folder)) {
    const name = posix.basename(file, ".md");
    const imported = name === "index" ? "foothold" : `foothold/${name}`;
    const text = readFileSync(join(folder, file), "utf8");
    writeFileSync(join(folder, file), text.replace(/^# .*$/m, `# ${imported}`));
  }
}

/** @param {string} name of a decision */
function titleOf(name) {
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(pages, "decisions", name), "utf8")) ?? [];
  return title ?? name;
}

/** @param {string} from a page, from the root */
function copyPage(from) {
  const text = readFileSync(join(root, from), "utf8");
  const to = pageOf(from);
  /** @param {string} path */
  const leadTo = (path) => {
    const target = posix.join(posix.dirname(from), path);
    if (pageOf(target).startsWith("repository/")) linkedTo.add(target);
    return relativeTo(to, pageOf(target));
  };
  const linked = text.replaceAll(
    /(\]\()([^)\s#:]+)(?=[#)])/g,
    (_, /** @type {string} */ before, /** @type {string} */ path) => `${before}${leadTo(path)}`,
  );
  mkdirSync(dirname(join(pages, to)), { recursive: true });
  writeFileSync(join(pages, to), linked);
}

/**
 * Where a file of the repository stands on the site.
 *
 * @param {string} path from the root
 * @returns {string}
 */
function pageOf(path) {
  const further = FURTHER.get(path);
  if (further !== undefined) return further;
  if (path === "docs/README.md") return "index.md";
  if (path === "docs/decisions") return "decisions/index.md";
  if (!path.startsWith("docs/")) return path.endsWith(".md") ? `repository/${path}` : `repository/${path}.md`;
  const inDocs = posix.relative("docs", path);
  return /\.(md|png|svg)$/.test(inDocs) ? inDocs : `${inDocs}.md`;
}

/**
 * @param {string} from a page
 * @param {string} to another one
 */
function relativeTo(from, to) {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

/**
 * @param {string} program of the packages of the site
 * @param {readonly string[]} parameters
 */
function run(program, parameters) {
  const path = join(root, "site/node_modules/.bin", program);
  if (!existsSync(path) || !succeeds(path, parameters)) process.exit(1);
}
