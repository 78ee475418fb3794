import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { completionLines } from "../../src/cli/completion.ts";
import { installDebianPackage } from "../setup/debian.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "foothold-completion-"));
  writeFileSync(join(folder, "orders.mjs"), "");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a person types, and some of what is offered for its last word; a word that begins with ! is not. */
const CASES: readonly (readonly [string, readonly string[]])[] = [
  ["foothold ", ["cases", "doctor", "help", "completion"]],
  ["foothold ca", ["cases", "!doctor"]],
  ["foothold cases ", ["list", "show", "leave-outside", "!doctor"]],
  ["foothold cases sh", ["show", "!list"]],
  ["foothold cases list --", ["--json", "--database", "--help", "!--repair"]],
  ["foothold doctor --", ["--live", "--json"]],
  ["foothold problems m", ["mark"]],
  ["foothold problems --", ["--json"]],
  ["foothold problems mark --", ["--note", "!--live"]],
  ["foothold completion ", ["bash", "fish", "zsh"]],
  ["foothold worker --config ord", ["orders.mjs"]],
];

function isThere(shell: string): boolean {
  return spawnSync(shell, ["-c", "exit 0"]).status === 0;
}

/** Of what is wanted, the words that are not as they should be. */
function wrong(offered: readonly string[], wanted: readonly string[]): readonly string[] {
  return wanted.filter((word) =>
    word.startsWith("!") ? offered.includes(word.slice(1)) : !offered.includes(word),
  );
}

describe("completion in bash", () => {
  test.each(CASES)("%s", (typed, wanted) => {
    const words = typed.split(" ");
    const ask = [
      ...completionLines("bash", COMMANDS),
      `COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")})`,
      `COMP_CWORD=${words.length - 1}`,
      "_foothold",
      'printf "%s\\n" "${COMPREPLY[@]}"',
    ].join("\n");
    const told = execFileSync("bash", ["--norc", "-c", ask], { encoding: "utf8", cwd: folder });
    expect(wrong(told.split("\n"), wanted)).toEqual([]);
  });
});

if (!isThere("fish")) installDebianPackage("fish");
const hasFish = isThere("fish");

describe.skipIf(!hasFish)(`completion in fish${hasFish ? "" : ": it is not installed"}`, () => {
  test.each(CASES)("%s", (typed, wanted) => {
    // As a file, as a start file has it: the system takes no such long text among the words of a command.
    const script = join(folder, "foothold.fish");
    writeFileSync(script, completionLines("fish", COMMANDS).join("\n"));
    const told = execFileSync("fish", ["--no-config", "-c", `source ${script}; complete -C '${typed}'`], {
      encoding: "utf8",
      cwd: folder,
    });
    const offered = told.split("\n").map((line) => line.split("\t")[0] ?? "");
    expect(wrong(offered, wanted)).toEqual([]);
  });
});

if (!isThere("zsh")) installDebianPackage("zsh");
const hasZsh = isThere("zsh");

describe.skipIf(!hasZsh)(`completion in zsh${hasZsh ? "" : ": it is not installed"}`, () => {
  test("is known to it, without a word of complaint", () => {
    const script = [...completionLines("zsh", COMMANDS), 'print -r -- "${_comps[foothold]}"'].join("\n");
    const { stdout, stderr } = spawnSync("zsh", ["-f", "-c", script], { encoding: "utf8", cwd: folder });
    expect(stderr).toBe("");
    expect(stdout.trim()).toContain("_bash_complete");
  });
});
