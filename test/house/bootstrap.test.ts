import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

/** Stands for npm: `npm ci` puts a compiler and npm's own record in place, or fails if told to. */
const npmStandIn = `
import { appendFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
appendFileSync("log", "npm " + process.argv[2] + "\\n");
if (existsSync("npm-fails")) process.exit(1);
rmSync("node_modules", { recursive: true, force: true });
mkdirSync("node_modules/typescript/bin", { recursive: true });
cpSync("tsc-stand-in", "node_modules/typescript/bin/tsc");
mkdirSync("node_modules/vite/bin", { recursive: true });
cpSync("vite-stand-in", "node_modules/vite/bin/vite.js");
cpSync("package-lock.json", "node_modules/.package-lock.json");
console.log("added 1 package");
`;

/** Stands for tsc: one output for each source, whatever is in it, or fails if a source says so. */
const tscStandIn = `
const { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } = require("node:fs");
const [source, output] = process.argv[3] === "tsconfig.build.json" ? ["src", "dist"] : ["examples", "build/examples"];
appendFileSync("log", "tsc " + source + "\\n");
mkdirSync(output, { recursive: true });
for (const name of readdirSync(source).filter((name) => name.endsWith(".ts"))) {
  if (readFileSync(source + "/" + name, "utf8") === "faulty") process.exit(2);
  writeFileSync(output + "/" + name.replace(".ts", ".js"), readFileSync(source + "/" + name));
}
`;

/** Stands for Vite: a page that names what it was built from. */
const viteStandIn = `
const { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
appendFileSync("log", "vite console\\n");
rmSync("build/console", { recursive: true, force: true });
mkdirSync("build/console", { recursive: true });
writeFileSync("build/console/" + readFileSync("console/main.tsx", "utf8").trim() + ".js", "");
`;

let folder = "";

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function lockOf(version: string): string {
  return JSON.stringify({
    packages: {
      "": { version: "0.1.0" },
      "node_modules/typescript": { version },
      "node_modules/for-another-platform": { version: "1.0.0", optional: true },
    },
  });
}

/** Runs `npm start -- PARAMETERS` as npm would, and tells what was installed and built by it. */
function start(...parameters: readonly string[]) {
  rmSync(join(folder, "log"), { force: true });
  const script = [join(folder, "scripts/start.mjs"), "build/examples/main.js", ...parameters];
  const env = { ...process.env, npm_execpath: join(folder, "npm.mjs") };
  const { status, stdout, stderr } = spawnSync(process.execPath, script, {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  const did = existsSync(join(folder, "log"))
    ? readFileSync(join(folder, "log"), "utf8").trim().split("\n")
    : [];
  return { status, stdout, stderr, did };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "foothold-bootstrap-"));
  for (const name of ["bootstrap.mjs", "build.mjs", "start.mjs"]) {
    cpSync(join("scripts", name), join(folder, "scripts", name));
  }
  write("npm.mjs", npmStandIn);
  write("tsc-stand-in", tscStandIn);
  write("vite-stand-in", viteStandIn);
  write("console/main.tsx", "first\n");
  write("package-lock.json", lockOf("6.0.3"));
  write("tsconfig.base.json", "{}");
  write("src/index.ts", "export {};\n");
  write("src/claim.sql", "select 1;\n");
  write("examples/main.ts", "console.log(JSON.stringify(process.argv.slice(2)));\nprocess.exitCode = 3;\n");
});

afterEach(() => rmSync(folder, { recursive: true }));

describe("from a bare clone", () => {
  test("one command installs, builds, and hands over the parameters, stdout and the exit code", () => {
    const run = start("--port", "0", "a b");
    expect(run).toMatchObject({
      status: 3,
      stdout: '["--port","0","a b"]\n',
      did: ["npm ci", "tsc src", "tsc examples", "vite console"],
    });
    expect(run.stderr).toContain("installing packages");
    expect(run.stderr).toContain("building");
  });

  test("files that are not compiled are built too", () => {
    start();
    expect(readFileSync(join(folder, "dist/claim.sql"), "utf8")).toBe("select 1;\n");
  });

  test("failing to install is told, with an exit code, and nothing is built", () => {
    write("npm-fails", "");
    const run = start();
    expect(run).toMatchObject({ status: 1, stdout: "", did: ["npm ci"] });
    expect(run.stderr).toContain("npm ci failed");
    rmSync(join(folder, "npm-fails"));
    expect(start()).toMatchObject({ status: 3, did: ["npm ci", "tsc src", "tsc examples", "vite console"] });
  });

  test("failing to build is told, with an exit code, and is tried again next time", () => {
    write("src/index.ts", "faulty");
    expect(start()).toMatchObject({ status: 1, stdout: "", did: ["npm ci", "tsc src"] });
    expect(start()).toMatchObject({ status: 1, did: ["tsc src"] });
    write("src/index.ts", "export {};\n");
    expect(start()).toMatchObject({ status: 3, did: ["tsc src", "tsc examples", "vite console"] });
  });
});

