// Builds src into dist and examples into build/examples: tsc, then the files that tsc leaves out. The console is built
// by Vite into dist/console.
// Outputs are replaced one by one and never all removed first, so that running processes keep finding theirs.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { root, succeeds } from "./bootstrap.mjs";

const assets = /\.(sql|html|css|svg)$/;

build("tsconfig.build.json", "src", "dist");
build("tsconfig.examples.json", "examples", "build/examples");
buildConsole();

/**
 * @param {string} config the tsconfig to compile by
 * @param {string} source
 * @param {string} output
 */
function build(config, source, output) {
  if (!succeeds(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", config]))
    process.exit(1);
  const kept = copyAssets(source, output);
  removeLeftovers(source, output, kept);
}

/** Built apart and copied, so that a server that starts meanwhile finds the files of this build or of the one before. */
function buildConsole() {
  const vite = [join(root, "node_modules/vite/bin/vite.js"), "build", "--config", "console/vite.config.ts"];
  if (!succeeds(process.execPath, vite)) process.exit(1);
  const built = list("build/console");
  for (const path of built) {
    mkdirSync(dirname(join(root, "dist/console", path)), { recursive: true });
    copyFileSync(join(root, "build/console", path), join(root, "dist/console", path));
  }
  const kept = new Set(built);
  for (const path of list("dist/console")) if (!kept.has(path)) rmSync(join(root, "dist/console", path));
}

/**
 * @param {string} source
 * @param {string} output
 * @returns {Set<string>} the paths, relative to output, that were copied
 */
function copyAssets(source, output) {
  const paths = list(source).filter((path) => assets.test(path));
  for (const path of paths) {
    mkdirSync(dirname(join(root, output, path)), { recursive: true });
    copyFileSync(join(root, source, path), join(root, output, path));
  }
  return new Set(paths);
}

/**
 * Removes outputs whose source is gone, so that a deleted module cannot go on being imported or published.
 *
 * @param {string} source
 * @param {string} output
 * @param {Set<string>} kept
 */
function removeLeftovers(source, output, kept) {
  for (const path of list(output)) {
    if (path.startsWith(".") || path.startsWith("console/") || kept.has(path)) continue;
    const origin = path.replace(/(\.d\.ts|\.js)(\.map)?$/, ".ts");
    if (!existsSync(join(root, source, origin)) || origin === path) rmSync(join(root, output, path));
  }
}

/**
 * @param {string} folder
 * @returns {string[]} the files below, relative to it
 */
function list(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, folder).length + 1))
    .map((path) => path.replaceAll("\\", "/"));
}
