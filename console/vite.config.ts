/** Builds the console into static files. Their addresses are relative, so that they can be served below any path. */

import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "vite";

const config: UserConfig = defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  publicDir: false,
  logLevel: "warn",
  build: {
    // scripts/build.mjs copies it from there into dist.
    outDir: fileURLToPath(new URL("../build/console", import.meta.url)),
    emptyOutDir: true,
    target: "es2023",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // The content policy allows neither inline scripts nor data: addresses.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
  },
});

// The form that Vite looks for.
export default config;
