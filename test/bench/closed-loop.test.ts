import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const run = promisify(execFile);

describe("the closed loop", () => {
  test("brings cases to their end on Foothold, on a hand-written loop and on the bare database, and tells how many", async () => {
    const { stdout } = await run(process.execPath, [
      "--import",
      "./test/setup/typescript.mjs",
      "bench/closed-loop/main.ts",
      "--only=foothold,limit,naive",
      "--in-flight=16",
      "--rounds=1",
      "--window-ms=300",
    ]);
    const rows = stdout.split("\n").filter((line) => line.startsWith("| "));
    const rate = /^[1-9][0-9.]*\/s, [0-9.]+ ms(; \*\*[0-9.]+\*\*)?$/;
    expect(rows.map((row) => row.split("|").map((cell) => cell.trim()))).toEqual([
      ["", "", "16 in flight", ""],
      ["", "---", "---", ""],
      ["", "Foothold", expect.stringMatching(rate), ""],
      ["", "the database alone", expect.stringMatching(rate), ""],
      ["", "hand-written loop", expect.stringMatching(rate), ""],
    ]);
  });
});
