// Finds spin and a C compiler, and puts one design before them. Everything is made in a folder of its own, so that
// several runs do not meet.
import { execFile, spawnSync } from "node:child_process";
import { mkdir, readFile, readdir, rm } from "node:fs/promises";
import { setPriority } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** @typedef {import("./designs.mjs").Design} Design */

/** The model. */
export const modelPath = fileURLToPath(new URL("claim.pml", import.meta.url));

const installMsMax = 120_000;
const runMsMax = 300_000;
const outputBytesMax = 64 * 1024 * 1024;
const depthMax = 200_000;
const memoryMbMax = 4_000;
/** Below everything that somebody waits for. */
const niceness = 10;
/** Measured: below three million states the compiler needs longer for an optimized verifier than that one saves. */
const optimization = "-O0";

/**
 * @typedef {{ readonly kind: "found", readonly spin: string, readonly compiler: string }} Tools
 * @typedef {Tools | { readonly kind: "missing", readonly why: string }} ToolsOrWhy
 */

/**
 * The programs, or why there are none. As root on Debian and its kin, spin is installed where it is missing.
 *
 * @returns {ToolsOrWhy}
 */
export function findTools() {
  const compiler = ["cc", "gcc", "clang"].find((name) => runs(name, ["--version"]));
  if (compiler === undefined) return { kind: "missing", why: "there is no C compiler (cc, gcc or clang)" };
  if (runs("spin", ["-V"])) return { kind: "found", spin: "spin", compiler };
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !runs("apt-get", ["--version"])) {
    return { kind: "missing", why: "spin is not installed; on Debian: apt-get install spin" };
  }
  const install = ["install", "-y", "-q", "--no-install-recommends", "spin"];
  if (runs("apt-get", install) || (runs("apt-get", ["update", "-q"]) && runs("apt-get", install))) {
    return { kind: "found", spin: "spin", compiler };
  }
  return { kind: "missing", why: "spin is not installed, and apt-get could not install it" };
}

/**
 * @param {string} program
 * @param {readonly string[]} parameters
 */
function runs(program, parameters) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, error } = spawnSync(program, parameters, { stdio: "ignore", timeout: installMsMax, env });
  return error === undefined && status === 0;
}

/**
 * What spin answered about one design.
 *
 * @typedef {object} Answer
 * @property {Design} design
 * @property {"holds" | "broken" | "unanswered"} result
 * @property {number} states stored: all there are, or those until the fault
 * @property {number} seconds
 * @property {string} why what spin said where the answer is not the expected one; else empty
 */

/**
 * Asks spin about one design.
 *
 * @param {Tools} tools
 * @param {Design} design
 * @param {string} folder where to work; made, and removed afterwards
 * @returns {Promise<Answer>}
 */
