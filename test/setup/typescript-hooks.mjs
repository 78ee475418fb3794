import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transformWithOxc } from "vite";

const entries = new Map(
  ["index", "postgres", "memory", "embedded", "dev", "inbox", "destinations", "client", "testing"].map(
    (name) => [
      name === "index" ? "foothold" : `foothold/${name}`,
      new URL(`../../src/${name}.ts`, import.meta.url).href,
    ],
  ),
);

/** @type {import("node:module").ResolveHook} */
export async function resolve(specifier, context, nextResolve) {
  return nextResolve(entries.get(specifier) ?? specifier, context);
}

/** @type {import("node:module").LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return nextLoad(url, context);
  const path = fileURLToPath(url);
  const { code } = await transformWithOxc(await readFile(path, "utf8"), path);
  return { format: "module", source: code, shortCircuit: true };
}
