/** What the commands print to. Texts for people are made harmless first: a case may hold anything, escape codes too. */

import { maskSecrets } from "../core/masked-text.ts";
import { isFootholdError } from "../core/errors.ts";

// Control characters can rewrite what stands on a terminal, bidirectional overrides can turn a name around, and what
// separates lines or paragraphs (U+2028, U+2029) can make one line pass for two.
const harmful = /(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** A text with every character that a terminal might obey replaced by its code, such as `\u001b`. Line feeds stay. */
export function printable(text: string): string {
  return text.replace(harmful, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A text on one line. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s*\n\s*/g, " ")).trim();
}

/** Prints a line for people on stdout. What has several lines is put on one: no text of a case can pass for another line. */
export function say(line: string): void {
  process.stdout.write(`${printable(line.replaceAll(/\s*\n\s*/g, " "))}\n`);
}

/** Prints a line on stderr, where it does not mix with results. What is told there ends in logs, so secrets are masked. */
export function warn(line: string): void {
  process.stderr.write(`${printable(maskSecrets(line))}\n`);
}

/** Replaces the last line of a terminal by how far something is; null takes it away. Where nobody watches it prints nothing. */
export function sayProgress(text: string | null): void {
  const { isTTY, columns: width } = process.stderr;
  if (!isTTY) return;
  process.stderr.write(`\r\u001b[K${text === null ? "" : oneLine(text).slice(0, Math.max(0, width - 1))}`);
}

/** Prints one JSON document on stdout. */
export function sayJson(value: unknown): void {
  // JSON allows what terminals obey (U+007F to U+009F); its own escapes say the same.
  process.stdout.write(`${printable(JSON.stringify(value, null, 2))}\n`);
}

/** Prints an error as `CODE: message`, with its stack and causes only where asked for. */
export function sayError(error: unknown, isDebugging: boolean): void {
  if (isFootholdError(error)) warn(`${error.code}: ${error.message}`);
  else warn(`UNEXPECTED: ${error instanceof Error ? error.message : String(error)}`);
  if (isDebugging) sayStack(error);
  else if (!isFootholdError(error)) warn("Run it again with --debug to see where.");
}

const CAUSES_MAX = 10;

function sayStack(error: unknown): void {
  let one = error;
  for (let depth = 0; depth < CAUSES_MAX && one instanceof Error; depth += 1) {
    warn(`${depth === 0 ? "" : "caused by "}${one.stack ?? one.message}`);
    one = one.cause;
  }
}

/** Columns of the terminal; null where stdout is no terminal, so that nothing is cut off in a file. */
export function columns(): number | null {
  return process.stdout.isTTY ? process.stdout.columns : null;
}

/** A reader that went away, as `| head` does, ends the command without a word. */
export function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
}