export async function ask(tools, design, folder) {
  const startedAt = performance.now();
  await mkdir(folder, { recursive: true });
  try {
    const compiled = await compile(tools, design, folder, []);
    const search = design.asks === "settles" ? ["-a"] : [];
    const said =
      compiled.kind === "failed"
        ? compiled.said
        : (await run(join(folder, "pan"), [...search, `-m${depthMax}`, "-w22"], folder)).output;
    return { ...readAnswer(design, said), seconds: (performance.now() - startedAt) / 1_000 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The shortest way to what breaks a design, in words: one line for each thing that happens.
 *
 * @param {Tools} tools
 * @param {Design} design
 * @param {string} folder where to work; made, and removed afterwards
 * @returns {Promise<readonly string[]>}
 */
export async function tellFault(tools, design, folder) {
  await mkdir(folder, { recursive: true });
  try {
    const isSafety = design.asks !== "settles";
    const compiled = await compile(tools, design, folder, isSafety ? ["-DBFS"] : ["-DREACH"]);
    if (compiled.kind === "failed") return compiled.said.split("\n");
    const search = isSafety ? ["-w22"] : ["-a", "-i", "-w22", "-m5000"];
    await run(join(folder, "pan"), search, folder);
    const trail = (await readdir(folder)).find((name) => name.endsWith(".trail"));
    if (trail === undefined) return ["spin found no fault"];
    const { output } = await run(
      tools.spin,
      ["-t", "-k", trail, ...flagsOf(design, await readModel()), modelPath],
      folder,
    );
    return output
      .split("\n")
      .map((line) => line.trim())
      .filter(isTold);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} line */
function isTold(line) {
  return /^(worker|sweep|beat|person|destination|failover|run of|the |eventReceived|<<<<<START)/.test(line);
}

/** The model's text. */
function readModel() {
  return readFile(modelPath, "utf8");
}

/**
 * The properties that the model knows, with their bits.
 *
 * @param {string} model
 * @returns {ReadonlyMap<string, number>}
 */
export function propertiesOf(model) {
  const block = between(model, "What must hold", "#ifndef PROPERTIES");
  return new Map(
    [...block.matchAll(/^#define (\w+) (\d+)/gm)].map(([, name = "", bit = ""]) => [name, Number(bit)]),
  );
}

/**
 * The rules that the model can switch off.
 *
 * @param {string} model
 * @returns {readonly string[]}
 */
export function rulesOf(model) {
  const block = between(model, "/* The rules: 1 = as it must be", "What must hold");
  return [...block.matchAll(/^#define (\w+) 1\b/gm)].map(([, name = ""]) => name);
}

/**
 * @param {string} text
 * @param {string} start
 * @param {string} end
 */
function between(text, start, end) {
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`claim.pml has no part between "${start}" and "${end}"`);
  return text.slice(from, to);
}

/**
 * @param {Design} design
 * @param {string} model
 * @returns {readonly string[]}
 */
function flagsOf({ switches, asks }, model) {
  const properties = asks === "settles" ? 0 : maskOf(asks, propertiesOf(model));
  const flags = Object.entries({ ...switches, PROPERTIES: properties }).map(
    ([name, value]) => `-D${name}=${value}`,
  );
  return asks === "settles" ? [...flags, "-DSETTLES"] : flags;
}

/**
 * @param {readonly string[]} asks
 * @param {ReadonlyMap<string, number>} known
 */
function maskOf(asks, known) {
  const isAllBut = asks.every((name) => name.startsWith("-"));
  const named = asks.map((name) => {
    const bit = known.get(name.replace(/^-/, ""));
    if (bit === undefined) throw new Error(`claim.pml has no property ${name}`);
    return bit;
  });
  const mask = named.reduce((sum, bit) => sum + bit, 0);
  const whole = [...known.values()].reduce((sum, bit) => sum + bit, 0);
  return isAllBut ? whole - mask : mask;
}

/**
 * @param {Tools} tools
 * @param {Design} design
 * @param {string} folder
 * @param {readonly string[]} extra
 * @returns {Promise<{ kind: "compiled" } | { kind: "failed", said: string }>}
 */
async function compile({ spin, compiler }, design, folder, extra) {
  const made = await run(spin, ["-a", ...flagsOf(design, await readModel()), modelPath], folder);
  if (made.code !== 0) return { kind: "failed", said: `spin: ${made.output}` };
  const kind = design.asks === "settles" ? [] : ["-DSAFETY"];
  const options = [optimization, "-w", ...kind, ...extra, "-DVECTORSZ=2048", `-DMEMLIM=${memoryMbMax}`];
  const built = await run(compiler, [...options, "-o", "pan", "pan.c"], folder);
  return built.code === 0 ? { kind: "compiled" } : { kind: "failed", said: `${compiler}: ${built.output}` };
}

/**
 * @param {Design} design
 * @param {string} said what the verifier printed
 * @returns {Omit<Answer, "seconds">}
 */
function readAnswer(design, said) {
  const states = Number(/^\s*(\d+(?:\.\d+e\+\d+)?) states, stored/m.exec(said)?.[1] ?? 0);
  const errors = Number(/errors: (\d+)/.exec(said)?.[1] ?? Number.NaN);
  const fault = /^pan:\d+: (.*)/m.exec(said)?.[1] ?? "";
  const isFault = fault.startsWith("assertion violated") || fault.startsWith("acceptance cycle");
  const isWhole =
    errors === 0 && !/max search depth too small|Search not completed|out of memory|memory limit/.test(said);
  // A proof about cases that never end well would be empty.
  const isEmpty = design.asks !== "settles" && /printf\('worker %d: caseDone/.test(said);
  const result = isFault ? "broken" : isWhole && !isEmpty ? "holds" : "unanswered";
  const why = result === design.expects ? "" : isEmpty ? "no case is ever done" : fault || said.slice(-2_000);
  return { design, result, states, why };
}

/**
 * Runs one program to its end, behind everything else.
 *
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {string} cwd
 * @returns {Promise<{ code: number, output: string }>}
 */
function run(program, parameters, cwd) {
  return new Promise((resolve) => {
    const options = { cwd, timeout: runMsMax, maxBuffer: outputBytesMax };
    const child = execFile(program, [...parameters], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : 1;
      resolve({ code, output: `${stdout}${stderr}${error === null || stdout !== "" ? "" : error.message}` });
    });
    try {
      if (child.pid !== undefined) setPriority(child.pid, niceness);
    } catch {
      // It has ended already.
    }
  });
}