test("a program in TypeScript can start processes of its own that run TypeScript too", () => {
  cpSync("scripts/run.mjs", join(folder, "scripts/run.mjs"));
  for (const name of ["tsc-stand-in", "vite-stand-in"])
    cpSync(join(folder, name), join(folder, "test/clients", name));
  write("test/clients/package-lock.json", lockOf("6.0.3"));
  write("test/setup/typescript.mjs", "globalThis.runsTypeScript = true;\n");
  write("child.mjs", "process.send(globalThis.runsTypeScript ?? false);\n");
  write(
    "program.mjs",
    `
import { fork } from "node:child_process";
const child = fork("child.mjs", { execArgv: process.execArgv });
child.on("message", (isReady) => console.log(globalThis.runsTypeScript, isReady, process.argv.slice(2)));
`,
  );
  const { status, stdout } = spawnSync(process.execPath, ["scripts/run.mjs", "program.mjs", "--seeds", "2"], {
    cwd: folder,
    env: { ...process.env, npm_execpath: join(folder, "npm.mjs") },
    encoding: "utf8",
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "true true [ '--seeds', '2' ]\n" });
});

describe("in a clone that is ready", () => {
  beforeEach(() => {
    start();
  });

  test("nothing is installed or built", () => {
    const run = start();
    expect(run).toMatchObject({ status: 3, stderr: "", did: [] });
  });

  test("a changed lock file is installed", () => {
    write("package-lock.json", lockOf("6.0.4"));
    expect(start().did[0]).toBe("npm ci");
    expect(start().did).toEqual([]);
  });

  test("packages that were installed by hand are not installed again", () => {
    write("package-lock.json", lockOf("6.0.4"));
    write("node_modules/.package-lock.json", lockOf("6.0.4"));
    expect(start().did).not.toContain("npm ci");
  });

  test.each(["src/index.ts", "examples/main.ts", "src/claim.sql", "tsconfig.base.json"])(
    "a changed %s is built",
    (path) => {
      appendFileSync(join(folder, path), "\n");
      expect(start().did).toEqual(["tsc src", "tsc examples", "vite console"]);
    },
  );

  test("a test is no reason to build", () => {
    write("src/index.test.ts", "export {};\n");
    expect(start().did).toEqual([]);
  });

  test("what was built from a file that is gone, is gone", () => {
    write("src/gone.ts", "export {};\n");
    write("src/gone.sql", "select 2;\n");
    start();
    expect(existsSync(join(folder, "dist/gone.js"))).toBe(true);
    rmSync(join(folder, "src/gone.ts"));
    rmSync(join(folder, "src/gone.sql"));
    start();
    expect(existsSync(join(folder, "dist/gone.js"))).toBe(false);
    expect(existsSync(join(folder, "dist/gone.sql"))).toBe(false);
    expect(existsSync(join(folder, "dist/index.js"))).toBe(true);
  });

  test("the console that was built last is the only one there", () => {
    expect(existsSync(join(folder, "dist/console/first.js"))).toBe(true);
    write("console/main.tsx", "second\n");
    start();
    expect(existsSync(join(folder, "dist/console/second.js"))).toBe(true);
    expect(existsSync(join(folder, "dist/console/first.js"))).toBe(false);
  });

  test.each(["dist", "build"])("a removed %s is built again", (output) => {
    rmSync(join(folder, output), { recursive: true });
    expect(start()).toMatchObject({ status: 3, did: ["tsc src", "tsc examples", "vite console"] });
  });
});
