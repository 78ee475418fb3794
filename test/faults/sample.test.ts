import { describe, expect, inject, test, vi } from "vitest";
import { seededRandom } from "../../examples/services/seeded-random.ts";
import { FAULTS } from "./catalog.ts";
import { runFault, tellViolations, type Fault } from "./tally.ts";

// Real processes and servers that wait for real leases, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000 });

/** Faults of one sample; another day has others. `npm run soak` runs all of them. */
const SAMPLE_SIZE = 8;

/** From a fault to the next holder, in ms: other tests run at the same time. `npm run soak` asks for lease + 2 s. */
const RESUMED_WITHIN_MS = 15_000;

const seed = process.env["FOOTHOLD_FAULTS_SEED"] ?? new Date().toISOString().slice(0, 10);

function drawSample(): readonly Fault[] {
  const random = seededRandom(seed);
  const drawn = new Set<Fault>();
  while (drawn.size < SAMPLE_SIZE) drawn.add(random.pick(FAULTS));
  return FAULTS.filter((fault) => drawn.has(fault));
}

describe(`a sample of the faults, FOOTHOLD_FAULTS_SEED=${seed}`, () => {
  for (const fault of drawSample()) {
    test(`${fault.name}: nothing is lost, nothing happens twice, nobody is stuck`, async ({ skip }) => {
      const input = {
        serverUrl: inject("databaseUrl"),
        seed,
        runs: fault.sampleRuns,
        resumedWithinMs: RESUMED_WITHIN_MS,
      };
      const outcome = await runFault(fault, input);
      if (outcome.kind === "skipped") return skip(outcome.reason);
      expect(tellViolations(outcome.violations)).toEqual([]);
    });
  }
});
