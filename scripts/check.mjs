// `npm run check`: all that can be judged without running the code. Every part is run even if an earlier one failed.
// With arguments only the named parts: npm run check -- lint types
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrapForTests, root, say } from "./bootstrap.mjs";

const outputBytesMax = 64 * 1024 * 1024;

/** @type {Record<string, () => boolean>} */
const parts = {
  format: () => tool("prettier/bin/prettier.cjs", "--check", "--log-level", "warn", "."),
  lint: () => tool("oxlint/bin/oxlint"),
  types: () =>
    // Each is told, not stopped by the one before.
    [
      "tsconfig.json",
      "test/clients/tsconfig.json",
      "tsconfig.core.json",
      "tsconfig.build.json",
      "tsconfig.examples.json",
      "console/tsconfig.json",
    ]
      .map((config) => tool("typescript/bin/tsc", "--noEmit", "-p", config))
      .every(Boolean),
  imports: () =>
    tool(
      "dependency-cruiser/bin/dependency-cruise.mjs",
      "--config",
      ".dependency-cruiser.mjs",
      "src",
      "examples",
      "console",
    ),
  unused: () => tool("knip/bin/knip.js", "--treat-config-hints-as-errors"),
  package: checkPackage,
  tidy: () => runsClean("tools/tidy.mjs"),
  docs: () => runsClean("site/build.mjs"),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0) {
  say(`no such part: ${unknown.join(", ")}. There are: ${Object.keys(parts).join(", ")}`);
  process.exit(2);
}

bootstrapForTests();

const failed = [];
for (const [name, run] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const startedAt = performance.now();
  const ok = run();
  say(`${ok ? "ok    " : "FAILED"} ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  if (!ok) failed.push(name);
}
if (failed.length > 0) say(`failed: ${failed.join(", ")}`);
process.exit(failed.length > 0 ? 1 : 0);

/**
 * Runs one tool to its end. What it prints is shown only if it finds fault.
 *
 * @param {string} script its path below node_modules
 * @param {string[]} parameters
 * @returns {boolean}
 */
function tool(script, ...parameters) {
  return runsClean(join("node_modules", script), ...parameters);
}

/**
 * @param {string} script
 * @param {string[]} parameters
 */
function runsClean(script, ...parameters) {
  const { error, status, stdout, stderr } = spawnSync(process.execPath, [join(root, script), ...parameters], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: outputBytesMax,
  });
  if (error === undefined && status === 0) return true;
  process.stderr.write(`${stdout}${stderr}${error?.message ?? ""}\n`);
  return false;
}

/**
 * Judges the very archive that would be published.
 *
 * @typedef {{ filename: string, files: { path: string }[] }} Packed what `npm pack --json` says of one archive
 */
function checkPackage() {
  const folder = mkdtempSync(join(tmpdir(), "foothold-pack-"));
  try {
    const npm = process.env["npm_execpath"];
    const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
    const [program, parameters] = npm ? [process.execPath, [npm, ...pack]] : ["npm", pack];
    const printed = execFileSync(program, parameters, { cwd: root, encoding: "utf8" });
    const [packed] = /** @type {[Packed]} */ (JSON.parse(printed));
    const archive = join(folder, packed.filename);
    const stray = packed.files.map((file) => file.path).filter(isStray);
    if (stray.length > 0) say(`must not be published: ${stray.join(", ")}`);
    const shape = tool("publint/src/cli.js", "run", archive, "--strict");
    const types = tool("@arethetypeswrong/cli/dist/index.js", archive, "--profile", "esm-only");
    return stray.length === 0 && shape && types;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} path */
function isStray(path) {
  // What `foothold init` writes has a test of its own.
  if (path.startsWith("templates/")) return false;
  return /\.(test(-d)?|fixture)\.|\.tsbuildinfo$|\.stamp$/.test(path) || path.startsWith("src/");
}
