import { describe, expect, test } from "vitest";
import { findDeadExceptions, findFaults, type Limits } from "../../tools/tidy.mjs";

const none: Limits = { files: {}, functions: {} };

function rulesBroken(path: string, text: string, limits: Limits = none): readonly string[] {
  return findFaults(path, text, limits).map((finding) => finding.rule);
}

function functionOf(lineCount: number): string {
  return `export function long() {\n${"  step();\n".repeat(lineCount - 2)}}\n`;
}

describe("words", () => {
  test.each([
    ["docs/guide.md", "TODO: write this"],
    ["src/core/plan.ts", "// FIXME"],
    ["README.md", "This is enough for now."],
    ["src/core/plan.ts", 'const state = "cancelled";'],
    ["docs/guide.md", "the behaviour of a step"],
    ["docs/guide.md", "delivers exactly once"],
    ["src/core/plan.ts", 'import { pad } from "./utils.ts";'],
    ["src/core/plan.ts", 'import { pad } from "../common/text.ts";'],
    ["src/engine/worker.ts", 'console.log("claimed");'],
    ["src/engine/worker.ts", "const url = process.env.DATABASE_URL;"],
    ["src/engine/worker.ts", "process.exit(1);"],
    ["src/http/app.ts", "const at = new Date();"],
    ["src/core/plan.ts", "/* v8 ignore next */"],
    ["examples/purchase.ts", "// @ts-ignore"],
  ])("%s must not say %j", (path, line) => {
    expect(rulesBroken(path, `${line}\n`)).toEqual(["words"]);
  });

  test.each([
    ["src/cli/main.ts", 'console.log("done");\nprocess.exit(0);'],
    ["src/cli/main.ts", "const at = new Date();"],
    ["examples/purchase.ts", 'console.log("done");'],
    ["src/core/state.ts", 'const state = "canceled"; // a canceled case\nconst at = new Date(0);'],
    ["src/core/plan.ts", 'import { common } from "./commonality.ts";'],
  ])("%s may say %j", (path, line) => {
    expect(rulesBroken(path, `${line}\n`)).toEqual([]);
  });
});

describe("the lock file", () => {
  test("names no registry", () => {
    expect(rulesBroken("package-lock.json", '  "resolved": "https://registry.example/zod.tgz",\n')).toEqual([
      "registry",
    ]);
    expect(rulesBroken("package-lock.json", '  "version": "1.0.0", "todo": "TODO"\n')).toEqual([]);
  });
});

describe("names and lines", () => {
  test.each(["src/core/utils.ts", "src/helpers/pad.ts", "test/common.ts", "src/engine/manager.ts"])(
    "%s is no name for one idea",
    (path) => {
      expect(rulesBroken(path, "")).toEqual(["name"]);
    },
  );

  test("a line has at most 140 characters, addresses and rows of tables apart", () => {
    expect(rulesBroken("docs/guide.md", "x".repeat(140))).toEqual([]);
    expect(rulesBroken("docs/guide.md", "x".repeat(141))).toEqual(["line-length"]);
    expect(rulesBroken("docs/guide.md", `| ${"x".repeat(141)} |`)).toEqual([]);
    expect(rulesBroken("docs/guide.md", `see https://example.org/${"x".repeat(141)}`)).toEqual([]);
  });
});

describe("sizes in src", () => {
  const path = "src/engine/attempt.ts";

  test("a file has at most 500 lines", () => {
    expect(rulesBroken(path, "f();\n".repeat(500))).toEqual([]);
    expect(rulesBroken(path, "f();\n".repeat(501))).toEqual(["size"]);
    expect(rulesBroken("test/attempt.test.ts", "f();\n".repeat(501))).toEqual([]);
  });

  test("a function has at most 70 lines", () => {
    expect(rulesBroken(path, functionOf(70))).toEqual([]);
    expect(rulesBroken(path, functionOf(71))).toEqual(["size"]);
    expect(rulesBroken(path, `export const long = () => {\n${"f();\n".repeat(70)}};\n`)).toEqual(["size"]);
    expect(rulesBroken(path, `class Long {\n  run() {\n${"f();\n".repeat(70)}}\n}\n`)).toEqual(["size"]);
  });

  test("a suite of tests is no function", () => {
    expect(rulesBroken("src/engine/attempt.test.ts", functionOf(71))).toEqual([]);
  });

  test("an exception allows its exact size, neither more nor less", () => {
    const limits: Limits = { files: {}, functions: { [`${path}#long`]: 80 } };
    expect(rulesBroken(path, functionOf(80), limits)).toEqual([]);
    expect(rulesBroken(path, functionOf(81), limits)).toEqual(["size"]);
    expect(rulesBroken(path, functionOf(79), limits)).toEqual(["exception"]);
    expect(rulesBroken(path, functionOf(60), limits)).toEqual(["exception"]);
    expect(rulesBroken(path, "f();\n".repeat(520), { files: { [path]: 520 }, functions: {} })).toEqual([]);
  });

  test("an exception for what is not there must go", () => {
    const files = new Map([[path, functionOf(80)]]);
    expect(findDeadExceptions(files, { files: { [path]: 1 }, functions: { [`${path}#long`]: 80 } })).toEqual(
      [],
    );
    expect(findDeadExceptions(files, { files: { "src/gone.ts": 501 }, functions: {} })).toHaveLength(1);
    expect(findDeadExceptions(files, { files: {}, functions: { [`${path}#gone`]: 80 } })).toHaveLength(1);
  });
});
