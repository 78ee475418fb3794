import { expect, test, vi } from "vitest";
import { FootholdError } from "../core/errors.ts";
import { tableLines } from "./table.ts";
import { oneLine, printable, sayError } from "./terminal.ts";

test("what a terminal might obey is shown by its code", () => {
  expect(printable("a\u001b[2J\u0007\u202eb\u009b31m\u2028\r\nc")).toBe(
    "a\\u001b[2J\\u0007\\u202eb\\u009b31m\\u2028\\u000d\nc",
  );
});

test("a text of several lines takes one line of a table", () => {
  expect(oneLine("first\n  second\n")).toBe("first second");
});

test("columns are aligned by letters, whatever they are made of", () => {
  const lines = tableLines(
    ["A", "B"],
    [
      ["né", "x"],
      ["👩‍🔧", "y"],
      ["abc", "z"],
    ],
    null,
  );
  expect(lines).toEqual(["A    B", "né   x", "👩‍🔧    y", "abc  z"]);
});

test("only the last column is cut, to the width of the terminal, and never to nothing", () => {
  const rows = [["07-abc", "w".repeat(60)]];
  expect(tableLines(["CASE", "WHAT"], rows, 40)[1]).toBe(`07-abc  ${"w".repeat(31)}…`);
  expect(tableLines(["CASE", "WHAT"], rows, 5)[1]).toBe(`07-abc  ${"w".repeat(19)}…`);
  expect(tableLines(["CASE", "WHAT"], rows, null)[1]).toBe(`07-abc  ${"w".repeat(60)}`);
});

test("no secret that an error tells reaches a log, whether it is ours or not, with its stack and causes", () => {
  const written: string[] = [];
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  try {
    const cause = new Error("authorization: Bearer aB3dE5fG7hJ9");
    sayError(new Error("postgres://app:hunter2@db/x is down", { cause }), true);
    sayError(new FootholdError("DATABASE_UNAVAILABLE", "password=hunter2 was refused"), false);
  } finally {
    stderr.mockRestore();
  }
  const told = written.join("");
  expect(told).toContain("DATABASE_UNAVAILABLE: password=*** was refused");
  expect(told).toContain("caused by");
  expect(told).not.toMatch(/hunter2|aB3dE5/);
});
