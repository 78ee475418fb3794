import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const promise = "declare function send(): Promise<void>;\n";

/** A function that switches over a union of "a" and "b" by these branches. */
function switchOn(branches: string): string {
  return `export function f(kind: "a" | "b"): number {\n  let n = 0;\n  switch (kind) {\n    ${branches}\n  }\n  return n;\n}\n`;
}

/** One planted fault a file: where, what, and the rule that must catch it there. */
const faults: readonly (readonly [path: string, text: string, rule: string])[] = [
  ["src/engine/floating.ts", `${promise}export function f(): void {\n  send();\n}\n`, "no-floating-promises"],
  [
    "src/engine/misused.ts",
    `${promise}export const f = (list: string[]): void => list.forEach(async () => send());\n`,
    "no-misused-promises",
  ],
  ["src/core/missing-member.ts", switchOn('case "a": n = 1;'), "switch-exhaustiveness-check"],
  [
    "src/core/hidden-member.ts",
    switchOn('case "a": n = 1; break; default: n = 2;'),
    "switch-exhaustiveness-check",
  ],
  ["src/core/any.ts", "export const f = (value: any): string => String(value);\n", "no-explicit-any"],
  ["src/core/assert.ts", "export const f = (a?: string): string => a!;\n", "no-non-null-assertion"],
  ["src/core/equal.ts", "export const f = (a: unknown): boolean => a == 1;\n", "eqeqeq"],
  ["src/engine/print.ts", 'console.log("claimed");\n', "no-console"],
  ["src/core/clock.ts", "export const f = (): number => Date.now();\n", "no-restricted-properties"],
  ["src/core/date.ts", "export const f = (): Date => new Date();\n", "no-restricted-globals"],
  ["src/core/random.ts", "export const f = (): number => Math.random();\n", "no-restricted-properties"],
  ["src/engine/clock.ts", "export const f = (): number => Date.now();\n", "no-restricted-properties"],
  ["src/engine/timer.ts", "setTimeout(() => undefined, 1);\n", "no-restricted-globals"],
  [
    "src/desk/id.ts",
    'import { randomUUID } from "node:crypto";\nexport const f = (): string => randomUUID();\n',
    "no-restricted-imports",
  ],
  ["src/core/default.ts", "export default 1;\n", "no-default-export"],
  [
    "src/core/narrow.ts",
    "export const f = (a: unknown): string => a as string;\n",
    "no-unsafe-type-assertion",
  ],
  [
    "src/core/only.test.ts",
    'import { expect, test } from "vitest";\ntest.only("one", () => expect(1).toBe(1));\n',
    "no-focused-tests",
  ],
];

/** What looks alike and is allowed there. */
const allowed: readonly (readonly [path: string, text: string])[] = [
  ["src/cli/print.ts", "console.log(Date.now());\n"],
  ["src/engine/system.ts", "export const f = (): number => Date.now();\nsetTimeout(() => undefined, 1);\n"],
  ["examples/print.ts", "console.log(Date.now());\n"],
  [
    "src/core/whole.ts",
    switchOn('case "a": n = 1; break; case "b": n = 2; break; default: throw new Error(String(kind));'),
  ],
  ["src/core/awaited.ts", `${promise}export async function f(): Promise<void> {\n  await send();\n}\n`],
];

describe("lint rules", () => {
  let folder = "";
  let found: ReadonlySet<string> = new Set();

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "foothold-lint-"));
    for (const name of [".oxlintrc.json", "tsconfig.json", "tsconfig.base.json", "package.json"]) {
      cpSync(name, join(folder, name));
    }
    symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
    for (const [path, text] of [...faults, ...allowed]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const oxlint = join(process.cwd(), "node_modules/oxlint/bin/oxlint");
    const { stdout } = spawnSync(process.execPath, [oxlint, "--format", "json", "src", "examples"], {
      cwd: folder,
      encoding: "utf8",
    });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { filename: string; code: string }[] };
    found = new Set(diagnostics.map(({ filename, code }) => `${filename} ${/\((.+)\)/.exec(code)?.[1]}`));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(faults)("%s is refused", (path, _text, rule) => {
    expect([...found]).toContain(`${path} ${rule}`);
  });

  test.each(allowed)("%s is accepted", (path) => {
    expect([...found].filter((line) => line.startsWith(`${path} `))).toEqual([]);
  });
});
