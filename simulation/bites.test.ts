import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { SABOTAGES, type Sabotage } from "./sabotage.ts";
import { MAIN_WORLD } from "./world.ts";

/** Seeds within which a switched-off rule must be found. */
const SEEDS_MAX = 2_000;
const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Below the repository, so that packages are found as from the sources. */
const COPIES = join(ROOT, "build", "sabotaged");

/** A copy of the product and its simulation with one rule switched off. */
function sabotage({ file, edits }: Sabotage, index: number): string {
  const copy = join(COPIES, String(index));
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const part of ["src", "simulation", "test/setup"])
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  for (const { line, instead, file: own = file } of edits) {
    const path = join(copy, "src", own);
    const source = readFileSync(path, "utf8");
    expect(source.split(line), `"${line}" stands once in src/${own}`).toHaveLength(2);
    writeFileSync(
      path,
      source.replace(line, () => instead),
    );
  }
  return copy;
}

function simulate(
  copy: string,
  { world = MAIN_WORLD.name }: Sabotage,
): { readonly status: number | null; readonly output: string } {
  const loader = join(copy, "test/setup/typescript.mjs");
  const main = join(copy, "simulation/main.ts");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      "--import",
      loader,
      main,
      "--world",
      world,
      "--seeds",
      String(SEEDS_MAX),
      "--jobs",
      "1",
      "--until-found",
    ],
    { encoding: "utf8", cwd: copy },
  );
  return { status, output: `${stdout}${stderr}` };
}

describe("the simulation bites", () => {
  afterAll(() => rmSync(COPIES, { recursive: true, force: true }));

  it.each(SABOTAGES.map((one, index) => [one.rule, one, index] as const))(
    `finds within ${SEEDS_MAX} seeds that this is switched off: %s`,
    (_, one, index) => {
      const { status, output } = simulate(sabotage(one, index), one);
      expect(output).toMatch(/^seed \d+: /m);
      expect(status).toBe(1);
    },
    120_000,
  );
});
