/**
 * The console's files, as the build leaves them: a page that every screen begins with, and what it loads. They are read
 * once, and say nothing of anybody's cases: what the console shows it asks of the API.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** One file, ready to be sent. */
export interface ConsoleFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly zipped: Uint8Array<ArrayBuffer>;
}

/** The built console. */
export interface ConsoleFiles {
  /** The page, for a path so many folders below the console's own: its files are named relative to it. */
  page(depth: number): ConsoleFile;
  /** A file of `assets/` by its name; null = there is none. */
  asset(name: string): ConsoleFile | null;
}

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** Beside the built server, and where the build puts it for a server that runs from source. */
const places = [new URL("../console/", import.meta.url), new URL("../../dist/console/", import.meta.url)];

/** Reads the built console; null = it is not built. */
export function readConsole(): ConsoleFiles | null {
  const folder = places.find((place) => existsSync(new URL("index.html", place)));
  if (folder === undefined) return null;
  const page = readFileSync(new URL("index.html", folder), "utf8");
  const assets = new URL("assets/", folder);
  const files = new Map(
    readdirSync(assets).map((name) => [
      name,
      fileOf(
        types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
        readFileSync(new URL(name, assets)),
      ),
    ]),
  );
  const pages = new Map<number, ConsoleFile>();
  const pageAt = (depth: number): ConsoleFile => {
    const above = "../".repeat(depth);
    const text = depth === 0 ? page : page.replaceAll('"./assets/', `"${above}assets/`);
    return fileOf("text/html; charset=utf-8", Buffer.from(text));
  };
  return {
    page: (depth) => {
      const made = pages.get(depth) ?? pageAt(depth);
      pages.set(depth, made);
      return made;
    },
    asset: (name) => files.get(name) ?? null,
  };
}

function fileOf(type: string, content: Buffer): ConsoleFile {
  return { type, bytes: new Uint8Array(content), zipped: new Uint8Array(gzipSync(content)) };
}
