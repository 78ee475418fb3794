import { resolve } from "node:path";
import { expect, test } from "vitest";
import { readOptions } from "./options.ts";

test("without options the page is at 4680, the data in .foothold, and a browser is opened", () => {
  expect(readOptions([])).toEqual({
    port: 4680,
    data: ".foothold",
    folder: resolve(".foothold"),
    opensPage: true,
  });
});

test("options are read as written", () => {
  expect(readOptions(["--port", "0", "--data", "/tmp/elsewhere", "--no-open"])).toEqual({
    port: 0,
    data: "/tmp/elsewhere",
    folder: "/tmp/elsewhere",
    opensPage: false,
  });
});

test("only the help is wanted with --help", () => {
  expect(readOptions(["--help"])).toBeNull();
});

test.each([
  [["--port", "70000"]],
  [["--port", ""]],
  [["--port", "1.5"]],
  [["--data", " "]],
  [["--prot", "1"]],
  [["word"]],
])("%j is refused in words", (words) => {
  expect(readOptions(words)).toEqual(expect.any(String));
});
