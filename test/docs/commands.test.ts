import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";

const page = readFileSync(new URL("../../docs/reference/cli.md", import.meta.url), "utf8");

/** The commands that a row names: `foothold bulk list`, `show ID` are two of `bulk`. */
function commandsOf(row: string): readonly string[] {
  const [, head = ""] = row.split(/(?<!\\)\|/);
  const [first = "", ...others] = [...head.matchAll(/`([^`]+)`/g)].map(([, words = ""]) => words);
  const words = first.split(" ").slice(1);
  const name = words.filter((word) => /^[a-z]/.test(word)).slice(0, 2);
  return [name, ...others.map((other) => [name[0] ?? "", other.split(" ")[0] ?? ""])].map((one) =>
    one.join(" "),
  );
}

test("the page of the command line has every command in its table, once", () => {
  const rows = page.split("\n").filter((line) => line.startsWith("| `foothold "));
  expect(rows.flatMap(commandsOf).toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted());
});
