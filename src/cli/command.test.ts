import { expect, test } from "vitest";
import { isFootholdError } from "../core/errors.ts";
import { needed, readCall, type Call } from "./command.ts";
import { COMMANDS, findCommand } from "./commands.ts";
import { nearest } from "./did-you-mean.ts";
import { helpLines } from "./help.ts";

function read(words: readonly string[]): Call {
  const { command, rest } = findCommand(words);
  return readCall(command, rest);
}

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isFootholdError(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error("expected a refusal");
}

test.each([
  [["wroker"], "Did you mean: foothold worker?"],
  [["cases", "lst"], "Did you mean: foothold cases list?"],
  [["resume"], "Did you mean: foothold cases resume?"],
  [["cases"], "Which? foothold cases list"],
  [["cases", "--json"], "Which? foothold cases list"],
  [["xyzzy"], 'There is no command "xyzzy". See: foothold help'],
  [["cases", "show"], "CASE is missing"],
  [["cases", "event", "07-a"], "EVENT is missing"],
  [["cases", "show", "07-a", "07-b"], '"07-b" is one word too many'],
  [["cases", "list", "--stat", "ready"], "--stat"],
  [["cases", "list", "--state"], "--state"],
  [["cases", "list", "--review=yes"], "--review"],
])("%j is a usage error that says what is meant", (words, hint) => {
  const refusal = refusalOf(() => read(words));
  expect(refusal).toMatch(/^USAGE: /);
  expect(refusal).toContain(hint);
});

test("words, options and flags are read, in any order", () => {
  const call = read(["cases", "approve", "--json", "07-a", "--note", "fine", "legal", "--by=finn"]);
  expect([needed(call, 0), call.positionals[1]]).toEqual(["07-a", "legal"]);
  expect([call.text("note"), call.text("by"), call.text("plan")]).toEqual(["fine", "finn", null]);
  expect([call.flag("json"), call.flag("debug")]).toEqual([true, false]);
});

test("a repeatable option gives every value", () => {
  expect(read(["cases", "list", "--state", "done", "--state", "ready"]).texts("state")).toEqual([
    "done",
    "ready",
  ]);
});

test("an option named like a part of every object is unknown", () => {
  expect(refusalOf(() => read(["cases", "list", "--constructor", "x"]))).toContain("--constructor");
});

test("every command has a help that names all its options", () => {
  for (const { name, options } of COMMANDS) {
    const help = helpLines(name.split(" ")).join("\n");
    for (const option of options) expect(help).toContain(`--${option.name}`);
  }
});

test("no command has two options of one name", () => {
  for (const { options } of COMMANDS) {
    const names = options.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  }
});

test.each([
  ["serv", "serve"],
  ["wokrer", "worker"],
  ["mig", "migrate"],
  ["", null],
  ["zzz", null],
  ["x".repeat(1_000), null],
])("%j is taken for %j", (word, meant) => {
  expect(nearest(word, ["serve", "worker", "migrate"])).toBe(meant);
});
