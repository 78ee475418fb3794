// Makes a bare clone ready to run: installs the packages of the lock file, then builds what is out of date.
// Plain Node, no packages, because there may be none yet. Everything it says goes to stderr, one line each.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of package.json. */
export const root = fileURLToPath(new URL("..", import.meta.url));

const nodeVersionMin = [20, 19];
const buildInputs = ["src", "examples", "console", "scripts/build.mjs", "package-lock.json"];
const buildInputPatterns = [/^tsconfig.*\.json$/];
const buildStamps = ["dist/.stamp", "build/.stamp"];

/** @param {string} line */
export function say(line) {
  process.stderr.write(`foothold: ${line}\n`);
}

/**
 * Runs one program to its end without a shell. Its stdout goes to our stderr, so that ours stays free for results.
 *
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {string} [folder] where it runs; the root by default
 * @returns {boolean} whether it ended with exit code 0
 */
export function succeeds(program, parameters, folder = root) {
  const { error, status } = spawnSync(program, parameters, { cwd: folder, stdio: ["ignore", 2, 2] });
  if (error !== undefined) say(`cannot run ${program}: ${error.message}`);
  return status === 0;
}

/** Packages and build, both only if out of date. Ends the process with code 1 if either fails. */
export function bootstrap() {
  checkNodeVersion();
  installIfStale(root, "packages");
  buildIfStale();
}

/**
 * What tests and checks need besides: the real clients of other systems, which `npm start` and users never install. They
 * have a lock file of their own, and none of their install scripts run.
 */
export function bootstrapForTests() {
  bootstrap();
  installIfStale(join(root, "test/clients"), "the clients that tests use");
}

/** What builds the documentation, with a lock file of its own: neither users nor tests need it. */
export function bootstrapForSite() {
  checkNodeVersion();
  installIfStale(root, "packages");
  installIfStale(join(root, "site"), "what builds the documentation");
}

function checkNodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [majorMin = 0, minorMin = 0] = nodeVersionMin;
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return;
  say(`needs Node ${nodeVersionMin.join(".")} or later, this is ${process.versions.node}`);
  process.exit(1);
}

/**
 * @param {string} folder with a package-lock.json
 * @param {string} what for people
 */
function installIfStale(folder, what) {
  const lock = readFileSync(join(folder, "package-lock.json"));
  const stamp = join(folder, "node_modules/.foothold-stamp");
  const lockHash = createHash("sha256").update(lock).digest("hex");
  if (readIfThere(stamp) === lockHash) return;
  if (!isInstalled(folder, lock.toString())) {
    say(`installing ${what} (npm ci)`);
    // npm names its own script when it runs ours; without it, the npm on the path.
    const npm = process.env["npm_execpath"];
    const parameters = ["ci", "--include=dev", "--include=optional", "--loglevel=error"];
    const ok = npm
      ? succeeds(process.execPath, [npm, ...parameters], folder)
      : succeeds("npm", parameters, folder);
    if (!ok) {
      say("npm ci failed. Fix what it says above and run this again.");
      process.exit(1);
    }
  }
  writeFileSync(stamp, lockHash);
}

/**
 * Compares the lock with the record npm keeps of what it installed, so that an `npm install` by hand is not followed
 * by a second, needless one.
 *
 * @typedef {Record<string, { version?: string, optional?: boolean }>} Packages
 * @param {string} folder
 * @param {string} lock
 */
function isInstalled(folder, lock) {
  const record = readIfThere(join(folder, "node_modules/.package-lock.json"));
  if (record === undefined) return false;
  const { packages } = /** @type {{ packages: Packages }} */ (JSON.parse(lock));
  const { packages: installed } = /** @type {{ packages: Packages }} */ (JSON.parse(record));
  return Object.entries(packages).every(([path, wanted]) => {
    if (path === "") return true;
    const found = installed[path];
    return found === undefined ? wanted.optional === true : found.version === wanted.version;
  });
}

function buildIfStale() {
  // Taken before the build: a file saved while it runs makes the next build due.
  const inputs = describeBuildInputs();
  if (buildStamps.every((stamp) => readIfThere(join(root, stamp)) === inputs)) return;
  say("building");
  if (!succeeds(process.execPath, [join(root, "scripts/build.mjs")])) {
    say("the build failed, see above");
    process.exit(1);
  }
  for (const stamp of buildStamps) writeFileSync(join(root, stamp), inputs);
}

/** A hash over path, size and modification time of all that the build reads; a deleted file changes it too. */
function describeBuildInputs() {
  const hash = createHash("sha256");
  const atRoot = readdirSync(root).filter((name) => buildInputPatterns.some((pattern) => pattern.test(name)));
  for (const path of [...buildInputs, ...atRoot].flatMap((input) => listFiles(input)).toSorted()) {
    const { size, mtimeMs } = statSync(join(root, path));
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function listFiles(path) {
  if (!existsSync(join(root, path))) return [];
  if (!statSync(join(root, path)).isDirectory()) return [path];
  const names = readdirSync(join(root, path));
  return names
    .flatMap((name) => listFiles(`${path}/${name}`))
    .filter((file) => !/\.test(-d)?\.ts$/.test(file));
}

/** @param {string} path */
function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
