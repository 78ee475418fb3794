// Judges what no other tool here does: leftovers, words, line and file and function length, consoles and clocks.
// Every rule has a fault in test/house/tidy.test.ts. Exceptions to the two size limits are in limits.json with the
// exact size: growing past it fails, and so does shrinking without lowering it.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const lineLengthMax = 140;
// A long address and a query in JSON cannot be broken; a row of a table in a document, and an index as PostgreSQL says it,
// must not be.
const isWhole = /https?:\/\/|^\s*\|.*\|$|^CREATE (?:UNIQUE )?INDEX |^\s*"expr": /;
const fileLinesMax = 500;
const functionLinesMax = 70;

/** Files that must name what they forbid, and files that are not written by hand. */
const exempt = [
  /^tools\/tidy\.mjs$/,
  /^test\/house\/tidy\.test\.ts$/,
  /^LICENSE$/,
  /\.(csv|jsonl|png|svg|ico)$/,
];

/** @type {readonly { pattern: RegExp, where?: RegExp, say: string }[]} */
const banned = [
  { pattern: /\b(FIXME|TODO|XXX|HACK)\b/, say: "finish it or file an issue" },
  { pattern: /\bfor now\b/i, say: "say until when, or make it right" },
  { pattern: /cancell(ed|ing)/i, say: "canceled, canceling" },
  {
    pattern: /behaviour|colour|\bfavour|honour|serialis|normalis|recognis|initialis|organis/i,
    say: "American spelling",
  },
  { pattern: /exactly[- ]once/i, say: "no engine can give it; say what is promised" },
  { pattern: /\b(whitelist|blacklist)\b/i, say: "allowed, refused" },
  { pattern: /\bworkflow run\b|\bjob queue\b/i, say: "case, due cases" },
  {
    pattern: /\b(import|from) ["'][^"']*\b(utils?|helpers?|common|misc)(\/|\.ts)/,
    say: "name a file for its one idea",
  },
  { pattern: /\bconsole\.\w/, where: /^src\/(?!cli\/)/, say: "only src/cli prints" },
  {
    pattern: /\bprocess\.(env|exit)\b/,
    where: /^src\/(?!cli\/|.*\.test\.ts$)/,
    say: "only src/cli reads or ends the process",
  },
  {
    pattern: /\bnew Date\(\)/,
    where: /^src\/(?!cli\/|.*\.test\.ts$|.*\/system\.ts$)/,
    say: "the time is passed in",
  },
  { pattern: /(istanbul|c8|v8) ignore/, where: /^src\//, say: "cover it or remove it" },
  { pattern: /@ts-(ignore|nocheck)/, say: "make the types true" },
];
const bannedName = /(^|\/)(utils?|helpers?|common|misc|manager)(\.|\/)/;

/**
 * @typedef {{ path: string, line: number, rule: string, say: string }} Finding
 * @typedef {{ files: Record<string, number>, functions: Record<string, number> }} Limits sizes by path, and by path#name
 */

/**
 * What is wrong with one file.
 *
 * @param {string} path relative to the root, with slashes
 * @param {string} text
 * @param {Limits} limits
 * @returns {Finding[]}
 */
export function findFaults(path, text, limits) {
  if (exempt.some((pattern) => pattern.test(path))) return [];
  if (/(^|\/)package-lock\.json$/.test(path)) return findRegistry(path, text);
  /** @type {Finding[]} */
  const findings = [];
  const lines = text.replace(/\n$/, "").split("\n");
  if (bannedName.test(path))
    findings.push({ path, line: 1, rule: "name", say: "name a file for its one idea" });
  for (const [index, content] of lines.entries()) {
    const line = index + 1;
    if (content.length > lineLengthMax && !isWhole.test(content)) {
      findings.push({
        path,
        line,
        rule: "line-length",
        say: `${content.length} characters, at most ${lineLengthMax}`,
      });
    }
    for (const { pattern, where, say } of banned) {
      const found = pattern.exec(content);
      if (found !== null && (where?.test(path) ?? true)) {
        findings.push({ path, line, rule: "words", say: `"${found[0]}": ${say}` });
      }
    }
  }
  return /^src\/.*\.ts$/.test(path)
    ? [...findings, ...findSizes(path, text, lines.length, limits)]
    : findings;
}

/**
 * A lock that names a registry installs from nowhere else; see .npmrc.
 *
 * @param {string} path
 * @param {string} text
 * @returns {Finding[]}
 */
function findRegistry(path, text) {
  const line = text.split("\n").findIndex((content) => /^\s*"resolved": "https?:/.test(content)) + 1;
  return line === 0 ? [] : [{ path, line, rule: "registry", say: "remove the registry's address" }];
}

/**
 * Exceptions that name a file or function that is not there.
 *
 * @param {ReadonlyMap<string, string>} files path -> text
 * @param {Limits} limits
 * @returns {Finding[]}
 */
export function findDeadExceptions(files, limits) {
  const functions = new Set(
    [...files].flatMap(([path, text]) => measureFunctions(path, text).map(({ name }) => `${path}#${name}`)),
  );
  const dead = [
    ...Object.keys(limits.files).filter((path) => !files.has(path)),
    ...Object.keys(limits.functions).filter((name) => !functions.has(name)),
  ];
  return dead.map((name) => ({
    path: "tools/limits.json",
    line: 1,
    rule: "exception",
    say: `${name} is not there`,
  }));
}

/**
 * @param {string} path
 * @param {string} text
 * @param {number} lineCount
 * @param {Limits} limits
 * @returns {Finding[]}
 */
function findSizes(path, text, lineCount, limits) {
  const sizes = [
    { line: 1, what: "the file", size: lineCount, max: fileLinesMax, exception: limits.files[path] },
    // A suite is a list of tests, not a function to be read as one.
    ...(path.endsWith(".test.ts") ? [] : measureFunctions(path, text)).map(({ name, line, size }) => {
      return {
        line,
        what: name,
        size,
        max: functionLinesMax,
        exception: limits.functions[`${path}#${name}`],
      };
    }),
  ];
  return sizes.flatMap(({ line, what, size, max, exception }) => {
    if (size > (exception ?? max)) {
      return [{ path, line, rule: "size", say: `${what} has ${size} lines, at most ${exception ?? max}` }];
    }
    if (exception === undefined || size === exception) return [];
    const say =
      size > max ? `lower the exception for ${what} to ${size}` : `${what} needs no exception any more`;
    return [{ path, line, rule: "exception", say }];
  });
}

/**
 * @param {string} path
 * @param {string} text
 */
function measureFunctions(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  /** @type {{ name: string, line: number, size: number }[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
      const last = source.getLineAndCharacterOfPosition(node.end).line;
      found.push({ name: nameOf(node), line: first + 1, size: last - first + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * @param {ts.SignatureDeclaration} node
 * @returns {string} its own name, or that of what it is assigned to
 */
function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return "constructor";
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  const named = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent);
  return named ? parent.name.getText() : "(unnamed)";
}

/** Judges every file that git tracks or would track, prints what it finds, and returns the number of findings. */
function judgeAll() {
  const list = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    encoding: "utf8",
  });
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const path of list.split("\0").filter((name) => name !== "")) {
    try {
      files.set(path, readFileSync(path, "utf8"));
    } catch {
      // Deleted, but not yet in a commit: nothing to judge.
    }
  }
  const limits = /** @type {Limits} */ (JSON.parse(readFileSync("tools/limits.json", "utf8")));
  const findings = [
    ...[...files].flatMap(([path, text]) => findFaults(path, text, limits)),
    ...findDeadExceptions(new Map([...files].filter(([path]) => /^src\/.*\.ts$/.test(path))), limits),
  ];
  for (const { path, line, rule, say } of findings) console.log(`${path}:${line} [${rule}] ${say}`);
  return findings.length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(fileURLToPath(new URL("..", import.meta.url)));
  process.exitCode = judgeAll() > 0 ? 1 : 0;
}
