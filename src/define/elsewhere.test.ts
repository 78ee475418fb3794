import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createTestWorld } from "../testing/world.ts";
import { defineCase } from "./builder.ts";
import { defineDestination } from "./destination.ts";
import { elsewhere } from "./elsewhere.ts";
import { probe } from "./probe.ts";
import { registryOf, runHere } from "./registry.ts";
import { erp, faultsOf, head, run, untypedCase } from "./untyped.fixture.ts";

const request = () => ({});
const there = elsewhere("python");
const far = { to: erp, request, run: there, result: z.unknown() };

describe("a step that is run elsewhere", () => {
  test("says so in its outline and in that of its case type, which no worker of this process takes", () => {
    const scoring = defineCase("scoring", { version: 1, owner: "data", input: z.unknown() }).step("score", {
      ...far,
      check: elsewhere("python"),
      undo: { run: there },
    });
    expect(scoring.outline).toMatchObject({
      runBy: "python",
      steps: [{ runBy: "python", hasRequest: true, hasCheck: true, undo: { runBy: "python" } }],
    });
    const here = defineCase("here", { version: 1, owner: "data", input: z.unknown() }).step("send", {
      to: erp,
      run,
    });
    expect(here.outline.runBy).toBeUndefined();
    expect(runHere(registryOf([scoring, here])).map(({ outline }) => outline.name)).toEqual(["here"]);
  });

  test("is refused where this process calls it all the same, and by a test world", async () => {
    await expect(there()).rejects.toMatchObject({ code: "INVALID_DEFINITION" });
    const scoring = defineCase("scoring", { version: 1, owner: "data", input: z.unknown() }).step(
      "score",
      far,
    );
    expect(() => createTestWorld({ cases: [scoring] })).toThrow("is run elsewhere, by python");
  });

  test("gives what its schema makes of the answer, or JSON as its author says", () => {
    const { steps } = defineCase("typed", { version: 1, owner: "data", input: z.unknown() })
      .step("score", { ...far, result: z.object({ score: z.number() }) })
      .step("file", {
        ...far,
        request: ({ results }) => ({ twice: results.score.score * 2 }),
        run: elsewhere<{ readonly id: string }>("python"),
      }).outline;
    expect(steps.map(({ name }) => name)).toEqual(["score", "file"]);
  });

  test.each<[string, object, readonly string[]]>([
    [
      "without a request and a result",
      { to: erp, run: there },
      [
        "steps.score.request: is missing: the step is run elsewhere, and its request is all that the worker is given",
        "steps.score.result: is missing: the step is run elsewhere, and its result is what its answer is held to",
      ],
    ],
    [
      "by nobody who has a name",
      { ...far, run: elsewhere("no name") },
      [expect.stringMatching(/^steps\.score\.run: names who runs it elsewhere: "no name" is not a name/)],
    ],
    [
      "with a check of this process",
      { ...far, check: run },
      [
        'steps.score.check: must be elsewhere("python"), as run is: whoever sends must be able to ask and to undo',
      ],
    ],
    [
      "with an undo of others",
      { ...far, undo: { run: elsewhere("ruby") } },
      [
        'steps.score.undo.run: must be elsewhere("python"), as run is: whoever sends must be able to ask and to undo',
      ],
    ],
    [
      "only in its check",
      { to: erp, run, check: there },
      [
        "steps.score.check: is run elsewhere, and the step is not: whoever sends must be able to ask and to undo",
      ],
    ],
    [
      "into the engine's own database",
      { ...far, to: defineDestination("own", { idempotency: { by: "transaction" } }) },
      ["steps.score.to: cannot be sent to from elsewhere: own is the engine's own database"],
    ],
    [
      "with a token that this process has anew",
      {
        ...far,
        to: defineDestination("bank", {
          idempotency: { by: "key", window: "1h" },
          credential: { id: () => "bank", refresh: () => Promise.resolve() },
        }),
      },
      ["steps.score.to: cannot be sent to from elsewhere: the token of bank is had anew by this process"],
    ],
    [
      "after a probe",
      { ...far, requires: { "is open": probe({ of: erp, ask: () => true }) } },
      [
        expect.stringMatching(
          /^steps\.score\.requires\.is open: asks an outside system, which workers of this process do/,
        ),
      ],
    ],
  ])("is refused %s", (_, options, faults) => {
    expect(faultsOf(untypedCase("scoring", head).step("score", options))).toEqual(faults);
  });

  test("stands in no case type with steps of this process, or of others", () => {
    const mixed = untypedCase("mixed", head)
      .step("score", far)
      .step("send", { to: erp, run })
      .step("draw", { ...far, run: elsewhere("ruby") });
    expect(faultsOf(mixed)).toEqual([
      expect.stringMatching(
        /^steps\.send\.run: is run by workers of this process, and others .* by python: put those/,
      ),
      expect.stringMatching(/^steps\.draw\.run: is run by ruby, and others of this case type by python/),
    ]);
  });
});
