#!/usr/bin/env node
/** The command line. Everything is composed here and below; nothing else reads the environment, prints or exits. */

import { readCall } from "./command.ts";
import { findCommand, GROUPS } from "./commands.ts";
import { EXIT_CODES, exitCodeOf, type ExitCode } from "./exit-codes.ts";
import { helpLines } from "./help.ts";
import { packageVersion } from "./package-version.ts";
import { endWithReader, say, sayError } from "./terminal.ts";

endWithReader();
process.exitCode = await run(process.argv.slice(2));

async function run(words: readonly string[]): Promise<ExitCode> {
  try {
    return (await runWords(words)) ?? EXIT_CODES.ok;
  } catch (error) {
    sayError(error, words.includes("--debug"));
    return exitCodeOf(error);
  }
}

async function runWords(words: readonly string[]): Promise<ExitCode | void> {
  const [first, ...more] = words;
  if (first === "--version" || first === "-V") {
    say(packageVersion());
    return;
  }
  if (first === undefined || first === "help" || first === "--help" || first === "-h") {
    for (const line of helpLines(first === "help" ? more : [])) say(line);
    return;
  }
  if (GROUPS.includes(first) && (more[0] === "--help" || more[0] === "-h")) {
    for (const line of helpLines([first])) say(line);
    return;
  }
  const { command, rest } = findCommand(words);
  const call = readCall(command, rest);
  if (call.flag("help")) {
    for (const line of helpLines(command.name.split(" "))) say(line);
    return;
  }
  return command.run(call);
}
