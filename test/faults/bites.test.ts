import { expect, inject, test } from "vitest";
import { inArena } from "./arena.ts";
import { ran, runFault, type Fault, type Outcome } from "./tally.ts";

test("a destination that deduplicates less than it is said to is found by its ledger", async () => {
  const violations = await inArena(inject("databaseUrl"), async (arena) => {
    // Defined as one that deduplicates; at the destination that name stands for one that does not.
    const [caseId = ""] = await arena.start("key", 1, { name: "none_1", kind: "key" });
    const victim = await arena.worker("victim", {
      traps: [{ act: "hold", point: "afterSend", caseId, step: "second" }],
    });
    await victim.hear("at");
    await victim.kill();
    arena.sweep();
    await arena.worker("survivor");
    await arena.settle();
    return arena.judge();
  });
  expect(violations).toEqual([expect.stringMatching(/^key case .+: second has 2 effects$/)]);
});

test("a case that stands still with nobody in sight is found", async () => {
  const violations = await inArena(inject("databaseUrl"), async (arena) => {
    const [caseId = ""] = await arena.start("none", 1);
    const victim = await arena.worker("victim", {
      traps: [{ act: "hold", point: "afterSend", caseId, step: "second" }],
    });
    await victim.hear("at");
    await victim.kill();
    // There is no sweep and no other worker.
    return arena.judge();
  });
  expect(violations).toEqual([
    expect.stringMatching(/: is claimed at the end$/),
    expect.stringMatching(/: is still claimed at the end$/),
    expect.stringMatching(/: its row is not what its journal says$/),
  ]);
});

function faultOf(...rounds: readonly (Outcome | Error)[]): Fault {
  const left = [...rounds];
  const round = async (): Promise<Outcome> => {
    const next = left.shift();
    if (next instanceof Error) throw next;
    return next ?? ran(0, 0, []);
  };
  return { group: "made up", name: "a fault", soakRuns: 1, sampleRuns: 1, round };
}

const input = { serverUrl: "", seed: "seed", runs: 10, resumedWithinMs: 5_000 };

test("a run in which the fault did not hit is a violation", async () => {
  const fault = faultOf(ran(5, 5, []), ran(5, 4, []));
  expect(await runFault(fault, input)).toEqual({
    kind: "ran",
    runs: 10,
    hits: 9,
    violations: ["[seed a fault 2] 1 of 5 runs were void"],
  });
});

test("a run that does not come to its end is a violation, and the last one", async () => {
  const fault = faultOf(new Error("waited for nothing"), ran(10, 10, []));
  expect(await runFault(fault, input)).toMatchObject({
    runs: 1,
    hits: 0,
    violations: ["[seed a fault 1] it did not come to its end: waited for nothing"],
  });
});

test("a fault that cannot be made on this machine is skipped with its reason", async () => {
  const fault = faultOf({ kind: "skipped", reason: "there is no disk" });
  expect(await runFault(fault, input)).toEqual({ kind: "skipped", reason: "there is no disk" });
});
