import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { runCommand, type Ended } from "./program.ts";

const cwd = fileURLToPath(new URL("rehearsals", import.meta.url));
/** How long a rehearsal may take, in ms. */
const REHEARSAL_MS_MAX = 60_000;

async function rehearse(...words: readonly string[]): Promise<Ended> {
  return runCommand(["rehearse", ...words], { cwd });
}

describe("foothold rehearse", { timeout: REHEARSAL_MS_MAX }, () => {
  test("tells in a table that every step is safe, and ends with 0", async () => {
    const { code, stdout, stderr } = await rehearse("safe.rehearsal.mjs");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("safe version 1: 33 runs, every step is safe\n");
    expect(stdout).toMatch(/^order +shop +key +ledger +safe +safe +safe +safe +- +safe +safe$/m);
    expect(stdout).toMatch(/^charge +shop +key +ledger +safe +safe +safe +safe +- +safe +safe$/m);
  });

  test("names the step that sends twice with its trace, and ends with 1", async () => {
    const { code, stdout, stderr } = await rehearse("unsafe.rehearsal.mjs");
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toContain("safe version 1: 33 runs, every step is safe\n");
    expect(stdout).toContain("unsafe version 1: 33 runs, NOT every step is safe\n");
    expect(stdout).toMatch(/^order +shop +key +ledger +safe +safe +safe +safe +- +safe +safe$/m);
    expect(stdout).toMatch(
      /^charge +shop +key +ledger +SENDS TWICE +SENDS TWICE +SENDS TWICE +SENDS TWICE +- +safe +safe$/m,
    );
    expect(stdout).toMatch(/^charge SENDS TWICE: crash duringSend of charge$/m);
    expect(stdout.match(/shop executes it: shop-\d+, sent without a key/g)).toHaveLength(2);
  });

  test("finds every step of the purchase example safe, by the ledgers of its systems", async () => {
    const example = fileURLToPath(new URL("../../build/examples/purchase/rehearsal.js", import.meta.url));
    const { code, stdout, stderr } = await rehearse(example);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("every step is safe\n");
    expect(stdout).toMatch(/^createRecord +erp +key +effects +safe +safe +safe +- +- +safe +safe$/m);
    expect(stdout).toMatch(/^notify +mail +key +effects +safe +safe +safe +- +- +safe +safe$/m);
  });

  test("prints one JSON document with every fault of every step", async () => {
    const { code, stdout } = await rehearse("unsafe.rehearsal.mjs", "--json");
    const shape = z.object({
      rehearsals: z.array(
        z.object({
          isSafe: z.boolean(),
          steps: z.array(z.object({ step: z.string(), cells: z.array(z.object({ verdict: z.string() })) })),
          findings: z.array(z.object({ step: z.string(), verdict: z.string() })),
        }),
      ),
    });
    const { rehearsals } = shape.parse(JSON.parse(stdout));
    expect(code).toBe(1);
    expect(rehearsals.map(({ isSafe }) => isSafe)).toEqual([true, false]);
    expect(rehearsals[1]?.findings).toMatchObject([{ step: "charge", verdict: "twice" }]);
  });

  test.each([
    [
      "a file that is not there",
      "none.rehearsal.mjs",
      2,
      /^CONFIG_NOT_FOUND: .*none\.rehearsal\.mjs does not exist/,
    ],
    ["a folder", ".", 2, /^CONFIG_NOT_FOUND: .* is no file/],
    [
      "options that are none, with all that is wrong",
      "wrong-options.rehearsal.mjs",
      6,
      /^INVALID_REQUEST: The rehearsal of wrongOptions has 2 faults; correct:\n- aprovals: .*\n- input: /,
    ],
    [
      "a file that exports no rehearsal",
      "case-types.mjs",
      6,
      /^CONFIG_INVALID: .*exports no rehearsal by default/,
    ],
    ["an input that is none", "wrong-input.rehearsal.mjs", 6, /^INVALID_INPUT: /],
  ])("refuses %s", async (_, file, expected, message) => {
    const { code, stdout, stderr } = await rehearse(file);
    expect([code, stdout]).toEqual([expected, ""]);
    expect(stderr).toMatch(message);
  });
});
