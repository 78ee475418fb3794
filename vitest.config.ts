import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/setup/longest-first.ts";

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const core = ["src/core/**/*.test.ts"];
const faults = ["test/faults/sample.test.ts"];

/** Some examples use clients of other systems, and frameworks; those are installed beside the tests that use them. */
const clients: Plugin = {
  name: "clients of examples",
  enforce: "pre",
  resolveId(name, importer, options) {
    if (!/^(stripe|octokit|express|fastify|@nestjs\/\w+|reflect-metadata|pg-boss)$/.test(name)) return null;
    if (importer?.includes("/examples/") !== true) return null;
    const beside = fileURLToPath(new URL("./test/clients/inbox.test.ts", import.meta.url));
    return this.resolve(name, beside, { ...options, skipSelf: true });
  },
};

export default defineConfig({
  plugins: [clients],
  resolve: {
    // The package's own name means its source here, so that one copy of each module is loaded.
    alias: [
      { find: /^foothold$/, replacement: source("index.ts") },
      {
        find: /^foothold\/(postgres|memory|embedded|dev|inbox|destinations|client|testing)$/,
        replacement: source("$1.ts"),
      },
    ],
  },
  test: {
    pool: "forks",
    // One more than CI has cores: most tests wait for processes, servers and leases more than they compute.
    maxWorkers: 3,
    // Processes, servers and leases are real, and the machine may be busy. No test is made to fail by being slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: { sequencer: LongestFirst },
    // A test that is meant to be left out says so where it stands; one left over from debugging fails the run.
    allowOnly: false,
    projects: [
      {
        extends: true,
        test: { name: "core", include: core },
      },
      {
        extends: true,
        test: {
          name: "all",
          // What starts threads of its own finds the TypeScript of them as well.
          execArgv: ["--import", fileURLToPath(new URL("./test/setup/typescript.mjs", import.meta.url))],
          globalSetup: "test/setup/postgres.ts",
          include: [
            "src/**/*.test.ts",
            "console/**/*.test.ts",
            "test/**/*.test.ts",
            "examples/**/*.test.ts",
            "simulation/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**", ...core, ...faults],
        },
      },
      {
        extends: true,
        test: { name: "faults", globalSetup: "test/setup/postgres.ts", include: faults },
      },
      {
        extends: true,
        test: { name: "verify", include: ["verify/**/*.test.ts"] },
      },
      {
        extends: true,
        test: {
          name: "types",
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ["src/**/*.test-d.ts", "test/**/*.test-d.ts"],
            tsconfig: "tsconfig.json",
          },
        },
      },
    ],
    coverage: {
      // Only read by the run of project `core`, see scripts/test.mjs.
      provider: "v8",
      include: ["src/core/**/*.ts"],
      exclude: ["**/*.test.ts", "**/*.test-d.ts", "**/*.fixture.ts"],
      reporter: ["text", "html"],
      reportsDirectory: "coverage",
      thresholds: { branches: 100, functions: 100, lines: 100, statements: 100 },
    },
  },
});
