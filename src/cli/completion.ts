/** `foothold completion SHELL`: a script that completes commands, options and file names, written from the commands there are. */

import { COMMON_OPTIONS, usage, type Command, type OptionSpec } from "./command.ts";
import { say } from "./terminal.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** Names of values that are files or folders. */
const FILES = /\b(FILE|FOLDER)\b/;

/** The command; `all` gives every command, itself among them. */
export function completionCommandOf(all: () => readonly Command[]): Command {
  return {
    name: "completion",
    summary: "print a script that completes commands and options in your shell",
    positionals: ["SHELL"],
    options: [],
    noServer: "it prints a script",
    notes: [
      `SHELL is one of ${SHELLS.join(", ")}. For this shell only, or in its start file for all:`,
      "  bash   source <(foothold completion bash)",
      "  zsh    source <(foothold completion zsh)",
      "  fish   foothold completion fish | source",
    ],
    run: (call) => {
      const [named] = call.positionals;
      const shell = SHELLS.find((one) => one === named);
      if (shell === undefined) throw usage(call.command, `SHELL is one of ${SHELLS.join(", ")}.`);
      for (const line of completionLines(shell, all())) say(line);
      return Promise.resolve();
    },
  };
}

/** The lines of the script. */
export function completionLines(shell: Shell, commands: readonly Command[]): readonly string[] {
  switch (shell) {
    case "bash":
      return bashLines(commands);
    case "zsh":
      // Of zsh's own, so that one function serves both.
      return [
        "(( $+functions[compdef] )) || { autoload -U +X compinit && compinit -u; }",
        "autoload -U +X bashcompinit && bashcompinit",
        ...bashLines(commands),
      ];
    case "fish":
      return fishLines(commands);
  }
}

/** The first words of commands, each with the words that may follow it: none for a command of one word. */
function wordsOf(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, readonly string[]>();
  for (const { name } of commands) {
    const [first = "", second] = name.split(" ");
    words.set(first, [...(words.get(first) ?? []), ...(second === undefined ? [] : [second])]);
  }
  return words;
}

function optionsOf({ options }: Command): readonly OptionSpec[] {
  return [...options, ...COMMON_OPTIONS];
}

function bashLines(commands: readonly Command[]): readonly string[] {
  const words = wordsOf(commands);
  const groups = [...words].filter(([, seconds]) => seconds.length > 0);
  return [
    "_foothold() {",
    '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"',
    '  local first="${COMP_WORDS[1]}" second="${COMP_WORDS[2]}" words=""',
    "  COMPREPLY=()",
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${[...words.keys(), "help"].join(" ")}"`,
    '  elif [ "$COMP_CWORD" -eq 2 ] && [ "${word#-}" = "$word" ]; then',
    '    case "$first" in',
    ...groups.map(([first, seconds]) => `      "${first}") words="${seconds.join(" ")}" ;;`),
    `      help) words="${[...words.keys()].join(" ")}" ;;`,
    `      completion) words="${SHELLS.join(" ")}" ;;`,
    "    esac",
    "  fi",
    `  case "$before" in`,
    `    ${filePattern(commands)}) COMPREPLY=($(compgen -f -- "$word")); return ;;`,
    "  esac",
    '  if [ "${word#-}" != "$word" ]; then',
    '    case "$first $second" in',
    ...commands
      .toSorted((a, b) => b.name.length - a.name.length)
      .map((command) => {
        const pattern = command.name.includes(" ") ? `"${command.name}"` : `"${command.name} "*`;
        return `      ${pattern}) words="${optionsOf(command)
          .map(({ name }) => `--${name}`)
          .join(" ")}" ;;`;
      }),
    "    esac",
    "  fi",
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    "}",
    "complete -o default -F _foothold foothold",
  ];
}

function filePattern(commands: readonly Command[]): string {
  const names = commands.flatMap(({ options }) =>
    options.filter(({ value }) => value !== null && FILES.test(value)).map(({ name }) => `--${name}`),
  );
  return [...new Set(names)].join("|");
}

function fishLines(commands: readonly Command[]): readonly string[] {
  const words = wordsOf(commands);
  const summaries = new Map(commands.map(({ name, summary }) => [name, summary]));
  const lines = ["complete -c foothold -e", "complete -c foothold -f"];
  for (const [first, seconds] of words) {
    const told = summaries.get(first) ?? seconds.join(", ");
    lines.push(fishLine("__fish_use_subcommand", `-a ${first}`, told));
    const isOpen = `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${seconds.join(" ")}`;
    for (const second of seconds)
      lines.push(fishLine(isOpen, `-a ${second}`, summaries.get(`${first} ${second}`) ?? ""));
  }
  lines.push(fishLine("__fish_use_subcommand", "-a help", "show what commands there are"));
  lines.push(fishLine("__fish_seen_subcommand_from completion", `-a "${SHELLS.join(" ")}"`, "a shell"));
  for (const command of commands) {
    const [first = "", second] = command.name.split(" ");
    const isMeant =
      second === undefined
        ? `__fish_seen_subcommand_from ${first}`
        : `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`;
    for (const { name, value, help } of optionsOf(command)) {
      const takes = value === null ? "" : FILES.test(value) ? " -r -F" : " -x";
      lines.push(fishLine(isMeant, `-l ${name}${takes}`, help));
    }
  }
  return lines;
}

function fishLine(condition: string, what: string, help: string): string {
  return `complete -c foothold -n '${condition}' ${what} -d '${help.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
