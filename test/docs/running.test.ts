import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { piecesIn, root } from "./type-check.ts";

/** Below the repository, so that packages are found as from the sources. */
const FOLDER = join(root, "build", "documents");
/** How long the tests of one document may take, in ms. */
const RUN_MS_MAX = 120_000;

const documents = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .map((path) => join("docs", path))
  .filter((path) => path.endsWith(".md"));

/** The pieces that are tests themselves. */
const pieces = documents
  .flatMap((path) => piecesIn(path, readFileSync(join(root, path), "utf8")))
  .filter(({ text }) => text.includes('from "node:test"'));

describe("the tests in the documents", () => {
  afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

  test("are found", () => {
    expect(pieces.map(({ origin }) => origin)).toContain(join("docs", "guides", "cancel.md"));
  });

  test.each(pieces.map((piece, index) => [`${piece.origin}:${piece.lineBefore}`, piece, index] as const))(
    "hold: %s",
    (_, { text }, index) => {
      mkdirSync(FOLDER, { recursive: true });
      const file = join(FOLDER, `piece-${index}.ts`);
      writeFileSync(file, text);
      const loader = join(root, "test/setup/typescript.mjs");
      const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", loader, "--test", file], {
        encoding: "utf8",
        cwd: root,
      });
      expect({ status, said: status === 0 ? "" : `${stdout}${stderr}` }).toEqual({ status: 0, said: "" });
    },
    RUN_MS_MAX,
  );
});
