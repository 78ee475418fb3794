import { expect, test } from "vitest";
import { readOptions } from "./options.ts";

test("a log alone runs on an embedded database with one worker and without faults", () => {
  expect(readOptions(["log.csv"])).toEqual({
    kind: "run",
    options: {
      file: "log.csv",
      store: { kind: "embedded", folder: null },
      workerCount: 1,
      seed: null,
      isJson: false,
      timeoutMs: 300_000,
    },
  });
});

test("every option is read", () => {
  const url = "postgres://localhost/permits";
  const parameters = [
    "log.csv",
    "--url",
    url,
    "--workers",
    "4",
    "--faults",
    "7",
    "--json",
    "--timeout",
    "90",
  ];
  expect(readOptions(parameters)).toEqual({
    kind: "run",
    options: {
      file: "log.csv",
      store: { kind: "postgres", url },
      workerCount: 4,
      seed: 7,
      isJson: true,
      timeoutMs: 90_000,
    },
  });
});

test.each([
  { parameters: [], says: "name the log" },
  { parameters: ["a.csv", "b.csv"], says: "b.csv is too much" },
  { parameters: ["a.csv", "--speed", "9"], says: "--speed" },
  { parameters: ["a.csv", "--workers", "0"], says: "--workers must be a whole number from 1 to 16" },
  { parameters: ["a.csv", "--workers", "17"], says: "--workers must be" },
  { parameters: ["a.csv", "--workers", "two"], says: "--workers must be" },
  { parameters: ["a.csv", "--faults", "0.5"], says: "--faults takes a seed" },
  { parameters: ["a.csv", "--faults"], says: "--faults" },
  { parameters: ["a.csv", "--timeout", "0"], says: "--timeout must be" },
  { parameters: ["a.csv", "--store", "paper"], says: "--store is embedded, postgres or memory, not paper" },
  { parameters: ["a.csv", "--store", "memory", "--workers", "2"], says: "takes one worker" },
  { parameters: ["a.csv", "--store", "postgres"], says: "needs --url" },
  { parameters: ["a.csv", "--store", "memory", "--url", "postgres://x/y"], says: "--url goes with" },
  { parameters: ["a.csv", "--url", "postgres://x/y", "--data", "d"], says: "--data goes with" },
])("what cannot be done is refused in words: $parameters", ({ parameters, says }) => {
  const read = readOptions(parameters);
  expect(read.kind).toBe("faulty");
  expect(read.kind === "faulty" ? read.message : "").toContain(says);
});

test("help is given even beside what cannot be done", () => {
  expect(readOptions(["--help"])).toEqual({ kind: "help" });
  expect(readOptions(["--help", "--workers", "99"])).toEqual({ kind: "help" });
});
