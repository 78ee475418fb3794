/** Tables for people: aligned, one line a row, the last column cut to the terminal. */

import { oneLine } from "./terminal.ts";

const GAP = 2;
/** Narrowest last column; below it lines wrap rather than say nothing. */
const LAST_COLUMN_MIN = 20;

/** Lines of a table. `columns` = width of the terminal; null = nothing is cut off. */
export function tableLines(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | null,
): readonly string[] {
  const cells = [heading, ...rows].map((row) => row.map(oneLine));
  const widths = heading.map((_, index) => Math.max(...cells.map((row) => width(row[index] ?? ""))));
  const last = heading.length - 1;
  const before = widths.slice(0, last).reduce((sum, one) => sum + one + GAP, 0);
  const room = columns === null ? null : Math.max(LAST_COLUMN_MIN, columns - before);
  return cells.map((row) =>
    row
      .map((cell, index) => (index === last ? cut(cell, room) : pad(cell, (widths[index] ?? 0) + GAP)))
      .join("")
      .trimEnd(),
  );
}

const letters = new Intl.Segmenter("en", { granularity: "grapheme" });

/** What a person takes for one letter each, so that accents and emoji do not shift a column. */
function lettersOf(text: string): readonly string[] {
  return Array.from(letters.segment(text), ({ segment }) => segment);
}

/** Letters of a text. */
export function width(text: string): number {
  return lettersOf(text).length;
}

/** A text with spaces up to so many letters. */
export function pad(text: string, to: number): string {
  return text + " ".repeat(Math.max(0, to - width(text)));
}

/** A text of at most so many letters; null = whole. */
export function cut(text: string, room: number | null): string {
  if (room === null || width(text) <= room) return text;
  return `${lettersOf(text)
    .slice(0, room - 1)
    .join("")}…`;
}
