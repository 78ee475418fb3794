// Builds src into dist and examples into build/examples: tsc, then the files that tsc leaves out.
// Outputs are replaced one by one and never all removed first, so that running processes keep finding theirs.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { root, succeeds } from "./bootstrap.mjs";

const assets = /\.(sql|html|css|svg)$/;

build("tsconfig.build.json", "src", "dist");
build("tsconfig.examples.json", "examples", "build/examples");

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
    if (path.startsWith(".") || kept.has(path)) continue;
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
