/** What a command is made of, and how its part of the command line is read. */

import { parseArgs, type ParseArgsConfig } from "node:util";
import { FootholdError } from "../core/errors.ts";
import type { ExitCode } from "./exit-codes.ts";

/** An option of a command. */
export interface OptionSpec {
  readonly name: string;
  /** Name of its value in the help; null = it takes none. */
  readonly value: string | null;
  readonly help: string;
  /** True where it may be given several times. */
  readonly isRepeatable?: boolean;
}

/** A command. */
export interface Command {
  /** One or two words: `serve`, `cases list`. */
  readonly name: string;
  readonly summary: string;
  /** Positional words, such as `CASE` or `[STEP]` where it may be left out. */
  readonly positionals: readonly string[];
  readonly options: readonly OptionSpec[];
  /** Lines below the options in its help. */
  readonly notes: readonly string[];
  /** Why no server can do it; left out = it works through the API, of a server or in this process. */
  readonly noServer?: string;
  /** What it gives is the exit code; nothing = 0. */
  readonly run: (call: Call) => Promise<ExitCode | void>;
}

/** A command line, read. */
export interface Call {
  readonly command: Command;
  /** In order; those that were left out are missing at the end. */
  readonly positionals: readonly string[];
  /** The option's value; null = it was not given. */
  text(name: string): string | null;
  /** Every value of a repeatable option. */
  texts(name: string): readonly string[];
  flag(name: string): boolean;
}

/** Options that every command has. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { name: "debug", value: null, help: "show where an error came from" },
  { name: "help", value: null, help: "show this help" },
];

/** Reads the words after the command's name. Throws `USAGE`. */
export function readCall(command: Command, words: readonly string[]): Call {
  const { values, positionals } = parse(command, words);
  if (values["help"] !== true) checkPositionals(command, positionals);
  return {
    command,
    positionals,
    text: (name) => {
      const value = values[name];
      return typeof value === "string" ? value : null;
    },
    texts: (name) => {
      const value = values[name];
      return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
    },
    flag: (name) => values[name] === true,
  };
}

/** The positional word at `index`, which the command needs. */
export function needed({ command, positionals }: Call, index: number): string {
  const word = positionals[index];
  if (word === undefined) throw usage(command, `${command.positionals[index] ?? "a word"} is missing.`);
  return word;
}

/** `USAGE` with the way to the command's help. */
export function usage({ name }: Command, what: string): FootholdError {
  return new FootholdError("USAGE", `${what} See: foothold help ${name}`);
}

/** The texts of options that were given, under the names that the API has for them. */
export function textsGiven<Name extends string>(
  call: Call,
  names: Readonly<Record<Name, string>>,
): { readonly [One in Name]?: string } {
  const given = Object.entries<string>(names).flatMap(([name, option]) => {
    const text = call.text(option);
    return text === null ? [] : [[name, text] as const];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of `names`, some left out
  return Object.fromEntries(given) as { readonly [One in Name]?: string };
}

function parse(command: Command, words: readonly string[]): ReturnType<typeof parseArgs> {
  checkServer(command, words);
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const { name, value, isRepeatable } of [...command.options, ...COMMON_OPTIONS]) {
    const type = value === null ? "boolean" : "string";
    options[name] = { type, multiple: isRepeatable === true, ...(name === "help" ? { short: "h" } : {}) };
  }
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [first] = message.split(". ");
    throw usage(command, `${first ?? message}.`);
  }
}

const SERVER_WORDS = /^--(server|token-file)(=|$)/;

/** That a server is named for what none can do is a mistake of its own, and not a mistyped option. */
function checkServer(command: Command, words: readonly string[]): void {
  const { noServer } = command;
  const end = words.indexOf("--");
  const options = end < 0 ? words : words.slice(0, end);
  if (noServer === undefined || !options.some((word) => SERVER_WORDS.test(word))) return;
  throw usage(command, `No server can do this: ${noServer}.`);
}

function checkPositionals(command: Command, given: readonly string[]): void {
  const { positionals } = command;
  const missing = positionals.slice(given.length).filter((one) => !one.startsWith("["));
  if (missing.length > 0) throw usage(command, `${missing.join(" and ")} is missing.`);
  const [extra] = given.slice(positionals.length);
  if (extra !== undefined) throw usage(command, `${JSON.stringify(extra)} is one word too many.`);
}

/** A whole number within bounds; null = the option was not given. Throws `USAGE`. */
export function readWhole(
  call: Call,
  option: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | null {
  const text = call.text(option);
  if (text === null) return null;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw usage(call.command, `--${option} must be a whole number from ${min} to ${max}.`);
}
