/**
 * What a newcomer does, from the packed archive, on a machine with nothing but Node: a project by `foothold init`, its test,
 * its rehearsal, a case of it that is killed in the middle and comes to its end, and the examples. Under each Node that is
 * named, 20, 22 and 24 when none is; the others come as npm packages. `npm run newcomer`, `npm run newcomer -- 22`. Prints how
 * long each part took.
 */

import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "foothold/client";
import { z } from "zod";
import { tryExamples } from "./examples.ts";

const WAIT_MS_MAX = 120_000;
const LOOK_EVERY_MS = 250;
const MAJORS = ["20", "22", "24"];

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "foothold-newcomer-"));
const running = new Set<ChildProcess>();
const asked = process.argv.slice(2);
try {
  const archive = pack();
  for (const major of asked.length > 0 ? asked : MAJORS) await tryOut(major, archive);
} finally {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** The archive that would be published. */
function pack(): string {
  const printed = npm(process.execPath, root, [
    "pack",
    "--ignore-scripts",
    "--json",
    "--pack-destination",
    folder,
  ]);
  const [packed] = z.tuple([z.object({ filename: z.string() })]).parse(JSON.parse(printed));
  return join(folder, packed.filename);
}

async function tryOut(major: string, archive: string): Promise<void> {
  const node = nodeOf(major);
  const home = join(folder, `node-${major}`);
  const project = join(home, "cases");
  mkdirSync(home);
  const told = [`Node ${execFileSync(node, ["--version"], { encoding: "utf8" }).trim()}`];
  const timed = async (what: string, act: () => unknown): Promise<void> => {
    const startedAt = performance.now();
    await act();
    told.push(`${what} ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  };
  const startedAt = performance.now();
  await timed("init", () =>
    npm(node, home, ["exec", "--yes", `--package=${archive}`, "--", "foothold", "init", "cases"]),
  );
  useArchive(project, archive);
  await timed("install", () => npm(node, project, ["install", "--no-audit", "--no-fund"]));
  await timed("test", () => npm(node, project, ["test"]));
  await timed("rehearse", () => npm(node, project, ["run", "rehearse"]));
  await timed("a case killed and resumed", () => killAndResume(node, project));
  told.push(`in all ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  requireIt(node, project);
  const examples = join(home, "examples");
  mkdirSync(examples);
  await timed("then the examples", () =>
    tryExamples({ root, folder: examples, archive }, (words) => npm(node, examples, words)),
  );
  process.stdout.write(`${told.join(", ")}\n`);
}

/** Its executable. */
function nodeOf(major: string): string {
  if (process.versions.node.split(".")[0] === major) return process.execPath;
  const place = join(folder, `runtime-${major}`);
  mkdirSync(place);
  writeFileSync(join(place, "package.json"), '{ "private": true }\n');
  npm(process.execPath, place, ["install", `node@${major}`, "--no-audit", "--no-fund"]);
  return join(place, "node_modules/node/bin/node");
}

/** What is not published yet comes from the archive. */
function useArchive(project: string, archive: string): void {
  const file = join(project, "package.json");
  const manifest = z
    .looseObject({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(file, "utf8")));
  const dependencies = { ...manifest.dependencies, foothold: `file:${archive}` };
  writeFileSync(file, JSON.stringify({ ...manifest, dependencies }, null, 2));
}

/** Server and worker die in one moment, with the case under way, and are started again. */
async function killAndResume(node: string, project: string): Promise<void> {
  const port = await freePort();
  const shop = start(node, project, ["dist/stand-in.js"]);
  const main = "node_modules/foothold/dist/cli/main.js";
  const dev = [main, "dev", "--port", String(port), "--no-open", "--lease", "3s"];
  const first = start(node, project, dev);
  const baseUrl = `http://127.0.0.1:${port}`;
  const client = createClient({ baseUrl });
  const isUp = async (): Promise<boolean> => (await fetch(`${baseUrl}/healthz`)).ok;
  const readingOf = async (id: string): Promise<string> =>
    (await client.showCase({ caseId: id })).reading.state;
  await until("the server to answer", isUp);
  const { caseId } = await client.startCase({ type: "order", input: { item: "desk", price: 480 } });
  await until(
    "the approval to be asked for",
    async () => (await readingOf(caseId)) === "Waiting for approval",
  );
  await client.answerApproval({ caseId, step: "approve", approved: true }, { plan: "*" });
  first.kill("SIGKILL");
  const second = start(node, project, dev);
  await until("the server to answer again", isUp);
  await until("the case to be done", async () => (await readingOf(caseId)) === "Done");
  for (const child of [second, shop]) {
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
  }
}

/** A project that is CommonJS asks for it by `require`. */
function requireIt(node: string, project: string): void {
  const text = 'const { defineCase } = require("foothold"); process.stdout.write(typeof defineCase)';
  const printed = execFileSync(node, ["--input-type=commonjs", "-e", text], {
    cwd: project,
    encoding: "utf8",
  });
  assert.equal(printed, "function");
}

function start(node: string, cwd: string, words: readonly string[]): ChildProcess {
  const child = spawn(node, words, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** Nobody listens yet, or nobody does any more: asked again until the time is over. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  let last: unknown = null;
  for (;;) {
    try {
      if (await holds()) return;
    } catch (error) {
      last = error;
    }
    if (performance.now() - startedAt > WAIT_MS_MAX) {
      throw new Error(`waited ${WAIT_MS_MAX / 1_000} s for ${what}`, { cause: last });
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** npm under a Node of our choice; what it says when it fails is shown. */
function npm(node: string, cwd: string, words: readonly string[]): string {
  const cli = process.env["npm_execpath"];
  assert.ok(cli !== undefined, "run it with npm run newcomer");
  // Settings of the npm that runs this very program would be taken for those of the project.
  const own = Object.entries(process.env).filter(([name]) => !/^npm_(?!execpath)/.test(name));
  const path = `${dirname(node)}${delimiter}${process.env["PATH"] ?? ""}`;
  const env = { ...Object.fromEntries(own), PATH: path };
  return execFileSync(node, [cli, ...words], {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}
