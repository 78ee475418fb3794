/** One row of a CSV text: its fields, and the line (1-based) on which it starts. */
export interface CsvRow {
  readonly line: number;
  readonly fields: readonly string[];
}

/** The rows of a CSV text, or the first fault in it and the line where it is. */
export type CsvText =
  | { readonly kind: "rows"; readonly rows: readonly CsvRow[] }
  | { readonly kind: "fault"; readonly line: number; readonly message: string };

/**
 * Splits CSV text (RFC 4180) into rows: fields in double quotes may hold commas, line ends and doubled
 * quotes; lines end in LF or CRLF; a byte order mark and empty lines are skipped. At most `rowsMax` rows are
 * taken.
 */
export function splitCsv(text: string, rowsMax: number): CsvText {
  const rows: CsvRow[] = [];
  let at = text.startsWith("\ufeff") ? 1 : 0;
  let line = 1;
  // Each turn reads at least one line end, so this ends with the text.
  while (at < text.length) {
    const row = readRow(text, at, line);
    if (row.kind === "fault") return row;
    if (row.fields.length > 1 || row.fields[0] !== "") rows.push({ line, fields: row.fields });
    if (rows.length > rowsMax) return { kind: "fault", line, message: `there are more than ${rowsMax} rows` };
    at = row.endAt;
    line = row.endLine;
  }
  return { kind: "rows", rows };
}

type ReadRow =
  | { readonly kind: "row"; readonly fields: string[]; readonly endAt: number; readonly endLine: number }
  | { readonly kind: "fault"; readonly line: number; readonly message: string };

function readRow(text: string, startAt: number, startLine: number): ReadRow {
  const fields: string[] = [];
  let at = startAt;
  let line = startLine;
  for (;;) {
    let field: string;
    if (text[at] === '"') {
      const closeAt = closingQuoteAt(text, at);
      if (closeAt === -1) return { kind: "fault", line, message: "a quote is opened and never closed" };
      field = text.slice(at + 1, closeAt).replaceAll('""', '"');
      line += field.split("\n").length - 1;
      at = closeAt + 1;
    } else {
      const endAt = plainFieldEndAt(text, at);
      field = text.slice(at, endAt);
      if (field.includes('"')) return { kind: "fault", line, message: "a quote stands inside a plain field" };
      at = endAt;
    }
    fields.push(field);
    if (text[at] === ",") {
      at += 1;
      continue;
    }
    if (text.startsWith("\r\n", at)) at += 1;
    if (at < text.length && text[at] !== "\n") {
      return {
        kind: "fault",
        line,
        message: "a closing quote is followed by neither a comma nor a line end",
      };
    }
    return { kind: "row", fields, endAt: at + 1, endLine: line + 1 };
  }
}

/** Where the quote that was opened at `openAt` is closed; -1 when it is not. */
function closingQuoteAt(text: string, openAt: number): number {
  let at = text.indexOf('"', openAt + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

function plainFieldEndAt(text: string, startAt: number): number {
  let at = startAt;
  while (at < text.length && text[at] !== "," && text[at] !== "\n" && !text.startsWith("\r\n", at)) at += 1;
  return at;
}

/** One field as it stands in CSV text: quoted where it must be. */
export function csvField(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
