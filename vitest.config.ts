import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    // The package's own name means its source here, so one copy of each module is loaded.
    alias: [
      { find: /^foothold$/, replacement: source("index.ts") },
      { find: /^foothold\/(postgres|memory|embedded)$/, replacement: source("$1.ts") },
    ],
  },
  test: {
    pool: "forks",
    maxWorkers: 2,
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"],
  },
});
