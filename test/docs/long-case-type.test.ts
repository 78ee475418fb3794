import { expect, test } from "vitest";
import { typeCheck } from "./type-check.ts";

/** Far more than people write by hand, and more than the compiler follows when each type rests on the one before. */
const STEPS = 120;

test(
  "a case type of 120 steps compiles, and its last step sees the results of the first",
  { timeout: 120_000 },
  () => {
    const steps = Array.from({ length: STEPS - 1 }, (_, index) => {
      const earlier = index === 0 ? "0" : `results.s${index - 1}.count`;
      return `.step("s${index}", { to: erp, run: ({ results }) => ({ count: ${earlier} + 1, at: new Date() }) })`;
    });
    const text = [
      'import { defineCase, defineDestination } from "foothold";',
      'import { z } from "zod";',
      'const erp = defineDestination("erp", { idempotency: { by: "none" } });',
      'export const long = defineCase("long", { version: 1, owner: "me", input: z.object({ vendor: z.string() }) })',
      ...steps,
      `.step("last", { to: erp, run: ({ results, input }) => results.s0.at + results.s${STEPS - 2}.at + input.vendor });`,
      "export const wrong: number = long;",
    ].join("\n");
    expect(typeCheck([{ origin: "long.ts", lineBefore: 0, text }])).toEqual([
      expect.stringMatching(/^long\.ts:125: Type 'CaseDefinition<.* is not assignable to type 'number'/s),
    ]);
  },
);
