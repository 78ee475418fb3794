import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readCall } from "../../src/cli/command.ts";
import { COMMANDS, findCommand } from "../../src/cli/commands.ts";

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

test("the runbooks name commands that there are, with what they need and options that they have", () => {
  const runbooks = readFileSync(new URL("../../docs/guides/runbooks.md", import.meta.url), "utf8");
  const named = [...runbooks.replaceAll("\n", " ").matchAll(/`foothold ([^`]+)`/g)].map(
    ([, words = ""]) => words,
  );
  expect(named.length).toBeGreaterThan(20);
  for (const words of named) {
    const { command, rest } = findCommand(words.split(/ +/));
    expect(readCall(command, rest).command.name).toBe(command.name);
  }
});
