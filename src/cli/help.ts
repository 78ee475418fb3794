/** The help: an overview, and one page for each command. */

import { COMMANDS, findCommand, GROUPS } from "./commands.ts";
import { COMMON_OPTIONS, type Command } from "./command.ts";
import { EXIT_CODE_WORDS } from "./exit-codes.ts";

/** Lines of the help for `words`: the overview, one command, or all of a group such as `cases`. Throws `USAGE` for an unknown one. */
export function helpLines(words: readonly string[]): readonly string[] {
  const [first, ...more] = words;
  if (first === undefined) return overview();
  if (GROUPS.includes(first) && more.length === 0) {
    return listing(
      `foothold ${first}`,
      COMMANDS.filter(({ name }) => name.startsWith(`${first} `)),
    );
  }
  return commandHelp(findCommand(words).command);
}

function overview(): readonly string[] {
  return [
    "foothold COMMAND [OPTION…]",
    "",
    ...listing("Commands", COMMANDS),
    "",
    "  foothold help COMMAND   its options",
    "  foothold --version      the release",
    "",
    "Exit codes",
    ...EXIT_CODE_WORDS.map(([code, words]) => `  ${code}  ${words}`),
    "",
    "Errors go to stderr as CODE: message. docs/reference/errors.md explains each code.",
  ];
}

function listing(title: string, commands: readonly Command[]): readonly string[] {
  const wide = Math.max(...commands.map((one) => usageOf(one).length));
  return [title, ...commands.map((one) => `  ${usageOf(one).padEnd(wide)}  ${one.summary}`)];
}

function usageOf({ name, positionals }: Command): string {
  return [name, ...positionals].join(" ");
}

function commandHelp(command: Command): readonly string[] {
  const options = [...command.options, ...COMMON_OPTIONS].map(({ name, value, help }) => ({
    left: `--${name}${value === null ? "" : ` ${value}`}`,
    help,
  }));
  const wide = Math.max(...options.map(({ left }) => left.length));
  return [
    `foothold ${usageOf(command)} [OPTION…]`,
    "",
    `${command.summary[0]?.toUpperCase() ?? ""}${command.summary.slice(1)}.`,
    "",
    "Options",
    ...options.map(({ left, help }) => `  ${left.padEnd(wide)}  ${help}`),
    ...(command.notes.length === 0 ? [] : ["", ...command.notes]),
    ...(command.noServer === undefined ? [] : ["", `It goes through no server: ${command.noServer}.`]),
  ];
}
