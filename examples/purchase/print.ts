/** What people read goes to stdout, line by line. */

let isLastLineEmpty = false;

/** One line on stdout. What a request says may hold anything, so nothing that a terminal would obey is passed on. */
export function print(line: string): void {
  isLastLineEmpty = line === "";
  process.stdout.write(`${line.replaceAll(/\p{Cc}/gu, "")}\n`);
}

/** Lines with an empty one before and after. */
export function printApart(lines: readonly string[]): void {
  if (lines.length === 0) return;
  if (!isLastLineEmpty) print("");
  for (const line of [...lines, ""]) print(line);
}
